"""The noise at the root is symmetric Dirichlet noise."""

import numpy as np
import pytest

from pocketzero import games
from pocketzero.settings.search import Search
from tests.search.engines import compiled_engine, grow
from tests.search.synthetic import flat_network


def root_priors(alpha, share, count):
    """Priors of the nine first moves of tic-tac-toe after noise, for `count` seeds: [count, 9]."""
    game = games.load("tic_tac_toe")
    search = Search(
        simulations=1,
        c_puct=1.5,
        considered=0,
        value_scale=0.0,
        noise_alpha=alpha,
        noise_share=share,
        temperature=0.0,
        temperature_moves=0,
        reuse=False,
    )
    engine, start, network = compiled_engine(game), game.new(3), flat_network(9)
    trees = [grow(engine, game, start, seed << 32, search, network, 0) for seed in range(count)]
    roots = [np.sort(tree.edge[0, :9], order="move") for tree in trees]
    return np.array([root["prior"] for root in roots])


@pytest.mark.parametrize("alpha", [0.05, 0.3, 1.0, 3.0])
def test_noise_has_the_moments_of_a_dirichlet(alpha):
    priors = root_priors(alpha, 1.0, 2000)
    np.testing.assert_allclose(priors.sum(axis=1), 1, atol=1e-5)
    variance = (1 / 9) * (8 / 9) / (9 * alpha + 1)
    assert np.abs(priors.mean(axis=0) - 1 / 9).max() < 4.5 * np.sqrt(variance / 2000)
    assert priors.var(axis=0).mean() == pytest.approx(variance, rel=0.1)


def test_the_share_is_what_the_noise_gets():
    np.testing.assert_allclose(root_priors(0.3, 0.0, 1), 1 / 9, rtol=1e-6)
    assert root_priors(0.3, 0.25, 50).min() >= 0.75 / 9 - 1e-6


def test_an_alpha_too_small_for_doubles_leaves_a_distribution():
    priors = root_priors(0.01, 1.0, 300)
    assert np.isfinite(priors).all()
    np.testing.assert_allclose(priors.sum(axis=1), 1, atol=1e-5)
