"""Parity: copies that agree pass every gate, and a copy that was changed fails the one that is about it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pocketzero.games import Game
from pocketzero.nets.graph import build_onnx
from pocketzero.nets.weights import Network, write_network
from pocketzero.settings.parity import Parity
from pocketzero.ship import targets
from pocketzero.ship.case import MissingRuntime
from pocketzero.ship.parity import Report, check_release

SIZE_GATES = {"golden.jsonl: positions", "golden.jsonl: positions with features"}  # the tests have few positions
PYTHON = ["python", "compiled", "onnxruntime", "torch", "plain"]
POSITIONS = 60  # 40 golden ones, and fresh ones

Check = Callable[..., Report]


@pytest.fixture
def check(game: Game) -> Check:
    def run(models: Path, chosen: list[str] = PYTHON) -> Report:
        settings = Parity(seed=6, targets=chosen, positions=POSITIONS, tolerance=1e-5, clear_gap=1e-4)
        release, student = models / "release", models / "student.safetensors"
        return check_release(game, list(game.boards), release, student, settings, torch_threads=1, seed=6)

    return run


def failed(report: Report) -> list[str]:
    return [gate["name"] for gate in report.figures["gates"] if not gate["holds"] and gate["name"] not in SIZE_GATES]


def edit_line(models: Path, number: int, change: Callable[[dict[str, Any]], None]) -> None:
    file = models / "release" / "golden.jsonl"
    lines = file.read_text().splitlines()
    entry = json.loads(lines[number - 1])
    change(entry)
    lines[number - 1] = json.dumps(entry)
    file.write_text("\n".join(lines) + "\n")


def test_the_settings_know_every_target() -> None:
    field = Parity.__dataclass_fields__["targets"]
    assert set(field.metadata["choices"]) == set(targets.TARGETS)


def test_untouched_copies_agree(check: Check, built: Path) -> None:
    report = check(built)
    assert failed(report) == []
    assert report.figures["not_run"] == ["typescript", "chromium", "node", "wasm", "chromium-wasm"]
    assert report.figures["positions"] == POSITIONS
    assert report.figures["golden_positions"] == 40
    assert 0 < report.figures["logits"]["torch"]["difference"]["p100"] <= 1e-5  # folding rounds: 0 would prove nothing
    assert set(report.figures["files"]) == {"elite.onnx", "elite.int8.onnx", "tiers.json", "golden.jsonl"}
    assert set(report.timing) == {
        *(
            f"onnxruntime_{model}_{what}_ms"
            for model in ("elite.onnx", "elite.int8.onnx")
            for what in ("median", "p99")
        ),
        *(f"{file}_gzip_bytes" for file in report.figures["files"]),
    }


def test_what_must_be_equal_is_counted_in_bits_for_every_runtime(check: Check, built: Path) -> None:
    none = {"bits": 0, "positions": 0}
    assert check(built).figures["differing"] == {
        "python": {"features": none, "scores of linear tiers": none, "sampled moves": none},
        "compiled": {"features": none, "scores of linear tiers": none, "sampled moves": none},
        "onnxruntime": {"int8 logits": none},
        "torch": {},
        "plain": {"int8 logits": none},
    }


def test_the_report_says_what_int8_costs(check: Check, built: Path) -> None:
    cost = check(built).figures["int8"]
    assert cost["positions"] == POSITIONS
    assert 0.5 < cost["same_move"] < 1
    assert set(cost["same_move_by_board"]) == {"4", "5", "6", "7", "8"}
    assert 0 < cost["kl_mean"] < cost["kl_p99"] < 0.1


def test_the_report_is_the_same_every_time(check: Check, built: Path) -> None:
    assert check(built).figures == check(built).figures


def test_too_few_positions_fail_their_gates(check: Check, built: Path) -> None:
    gates = {gate["name"]: gate for gate in check(built, ["compiled"]).figures["gates"]}
    assert [gates[name]["holds"] for name in sorted(SIZE_GATES)] == [False, False]


def test_a_logit_that_moved_is_found_and_its_position_is_the_worst(check: Check, models: Path) -> None:
    def move(entry: dict[str, Any]) -> None:
        entry["logits"][10] += 1e-3

    edit_line(models, 7, move)
    report = check(models, ["onnxruntime", "torch"])
    assert failed(report) == ["onnxruntime: largest difference of a logit", "torch: largest difference of a logit"]
    worst = report.figures["worst"]
    assert len(worst) == 5
    assert worst[0]["position"] == worst[1]["position"] == "golden.jsonl line 7"
    assert {worst[0]["target"], worst[1]["target"]} == {"onnxruntime", "torch"}
    assert worst[0]["difference"] == pytest.approx(1e-3, rel=1e-2)
    assert set(worst[0]) >= {"board", "cells", "to_move", "golden_move", "move", "gap"}


@pytest.mark.parametrize("way", ["onnxruntime", "plain"])
def test_an_int8_logit_that_is_one_bit_off_is_found(check: Check, models: Path, way: str) -> None:
    def nudge(entry: dict[str, Any]) -> None:
        logit = np.float32(entry["int8_logits"][10])
        entry["int8_logits"][10] = float((logit.view(np.int32) ^ 1).view(np.float32))

    edit_line(models, 7, nudge)
    report = check(models, [way])
    assert failed(report) == [f"{way}: int8 logits, to the last bit"]
    assert report.figures["differing"][way] == {"int8 logits": {"bits": 1, "positions": 1}}


def test_another_best_move_fails_where_the_lead_is_clear(check: Check, models: Path) -> None:
    def swap(entry: dict[str, Any]) -> None:
        board, moves, logits = entry["board"], entry["moves"], entry["logits"]
        cells = sorted((move // board * 8 + move % board for move in moves), key=lambda cell: logits[cell])
        logits[cells[0]], logits[cells[-1]] = logits[cells[-1]], logits[cells[0]]

    edit_line(models, 3, swap)
    assert "torch: moves where the lead is above 0.0001" in failed(check(models, ["torch"]))


@pytest.fixture
def swapped(student: Network) -> Network:
    weight = student.tensors["policy.dense.weight"].copy()
    weight[[3, 4]] = weight[[4, 3]]
    return Network(student.architecture, {**student.tensors, "policy.dense.weight": weight})


def test_a_swapped_weight_of_the_model_is_found(
    check: Check, models: Path, swapped: Network, metadata: dict[str, str]
) -> None:
    (models / "release" / "elite.onnx").write_bytes(build_onnx(swapped, metadata))
    found = failed(check(models))
    assert "onnxruntime: largest difference of a logit" in found


def test_a_swapped_weight_of_the_student_is_found(check: Check, models: Path, swapped: Network) -> None:
    write_network(models / "student.safetensors", swapped)
    found = failed(check(models))
    assert "torch: largest difference of a logit" in found
    assert not any("onnxruntime" in name for name in found)


@pytest.mark.parametrize("way", ["python", "compiled"])
def test_a_feature_that_is_one_bit_off_is_found(check: Check, models: Path, way: str) -> None:
    def nudge(entry: dict[str, Any]) -> None:
        entry["features"][0][2] = float(np.nextafter(entry["features"][0][2], 0.5))

    edit_line(models, 4, nudge)
    report = check(models, [way])
    assert failed(report) == [f"{way}: features, to the last bit"]
    gate = next(gate for gate in report.figures["gates"] if not gate["holds"] and "features, to" in gate["name"])
    assert gate["found"] == "1 bits differ: golden.jsonl line 4"


@pytest.mark.parametrize("tier", ["easy", "medium", "hard", "fallback"])
def test_a_score_that_is_one_bit_off_is_found(check: Check, models: Path, tier: str) -> None:
    def nudge(entry: dict[str, Any]) -> None:
        entry["scores"][tier][0] = float(np.nextafter(entry["scores"][tier][0], 9.0))

    edit_line(models, 30, nudge)
    assert failed(check(models, ["compiled"])) == ["compiled: scores of linear tiers, to the last bit"]


def test_another_sampled_move_is_found(check: Check, models: Path) -> None:
    def other(entry: dict[str, Any]) -> None:
        moves = [move for move in entry["moves"] if move != entry["sampled"]["move"]]
        entry["sampled"]["move"] = moves[0]

    edit_line(models, 2, other)
    report = check(models, ["python", "compiled"])
    assert failed(report) == ["python: sampled moves", "compiled: sampled moves"]


@pytest.mark.parametrize(("name", "others"), [("elite.onnx", []), ("elite.int8.onnx", ["plain: answers"])])
def test_a_truncated_model_is_a_verdict_and_not_a_crash(
    check: Check, models: Path, name: str, others: list[str]
) -> None:
    file = models / "release" / name
    file.write_bytes(file.read_bytes()[:-500])
    report = check(models, ["compiled", "onnxruntime", "plain"])
    assert failed(report) == [f"{name}: structure", "onnxruntime: answers", *others]


def test_a_runtime_that_was_not_chosen_is_reported_as_not_run(check: Check, built: Path) -> None:
    report = check(built, ["compiled"])
    assert report.figures["not_run"] == [name for name in targets.TARGETS if name != "compiled"]
    assert not any(gate["name"].startswith("torch") for gate in report.figures["gates"])


def test_a_chosen_runtime_that_is_missing_is_an_error_that_says_how_to_install_it(
    check: Check, built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    absent = targets.Target(targets.TARGETS["torch"].answer, targets.python_package("no_such_package"))
    monkeypatch.setitem(targets.TARGETS, "torch", absent)
    with pytest.raises(MissingRuntime, match=r"parity\.targets is 'torch', but must be left out, or .*`make setup`"):
        check(built, ["torch"])


def test_an_unknown_runtime_is_refused_by_name(check: Check, built: Path) -> None:
    with pytest.raises(ValueError, match=r"parity\.targets: there is no 'coreml'; the targets are python"):
        check(built, ["coreml"])


def test_a_further_runtime_plugs_in(check: Check, built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(targets.TARGETS, "mine", targets.TARGETS["compiled"])
    report = check(built, ["mine"])
    assert failed(report) == []
    assert "mine: features, to the last bit" in [gate["name"] for gate in report.figures["gates"]]
