"""How far a runtime's answers are from the reference's. N is the number of positions, M of the library's moves."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketzero.games import Game
from pocketzero.ship.answers import Answers

PERCENTILES = (50, 90, 99, 100)

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Difference:
    """What should be equal to the last bit and is not."""

    count: int
    """Bits that differ; of sampled moves, moves."""
    at: list[int]
    """The positions that it concerns, counted from 0."""


@dataclass(frozen=True)
class LogitComparison:
    """Logits of one runtime against the reference's. Moves are the library's."""

    differences: NDArray[np.float64]
    """[N], the largest difference of any logit."""
    wanted: NDArray[np.int64]
    """[N], the best legal move by the reference's logits; of equal ones the lowest."""
    found: NDArray[np.int64]
    """[N], the best legal move by the runtime's."""
    gaps: NDArray[np.float64]
    """[N], by how much the reference's best legal move leads the second; infinity where there is one move only."""
    divergences: NDArray[np.float64]
    """[N], Kullback-Leibler divergence from the reference's softmax over the legal moves, in nats."""

    def other_moves(self, gap: float) -> int:
        """How many positions have another best move although the reference's leads by more than `gap`."""
        return int(((self.gaps > gap) & (self.wanted != self.found)).sum())

    def clear(self, gap: float) -> int:
        """In how many positions the reference's best move leads by more than `gap`."""
        return int((self.gaps > gap).sum())

    def percentiles(self) -> dict[str, float]:
        """Differences by percentile, the nearest position's above."""
        values = np.percentile(self.differences, PERCENTILES, method="higher")
        return {f"p{percentile}": float(value) for percentile, value in zip(PERCENTILES, values, strict=True)}

    def worst(self, count: int) -> list[int]:
        """The positions with the largest differences, worst first."""
        order: list[int] = np.argsort(-self.differences, kind="stable")[:count].tolist()
        return order


def compare_logits(game: Game, states: NDArray[np.int8], wanted: Floats, found: Floats) -> LogitComparison:
    """The runtime's logits ([N, M], finite) for states ([N, S], none over) against the reference's ([N, M])."""
    legal = np.zeros(wanted.shape, np.bool_)
    for row, state in zip(legal, states, strict=True):
        row[game.legal_moves(state)] = True
    reference, mine = (np.where(legal, logits.astype(np.float64), -np.inf) for logits in (wanted, found))
    ranked = np.sort(reference, axis=1)
    return LogitComparison(
        differences=np.abs(wanted.astype(np.float64) - found.astype(np.float64)).max(axis=1),
        wanted=reference.argmax(axis=1),
        found=mine.argmax(axis=1),
        gaps=ranked[:, -1] - ranked[:, -2],
        divergences=_divergences(legal, reference, mine),
    )


def differences(wanted: Answers, found: Answers) -> dict[str, Difference]:
    """What a runtime must give to the last bit, of what it gives: name -> how far it is from the reference's.

    Where the reference holds fewer positions, as for features and int8 logits it may, only they are compared.
    """
    compared = {}
    if wanted.features is not None and found.features is not None:
        compared["features"] = _differing_bits(wanted.features, found.features, np.float64)
    if wanted.scores is not None and found.scores is not None:
        tiers = sorted(wanted.scores[0])
        one, other = ([[row[tier] for tier in tiers] for row in rows] for rows in (wanted.scores, found.scores))
        compared["scores of linear tiers"] = _differing_bits(one, other, np.float64)
    if wanted.sampled is not None and found.sampled is not None:
        others = np.array(wanted.sampled) != np.array(found.sampled)
        compared["sampled moves"] = Difference(int(others.sum()), np.flatnonzero(others.any(axis=1)).tolist())
    if wanted.int8_logits is not None and found.int8_logits is not None:
        compared["int8 logits"] = _differing_bits(wanted.int8_logits, found.int8_logits, np.float32)
    return compared


def _differing_bits(wanted: Iterable[Any], found: Iterable[Any], kind: type) -> Difference:
    """Of two numbers for each position, in any nesting; None in `wanted` stands for a position that is not compared."""
    count, at = 0, []
    for index, (one, other) in enumerate(zip(wanted, found, strict=False)):
        if one is None:
            continue
        bits = (np.array(values, kind).ravel().view(np.uint8) for values in (one, other))
        differing = int(np.bitwise_count(np.bitwise_xor(*bits)).sum())
        if differing:
            count += differing
            at.append(index)
    return Difference(count, at)


def _divergences(legal: NDArray[np.bool_], wanted: NDArray[np.float64], found: NDArray[np.float64]) -> Any:
    logs = [logits - logits.max(axis=1, keepdims=True) for logits in (wanted, found)]
    first, second = (each - np.log(np.exp(each).sum(axis=1, keepdims=True)) for each in logs)
    return np.where(legal, np.exp(first) * np.subtract(first, second, where=legal, out=np.zeros_like(first)), 0).sum(1)
