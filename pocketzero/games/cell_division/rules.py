"""The rules of Cell Division.

Two players take turns to put a stone on an empty cell of an n x n board until it is full; nothing is captured. An axis
of a stone (vertical, horizontal, two diagonals) is active when at least one of its two neighbours on that axis is a
stone of the same player. A stone with no active axis scores 1, otherwise 2 for every active axis. The higher total
wins. Blocked cells are never played on and count as off the board.

A state lies on a grid of 8 x 8 whatever the board: the board is the top-left n x n corner, all else is blocked. A move
is the number of a cell of that grid, row by row.

An opening has 0 to n // 2 blocked cells, then 0 to 3 stones of each player, on distinct cells, all uniform; player 0 is
to move. At most 8 of the 16 cells of the smallest board are taken.
"""

from pocketzero.games import PLAYING
from pocketzero.rng import draw

BOARDS = (4, 5, 6, 7, 8)
GRID = 8
EMPTIES, SIDE, CELLS = 1, 2, 3  # how many cells are empty; n; where the cells start
STATE = CELLS + GRID * GRID  # the player to move, then the above
MOVES = GRID * GRID
EMPTY, BLOCKED = 0, 3  # a cell is one of these or a player's stone: 1 + player

AXES = ((0, 1), (1, 0), (1, 1), (1, -1))


def init(state, board, seed):
    state[SIDE] = board
    state[EMPTIES] = board * board
    for cell in range(GRID * GRID):
        if cell // GRID >= board or cell % GRID >= board:
            state[CELLS + cell] = BLOCKED
    if seed != 0:
        blocked = draw(seed, 0, board // 2 + 1)
        stones = 2 * draw(seed, 1, 4)
        tries = 2
        for piece in range(blocked + stones):
            cell = -1
            while cell < 0 or state[CELLS + cell] != EMPTY:
                cell = draw(seed, tries, board) * GRID + draw(seed, tries + 1, board)
                tries += 2
            state[CELLS + cell] = BLOCKED if piece < blocked else 1 + (piece - blocked) % 2
            state[EMPTIES] -= 1


def legal(state, mask):
    for cell in range(GRID * GRID):
        mask[cell] = state[CELLS + cell] == EMPTY


def step(state, move):
    state[CELLS + move] = 1 + state[0]
    state[0] = 1 - state[0]
    state[EMPTIES] -= 1


def at(state, row, column):
    """What is there; off the board counts as blocked."""
    if 0 <= row < GRID and 0 <= column < GRID:
        return state[CELLS + row * GRID + column]
    return BLOCKED


def active_axes(state, row, column, stone):
    """On how many axes (row, column) touches that player's stones."""
    count = 0
    for down, right in AXES:
        if at(state, row + down, column + right) == stone or at(state, row - down, column - right) == stone:
            count += 1
    return count


def score(state, stone):
    """The total of the player whose stones these are (1 + player)."""
    total = 0
    for cell in range(GRID * GRID):
        if state[CELLS + cell] == stone:
            axes = active_axes(state, cell // GRID, cell % GRID, stone)
            total += 2 * axes if axes > 0 else 1
    return total


def margin(state):
    return score(state, 1) - score(state, 2)


def result(state):
    if state[EMPTIES] > 0:
        return PLAYING
    lead = margin(state)
    return 1 if lead > 0 else -1 if lead < 0 else 0
