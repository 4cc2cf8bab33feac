"""Ratings: one number a player from all their matches, with its uncertainty.

The model is Bradley and Terry's, "Rank analysis of incomplete block designs" (Biometrika, 1952): a's expected share
against b is s_a / (s_a + s_b), a draw being half a win. Strengths are found by the iteration of Newman, "Efficient
computation of rankings from pairwise comparisons" (JMLR, 2023), and told on Elo's scale, 400 log10(s), with mean 0.
Every two players who met are given one imaginary draw: without it, whoever won every game would be infinitely strong.

The interval is a bootstrap's over openings: an opening is drawn again with everything that was played from it, since
all players met on the same ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pocketzero.rng import SplitMix64, stream

RESAMPLES = 400
PERCENTILES = (2.5, 97.5)
TOLERANCE = 1e-9  # of the strengths, relative
LONGEST = 10_000  # iterations


@dataclass(frozen=True)
class Encounter:
    """What two players made of each other on one board; P pairs of games."""

    board: int
    a: str
    b: str
    pair_shares: NDArray[np.float64]
    """[P]: a's share of each pair of games, in the order of the openings."""


@dataclass(frozen=True)
class Rating:
    """A player's strength. As JSON: vars(rating)."""

    player: str
    rating: float
    """400 points more: ten times the chance to win."""
    low: float
    """Lower end of the 95 % interval."""
    high: float
    """Upper end."""


def rate(encounters: Sequence[Encounter], seed: int) -> list[Rating]:
    """The ratings of everyone in the encounters, strongest first.

    Raises ValueError where nobody met, or where some players are not linked to the others by any chain of matches.
    """
    names = sorted({name for encounter in encounters for name in (encounter.a, encounter.b)})
    _check_linked(names, encounters)
    found = elo(_points(names, encounters, [np.array([encounter.pair_shares.mean()]) for encounter in encounters]))[0]
    resampled = elo(_points(names, encounters, _resampled_shares(encounters, seed)))
    low, high = np.percentile(resampled, PERCENTILES, axis=0)
    order = sorted(range(len(names)), key=lambda i: (-found[i], names[i]))
    return [Rating(names[i], float(found[i]), float(low[i]), float(high[i])) for i in order]


def elo(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ratings [R, N] of N players from the points that each took from each, [R, N, N], R cases side by side.

    points[r, i, j] are i's points against j; every two players who met need some on both sides. Raises ArithmeticError
    where the iteration does not settle.
    """
    cases, players, _ = points.shape
    strengths = np.ones((cases, players))
    for _ in range(LONGEST):
        before = strengths.copy()
        for i in range(players):  # one after the other: all at once, two players would only swap places
            sums = strengths[:, i, None] + strengths
            won = (points[:, i, :] * strengths / sums).sum(axis=1)
            lost = (points[:, :, i] / sums).sum(axis=1)
            strengths[:, i] = won / lost
        strengths /= np.exp(np.log(strengths).mean(axis=1, keepdims=True))
        if np.abs(strengths / before - 1).max() < TOLERANCE:
            return 400 / np.log(10) * np.log(strengths)
    raise ArithmeticError(f"ratings: not settled after {LONGEST} iterations")


def _points(
    names: Sequence[str], encounters: Sequence[Encounter], shares: Sequence[NDArray[np.float64]]
) -> NDArray[np.float64]:
    """[R, N, N] points from each encounter's shares in R cases ([R]), with the imaginary draws."""
    place = {name: i for i, name in enumerate(names)}
    points = np.zeros((len(shares[0]), len(names), len(names)))
    met = np.zeros((len(names), len(names)), np.bool_)
    for encounter, share in zip(encounters, shares, strict=True):
        a, b, games = place[encounter.a], place[encounter.b], 2 * len(encounter.pair_shares)
        points[:, a, b] += share * games
        points[:, b, a] += (1 - share) * games
        met[a, b] = met[b, a] = True
    return points + 0.5 * met


def _resampled_shares(encounters: Sequence[Encounter], seed: int) -> list[NDArray[np.float64]]:
    """Each encounter's share in RESAMPLES redrawn sets of openings, [RESAMPLES] each.

    Encounters with the same board and number of openings share their draws.
    """
    draws: dict[tuple[int, int], NDArray[np.int64]] = {}
    shares = []
    for encounter in encounters:
        key = encounter.board, len(encounter.pair_shares)
        if key not in draws:
            random = SplitMix64(stream(seed, "ratings", *key))
            draws[key] = random.integers(key[1], RESAMPLES * key[1]).reshape(RESAMPLES, key[1])
        shares.append(encounter.pair_shares[draws[key]].mean(axis=1))
    return shares


def _check_linked(names: Sequence[str], encounters: Sequence[Encounter]) -> None:
    if not encounters:
        raise ValueError("ratings: nobody met anybody")
    reached = {names[0]}
    for _ in names:
        for encounter in encounters:
            if encounter.a in reached or encounter.b in reached:
                reached |= {encounter.a, encounter.b}
    if apart := sorted(set(names) - reached):
        raise ValueError(f"ratings: no chain of matches links {', '.join(apart)} to {names[0]}")
