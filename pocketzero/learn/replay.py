"""From recorded positions to training batches: value targets, random symmetries, planes and legal moves.

A batch is a function of (positions, seed, step): nothing else is drawn, and no generator is kept between steps.
"""

from dataclasses import dataclass

import numpy as np

from pocketzero.games import Game
from pocketzero.games.compiled import encode_states, legal_many, mirror_many
from pocketzero.records import Positions
from pocketzero.rng import SplitMix64, stream


@dataclass(frozen=True)
class Batch:
    """What one training step sees."""

    planes: np.ndarray
    """[B, planes, rows, columns] float32"""
    legal: np.ndarray
    """[B, moves] bool"""
    policies: np.ndarray
    """[B, moves] float32: shares that sum to 1 over the legal moves"""
    values: np.ndarray
    """[B] float32, in -1 .. 1, for the player to move"""


def value_targets(positions: Positions, margin_share: float, margin_scale: float) -> np.ndarray:
    """[N] float32: the outcome, mixed with tanh(margin / margin_scale) by margin_share.

    The margin tells close games from lopsided ones, also among the lost (score targets: Wu 2019, arXiv:1902.10565).
    """
    squashed = np.tanh(positions.margins.astype(np.float64) / margin_scale)
    return ((1 - margin_share) * positions.outcomes + margin_share * squashed).astype(np.float32)


class Replay:
    """Positions to draw batches from."""

    def __init__(self, game: Game, positions: Positions, values: np.ndarray, seed: int):
        """values: [N] float32, the targets of the value head. seed: 64 bits; it decides every batch."""
        self.game, self.positions, self.values, self.seed = game, positions, values, seed

    def drawn(self, step: int, batch_size: int) -> Batch:
        """Positions drawn with replacement, each in a random symmetry: the batch of this step."""
        draws = SplitMix64(stream(self.seed, "batch", step))
        rows = draws.integers(len(self.positions), batch_size)
        return self.batch(rows, draws.integers(self.game.symmetries, batch_size))

    def epoch(self, epoch: int) -> tuple[np.ndarray, np.ndarray]:
        """Every row once in random order, and a random symmetry for each: [N] and [N] int64."""
        draws = SplitMix64(stream(self.seed, "epoch", epoch))
        return draws.permutation(len(self.positions)), draws.integers(self.game.symmetries, len(self.positions))

    def batch(self, rows: np.ndarray, symmetries: np.ndarray) -> Batch:
        """The positions at rows ([B]) as symmetries ([B]; 0: unchanged) show them."""
        states, policies = self.positions.states[rows], self.positions.policies[rows]
        turned, turned_policies = np.zeros_like(states), np.zeros_like(policies)
        mirror_many(self.game.addresses, states, policies, symmetries.astype(np.int64), turned, turned_policies)
        legal = np.zeros(policies.shape, np.bool_)
        legal_many(self.game.addresses, turned, legal)
        planes = encode_states(self.game.addresses, self.game.planes, turned)
        return Batch(planes, legal, turned_policies, self.values[rows])
