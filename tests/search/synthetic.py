"""A network made of integer arithmetic: the same answers on every machine, and no two positions alike."""

from collections.abc import Callable

import numpy as np

from pocketzero.rng import GOLDEN, mix_array


def synthetic_network(moves: int) -> Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """Logits are multiples of 1/64 in [-2, 2], values in [-1, 1], drawn from the cells that are not 0."""

    def evaluate(planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        cells = planes.reshape(len(planes), -1) != 0
        weights = mix_array(np.arange(1, cells.shape[1] + 1, dtype=np.uint64))
        keys = (cells * weights).sum(axis=1, dtype=np.uint64)
        steps = np.arange(1, moves + 2, dtype=np.uint64) * np.uint64(GOLDEN)
        bits = (mix_array(keys[:, None] + steps) >> np.uint64(11)).astype(np.int64)
        logits = (bits[:, :moves] % 257 - 128) / 64
        values = (bits[:, moves] % 129 - 64) / 64
        return logits.astype(np.float32), values.astype(np.float32)

    return evaluate


def flat_network(moves: int) -> Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """Knows nothing: all moves are equal, all positions are worth 0."""
    return lambda planes: (np.zeros((len(planes), moves), np.float32), np.zeros(len(planes), np.float32))
