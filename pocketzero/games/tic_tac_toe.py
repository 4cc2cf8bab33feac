"""Tic-tac-toe: three in a row on a board of 3 x 3. A move is the number of a cell.

An opening is 0 to 2 random moves.
"""

from pocketzero.games import PLAYING
from pocketzero.games.grid import SQUARE_SYMMETRIES, square_image
from pocketzero.rng import draw

BOARDS = (3,)
CELLS = 1  # where the cells start: 0 empty, 1 player 0's, 2 player 1's
STATE = CELLS + 9  # the player to move, then the cells
MOVES = 9
PLANES = (2, 3, 3)
SYMMETRIES = SQUARE_SYMMETRIES

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def init(state, board, seed):
    if seed != 0:
        plies = draw(seed, 0, 3)
        tries = 0
        while plies > 0:
            tries += 1
            cell = draw(seed, tries, 9)
            if state[CELLS + cell] == 0:
                step(state, cell)
                plies -= 1


def legal(state, mask):
    for cell in range(9):
        mask[cell] = state[CELLS + cell] == 0


def step(state, move):
    state[CELLS + move] = 1 + state[0]
    state[0] = 1 - state[0]


def result(state):
    for a, b, c in LINES:
        mark = state[CELLS + a]
        if mark != 0 and mark == state[CELLS + b] and mark == state[CELLS + c]:
            return 1 if mark == 1 else -1
    for cell in range(9):
        if state[CELLS + cell] == 0:
            return PLAYING
    return 0


def encode(state, planes):
    for cell in range(9):
        mark = state[CELLS + cell]
        if mark != 0:
            planes[0 if mark == 1 + state[0] else 1, cell // 3, cell % 3] = 1  # mine, then theirs


def mirror(state, index, out):
    out[0] = state[0]
    for cell in range(9):
        out[CELLS + mirror_move(state, cell, index)] = state[CELLS + cell]


def mirror_move(state, move, index):
    row, column = square_image(move // 3, move % 3, 3, index)
    return row * 3 + column
