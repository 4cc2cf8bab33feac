"""Random numbers of a row, and the Dirichlet noise at its root. Compiled by numba into the entry points of mcts.py."""

import math

import numpy as np

from pocketzero.games.compiled import part
from pocketzero.rng import GOLDEN, mix


@part
def uniform(row):  # type: ignore[no-untyped-def]
    """The next double in [0, 1) of the row's own SplitMix64 stream."""
    row.random += np.uint64(GOLDEN)
    return float(mix(row.random) >> np.uint64(11)) * 2.0**-53


@part
def gamma(row, shape):  # type: ignore[no-untyped-def]
    """A gamma variate for any positive shape, by Marsaglia and Tsang (2000): drawn for shape + 1, then shrunk."""
    d = shape + 1 - 1 / 3
    while True:
        normal = math.sqrt(-2 * math.log(1 - uniform(row))) * math.cos(2 * math.pi * uniform(row))
        v = (1 + normal / math.sqrt(9 * d)) ** 3
        if v > 0 and math.log(1 - uniform(row)) < 0.5 * normal * normal + d * (1 - v + math.log(v)):
            return d * v * uniform(row) ** (1 / shape)


@part
def add_noise(row, root, edge, alpha, share):  # type: ignore[no-untyped-def]
    """Mix a share of symmetric Dirichlet(alpha) noise into the priors of the root's edges."""
    noise = np.empty(root.count, np.float64)
    total = 0.0
    for i in range(root.count):
        noise[i] = gamma(row, alpha)
        total += noise[i]
    if total == 0:  # a tiny alpha may draw nothing but numbers too small for a double: the priors stay as they are
        return
    for i in range(root.count):
        a = edge[root.first + i]
        a.prior = (1 - share) * float(a.prior) + share * noise[i] / total
