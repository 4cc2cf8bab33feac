"""Wins that are easy to get wrong."""

import pytest

from pocketzero import games
from pocketzero.games import PLAYING

CONNECT_FOUR, TIC_TAC_TOE = games.load("connect_four"), games.load("tic_tac_toe")


@pytest.mark.parametrize(
    ("moves", "result"),
    [
        ([0, 1, 0, 1, 0, 1, 0], 1),  # upright
        ([0, 0, 1, 1, 2, 2, 3], 1),  # along the bottom
        ([6, 0, 1, 0, 1, 0, 1, 0], -1),  # the second player's column
        ([0, 1, 1, 2, 2, 3, 2, 3, 3, 6, 3], 1),  # rising to the right
        ([6, 5, 5, 4, 4, 3, 4, 3, 3, 0, 3], 1),  # rising to the left
        ([0, 1, 2, 4, 5, 6, 4], PLAYING),  # three and three with a gap
        ([3, 3, 3, 3, 3, 3], PLAYING),  # a full column
        ([0, 6, 1, 6, 3, 6, 2], 1),  # the gap is filled last
    ],
)
def test_connect_four(moves: list[int], result: int) -> None:
    state = CONNECT_FOUR.new(7)
    for move in moves:
        assert move in CONNECT_FOUR.legal_moves(state)
        CONNECT_FOUR.step(state, move)
    assert CONNECT_FOUR.result(state) == result


def test_a_full_column_is_not_legal() -> None:
    state = CONNECT_FOUR.new(7)
    for _ in range(6):
        CONNECT_FOUR.step(state, 3)
    assert list(CONNECT_FOUR.legal_moves(state)) == [0, 1, 2, 4, 5, 6]


def test_a_row_does_not_run_over_the_edge_of_the_board() -> None:
    state = CONNECT_FOUR.new(7)
    for move in (5, 0, 6, 0, 4, 0):
        CONNECT_FOUR.step(state, move)
    CONNECT_FOUR.step(state, 0)  # three at the end of a row, one at its other end
    assert CONNECT_FOUR.result(state) == PLAYING


@pytest.mark.parametrize(
    ("moves", "result"),
    [([0, 3, 1, 4, 2], 1), ([0, 2, 1, 4, 8, 6], -1), ([0, 1, 2, 4, 3, 5, 7, 6, 8], 0), ([0, 1], PLAYING)],
)
def test_tic_tac_toe(moves: list[int], result: int) -> None:
    state = TIC_TAC_TOE.new(3)
    for move in moves:
        TIC_TAC_TOE.step(state, move)
    assert TIC_TAC_TOE.result(state) == result
