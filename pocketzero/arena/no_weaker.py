"""Is a candidate weaker than a model that was released before? Measured against anchors, players that never change.

Candidate and earlier release meet the same anchors in the same openings, from both seats, with the same random numbers.
So the luck of the openings cancels: the unit is the difference of the two shares of points in one opening, averaged
over the anchors, and two models that play alike differ by exactly nothing.

Strength must not slide from release to release, so nothing is compared with a figure of another day, and nothing with
the last release alone: the candidate is held against every earlier release, each of which plays again, on openings that
follow from the candidate's own bytes. Whatever passed by luck adds a hurdle; it takes none away.

    all boards together    the mean difference must be 0 or more. There is no tolerance. A candidate that plays alike
                           passes; one that plays otherwise and is just as strong passes every other time.
    each board             it must not be shown to be weaker: the upper end of the difference's interval must be 0 or
                           more. A candidate may give up on one board what noise can hide, if it gains more elsewhere;
                           and since the best release of all stays a hurdle, it can give that up once, not at every
                           release. The interval is one-sided, at MISTAKES for all players and boards together
                           (Bonferroni), so a candidate that is as strong everywhere is refused by it in one case of 20.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from pocketzero.arena.match import Games, opening_starts, play_pairs
from pocketzero.arena.roster import Roster
from pocketzero.rng import stream
from pocketzero.work import map_shards

MISTAKES = 0.05
ALL = "all"
DIGITS = 6


@dataclass(frozen=True, kw_only=True)
class Meeting:
    """A player and an anchor, each out of a roster of its own, on one board."""

    roster: Roster
    player: str
    anchors: Roster
    anchor: str
    board: int
    pairs: int
    seed: int


@dataclass(frozen=True)
class Result:
    """What a player took from an anchor on a board, by opening; O different openings, in an order of their own."""

    player: str
    anchor: str
    board: int
    games: int
    shares: NDArray[np.float64]
    """[O] the player's share of the points of each opening; a draw is half a point."""


@dataclass(frozen=True)
class Difference:
    """A candidate's player less an earlier release's. As JSON: vars(difference)."""

    release: str
    player: str
    board: str
    """A board, or "all"."""
    difference: float
    """Of the mean win share against the anchors."""
    low: float
    """Lower end of the one-sided interval's mirror image; difference lies in the middle of low and high."""
    high: float
    """Upper end of the one-sided interval."""
    holds: bool
    """Not weaker, as the module's text says."""


def meet_anchors(
    roster: Roster,
    players: Sequence[str],
    anchors_of: Roster,
    anchors: Sequence[str],
    boards: Sequence[int],
    games: int,
    seed: int,
    workers: int,
) -> list[Result]:
    """Every player of `roster` against every anchor of `anchors_of`, `games` games on each board.

    Raises ValueError, in words for a person, for a player that is not there.
    """
    for player in players:
        roster.player(player)
    for anchor in anchors:
        anchors_of.player(anchor)
    meetings = [
        Meeting(
            roster=roster,
            player=player,
            anchors=anchors_of,
            anchor=anchor,
            board=board,
            pairs=games // 2,
            seed=stream(seed, "release", board),
        )
        for board in sorted(boards, reverse=True)  # the longest games first, so that workers end together
        for player in players
        for anchor in anchors
    ]
    return map_shards(play_meeting, meetings, workers, "anchors")


def play_meeting(meeting: Meeting) -> Result:
    """Play it. Runs in a worker."""
    game = meeting.roster.game()
    player, anchor = meeting.roster.player(meeting.player), meeting.anchors.player(meeting.anchor)
    starts = opening_starts(game, player, anchor, meeting.board, meeting.pairs, meeting.seed)
    games = play_pairs(game, player, anchor, starts, meeting.seed, range(len(starts)))
    shares = by_opening(starts, games)
    return Result(meeting.player, meeting.anchor, meeting.board, games.results.size, shares)


def by_opening(starts: NDArray[np.int8], games: Games) -> NDArray[np.float64]:
    """[O] mean shares of the different openings among starts ([P, S]), in the openings' own order."""
    _, opening = np.unique(starts, axis=0, return_inverse=True)
    return np.bincount(opening, games.pair_shares()) / np.bincount(opening)


def compare(release: str, candidate: Iterable[Result], earlier: Iterable[Result], tests: int) -> list[Difference]:
    """The candidate less the earlier release, for the players whom both have: on each board, and on all of them.

    Args: tests: how many boards of how many players are looked at in all.
    Raises ValueError where the two did not meet the same anchors in the same openings.
    """
    ours, theirs = _by_player(candidate), _by_player(earlier)
    factor = NormalDist().inv_cdf(1 - MISTAKES / tests)
    found = []
    for player in (name for name in ours if name in theirs):
        if {case: len(shares) for case, shares in ours[player].items()} != {
            case: len(shares) for case, shares in theirs[player].items()
        }:
            raise ValueError(f"{player}: candidate and {release} did not play the same openings against the anchors")
        boards = sorted({board for board, _ in ours[player]})
        differences = {
            board: np.mean([ours[player][case] - theirs[player][case] for case in ours[player] if case[0] == board], 0)
            for board in boards
        }
        means = [float(each.mean()) for each in differences.values()]
        errors = [_standard_error(each) for each in differences.values()]
        for board, mean, error in zip(boards, means, errors, strict=True):
            found.append(_difference(release, player, str(board), mean, factor * error, mean + factor * error))
        mean, error = float(np.mean(means)), float(np.sqrt(np.sum(np.square(errors)))) / len(boards)
        found.append(_difference(release, player, ALL, mean, factor * error, mean))
    return found


def _difference(release: str, player: str, board: str, mean: float, width: float, judged: float) -> Difference:
    low, middle, high = (round(value, DIGITS) + 0.0 for value in (mean - width, mean, mean + width))
    return Difference(release, player, board, middle, low, high, holds=judged > -1e-12)


def _standard_error(values: NDArray[np.float64]) -> float:
    """Of their mean; 0 for a single value, which is then judged without an interval."""
    return float(values.std(ddof=1)) / len(values) ** 0.5 if len(values) > 1 else 0.0


def _by_player(results: Iterable[Result]) -> Mapping[str, dict[tuple[int, str], NDArray[np.float64]]]:
    """Player -> (board, anchor) -> shares."""
    found: dict[str, dict[tuple[int, str], NDArray[np.float64]]] = {}
    for result in results:
        found.setdefault(result.player, {})[result.board, result.anchor] = result.shares
    return found
