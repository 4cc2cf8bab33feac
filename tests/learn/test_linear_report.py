"""What a person sees of the linear models."""

import dataclasses

import numpy as np
import pytest

from pocketzero import games
from pocketzero.learn.linear import start, to_json
from pocketzero.learn.linear_report import CURVES, comparable, draw_curve, draw_weights, figures, write_curve

GAME = games.load("cell_division")


@pytest.fixture
def models():
    curve = [{**dict.fromkeys(CURVES, 0.5 * number), "epochs": 4} for number in range(60)]
    return {
        count: dataclasses.replace(start(13 * count), model=np.linspace(-1, 2, 13 * count), curve=curve)
        for count in (1, 2)
    }


def test_weights_that_are_defined_up_to_a_constant_are_compared_without_it():
    features = GAME.feature_names[:13]
    weights = np.arange(13.0)
    together = [features.index(name) for name in ("openness", "ai_neighbors", "opp_neighbors", "boundary_neighbors")]
    shifted = weights.copy()
    shifted[together] += 7
    assert comparable(features, shifted).tolist() == comparable(features, weights).tolist()
    assert comparable(features, weights)[features.index("boundary_neighbors")] == 0
    assert comparable(features, weights)[0] == weights[0]
    assert comparable(["one", "other"], [1, 2]).tolist() == [1, 2]


def test_pictures_and_tables_have_the_same_bytes_every_time(models, tmp_path):
    content = to_json(GAME, models, 1)
    for name in ("first", "second"):
        draw_weights(tmp_path / name / "weights.png", content)
        draw_curve(tmp_path / name / "learning.png", models)
        write_curve(tmp_path / name / "learning.tsv", models)
    for path in (tmp_path / "first").iterdir():
        assert path.read_bytes() == (tmp_path / "second" / path.name).read_bytes()


def test_the_table_has_a_row_an_iteration_and_model(models, tmp_path):
    write_curve(tmp_path / "learning.tsv", models)
    header, *rows = (tmp_path / "learning.tsv").read_text().splitlines()
    assert header.split("\t")[:3] == ["model", "iteration", "margin"]
    assert [row.split("\t")[:3] for row in (rows[0], rows[-1])] == [["linear", "0", "0"], ["switching", "59", "29.5"]]


def test_the_figures_are_means_over_the_last_iterations(models):
    found = figures(models, {"weights": 3.0})
    assert found["switching"]["latest_entropy"] == pytest.approx(0.5 * (10 + 59) / 2)
    assert found["linear"]["iterations"] == 60
    assert found["norm"] == {"weights": 3.0}


def test_a_game_without_features_still_has_its_charts(tmp_path):
    content = to_json(games.load("tic_tac_toe"), {}, 1)
    draw_weights(tmp_path / "weights.png", content)
    draw_curve(tmp_path / "learning.png", {})
    assert figures({}, content["norm"]) == {"norm": {"weights": 0.0}}
    assert (tmp_path / "weights.png").stat().st_size > 0
