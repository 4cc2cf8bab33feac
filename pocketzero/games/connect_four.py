"""Connect Four: four in a row on 6 rows of 7 columns. A move is a column; the board is known by its 7 columns.

An opening is 0 to 4 random moves, too few to have won.
"""

from pocketzero.games import PLAYING
from pocketzero.rng import draw

ROWS, COLUMNS = 6, 7
BOARDS = (COLUMNS,)
STONES, WINNER, CELLS = 1, 2, 3  # stones so far; 1 + the winner (0: none); the cells, top row first
STATE = CELLS + ROWS * COLUMNS  # the player to move, then the above
MOVES = COLUMNS
PLANES = (2, ROWS, COLUMNS)
SYMMETRIES = 2

AXES = ((0, 1), (1, 0), (1, 1), (1, -1))


def init(state, board, seed):
    if seed != 0:
        for ply in range(draw(seed, 0, 5)):
            step(state, draw(seed, 1 + ply, COLUMNS))


def legal(state, mask):
    for column in range(COLUMNS):
        mask[column] = state[CELLS + column] == 0


def step(state, move):
    row = ROWS - 1
    while state[CELLS + row * COLUMNS + move] != 0:
        row -= 1
    stone = 1 + state[0]
    state[CELLS + row * COLUMNS + move] = stone
    for down, right in AXES:
        if 1 + run(state, row, move, down, right) + run(state, row, move, -down, -right) >= 4:
            state[WINNER] = stone
    state[0] = 1 - state[0]
    state[STONES] += 1


def run(state, row, column, down, right):
    """How many stones like the one at (row, column) follow it in that direction."""
    stone = state[CELLS + row * COLUMNS + column]
    count = 0
    row, column = row + down, column + right
    while 0 <= row < ROWS and 0 <= column < COLUMNS and state[CELLS + row * COLUMNS + column] == stone:
        count += 1
        row, column = row + down, column + right
    return count


def result(state):
    if state[WINNER] != 0:
        return 1 if state[WINNER] == 1 else -1
    return 0 if state[STONES] == ROWS * COLUMNS else PLAYING


def encode(state, planes):
    for cell in range(ROWS * COLUMNS):
        stone = state[CELLS + cell]
        if stone != 0:
            planes[0 if stone == 1 + state[0] else 1, cell // COLUMNS, cell % COLUMNS] = 1  # mine, then theirs


def mirror(state, index, out):
    for i in range(CELLS):
        out[i] = state[i]
    for cell in range(ROWS * COLUMNS):
        row, column = cell // COLUMNS, cell % COLUMNS
        out[CELLS + row * COLUMNS + mirror_move(state, column, index)] = state[CELLS + cell]


def mirror_move(state, move, index):
    return COLUMNS - 1 - move if index == 1 else move
