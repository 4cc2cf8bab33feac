"""The ladder: everybody meets everybody on every board, and the figures say who is stronger and how surely.

Matches are cut into tasks of fixed content, so the figures are the same whoever plays them and in whatever order.

The ladder mistrusts itself. Deterministic players also play themselves: where the two games of a pair do not cancel,
the seats did not get the same games. And whoever answers otherwise when asked again is taken for an oracle (match.py).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketzero.arena.endgames import regrets, value_endgames
from pocketzero.arena.gates import DIGITS, judge
from pocketzero.arena.likeness import likeness
from pocketzero.arena.match import (
    SEATS,
    Games,
    Match,
    app_starts,
    opening_starts,
    play_pairs,
    share_interval,
    summary,
)
from pocketzero.arena.players import ORACLE
from pocketzero.arena.positions import all_stages, endgames, source
from pocketzero.arena.ratings import Encounter, rate
from pocketzero.arena.roster import Roster
from pocketzero.arena.tiers import read
from pocketzero.rng import stream
from pocketzero.settings.ladder import Gate, Ladder
from pocketzero.work import map_shards

SEARCH_PAIRS = 10  # pairs of games in one task of a searching player
CONTROL_PAIRS = 10  # pairs of games of a player against itself


@dataclass(frozen=True)
class Pairing:
    """Two players, a board, and how many pairs of games they play, from openings or from the app's own start."""

    board: int
    a: str
    b: str
    pairs: int
    empty_board: bool
    searching: bool

    @property
    def is_control(self) -> bool:
        """Whether a player meets itself."""
        return self.a == self.b

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


@dataclass(frozen=True)
class Played:
    """All that happened."""

    outcomes: list[Outcome]
    """In the order of `pairings`."""
    endgames: list[dict[str, Any]]
    """Rows of endgames.regrets."""
    likeness: dict[str, list[dict[str, Any]]]
    """Rows of likeness.likeness."""


def play_ladder(roster: Roster, ladder: Ladder, seed: int, workers: int) -> Played:
    """Play all of it. Raises what Roster.player raises before any game is played."""
    return Played(
        _play_matches(roster, ladder, seed, workers),
        *_compare_choices(roster, ladder, stream(seed, "positions"), workers),
    )


def _play_matches(roster: Roster, ladder: Ladder, seed: int, workers: int) -> list[Outcome]:
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


def _compare_choices(
    roster: Roster, ladder: Ladder, seed: int, workers: int
) -> tuple[list[dict[str, Any]], dict[str, list[dict[str, Any]]]]:
    """The rows of Played.endgames and Played.likeness."""
    game, settings = roster.game(), ladder.positions
    players = [roster.player(name) for name in ladder.players]
    games = source(game, read(roster.tiers)[1][settings.play], settings.temperature, seed)
    alike: dict[str, list[dict[str, Any]]] = {"agreement": [], "entropy": []}
    if settings.compared:
        for board in ladder.boards:
            for key, rows in likeness(game, players, board, all_stages(games, board, settings.compared)).items():
                alike[key] += rows
    if not settings.endgames:
        return [], alike
    states = [endgames(games, board, settings.endgames, settings.moves) for board in ladder.boards]
    values = value_endgames(roster, states, workers)
    cases = zip(ladder.boards, states, values, strict=True)
    return [row for board, held, exact in cases for row in regrets(roster, players, board, held, exact)], alike


def pairings(roster: Roster, ladder: Ladder, seed: int) -> list[Pairing]:
    """Who meets whom: first from openings, then from the empty board, then themselves."""
    found = []
    for empty_board in (False, True):
        for board, a, b, searching in ladder.meetings():
            pairs = (ladder.search.games if searching else ladder.games) // SEATS
            found.append(Pairing(board, a, b, pairs, empty_board, searching))
    for board in ladder.boards:
        found += [
            Pairing(board, name, name, CONTROL_PAIRS, empty_board=False, searching=False)
            for name in ladder.players
            if roster.player(name).deterministic
        ]
    return [replace(pairing, pairs=len(_starts(roster, pairing, seed))) for pairing in found]


def play_task(roster: Roster, seed: int, task: Task) -> Games:
    """A task's games. Runs in a worker."""
    pairing = task.pairing
    starts = _starts(roster, pairing, seed)[task.first : task.first + task.count]
    indexes = range(task.first, task.first + task.count)
    a, b = roster.player(pairing.a), roster.player(pairing.b)
    return play_pairs(roster.game(), a, b, starts, pairing.seed(seed), indexes)


def report(roster: Roster, played: Played, gates: Sequence[Gate], seed: int) -> dict[str, Any]:
    """The content of metrics/ladder.json.

    players: player, sees (information set), deterministic. pairs and empty_board: a match each, from a's side; low and
    high are null where the same two games would only be repeated. seats: board, games, and what whoever moved first
    took of them (share, low, high, margin). ratings: board ("all" for all of them), player, rating, low, high.
    strength: player -> its rating over all boards, for tables. endgames: rows of endgames.regrets. likeness: as
    likeness.likeness. gates: name, wanted, found, sample, holds.
    """
    met = [each for each in played.outcomes if not each.pairing.is_control]
    openings = [each for each in met if not each.pairing.empty_board]
    matches = [outcome.match(roster) for outcome in openings]
    empty = [outcome.match(roster) for outcome in met if outcome.pairing.empty_board]
    names = dict.fromkeys(name for match in matches for name in (match.b, match.a))
    inconsistent = _inconsistent(played.outcomes)
    players = [
        {
            "player": player.name,
            "sees": ORACLE if inconsistent.get(player.name) else player.sees,
            "deterministic": player.deterministic,
        }
        for player in map(roster.player, names)
    ]
    oracles = [str(player["player"]) for player in players if player["sees"] == ORACLE]
    ratings = _ratings(openings, seed)
    pairs = [_rounded(vars(match)) for match in matches]
    return {
        "players": players,
        "pairs": pairs,
        "empty_board": [_rounded(vars(match)) for match in empty],
        "seats": _seats(openings),
        "ratings": ratings,
        "strength": {each["player"]: each["rating"] for each in ratings if each["board"] == "all"},
        "endgames": [_rounded(row) for row in played.endgames],
        "likeness": {key: [_rounded(row) for row in rows] for key, rows in played.likeness.items()},
        "gates": _controls(played.outcomes, inconsistent)
        + [verdict for gate in gates for verdict in judge(gate, pairs, played.endgames, oracles)],
    }


def _controls(outcomes: Sequence[Outcome], inconsistent: Mapping[str, int]) -> list[dict[str, Any]]:
    """Verdicts on the ladder itself."""
    verdicts = []
    controls = [outcome for outcome in outcomes if outcome.pairing.is_control]
    for board in sorted({control.pairing.board for control in controls}):
        held = [control.games for control in controls if control.pairing.board == board]
        shares = np.concatenate([games.pair_shares() for games in held])
        margins = np.concatenate([games.margins.sum(axis=1) for games in held])
        even = (shares == 0.5) & (margins == 0)
        verdicts.append(
            {
                "name": f"players are even with themselves, board {board}",
                "wanted": "every pair of games",
                "found": f"{even.sum()} of {len(even)}",
                "sample": SEATS * len(even),
                "holds": bool(even.all()),
            }
        )
    verdicts.append(
        {
            "name": "the same position and luck, the same move",
            "wanted": "of every player",
            "found": ", ".join(f"{name}: {count} other moves" for name, count in inconsistent.items())
            or "of every player",
            "sample": sum(outcome.games.results.size for outcome in outcomes),
            "holds": not inconsistent,
        }
    )
    return verdicts


def _inconsistent(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """How often a player answered otherwise when asked again, of those who did."""
    found: dict[str, int] = {}
    for outcome in outcomes:
        for name, count in zip((outcome.pairing.a, outcome.pairing.b), outcome.games.inconsistent, strict=True):
            if count:
                found[name] = found.get(name, 0) + count
    return found


def _seats(openings: Sequence[Outcome]) -> list[dict[str, Any]]:
    """What whoever moved first took, board by board. An opening counts once, whoever played it."""
    rows = []
    for board in sorted({outcome.pairing.board for outcome in openings}):
        held = [outcome.games for outcome in openings if outcome.pairing.board == board]
        pairs = max(len(games.results) for games in held)
        first, played = np.zeros(pairs), np.zeros(pairs)
        for games in held:
            first[: len(games.results)] += ((games.results * (1, -1)).mean(axis=1) + 1) / 2
            played[: len(games.results)] += 1
        low, high = share_interval(first / played)
        margin = float(np.concatenate([(games.margins * (1, -1)).ravel() for games in held]).mean())
        share, games_played = float(first.sum() / played.sum()), SEATS * int(played.sum())
        rows.append(
            _rounded(
                {"board": board, "games": games_played, "share": share, "low": low, "high": high, "margin": margin}
            )
        )
    return rows


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
    return Games(
        np.concatenate([part.results for part in held]),
        np.concatenate([part.margins for part in held]),
        (sum(part.inconsistent[0] for part in held), sum(part.inconsistent[1] for part in held)),
    )


def _ratings(openings: Sequence[Outcome], seed: int) -> list[dict[str, Any]]:
    encounters = [
        Encounter(each.pairing.board, each.pairing.a, each.pairing.b, each.games.pair_shares()) for each in openings
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
