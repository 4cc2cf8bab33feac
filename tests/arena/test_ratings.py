"""Ratings give back the strengths behind the results, and say how unsure they are."""

import math

import numpy as np
import pytest

from pocketzero.arena.ratings import Encounter, rate
from pocketzero.rng import SplitMix64

STRENGTHS = {"strong": 300.0, "middle": 100.0, "weak": -400.0}


def expected(difference: float) -> float:
    return 1 / (1 + 10 ** (-difference / 400))


def encounters(pairs: int, seed: int = 1) -> list[Encounter]:
    random, found = SplitMix64(seed), []
    names = list(STRENGTHS)
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            u = random.integers(10**6, 2 * pairs).reshape(pairs, 2) / 10**6
            found.append(Encounter(6, a, b, (u < expected(STRENGTHS[a] - STRENGTHS[b])).mean(axis=1)))
    return found


def test_the_strengths_behind_the_results_are_found_within_their_intervals():
    ratings = rate(encounters(3000), 1)
    assert [rating.player for rating in ratings] == ["strong", "middle", "weak"]
    for rating in ratings:
        assert rating.rating == pytest.approx(STRENGTHS[rating.player], abs=25)
        assert rating.low <= rating.rating <= rating.high


def test_two_players_are_apart_by_the_logarithm_of_their_points():
    shares = np.array([1.0, 1.0, 0.5, 0.5, 0.5, 1.0, 1.0, 0.5, 1.0, 0.5])  # 15 points to 5, and one imaginary draw
    a, b = rate([Encounter(4, "a", "b", shares)], 1)
    assert a.rating - b.rating == pytest.approx(400 * math.log10(15.5 / 5.5))
    assert a.rating + b.rating == pytest.approx(0)


def test_whoever_won_every_game_gets_a_finite_rating():
    a, b = rate([Encounter(4, "a", "b", np.ones(200))], 1)
    assert a.rating - b.rating == pytest.approx(400 * math.log10(400.5 / 0.5))


def test_fewer_openings_make_a_wider_interval():
    wide, narrow = rate(encounters(40), 1)[0], rate(encounters(1000), 1)[0]
    assert wide.high - wide.low > 2 * (narrow.high - narrow.low)


def test_the_interval_holds_the_true_difference_in_most_repetitions():
    held = 0
    for seed in range(60):
        middle = next(rating for rating in rate(encounters(150, seed), seed) if rating.player == "middle")
        held += middle.low <= STRENGTHS["middle"] <= middle.high
    assert held >= 52


def test_the_same_results_give_the_same_ratings():
    assert rate(encounters(50), 3) == rate(encounters(50), 3)


def test_players_whom_no_chain_of_matches_links_are_refused():
    apart = [Encounter(4, "a", "b", np.ones(4)), Encounter(4, "c", "d", np.ones(4))]
    with pytest.raises(ValueError, match="links c, d to a"):
        rate(apart, 1)
    with pytest.raises(ValueError, match="nobody met"):
        rate([], 1)
