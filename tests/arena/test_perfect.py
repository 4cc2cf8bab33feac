"""The perfect player cannot be beaten, and says no to games and positions that it cannot search."""

import numpy as np
import pytest

from pocketzero import games
from pocketzero.arena.match import play_empty_board, play_match
from pocketzero.arena.perfect import PerfectPlayer
from tests.arena.recipes import FIRST, player

GAME = games.load("tic_tac_toe")


@pytest.fixture(scope="module")
def perfect():
    return PerfectPlayer(GAME)


def position(*moves: int) -> np.ndarray:
    state = GAME.new(3)
    for move in moves:
        GAME.step(state, move)
    return state


def value_of(player, state) -> int:
    return int(player.values(state[None]).max())


def test_the_game_is_a_draw(perfect):
    assert value_of(perfect, GAME.new(3)) == 0


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
    assert value_of(perfect, state) == value
    if value >= 0:
        assert perfect.moves(state[None], np.zeros(1, np.uint64)).tolist() == [best]


def test_nobody_beats_it_from_the_empty_board(perfect):
    match = play_empty_board(GAME, perfect, player(GAME, "random"), 3, 400, 1)
    assert match.loss == 0
    assert match.share > 0.9


def test_it_searches_cell_division_from_the_first_stone_on_4_x_4_which_is_a_draw():
    game = games.load("cell_division")
    perfect, medium = PerfectPlayer(game), player(game, weights=FIRST)
    assert value_of(perfect, game.new(4)) == 0
    assert play_empty_board(game, perfect, medium, 4, 2, 1).loss == 0
    assert play_match(game, perfect, medium, 4, 20, 1).share > 0.55


def test_a_game_or_a_position_that_is_too_large_is_refused_at_once():
    with pytest.raises(ValueError, match="perfect can play tic_tac_toe, cell_division; connect_four is too large"):
        PerfectPlayer(games.load("connect_four"))
    game = games.load("cell_division")
    with pytest.raises(ValueError, match="positions of 16 moves at most; cell_division has 25 here"):
        PerfectPlayer(game).values(game.new(5)[None])
