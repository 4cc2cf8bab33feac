import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketzero.games import load
from pocketzero.search.gumbel import schedule
from pocketzero.search.lockstep import search_moves
from pocketzero.settings.base import DoesNotFit
from tests.search.engines import compiled_engine, grow
from tests.search.golden_trees import GUMBEL
from tests.search.synthetic import synthetic_network

GAME = load("cell_division")
NETWORK = synthetic_network(GAME.moves)
QUIET = replace(GUMBEL, noise_share=0.0, simulations=16, considered=4)


@given(considered=st.integers(0, 64), simulations=st.integers(1, 200))
def test_the_schedule_walks_an_edge_with_as_many_visits_as_it_names(considered: int, simulations: int) -> None:
    for count, row in enumerate(schedule(considered, simulations)):
        visits = [0] * max(count, 1)
        for wanted in row:
            visits[visits.index(wanted)] += 1  # raises where no edge has so many


def test_sequential_halving_visits_all_then_the_better_half() -> None:
    assert schedule(4, 16)[4].tolist() == [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]


def test_the_walked_moves_are_those_with_the_highest_priors_where_there_is_no_noise() -> None:
    edges = _root_edges(seed=3)
    walked = {int(e.move) for e in edges if e.visits}
    assert len(walked) == 4
    assert walked == {int(e.move) for e in sorted(edges, key=lambda e: (-e.prior, e.move))[:4]}


def test_the_policy_is_the_softmax_of_log_prior_and_completed_value() -> None:
    edges = _root_edges(seed=5)
    start = GAME.new(4, 5)
    _, policies, _ = search_moves(GAME, NETWORK, start[None], QUIET, np.array([5], np.uint64))
    visited = [e for e in edges if e.visits]
    raw = next(float(e.value) for e in edges if not e.visits)
    mean = sum(float(e.prior) * float(e.value) for e in visited) / sum(float(e.prior) for e in visited)
    mixed = (raw + 16 * mean) / 17
    scale = (50 + max(e.visits for e in visited)) * QUIET.value_scale
    scores = {int(e.move): math.log(float(e.prior)) + scale * (float(e.value) if e.visits else mixed) for e in edges}
    total = sum(math.exp(score) for score in scores.values())
    for move, score in scores.items():
        assert policies[0, move] == pytest.approx(math.exp(score) / total, rel=1e-4)
    assert policies.sum() == pytest.approx(1, abs=1e-5)


def test_without_noise_the_seed_decides_nothing_and_with_noise_it_does() -> None:
    states = np.stack([GAME.new(8)] * 12)
    seeds = np.arange(12, dtype=np.uint64)
    still, _, _ = search_moves(GAME, NETWORK, states, QUIET, seeds)
    loud, _, _ = search_moves(GAME, NETWORK, states, GUMBEL, seeds)
    assert len(set(still.tolist())) == 1 < len(set(loud.tolist()))


def test_noise_ends_after_the_drawn_moves() -> None:
    states, seeds = np.stack([GAME.new(8)] * 12), np.arange(12, dtype=np.uint64)
    # As many simulations as moves, all considered: every move is visited once, so what is left of the noise chooses.
    settled = replace(GUMBEL, temperature_moves=0, simulations=64, considered=64)
    moves, _, _ = search_moves(GAME, NETWORK, states, settled, seeds)
    drawn, _, _ = search_moves(GAME, NETWORK, states, replace(settled, temperature_moves=1), seeds)
    assert len(set(moves.tolist())) == 1 < len(set(drawn.tolist()))


def test_a_gumbel_root_refuses_to_reuse_trees() -> None:
    with pytest.raises(DoesNotFit, match="considered"):
        replace(GUMBEL, reuse=True).check()


def _root_edges(seed: int) -> np.ndarray:
    """After all simulations."""
    trees = grow(compiled_engine(GAME), GAME, GAME.new(4, seed), seed, QUIET, NETWORK, 0)
    root = trees.node[0, 0]
    return trees.edge[0, root.first : root.first + root.count]
