"""The facts of Cell Division: worked scores, openings, and the 14 features against their definitions in words."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pocketzero import games
from pocketzero.games.cell_division.features import FEATURES, gain
from pocketzero.games.cell_division.rules import AXES, BLOCKED, CELLS, EMPTIES, EMPTY, GRID, SIDE, score

GAME = games.load("cell_division")


def board_of(*rows: str, to_move: int = 0) -> np.ndarray:
    """A state from a drawing: . empty, # blocked, 0 and 1 stones."""
    side = len(rows)
    state = GAME.new(side)
    for r, row in enumerate(rows):
        for c, mark in enumerate(row):
            state[CELLS + r * GRID + c] = {".": EMPTY, "#": BLOCKED, "0": 1, "1": 2}[mark]
    state[0] = to_move
    state[EMPTIES] = sum(row.count(".") for row in rows)
    return state


def points(state: np.ndarray, player: int) -> int:
    return score(state.data, 1 + player)


@pytest.mark.parametrize(
    ("rows", "total"),
    [
        (("00..", "00..", "....", "...."), 24),
        (("00..", "0...", "....", "...."), 12),
        (("0...", "....", "....", "...."), 1),
        (("00..", "....", "....", "...."), 4),
        (("000.", "....", "....", "...."), 6),
        (("0#0.", "....", "....", "...."), 2),
        (("000.", "000.", "000.", "...."), 4 * 6 + 4 * 8 + 8),
    ],
)
def test_worked_scores(rows: tuple[str, ...], total: int) -> None:
    assert points(board_of(*rows), 0) == total


def test_filling_the_fourth_corner_of_a_square_gains_twelve() -> None:
    state = board_of("00..", "0...", "....", "....")
    assert gain(state.data, 1, 1, 1) == 12


def test_a_second_stone_beside_a_lone_one_makes_both_worth_two() -> None:
    state = board_of("0...", "....", "....", "....")
    assert gain(state.data, 0, 1, 1) == 3


def test_the_largest_gain_is_24() -> None:
    state = board_of("........", "........", "..000...", "..0.0...", "..000...", "........", "........", "........")
    assert gain(state.data, 3, 3, 1) == 24


def test_the_last_stone_decides_by_points() -> None:
    state = board_of("0011", "0011", "####", "###.", to_move=0)
    GAME.step(state, 3 * GRID + 3)
    assert GAME.margin(state) == 1 and GAME.result(state) == 1


def test_equal_totals_draw() -> None:
    state = board_of("00##", "####", "####", "##1.", to_move=1)
    GAME.step(state, 3 * GRID + 3)
    assert (GAME.margin(state), GAME.result(state)) == (0, 0)


@pytest.mark.parametrize("board", GAME.boards)
def test_openings_keep_to_their_counts_and_reach_all_of_them(board: int) -> None:
    seen = set()
    for index in range(400):
        state = GAME.new(board, games.opening_seed(11, index))
        cells = state[CELLS:].reshape(GRID, GRID)[:board, :board]
        blocked, zeros, ones = (int((cells == what).sum()) for what in (BLOCKED, 1, 2))
        assert blocked <= board // 2 and zeros == ones <= 3
        assert state[0] == 0 and state[SIDE] == board and state[EMPTIES] == (cells == EMPTY).sum()
        seen.add((blocked, zeros))
    assert len(seen) == (board // 2 + 1) * 4


def test_every_cell_is_as_likely_in_an_opening_as_any_other() -> None:
    counts = np.zeros((6, 6))
    total = 3000
    for index in range(total):
        cells = GAME.new(6, games.opening_seed(12, index))[CELLS:].reshape(GRID, GRID)[:6, :6]
        counts += cells != EMPTY
    expected = counts.sum() / 36
    chi_squared = ((counts - expected) ** 2 / expected).sum()
    assert chi_squared < 66.6  # 35 degrees of freedom, one in a thousand


def by_definition(state: np.ndarray, move: int) -> dict[str, float]:
    """The features again, from their wording: by playing the move and counting, slowly."""
    side = int(state[SIDE])
    cells = state[CELLS:].reshape(GRID, GRID)
    row, column = divmod(move, GRID)
    mine, theirs = 1 + state[0], 2 - state[0]

    def at(r: int, c: int) -> int:
        return int(cells[r, c]) if 0 <= r < side and 0 <= c < side else BLOCKED

    def total_with(stone: int, extra: bool) -> int:
        grid = {(r, c): at(r, c) for r in range(side) for c in range(side)}
        if extra:
            grid[row, column] = stone
        total = 0
        for (r, c), what in grid.items():
            if what == stone:
                active = sum(grid.get((r + a, c + b)) == stone or grid.get((r - a, c - b)) == stone for a, b in AXES)
                total += 2 * active or 1
        return total

    around = [at(row + a, column + b) for a in (-1, 0, 1) for b in (-1, 0, 1) if (a, b) != (0, 0)]
    directions = [(s * a, s * b) for a, b in AXES for s in (1, -1)]
    pairs = [(at(row + a, column + b), at(row - a, column - b)) for a, b in AXES]
    far = [at(row + a, column + b) for a in range(-2, 3) for b in range(-2, 3) if max(abs(a), abs(b)) == 2]
    playable = sum(at(r, c) != BLOCKED for r in range(side) for c in range(side))
    stones = sum(at(r, c) in (1, 2) for r in range(side) for c in range(side))

    def behind_a_gap(stone: int) -> int:
        return sum(at(row + a, column + b) == EMPTY and at(row + 2 * a, column + 2 * b) == stone for a, b in directions)

    return {
        "immediate_ai": (total_with(mine, True) - total_with(mine, False)) / 24,
        "immediate_opp": (total_with(theirs, True) - total_with(theirs, False)) / 24,
        "openness": around.count(EMPTY) / 8,
        "ai_neighbors": around.count(mine) / 8,
        "opp_neighbors": around.count(theirs) / 8,
        "ai_connectivity": sum(mine in pair for pair in pairs) / 4,
        "opp_connectivity": sum(theirs in pair for pair in pairs) / 4,
        "ai_underlap": behind_a_gap(mine) / 8,
        "opp_underlap": behind_a_gap(theirs) / 8,
        "boundary_neighbors": around.count(BLOCKED) / 8,
        "ai_half_axis": sum(pair.count(mine) == 1 for pair in pairs) / 4,
        "opp_half_axis": sum(pair.count(theirs) == 1 for pair in pairs) / 4,
        "second_order_openness": far.count(EMPTY) / 16,
        "game_progress": stones / (playable - 1),
    }


@settings(max_examples=60, deadline=None)
@given(board=st.sampled_from(GAME.boards), opening=st.integers(0, 10**6), choices=st.lists(st.integers(0, 63)))
def test_features_are_what_their_definitions_say(board: int, opening: int, choices: list[int]) -> None:
    state = GAME.new(board, games.opening_seed(21, opening))
    for choice in choices:
        legal = GAME.legal_moves(state)
        if len(legal) == 1:
            break
        GAME.step(state, int(legal[choice % len(legal)]))
    for move in GAME.legal_moves(state):
        measured = np.zeros(len(FEATURES))
        GAME.features(state, int(move), measured)
        assert dict(zip(FEATURES, measured.tolist(), strict=True)) == by_definition(state, int(move))


def test_four_features_always_add_up_to_one() -> None:
    state = board_of("01.#", "..10", "#...", "0..1")
    for move in GAME.legal_moves(state):
        measured = np.zeros(len(FEATURES))
        GAME.features(state, int(move), measured)
        assert measured[[2, 3, 4, 9]].sum() == 1


def test_game_progress_runs_from_0_to_1() -> None:
    empty, last = GAME.new(5), board_of("0101", "1010", "0101", "101.")
    measured = np.zeros(len(FEATURES))
    GAME.features(empty, 0, measured)
    assert measured[13] == 0
    GAME.features(last, 3 * GRID + 3, measured)
    assert measured[13] == 1
