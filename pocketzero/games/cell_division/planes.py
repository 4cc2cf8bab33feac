"""How a network sees Cell Division, and the eight ways to look at the same board."""

from pocketzero.games.cell_division.rules import BLOCKED, CELLS, EMPTY, GRID, SIDE
from pocketzero.games.grid import SQUARE_SYMMETRIES, square_image

PLANES = (3, GRID, GRID)
SYMMETRIES = SQUARE_SYMMETRIES


def encode(state, planes):
    """Own stones, the opponent's, empty cells. A blocked cell is 0 in all three, like the cells outside the board."""
    for cell in range(GRID * GRID):
        what = state[CELLS + cell]
        if what != BLOCKED:
            plane = 2 if what == EMPTY else 0 if what == 1 + state[0] else 1
            planes[plane, cell // GRID, cell % GRID] = 1


def mirror(state, index, out):
    for i in range(CELLS):
        out[i] = state[i]
    side = state[SIDE]
    for cell in range(GRID * GRID):
        if cell // GRID < side and cell % GRID < side:
            out[CELLS + mirror_move(state, cell, index)] = state[CELLS + cell]
        else:
            out[CELLS + cell] = BLOCKED


def mirror_move(state, move, index):
    row, column = square_image(move // GRID, move % GRID, state[SIDE], index)
    return row * GRID + column
