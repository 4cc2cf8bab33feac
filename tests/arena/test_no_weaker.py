"""Candidates against earlier releases: what passes, what does not, and whether strength can slide."""

import numpy as np
import pytest

from pocketzero.arena.match import Games
from pocketzero.arena.no_weaker import Difference, Result, by_opening, compare, meet_anchors
from pocketzero.arena.roster import Roster
from pocketzero.games import load
from pocketzero.settings.tiers import Tier

from .models import write_models

BOARDS, ANCHORS, OPENINGS = (4, 6), ("medium", "published"), 400


def results(strength: dict[int, float], seed: int, own: int = 0, player: str = "elite") -> list[Result]:
    """A player of that true share on each board. seed: the openings' luck; own: the luck that is the player's alone."""
    found = []
    for board in BOARDS:
        luck = np.random.default_rng([seed, board]).normal(0, 0.2, OPENINGS)
        for number, anchor in enumerate(ANCHORS):
            noise = np.random.default_rng([seed, board, number, own]).normal(0, 0.1, OPENINGS)
            found.append(Result(player, anchor, board, 2 * OPENINGS, strength[board] + luck + noise))
    return found


def verdicts(differences: list[Difference]) -> dict[str, bool]:
    return {each.board: each.holds for each in differences}


def test_a_model_that_plays_alike_differs_by_nothing_and_passes() -> None:
    same = results({4: 0.6, 6: 0.8}, seed=1)
    found = compare("v1", same, same, tests=2)
    assert verdicts(found) == {"4": True, "6": True, "all": True}
    assert {(each.difference, each.low, each.high) for each in found} == {(0.0, 0.0, 0.0)}


def test_a_weaker_model_is_refused_and_a_luckier_seed_does_not_help_it() -> None:
    strong, weak = {4: 0.6, 6: 0.8}, {4: 0.57, 6: 0.77}
    for seed in range(100):
        found = compare("v1", results(weak, seed, own=1), results(strong, seed), tests=2)
        assert not verdicts(found)["all"], "the earlier release plays the same openings, whatever their luck"


def test_all_else_equal_the_least_loss_on_one_board_is_refused() -> None:
    earlier = results({4: 0.6, 6: 0.8}, seed=1)
    candidate = [
        Result(each.player, each.anchor, each.board, each.games, each.shares - (each.board == 6) * 0.001)
        for each in earlier
    ]
    assert not verdicts(compare("v1", candidate, earlier, tests=2))["all"]


def test_a_gain_on_one_board_does_not_pay_for_a_loss_that_shows_on_another() -> None:
    found = compare("v1", results({4: 0.5, 6: 0.95}, 1, own=1), results({4: 0.6, 6: 0.8}, 1), tests=2)
    assert verdicts(found) == {"4": False, "6": True, "all": True}


def test_a_board_refuses_an_equally_strong_model_in_one_case_of_twenty_at_most() -> None:
    strength = {4: 0.6, 6: 0.8}
    refused = 0
    for seed in range(400):
        found = verdicts(compare("v1", results(strength, seed, own=1), results(strength, seed), tests=2))
        refused += not (found["4"] and found["6"])
    assert 0 < refused <= 35  # 20 are expected


def test_strength_does_not_slide_over_many_releases() -> None:
    """Every candidate is truly a little weaker than the last release. Held against the last one alone, with an interval
    as tolerance, strength runs away; held against all of them it stays where one measurement's noise can hide it."""
    step, error = 0.004, 0.01 / np.sqrt(2)  # of the pooled difference, about
    sliding, ours = [0.8], [0.8]
    for seed in range(150):
        if _passes(sliding[-1] - step, sliding[-1:], seed, tolerance=2 * error):
            sliding.append(sliding[-1] - step)
        if _passes(ours[-1] - step, ours, seed, tolerance=0.0):
            ours.append(ours[-1] - step)
    assert sliding[-1] < 0.5
    assert ours[-1] > 0.8 - 4 * error


def _passes(candidate: float, earlier: list[float], seed: int, tolerance: float) -> bool:
    ours = results(dict.fromkeys(BOARDS, candidate), seed, own=len(earlier) + 1)
    for number, strength in enumerate(earlier):
        found = compare("earlier", ours, results(dict.fromkeys(BOARDS, strength), seed, own=number), tests=2)
        if found[-1].difference < -tolerance or (tolerance == 0.0 and not all(each.holds for each in found)):
            return False
    return True


def test_players_whom_only_one_side_has_are_not_compared() -> None:
    both = {4: 0.6, 6: 0.8}
    found = compare("v1", [*results(both, 1), *results(both, 1, player="new")], results(both, 1), tests=4)
    assert {each.player for each in found} == {"elite"}


def test_other_openings_cannot_be_compared() -> None:
    ours = results({4: 0.6, 6: 0.8}, seed=1)
    with pytest.raises(ValueError, match="did not play the same openings"):
        compare("v1", ours, ours[1:], tests=2)


def tier(kind: str, choice: str) -> Tier:
    return Tier(
        kind=kind,
        weights={},
        trained=False,
        blend_with="",
        blend_share=0.0,
        choice=choice,
        temperature=1.0 if choice == "sample" else 0.0,
        within=0.0,
    )


@pytest.fixture(scope="module")
def roster(tmp_path_factory: pytest.TempPathFactory) -> Roster:
    recipes = {"elite": tier("network", "argmax"), "random": tier("random", "sample")}
    return write_models(tmp_path_factory.mktemp("models"), load("tic_tac_toe"), recipes)


def test_meetings_are_the_same_games_whatever_the_number_of_workers(roster: Roster) -> None:
    one, two = (meet_anchors(roster, ["elite"], roster, ["random"], [3], 20, 7, workers) for workers in (1, 2))
    assert [(each.player, each.anchor, each.board, each.games) for each in one] == [("elite", "random", 3, 20)]
    assert np.array_equal(one[0].shares, two[0].shares)
    assert verdicts(compare("v1", one, two, tests=1)) == {"3": True, "all": True}


def test_a_player_who_is_not_there_is_named_before_any_game(roster: Roster) -> None:
    with pytest.raises(ValueError, match="there is no 'published'"):
        meet_anchors(roster, ["elite"], roster, ["random", "published"], [3], 20, 7, 1)


def test_an_opening_that_comes_again_counts_once() -> None:
    starts = np.array([[0, 2], [0, 1], [0, 2]], np.int8)
    games = Games(np.array([[1, 1], [-1, -1], [1, -1]]), np.zeros((3, 2), np.int64))
    assert by_opening(starts, games).tolist() == [0.0, 0.75]
