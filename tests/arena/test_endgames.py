"""Endgames: a fixed set of positions, and what a player gives away in them."""

import numpy as np
import pytest

from pocketzero import games
from pocketzero.arena.endgames import regrets, value_endgames
from pocketzero.arena.players import STATE
from pocketzero.arena.positions import all_stages, endgames, source
from pocketzero.games import PLAYING
from pocketzero.search.endgame import ILLEGAL, Solver
from tests.arena.models import write_models
from tests.arena.recipes import FIRST, player, recipe, tier

GAME = games.load("cell_division")
GAMES = source(GAME, tier(GAME, weights=FIRST), 0.3, 7)


@pytest.fixture(scope="module")
def roster(tmp_path_factory):
    return write_models(tmp_path_factory.mktemp("models"), GAME, {"random": recipe("random")})


class Chooser:
    """Plays by the exact values: the best move, or the worst."""

    sees = STATE
    deterministic = True

    def __init__(self, name, worst=False):
        self.name, self._worst = name, worst

    def moves(self, states, seeds):
        del seeds
        values = Solver(GAME).move_values(states)
        return np.where(values == ILLEGAL, 99, values).argmin(axis=1) if self._worst else values.argmax(axis=1)


@pytest.mark.parametrize("board", [4, 8])
def test_an_endgame_has_the_number_of_moves_that_is_asked_for(board):
    states = endgames(GAMES, board, 50, 6)
    assert 40 <= len(states) <= 50
    assert (states[:, 1] == 6).all()
    assert (states[:, 2] == board).all()


def test_the_positions_are_fixed_by_their_seed():
    same, other = source(GAME, tier(GAME, weights=FIRST), 0.3, 7), source(GAME, tier(GAME, weights=FIRST), 0.3, 8)
    for positions in (lambda games: endgames(games, 5, 20, 6), lambda games: all_stages(games, 5, 20)):
        assert (positions(GAMES) == positions(same)).all()
        assert positions(GAMES).tobytes() != positions(other).tobytes()


def test_positions_of_all_stages_are_of_all_stages_and_of_different_games():
    states = all_stages(GAMES, 6, 200)
    empty = states[:, 1]
    assert empty.min() < 5
    assert empty.max() > 28
    assert len(np.unique(states, axis=0)) == len(states)


def test_in_a_small_game_no_position_counts_twice():
    small = games.load("tic_tac_toe")
    states = endgames(source(small, tier(small, "random"), 1.0, 7), 3, 400, 6)
    assert len(np.unique(states, axis=0)) == len(states) < 400
    assert all(small.result(state) == PLAYING and len(small.legal_moves(state)) == 6 for state in states)


def test_whoever_plays_the_best_move_gives_nothing_away_and_the_worst_is_the_most(roster):
    states = endgames(GAMES, 5, 30, 6)
    (values,) = value_endgames(roster, [states], workers=1)
    players = [Chooser("best"), player(GAME, weights=FIRST), player(GAME, "random"), Chooser("worst", worst=True)]
    best, medium, chance, worst = regrets(roster, players, 5, states, values)
    assert (best["regret"], best["blunder"], best["low"], best["high"]) == (0.0, 0.0, 0.0, 0.0)
    assert 0 < medium["regret"] < chance["regret"] < worst["regret"]
    assert medium["blunder"] < chance["blunder"] < worst["blunder"]
    legal = values != ILLEGAL
    spread = values.max(axis=1) - np.where(legal, values, 99).min(axis=1)
    assert worst["regret"] == pytest.approx(spread[spread > 0].mean())
    assert worst["positions"] == (spread > 0).sum()


def test_the_regret_of_a_player_that_draws_its_moves_is_the_expectation(roster):
    states = endgames(GAMES, 4, 10, 4)
    (values,) = value_endgames(roster, [states], workers=1)
    drawing = player(GAME, weights=FIRST, choice="sample", temperature=0.5)
    lost = np.zeros(len(states))
    for seed in range(2000):
        moves = drawing.moves(states, np.arange(len(states), dtype=np.uint64) * 2000 + np.uint64(seed * 7919))
        lost += values.max(axis=1) - values[np.arange(len(states)), moves]
    spread = values.max(axis=1) > np.where(values != ILLEGAL, values, 99).min(axis=1)
    (found,) = regrets(roster, [drawing], 4, states, values)
    assert found["regret"] == pytest.approx((lost / 2000)[spread].mean(), abs=0.05)


def test_a_blunder_gives_away_a_win_or_a_draw(roster):
    """Board 4, two moves left: 5 wins by 2, 6 draws; whoever draws 6 has given the win away."""
    values = np.full((2, GAME.moves), ILLEGAL)
    values[:, 5], values[:, 6], values[:, 7] = 2, 0, 1
    states = np.stack([GAME.new(4), GAME.new(5)])
    states[0, 3 + 0] = 1

    class Fixed:
        name, sees, deterministic = "fixed", STATE, True

        def __init__(self, move):
            self._move = move

        def moves(self, states, seeds):
            del seeds
            return np.full(len(states), self._move)

    rows = [regrets(roster, [Fixed(move)], 4, states, values)[0] for move in (5, 6, 7)]
    assert [(row["regret"], row["blunder"]) for row in rows] == [(0.0, 0.0), (2.0, 1.0), (1.0, 0.0)]


def test_positions_in_which_all_moves_are_equal_do_not_count(roster):
    values = np.full((3, GAME.moves), ILLEGAL)
    values[:, 5:7] = 1
    assert regrets(roster, [Chooser("best")], 4, np.stack([GAME.new(4)] * 3), values) == []


def test_values_are_the_same_however_many_workers_find_them(roster):
    states = [endgames(GAMES, board, 30, 5) for board in (4, 5)]
    one, two = value_endgames(roster, states, workers=1), value_endgames(roster, states, workers=2)
    assert all((a == b).all() for a, b in zip(one, two, strict=True))
    assert (one[1] == Solver(GAME).move_values(states[1])).all()
