"""How alike players choose."""

import math

import numpy as np
import pytest

from pocketzero import games
from pocketzero.arena.likeness import likeness
from pocketzero.arena.players import STATE, chances
from pocketzero.arena.positions import all_stages, source
from tests.arena.recipes import FIRST, player, tier

GAME = games.load("cell_division")
STATES = all_stages(source(GAME, tier(GAME, weights=FIRST), 0.3, 7), 5, 100)


class Named:
    """A player under another name."""

    def __init__(self, player, name):
        self.name, self.sees, self.deterministic, self.moves = name, STATE, player.deterministic, player.moves


MEDIUM = Named(player(GAME, weights=FIRST), "medium")
TWIN = Named(player(GAME, weights=FIRST), "twin")
AGAINST = Named(player(GAME, weights={name: -weight for name, weight in FIRST.items()}), "against")


def test_twins_agree_always_and_opposites_hardly():
    rows = likeness(GAME, [MEDIUM, TWIN, AGAINST], 5, STATES)["agreement"]
    found = {(row["a"], row["b"]): row["agreement"] for row in rows}
    assert found["twin", "medium"] == 1.0
    assert found["against", "medium"] == found["against", "twin"] < 0.1


def test_with_chance_agreement_is_how_likely_both_play_alike():
    chance = player(GAME, "random")
    (row,) = likeness(GAME, [MEDIUM, chance], 5, STATES)["agreement"]
    assert row["agreement"] == pytest.approx((1 / STATES[:, 1].astype(float)).mean())
    assert row["low"] < row["agreement"] < row["high"]


def test_entropy_is_that_of_the_choice():
    rows = likeness(GAME, [MEDIUM, player(GAME, "random")], 5, STATES)["entropy"]
    assert [row["entropy"] for row in rows] == [0.0, pytest.approx(np.log(STATES[:, 1].astype(float)).mean())]


def test_chances_are_those_of_the_draws():
    drawing = player(GAME, weights=FIRST, choice="sample", temperature=0.3, within=0.4)
    state, draws = STATES[:1], 20_000
    seeds = np.arange(draws, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    moves = drawing.moves(np.repeat(state, draws, axis=0), seeds)
    found = np.bincount(moves, minlength=GAME.moves) / draws
    wanted = chances(GAME, drawing, state)[0]
    assert wanted.sum() == pytest.approx(1.0)
    assert (wanted[found == 0] < 0.001).all()
    assert found == pytest.approx(wanted, abs=4 * math.sqrt(0.25 / draws))


def test_no_positions_give_no_rows():
    assert likeness(GAME, [MEDIUM], 5, STATES[:0]) == {"agreement": [], "entropy": []}


def test_whoever_draws_its_moves_in_its_own_way_cannot_be_compared():
    with pytest.raises(ValueError, match="how likely random plays a move is not known"):
        chances(GAME, Named(player(GAME, "random"), "random"), STATES)
