"""Runtimes outside Python are asked by files; one that is missing, fails, or answers nonsense is told by name."""

import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pocketzero.arena.tiers import read as read_tiers
from pocketzero.games import Game
from pocketzero.ship import device
from pocketzero.ship.answers import compiled_answers, plain_answers, samplers
from pocketzero.ship.case import CannotAnswer, Case, MissingRuntime
from pocketzero.ship.comparison import differences
from pocketzero.ship.layout import layout_of
from pocketzero.ship.targets import choose_targets

Answers = list[dict[str, Any]]

RUNNER = """#!{python}
import pathlib, shutil, sys
options = dict(zip(sys.argv[2::2], sys.argv[3::2]))
here = pathlib.Path(__file__).parent
(here / "asked.jsonl").write_bytes(pathlib.Path(options["--positions"]).read_bytes())
(here / "options.txt").write_text(" ".join(sys.argv[1:]))
if (here / "answers.jsonl").exists():
    shutil.copy(here / "answers.jsonl", options["--out"])
print("a line before", file=sys.stderr)
print("{message}", file=sys.stderr)
sys.exit({status})
"""


@pytest.fixture
def case(game: Game, built: Path, recorded: dict[int, np.ndarray]) -> Case:
    boards = [4, 7]
    return Case(
        game=game,
        tiers=read_tiers(built / "release" / "tiers.json")[1],
        release=built / "release",
        student=built / "student.safetensors",
        states=np.stack([recorded[board][5] for board in boards]),
        boards=boards,
        seeds=[[1, 2], [3, 2**64 - 1]],
        torch_threads=1,
    )


@pytest.fixture
def right(case: Case) -> Answers:
    """What a runner would write."""
    found = compiled_answers(case.game, case.tiers, case.states, case.seeds)
    assert found.features
    assert found.scores
    assert found.sampled
    layout = layout_of(case.game)
    lines: Answers = [
        {
            "features": features,
            "int8_logits": [0.5] * 64,
            "logits": None,
            "sampled": [layout.app_move(board, move) for move in moves],
            "scores": scores,
        }
        for features, scores, moves, board in zip(found.features, found.scores, found.sampled, case.boards, strict=True)
    ]
    return [*lines, {"milliseconds": {"elite.int8.onnx": {"median": 0.5, "p99": 2}}, "runtime": "a fake"}]


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Puts a `node` on the path that takes its answers from a file; returns the folder where it says what it got."""

    def install(answers: Answers | None = None, status: int = 0, message: str = "") -> Path:
        node = tmp_path / "node"
        node.write_text(RUNNER.format(python=sys.executable, status=status, message=message))
        node.chmod(0o755)
        if answers is not None:
            (tmp_path / "answers.jsonl").write_text("".join(json.dumps(answer) + "\n" for answer in answers))
        monkeypatch.setattr(device, "ROOT", tmp_path)
        for made in ("node_modules", "src", "dist"):
            (tmp_path / "device" / made).mkdir(parents=True)
        (tmp_path / "device" / "dist" / ".built").touch()
        monkeypatch.setenv("PATH", str(tmp_path))
        return tmp_path

    return install


def test_positions_are_asked_as_an_app_writes_them(case: Case, right: Answers, runner: Callable[..., Path]) -> None:
    folder = runner(right)
    device.answer("wasm", case)
    options = (folder / "options.txt").read_text()
    assert f"answer.mjs --target wasm --release {case.release}" in options
    first, second = map(json.loads, (folder / "asked.jsonl").read_text().splitlines())
    assert list(first) == ["board", "cells", "seeds", "to_move"]
    assert first["seeds"] == ["1", "2"]
    assert (len(first["cells"]), len(second["cells"])) == (16, 49)
    assert second["seeds"] == ["3", "18446744073709551615"]


def test_right_answers_are_equal_to_the_last_bit(case: Case, right: Answers, runner: Callable[..., Path]) -> None:
    runner(right)
    found = device.answer("typescript", case)
    wanted = compiled_answers(case.game, case.tiers, case.states, case.seeds)
    compared = differences(wanted, found)
    assert set(compared) == {"features", "scores of linear tiers", "sampled moves"}
    assert all(each.count == 0 for each in compared.values())
    assert found.logits is None
    assert found.int8_logits is not None
    assert found.int8_logits.tolist() == [[0.5] * 64] * 2
    assert found.milliseconds == {"elite.int8.onnx": (0.5, 2.0)}


def test_tiers_that_draw_take_turns_at_the_seeds(case: Case, recorded: dict[int, np.ndarray]) -> None:
    states, seeds = recorded[6][:12], [[7 + index] * 4 for index in range(12)]
    compiled, plain = (answers(case.game, case.tiers, states, seeds) for answers in (compiled_answers, plain_answers))
    assert samplers(case.tiers) == ["easy", "hard"]
    assert compiled.sampled == plain.sampled
    assert compiled.sampled is not None
    assert all(moves[:2] == moves[2:] for moves in compiled.sampled), "the same tier and seed, the same move"
    assert any(moves[0] != moves[1] for moves in compiled.sampled), "another tier"


def test_wrong_answers_are_counted(case: Case, right: Answers, runner: Callable[..., Path]) -> None:
    right[1]["features"][0][2] = float(np.nextafter(right[1]["features"][0][2], 9))
    right[0]["sampled"] = right[0]["sampled"][::-1]
    runner(right)
    wanted = compiled_answers(case.game, case.tiers, case.states, case.seeds)
    compared = differences(wanted, device.answer("typescript", case))
    assert (compared["features"].count, compared["features"].at) == (1, [1])
    assert compared["sampled moves"].at == ([0] if wanted.sampled and len(set(wanted.sampled[0])) > 1 else [])


@pytest.mark.parametrize("change", ["edited", "never built"])
def test_sources_that_were_not_built_are_never_taken_for_checked(
    case: Case, runner: Callable[..., Path], change: str
) -> None:
    device_folder = runner() / "device"
    assert device.missing("typescript", case.release) is None
    source, stamp = device_folder / "src" / "rules.ts", device_folder / "dist" / ".built"
    source.touch()
    os.utime(source, (stamp.stat().st_mtime + 1, stamp.stat().st_mtime + 1))
    if change == "never built":
        stamp.unlink()
    told = device.missing("typescript", case.release)
    assert told == "device/dist was not built from device/src as it is now: `make device` builds it"


NONSENSE: dict[str, Callable[[Answers], Any]] = {
    "a line too few": lambda answers: answers.pop(0),
    "no last line": lambda answers: answers.pop(),
    "nothing": lambda answers: answers.clear(),
    "no features": lambda answers: answers[0].pop("features"),
    "features of too few moves": lambda answers: answers[0]["features"].pop(),
    "too few features": lambda answers: answers[0]["features"][0].pop(),
    "score missing": lambda answers: answers[1]["scores"].pop("easy"),
    "score is null": lambda answers: answers[1]["scores"].update(easy=None),
    "one sample": lambda answers: answers[1]["sampled"].pop(),
    "63 logits": lambda answers: answers[1]["int8_logits"].pop(),
    "logits now and then": lambda answers: answers[1].update(int8_logits=None),
    "beyond a double": lambda answers: answers[1]["int8_logits"].insert(3, answers[1]["int8_logits"].pop() and 10**400),
    "not a number": lambda answers: answers[1]["int8_logits"].insert(3, answers[1]["int8_logits"].pop() * float("nan")),
}


@pytest.mark.parametrize("spoil", NONSENSE.values(), ids=NONSENSE)
def test_nonsense_is_no_answer(
    case: Case, right: Answers, runner: Callable[..., Path], spoil: Callable[[Answers], Any]
) -> None:
    spoil(right)
    runner(right)
    with pytest.raises(CannotAnswer, match="the runner's answer is not in the form"):
        device.answer("node", case)


def test_refused_files_are_a_verdict_in_the_runners_words(case: Case, runner: Callable[..., Path]) -> None:
    runner(status=4, message="elite.int8.onnx: IR version is 10")
    with pytest.raises(CannotAnswer, match=r"ended with 4: elite\.int8\.onnx: IR version is 10"):
        device.answer("node", case)


def test_a_missing_runtime_is_found_before_any_work(built: Path, runner: Callable[..., Path]) -> None:
    folder = runner(status=3, message="onnxruntime-node is not installed: `make device`")
    with pytest.raises(MissingRuntime, match=r"'node', but must be left out, or installed: onnxruntime-node is not"):
        choose_targets(["compiled", "node"], built / "release")
    assert (folder / "asked.jsonl").read_text() == ""


def test_without_node_or_packages_it_says_what_to_install(
    built: Path, tmp_path: Path, runner: Callable[..., Path]
) -> None:
    runner()
    assert device.missing("node", built / "release") is None
    shutil.rmtree(tmp_path / "device")
    with pytest.raises(MissingRuntime, match=r"device/node_modules is not there: `make device` makes it"):
        choose_targets(["chromium"], built / "release")
    (tmp_path / "node").unlink()
    with pytest.raises(MissingRuntime, match=r"there is no `node`: install Node\.js 20 or later"):
        choose_targets(["chromium"], built / "release")
