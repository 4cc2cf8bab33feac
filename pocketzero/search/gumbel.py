"""A root that plans with Gumbel noise, for few simulations. Compiled by numba into the entry points of mcts.py.

Danihelka et al., "Policy improvement by planning with Gumbel" (ICLR 2022): every move of the root draws Gumbel noise
once, sequential halving shares the simulations among the moves with the highest noise + logit + scaled value, and the
policy to learn is the softmax of logit + scaled completed value. Below the root the walk follows PUCT. Arithmetic is in
doubles, in a fixed order.
"""

import math

import numpy as np
from numpy.typing import NDArray

from pocketzero.games.compiled import part
from pocketzero.search.noise import uniform
from pocketzero.search.puct import swap_untried
from pocketzero.search.trees import NONE

VISITS_SCALE = 50.0  # the paper's c_visit
LEAST_PRIOR = 1e-30  # priors are float32 and may be 0
LEAST_UNIFORM = 2.0**-54


def schedule(considered: int, simulations: int) -> NDArray[np.int32]:
    """[considered + 1, simulations]: for the number of moves considered and each simulation, the visits that the walked
    edge has had. Of the edges with so many, the best is walked."""
    rows = [_considered_visits(count, simulations) for count in range(considered + 1)]
    return np.array(rows, np.int32).reshape(considered + 1, simulations)


def _considered_visits(considered: int, simulations: int) -> list[int]:
    """Sequential halving (Karnin et al. 2013): all moves are visited alike, then the better half, and so on."""
    if considered <= 1:
        return list(range(simulations))
    phases = math.ceil(math.log2(considered))
    visits, sequence = [0] * considered, list[int]()
    while len(sequence) < simulations:
        for _ in range(max(1, simulations // (phases * considered))):
            sequence.extend(visits[:considered])
            visits[:considered] = [count + 1 for count in visits[:considered]]
        considered = max(2, considered // 2)
    return sequence[:simulations]


@part
def draw_gumbel(row, noise, share):  # type: ignore[no-untyped-def]
    """A share of standard Gumbel noise for every move, into noise ([moves])."""
    for move in range(noise.size):
        noise[move] = -share * math.log(-math.log(uniform(row) + LEAST_UNIFORM)) if share > 0 else 0.0


@part
def most_visits(root, edge):  # type: ignore[no-untyped-def]
    """Visits of the root's most visited edge."""
    most = 0
    for e in range(root.first, root.first + root.count):
        most = max(most, edge[e].visits)
    return most


@part
def gumbel_edge(root, edge, noise, visits, value_scale):  # type: ignore[no-untyped-def]
    """Of the root's edges with so many visits, the one with the highest noise + log prior + scaled value.

    An untried one is put in front of the untried first, where the walk expects it.
    """
    scale = (VISITS_SCALE + most_visits(root, edge)) * value_scale
    best, top = root.first, -math.inf
    for e in range(root.first, root.first + root.count):
        a = edge[e]
        if a.visits == visits:
            score = noise[a.move] + math.log(float(a.prior) + LEAST_PRIOR)
            if a.visits > 0:
                score += scale * float(a.value)
            if score > top:
                best, top = e, score
    front = root.first + root.tried
    if edge[best].child == NONE and best != front:
        swap_untried(edge[front], edge[best])
        best = front
    return best


@part
def improved_policy(root, edge, value_scale, policy):  # type: ignore[no-untyped-def]
    """The paper's equation 11: the softmax of log prior + scaled completed value, into policy ([moves], all 0).

    A move that was not visited counts as its equation 33's mix of the network's value and the visited moves' values.
    """
    most, visits, weight, mean, raw = 0, 0, 0.0, 0.0, 0.0
    for e in range(root.first, root.first + root.count):
        a = edge[e]
        most = max(most, a.visits)
        visits += a.visits
        if a.visits > 0:
            weight += float(a.prior)
            mean += float(a.prior) * float(a.value)
        else:
            raw = float(a.value)  # before the first visit, the network's value of the root
    mixed = (raw + visits * mean / weight) / (1.0 + visits)
    scale, top, total = (VISITS_SCALE + most) * value_scale, -math.inf, 0.0
    for e in range(root.first, root.first + root.count):
        a = edge[e]
        score = math.log(float(a.prior) + LEAST_PRIOR) + scale * (float(a.value) if a.visits > 0 else mixed)
        policy[a.move] = score
        top = max(top, policy[a.move])
    for e in range(root.first, root.first + root.count):
        total += math.exp(float(policy[edge[e].move]) - top)
    for e in range(root.first, root.first + root.count):
        policy[edge[e].move] = math.exp(float(policy[edge[e].move]) - top) / total
