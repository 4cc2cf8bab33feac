"""The bench measures what it says, on a game and a network that take a moment."""

import numpy as np
import pytest

from bench.__main__ import measure
from bench.self_play import self_play_rounds
from bench.subject import Subject
from pocketzero import games
from pocketzero.nets.graph import build_onnx
from pocketzero.nets.tower import network_of, new_tower
from pocketzero.nets.weights import Architecture
from pocketzero.settings.search import Search


@pytest.fixture
def small():
    game = games.load("tic_tac_toe")
    architecture = Architecture(
        game=game.name, kind="teacher", planes=game.planes, moves=game.moves, channels=8, blocks=1, value_hidden=8
    )
    search = Search(
        simulations=8,
        c_puct=1.5,
        considered=0,
        value_scale=0.0,
        noise_alpha=0.3,
        noise_share=0.25,
        temperature=1.0,
        temperature_moves=4,
        reuse=True,
    )
    return Subject(
        game=game,
        boards=[3],
        search=search,
        network=network_of(new_tower(architecture, 1)),
        network_is="random weights",
        shard_games=4,
        batch_size=8,
    )


def test_every_figure_is_a_positive_number(small):
    figures = measure(small, rounds=1, games=4)
    assert {"self-play / bare network", "peak memory of a self-play worker, MiB"} <= set(figures)
    assert {f"training, {layout}, steps per CPU second" for layout in ("contiguous", "channels-last")} <= set(figures)
    assert all(np.isfinite(figure) and figure > 0 for figure in figures.values())


def test_a_round_counts_games_positions_and_evaluations(small):
    (found,) = self_play_rounds(small, build_onnx(small.network), rounds=1, games=4)
    assert found.games == 4
    assert 4 * 3 <= found.positions <= 4 * 9
    assert found.evaluations <= found.positions * 9  # the root and eight simulations; finished leaves cost nothing
    assert found.seconds > found.network_seconds
