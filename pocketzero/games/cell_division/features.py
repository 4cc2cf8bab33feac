"""The 14 numbers by which a linear tier judges an empty cell of Cell Division.

Each is an integer over a fixed denominator, so every runtime computes the same double to the last bit. "ai" is the
player to move, "opp" the opponent. openness + ai_neighbors + opp_neighbors + boundary_neighbors is always 1.
"""

from pocketzero.games.cell_division.rules import AXES, BLOCKED, CELLS, EMPTIES, EMPTY, GRID, active_axes, at

FEATURES = (
    "immediate_ai",  # points the player's total would gain here; 24 is the most possible: 8, and 2 for each of 8 others
    "immediate_opp",  # the same for the opponent
    "openness",  # empty neighbours
    "ai_neighbors",
    "opp_neighbors",
    "ai_connectivity",  # axes through the cell with a stone of the player
    "opp_connectivity",
    "ai_underlap",  # directions with an empty neighbour and the player's stone right behind it
    "opp_underlap",
    "boundary_neighbors",  # neighbours off the board or blocked
    "ai_half_axis",  # axes with exactly one stone of the player
    "opp_half_axis",
    "second_order_openness",  # empty cells at Chebyshev distance 2
    "game_progress",  # stones on the board: 0 on an empty board, 1 at the last move
)
# game_progress is over the playable cells less one
DENOMINATORS = (24, 24, 8, 8, 8, 4, 4, 8, 8, 8, 4, 4, 16, 0)


def features(state, move, out):
    mine, theirs = 1 + state[0], 2 - state[0]
    row, column = move // GRID, move % GRID
    out[0] = gain(state, row, column, mine) / 24
    out[1] = gain(state, row, column, theirs) / 24
    out[2] = neighbours(state, row, column, EMPTY) / 8
    out[3] = neighbours(state, row, column, mine) / 8
    out[4] = neighbours(state, row, column, theirs) / 8
    out[5] = active_axes(state, row, column, mine) / 4
    out[6] = active_axes(state, row, column, theirs) / 4
    out[7] = underlap(state, row, column, mine) / 8
    out[8] = underlap(state, row, column, theirs) / 8
    out[9] = neighbours(state, row, column, BLOCKED) / 8
    out[10] = half_axes(state, row, column, mine) / 4
    out[11] = half_axes(state, row, column, theirs) / 4
    out[12] = ring(state, row, column) / 16
    out[13] = progress(state)


def gain(state, row, column, stone):
    """Points by which that player's total grows with a stone on the empty cell (row, column)."""
    own_axes, others = 0, 0
    for down, right in AXES:
        touches = 0
        for way in (-1, 1):
            r, c = row + way * down, column + way * right
            if at(state, r, c) == stone:
                touches = 1
                if at(state, r + way * down, c + way * right) != stone:  # this axis of the neighbour becomes active
                    others += 2 if active_axes(state, r, c, stone) > 0 else 1
        own_axes += touches
    return others + (2 * own_axes if own_axes > 0 else 1)


def neighbours(state, row, column, what):
    """How many of the 8 neighbours are that."""
    count = 0
    for r in range(row - 1, row + 2):
        for c in range(column - 1, column + 2):
            if (r != row or c != column) and at(state, r, c) == what:
                count += 1
    return count


def underlap(state, row, column, stone):
    """In how many directions the neighbour is empty and the cell behind it that player's."""
    count = 0
    for down, right in AXES:
        for way in (-1, 1):
            near = at(state, row + way * down, column + way * right)
            far = at(state, row + 2 * way * down, column + 2 * way * right)
            if near == EMPTY and far == stone:
                count += 1
    return count


def half_axes(state, row, column, stone):
    """On how many axes exactly one of the two neighbours is that player's."""
    count = 0
    for down, right in AXES:
        one = at(state, row + down, column + right) == stone
        other = at(state, row - down, column - right) == stone
        if one != other:
            count += 1
    return count


def ring(state, row, column):
    """Empty cells at Chebyshev distance exactly 2."""
    count = 0
    for r in range(row - 2, row + 3):
        for c in range(column - 2, column + 3):
            if max(abs(r - row), abs(c - column)) == 2 and at(state, r, c) == EMPTY:
                count += 1
    return count


def progress(state):
    """Stones on the board over the playable cells less one."""
    playable = 0
    for cell in range(GRID * GRID):
        if state[CELLS + cell] != BLOCKED:
            playable += 1
    stones = playable - state[EMPTIES]
    return stones / (playable - 1)
