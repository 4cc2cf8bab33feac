"""How far a runtime's answers are from the golden ones."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketzero.games import Game
from pocketzero.ship.answers import Rows, Scores
from pocketzero.ship.golden import Golden
from pocketzero.ship.layout import layout_of

PERCENTILES = (50, 90, 99, 100)


@dataclass(frozen=True)
class LogitComparison:
    """Logits of one runtime against the golden ones; N is the number of positions. Moves are the app's numbers."""

    differences: NDArray[np.float64]
    """[N], the largest difference of any logit."""
    golden_moves: list[int]
    """[N], the best legal move by the golden logits; of equal ones the lowest."""
    moves: list[int]
    """[N], the best legal move by the runtime's."""
    gaps: list[float | None]
    """[N], by how much the golden best legal move leads the second; None where there is one move only."""

    def within(self, tolerance: float) -> bool:
        """Whether no logit differs by more."""
        return bool((self.differences <= tolerance).all())

    def clear(self, gap: float) -> list[bool]:
        """[N], whether the best golden move leads by more than this."""
        return [each is not None and each > gap for each in self.gaps]

    def other_moves(self, gap: float) -> int:
        """How many positions have another best move although the golden one is clear."""
        rows = zip(self.clear(gap), self.golden_moves, self.moves, strict=True)
        return sum(clear and golden != move for clear, golden, move in rows)

    def percentiles(self) -> dict[str, float]:
        """Differences by percentile, the nearest position's above."""
        values = np.percentile(self.differences, PERCENTILES, method="higher")
        return {f"p{percentile}": float(value) for percentile, value in zip(PERCENTILES, values, strict=True)}

    def worst(self, positions: list[Golden], count: int) -> list[dict[str, Any]]:
        """The positions with the largest differences, worst first."""
        order = np.argsort(-self.differences, kind="stable")[:count]
        return [
            {
                "line": index + 1,
                "board": positions[index].board,
                "to_move": positions[index].to_move,
                "cells": positions[index].cells,
                "difference": float(self.differences[index]),
                "golden_move": self.golden_moves[index],
                "move": self.moves[index],
                "gap": self.gaps[index],
            }
            for index in order.tolist()
        ]


def compare_logits(game: Game, positions: list[Golden], logits: NDArray[np.float32]) -> LogitComparison:
    """logits: [N, M] float32, finite, the runtime's answers to the positions."""
    layout = layout_of(game)
    golden = np.stack([position.logits for position in positions]).astype(np.float64)
    mine = logits.astype(np.float64)
    golden_moves, moves = [], []
    gaps: list[float | None] = []
    for position, wanted, found in zip(positions, golden, mine, strict=True):
        state = layout.state(position.board, position.cells, position.to_move)
        legal = game.legal_moves(state)  # in the same order as position.moves
        golden_moves.append(position.moves[int(np.argmax(wanted[legal]))])
        moves.append(position.moves[int(np.argmax(found[legal]))])
        ranked = np.sort(wanted[legal])
        gaps.append(float(ranked[-1] - ranked[-2]) if len(ranked) > 1 else None)
    return LogitComparison(np.abs(golden - mine).max(axis=1), golden_moves, moves, gaps)


def different_features(positions: list[Golden], features: list[Rows]) -> list[int]:
    """Lines whose features are not the runtime's to the last bit, of those that have any."""
    pairs = zip(positions, features, strict=True)
    return [
        line
        for line, (position, rows) in enumerate(pairs, 1)
        if position.features is not None and not _same_bits(position.features, rows)
    ]


def different_scores(positions: list[Golden], scores: list[Scores]) -> list[int]:
    """Lines whose tier scores are not the runtime's to the last bit."""
    pairs = zip(positions, scores, strict=True)
    return [
        line
        for line, (position, found) in enumerate(pairs, 1)
        if any(not _same_bits(position.scores[tier], found[tier]) for tier in position.scores)
    ]


def different_samples(game: Game, positions: list[Golden], sampled: list[int]) -> list[int]:
    """Lines whose sampled move is not the runtime's."""
    layout = layout_of(game)
    pairs = zip(positions, sampled, strict=True)
    return [
        line
        for line, (position, move) in enumerate(pairs, 1)
        if position.sampled != layout.app_move(position.board, move)
    ]


def _same_bits(golden: list[Any], found: list[Any]) -> bool:
    """Of doubles, so that 0.0 and -0.0 differ."""
    return np.array(golden, np.float64).tobytes() == np.array(found, np.float64).tobytes()
