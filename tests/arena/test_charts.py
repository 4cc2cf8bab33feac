"""The ladder's charts and their data: the same bytes for the same figures, and nobody's name left out."""

import json

import pytest

from pocketzero.arena.charts import chart_rows, draw_charts, labels, table

PAIR = {"board": 6, "a": "y", "b": "x", "games": 40, "share": 0.75, "low": 0.7, "high": 0.9, "margin": 4.0}
FIGURES = {
    "players": [{"player": "x", "sees": "state"}, {"player": "y", "sees": "oracle"}],
    "pairs": [PAIR, {**PAIR, "board": 4, "share": 0.5, "low": None, "high": None}],
    "ratings": [
        {"board": board, "player": name, "rating": rating, "low": rating - 9, "high": rating + 9}
        for board in ("all", "6")
        for name, rating in (("y", 50.0), ("x", -50.0))
    ],
    "endgames": [
        {"board": board, "player": name, "positions": 9, "regret": 1.5, "low": 1.0, "high": 2.0, "blunder": 0.1}
        for board in (4, 6)
        for name in ("x", "y")
    ],
}


def test_charts_and_their_data_are_the_same_bytes_for_the_same_figures(tmp_path):
    for folder in ("one", "two"):
        draw_charts(tmp_path / folder, FIGURES)
    names = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert names == sorted(
        f"{name}.{end}" for name in ("share", "margin", "ratings", "endgames") for end in ("json", "png")
    )
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    assert json.loads((tmp_path / "one/share.json").read_text()) == chart_rows(FIGURES)["share"]


@pytest.mark.parametrize("missing", ["endgames"])
def test_a_ladder_without_endgames_has_its_charts_too(tmp_path, missing):
    draw_charts(tmp_path, {**FIGURES, missing: []})
    assert (tmp_path / f"{missing}.png").exists()
    assert json.loads((tmp_path / f"{missing}.json").read_text()) == []


def test_a_chart_shows_a_pair_from_both_sides():
    pairs = FIGURES["pairs"]
    assert table(["x", "y"], pairs, 6, "share")[1, 0] == 0.75
    assert table(["x", "y"], pairs, 6, "share")[0, 1] == 0.25
    assert table(["x", "y"], pairs, 6, "margin")[0, 1] == -4.0
    rows = [(row["a"], row["b"], row["share"], row["low"], row["high"]) for row in chart_rows(FIGURES)["share"][2:]]
    assert rows == [("y (oracle)", "x", 0.75, 0.7, 0.9), ("x", "y (oracle)", 0.25, 0.1, 0.3)]


def test_a_player_that_sees_too_much_is_named_oracle():
    assert labels(FIGURES["players"]) == {"x": "x", "y": "y (oracle)"}
    for rows in chart_rows(FIGURES).values():
        assert "y (oracle)" in {row.get("player", row.get("a")) for row in rows}
