"""The ladder mistrusts itself: faults are planted, each of a kind that would make a figure look better than it is."""

from dataclasses import replace

import numpy as np
import pytest

from pocketzero import games
from pocketzero.arena import ladder as ladder_module
from pocketzero.arena.ladder import play_ladder, report
from pocketzero.arena.match import Games, RepeatedGame, opening_starts, play_pairs
from pocketzero.arena.players import STATE
from pocketzero.arena.roster import Roster
from pocketzero.settings.base import from_mapping
from pocketzero.settings.ladder import Ladder
from tests.arena.models import write_models
from tests.arena.recipes import FIRST, player, recipe

GAME = games.load("cell_division")
OTHER = {"immediate_ai": 0.2, "immediate_opp": 1.0, "boundary_neighbors": 1.0}
SETTINGS = {
    "seed": 6,
    "games": 200,
    "boards": [4, 5],
    "players": ["easy", "medium", "hard"],
    "extra": [],
    "search": {"simulations": [], "c_puct": 1.5, "opponents": [], "boards": [], "games": 2},
    "positions": {"play": "medium", "temperature": 0.3, "compared": 0, "endgames": 0, "moves": 5},
    "gates": [],
}
LADDERS, LEAST_INSIDE = 20, 17
TRUTHS = 30


@pytest.fixture(scope="module")
def roster(tmp_path_factory) -> Roster:
    recipes = {
        "easy": recipe(weights=FIRST, choice="sample", temperature=0.3),
        "medium": recipe(weights=FIRST),
        "hard": recipe(weights={**FIRST, "immediate_opp": 0.6}),
    }
    return write_models(tmp_path_factory.mktemp("models"), GAME, recipes)


def settings(**changes: object) -> Ladder:
    return from_mapping(Ladder, {**SETTINGS, **changes}, key="ladder")


def even_with_themselves(figures: dict) -> list[bool]:
    return [gate["holds"] for gate in figures["gates"] if gate["name"].startswith("players are even with themselves")]


def told(roster: Roster, seed: int) -> dict[tuple, tuple[float, float, float]]:
    """What a ladder of that seed says of every pair and every player: the figure and its interval."""
    figures = report(roster, play_ladder(roster, settings(), seed, workers=1), [], seed)
    shares = {(row["board"], row["a"], row["b"]): (row["share"], row["low"], row["high"]) for row in figures["pairs"]}
    return shares | {
        (row["board"], row["player"]): (row["rating"], row["low"], row["high"]) for row in figures["ratings"]
    }


def test_the_same_ladder_from_other_seeds_agrees_within_its_own_intervals(roster: Roster) -> None:
    """The truth is the mean of other ladders as long as these: longer ones reach rarer openings (arena/match.py)."""
    others = [told(roster, seed) for seed in range(TRUTHS)]
    truth = {key: np.mean([each[key][0] for each in others]) for key in others[0]}
    inside = dict.fromkeys(truth, 0)
    for seed in range(100, 100 + LADDERS):
        for key, (_, low, high) in told(roster, seed).items():
            inside[key] += low <= truth[key] <= high
    assert {key: count for key, count in inside.items() if count < LEAST_INSIDE} == {}


class Overheard:
    """An opponent that draws its moves, and whose luck can be overheard."""

    sees, deterministic, name = STATE, False, "overheard"

    def __init__(self) -> None:
        self.seeds: np.ndarray | None = None
        self._player = player(GAME, weights=FIRST, choice="sample", temperature=2.0)

    def moves(self, states: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        self.seeds = seeds
        return self._player.moves(states, seeds)


class Listener:
    """Claims to see the state alone, and plays by what the opponent drew."""

    sees, deterministic, name = STATE, True, "listener"

    def __init__(self, opponent: Overheard) -> None:
        self._opponent = opponent
        self._plain, self._other = player(GAME, weights=FIRST), player(GAME, weights=OTHER)

    def moves(self, states: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        heard = self._opponent.seeds
        plain, other = self._plain.moves(states, seeds), self._other.moves(states, seeds)
        if heard is None or len(heard) != len(states):
            return plain
        return np.where(heard % np.uint64(2) == 0, plain, other)


def test_a_player_that_sees_the_opponents_luck_is_found_out() -> None:
    opponent = Overheard()
    starts = opening_starts(GAME, opponent, opponent, 5, 40, 3)
    found = play_pairs(GAME, Listener(opponent), opponent, starts, 3, range(40))
    assert found.inconsistent[0] > 0, "asked again it has not heard the same"
    assert found.inconsistent[1] == 0


def test_a_player_that_is_found_out_is_named_an_oracle_and_passes_no_gate(
    roster: Roster, monkeypatch: pytest.MonkeyPatch
) -> None:
    def with_an_oracle(game, a, b, *others):  # type: ignore[no-untyped-def]
        found = play_pairs(game, a, b, *others)
        return replace(found, inconsistent=(a.name == "hard", b.name == "hard"))

    gate = {"name": "hard is strong", "measure": "share", "a": "hard", "b": "easy", "boards": [4], "bound": [0.1]}
    small = settings(games=20, boards=[4], gates=[gate])
    honest = report(roster, play_ladder(roster, small, 1, workers=1), small.gates, 1)
    assert honest["gates"][-1]["holds"]
    monkeypatch.setattr(ladder_module, "play_pairs", with_an_oracle)
    figures = report(roster, play_ladder(roster, small, 1, workers=1), small.gates, 1)
    assert {row["player"]: row["sees"] for row in figures["players"]}["hard"] == "oracle"
    assert not figures["gates"][-1]["holds"]


def test_seats_that_do_not_get_the_same_games_are_found_out(roster: Roster, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: in the second game of each pair, other openings and other luck than in the first."""

    def confounded(game, a, b, starts, seed, indexes):  # type: ignore[no-untyped-def]
        first = play_pairs(game, a, b, starts, seed, indexes)
        second = play_pairs(game, a, b, np.roll(starts, 1, axis=0), seed + 1, indexes)
        seats = np.array([True, False])
        return Games(np.where(seats, first.results, second.results), np.where(seats, first.margins, second.margins))

    small = settings(games=20)
    assert all(even_with_themselves(report(roster, play_ladder(roster, small, 1, workers=1), [], 1)))
    monkeypatch.setattr(ladder_module, "play_pairs", confounded)
    assert not any(even_with_themselves(report(roster, play_ladder(roster, small, 1, workers=1), [], 1)))


def test_two_deterministic_players_are_never_counted_twice_from_one_board() -> None:
    a, b = player(GAME, weights=FIRST), player(GAME, weights=OTHER)
    starts = np.repeat(GAME.new(5)[None], 20, axis=0)
    with pytest.raises(RepeatedGame, match="always play alike"):
        play_pairs(GAME, a, b, starts, 1, range(20))
