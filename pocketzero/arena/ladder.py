"""The ladder: everybody meets everybody on every board, and the figures say who is stronger and how surely.

Matches are cut into tasks of fixed content, so the figures are the same whoever plays them and in whatever order.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketzero.arena.match import SEATS, Games, Match, app_starts, opening_starts, play_pairs, summary
from pocketzero.arena.ratings import Encounter, rate
from pocketzero.arena.roster import Roster
from pocketzero.rng import stream
from pocketzero.settings.ladder import Gate, Ladder
from pocketzero.work import map_shards

SEARCH_PAIRS = 10  # pairs of games in one task of a searching player
DIGITS = 6


@dataclass(frozen=True)
class Pairing:
    """Two players, a board, and how many pairs of games they play, from openings or from the app's own start."""

    board: int
    a: str
    b: str
    pairs: int
    empty_board: bool
    searching: bool

    def seed(self, seed: int) -> int:
        """The seed of its games. From openings it is the board's alone: everybody meets on the same ones."""
        return stream(seed, "ladder_empty_board") if self.empty_board else stream(seed, "ladder", self.board)


@dataclass(frozen=True)
class Task:
    """Some of a pairing's pairs of games."""

    pairing: Pairing
    first: int
    count: int


@dataclass(frozen=True)
class Outcome:
    """A pairing with what happened in it."""

    pairing: Pairing
    games: Games

    def match(self, roster: Roster) -> Match:
        """Its figures."""
        return summary(self.pairing.board, roster.player(self.pairing.a), roster.player(self.pairing.b), self.games)


def play_ladder(roster: Roster, ladder: Ladder, seed: int, workers: int) -> list[Outcome]:
    """Play all of it, in the order of `pairings`. Raises what Roster.player raises before any game is played."""
    planned = pairings(roster, ladder, seed)
    tasks = [task for pairing in planned for task in _tasks(pairing)]
    order = sorted(
        range(len(tasks)), key=lambda i: _cost(tasks[i]), reverse=True
    )  # the longest first, so that workers end together
    played = map_shards(partial(play_task, roster, seed), [tasks[i] for i in order], workers, "ladder")
    games: dict[Pairing, dict[int, Games]] = {pairing: {} for pairing in planned}
    for i, result in zip(order, played, strict=True):
        games[tasks[i].pairing][tasks[i].first] = result
    return [Outcome(pairing, _joined(parts[first] for first in sorted(parts))) for pairing, parts in games.items()]


def pairings(roster: Roster, ladder: Ladder, seed: int) -> list[Pairing]:
    """Who meets whom: first from openings, then from the empty board. The later of two players in the settings is a."""
    found = []
    for empty_board in (False, True):
        for board in ladder.boards:
            for b, a in combinations(ladder.players, 2):
                found.append(Pairing(board, a, b, ladder.games // SEATS, empty_board, searching=False))
        for board in ladder.search.boards:
            for simulations in ladder.search.simulations:
                for opponent in ladder.search.opponents:
                    name, pairs = f"mcts-{simulations}", ladder.search.games // SEATS
                    found.append(Pairing(board, name, opponent, pairs, empty_board, searching=True))
    return [replace(pairing, pairs=len(_starts(roster, pairing, seed))) for pairing in found]


def play_task(roster: Roster, seed: int, task: Task) -> Games:
    """A task's games. Runs in a worker."""
    pairing = task.pairing
    starts = _starts(roster, pairing, seed)[task.first : task.first + task.count]
    indexes = range(task.first, task.first + task.count)
    a, b = roster.player(pairing.a), roster.player(pairing.b)
    return play_pairs(roster.game(), a, b, starts, pairing.seed(seed), indexes)


def report(roster: Roster, outcomes: Sequence[Outcome], gates: Sequence[Gate], seed: int) -> dict[str, Any]:
    """The content of metrics/ladder.json.

    players: player, sees (information set), deterministic. pairs and empty_board: a match each, from a's side; low and
    high are null where the same two games would only be repeated. ratings: board ("all" for all of them), player,
    rating, low, high. strength: player -> its rating over all boards, for tables. gates: name, wanted, found, holds.
    """
    matches = [outcome.match(roster) for outcome in outcomes if not outcome.pairing.empty_board]
    empty = [outcome.match(roster) for outcome in outcomes if outcome.pairing.empty_board]
    names = dict.fromkeys(name for match in matches for name in (match.b, match.a))
    players = [roster.player(name) for name in names]
    ratings = _ratings(outcomes, seed)
    return {
        "players": [
            {"player": player.name, "sees": player.sees, "deterministic": player.deterministic} for player in players
        ],
        "pairs": [_rounded(vars(match)) for match in matches],
        "empty_board": [_rounded(vars(match)) for match in empty],
        "ratings": ratings,
        "strength": {each["player"]: each["rating"] for each in ratings if each["board"] == "all"},
        "gates": [verdict for gate in gates for verdict in judge(gate, matches)],
    }


def judge(gate: Gate, matches: Iterable[Match]) -> list[dict[str, Any]]:
    """The gate's verdict on each of its boards. Raises ValueError where its players did not meet there."""
    shares = {}
    for match in matches:
        shares[match.board, match.a, match.b] = match.share
        shares[match.board, match.b, match.a] = 1 - match.share
    verdicts = []
    for board in gate.boards:
        if (board, gate.a, gate.b) not in shares:
            raise ValueError(f"ladder.gates: {gate.name}: {gate.a} and {gate.b} did not meet on board {board}")
        share = shares[board, gate.a, gate.b]
        verdicts.append(
            {
                "name": f"{gate.name}, board {board}",
                "wanted": gate.share,
                "found": round(share, DIGITS),
                "holds": share > gate.share,
            }
        )
    return verdicts


def _starts(roster: Roster, pairing: Pairing, seed: int) -> NDArray[np.int8]:
    """[P, S]: the starts of the pairing's pairs of games, P of them or, where that would repeat games, fewer."""
    players = roster.game(), roster.player(pairing.a), roster.player(pairing.b)
    if pairing.empty_board:
        return app_starts(*players, pairing.board, pairing.pairs)
    return opening_starts(*players, pairing.board, pairing.pairs, pairing.seed(seed))


def _tasks(pairing: Pairing) -> list[Task]:
    size = SEARCH_PAIRS if pairing.searching else pairing.pairs
    return [Task(pairing, first, min(size, pairing.pairs - first)) for first in range(0, pairing.pairs, size)]


def _cost(task: Task) -> tuple[bool, int]:
    return task.pairing.searching, task.count * task.pairing.board**2


def _joined(parts: Iterable[Games]) -> Games:
    held = list(parts)
    return Games(np.concatenate([part.results for part in held]), np.concatenate([part.margins for part in held]))


def _ratings(outcomes: Sequence[Outcome], seed: int) -> list[dict[str, Any]]:
    encounters = [
        Encounter(each.pairing.board, each.pairing.a, each.pairing.b, each.games.pair_shares())
        for each in outcomes
        if not each.pairing.empty_board
    ]
    boards = sorted({encounter.board for encounter in encounters})
    cases = [("all", encounters)] + [
        (str(board), [each for each in encounters if each.board == board]) for board in boards
    ]
    return [
        _rounded({"board": board, **vars(rating)})
        for board, chosen in cases
        for rating in rate(chosen, stream(seed, "ladder_ratings"))
    ]


def _rounded(figures: dict[str, Any]) -> dict[str, Any]:
    return {key: round(value, DIGITS) if isinstance(value, float) else value for key, value in figures.items()}
