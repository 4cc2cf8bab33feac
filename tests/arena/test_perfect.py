"""The perfect player of tic-tac-toe cannot be beaten, and says no to games that it cannot search."""

import numpy as np
import pytest

from pocketzero import games
from pocketzero.arena.match import play_empty_board
from pocketzero.arena.perfect import PerfectPlayer
from tests.arena.recipes import player

GAME = games.load("tic_tac_toe")


@pytest.fixture(scope="module")
def perfect():
    return PerfectPlayer(GAME)


def position(*moves: int) -> np.ndarray:
    state = GAME.new(3)
    for move in moves:
        GAME.step(state, move)
    return state


def test_the_game_is_a_draw_and_all_its_positions_are_looked_at(perfect):
    assert perfect.value(GAME.new(3)) == 0
    assert len(perfect._values) == 5478


@pytest.mark.parametrize(
    ("moves", "best", "value"),
    [
        ((0, 3, 1, 4), 2, 1),  # wins on the spot
        ((0, 3, 1), 2, -1),  # 0 threatens 2; after the block, 0 forks with the centre
        ((0, 8, 1), 2, 1),  # the block makes two threats
        ((0, 1), 3, 1),  # the lowest winning reply to a bad second move
        ((0,), 4, 0),  # only the centre holds against the corner
    ],
)
def test_it_knows_the_classical_positions(perfect, moves, best, value):
    state = position(*moves)
    assert perfect.value(state) == value
    if value >= 0:
        assert perfect.best(state) == best


def test_nobody_beats_it_from_the_empty_board(perfect):
    match = play_empty_board(GAME, perfect, player(GAME, "random"), 3, 400, 1)
    assert match.loss == 0
    assert match.share > 0.9


def test_a_game_that_is_too_large_is_refused_at_once():
    with pytest.raises(ValueError, match="perfect can play tic_tac_toe; connect_four is too large"):
        PerfectPlayer(games.load("connect_four"))
