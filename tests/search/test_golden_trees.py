"""The search grows the trees that it grew when they were written down, node by node, with and without the compiler."""

import json

import pytest

from tests.search.engines import compiled_engine, plain_engine
from tests.search.golden_trees import CASES, path_of, tree_of


@pytest.mark.parametrize("make_engine", [compiled_engine, plain_engine])
@pytest.mark.parametrize("case", CASES)
def test_every_node_is_as_written(case, make_engine):
    written = json.loads(path_of(case).read_text(encoding="utf-8"))
    grown = tree_of(case, make_engine)
    assert len(grown) == len(written)
    for number, (ours, golden) in enumerate(zip(grown, written, strict=True)):
        for key in ("parent", "player", "result", "visits"):
            assert ours[key] == golden[key], f"{key} of node {number}"
        for ours_edge, golden_edge in zip(ours["edges"], golden["edges"], strict=True):
            # The C library's exp, log and cos may differ in the last bit, which the float32 may show.
            assert ours_edge == pytest.approx(golden_edge, abs=3e-7), f"edge of node {number}"


@pytest.mark.parametrize("case", CASES)
def test_visits_add_up_in_every_node(case):
    nodes = json.loads(path_of(case).read_text(encoding="utf-8"))
    for number, node in enumerate(nodes):
        assert sum(visits for _, _, _, visits, _ in node["edges"]) == node["visits"]
        assert sum(prior for _, prior, _, _, _ in node["edges"]) == pytest.approx(1 if node["edges"] else 0, abs=1e-5)
        for _, _, _, visits, child in node["edges"]:
            assert (child >= 0) == (visits > 0)
            assert child < 0 or nodes[child]["parent"] == number
    assert nodes[0]["visits"] == 24
