"""Runtimes outside Python: device/'s parity runner, asked in files of JSON lines.

    node device/parity/answer.mjs --target NAME --release FOLDER --positions FILE --out FILE

A line of positions: {"board", "cells", "seeds": [in decimal, as text], "to_move"}. A line of answers, in the same
order: {"features": [a list a legal move], "int8_logits": [M] or null, "logits": [M] or null, "sampled": [a cell a
seed, drawn in turn by the tiers of answers.samplers], "scores": {tier: [a number a legal move]}}; then {"milliseconds":
{file or tier: {"median", "p99"}}, "runtime"}. The runner ends with 3 where a runtime is not installed, with 4 where it
refuses the release, each with one line on stderr. Asked for no position at all, it only starts the runtime: that is how
a missing one is found before any work.
"""

import json
import math
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketzero.bad_file import cut
from pocketzero.ship.answers import Answers, linear_tiers, samplers
from pocketzero.ship.case import CannotAnswer, Case
from pocketzero.ship.layout import Layout, layout_of

NAMES = ("typescript", "chromium", "node", "wasm", "chromium-wasm")
ROOT = Path(__file__).resolve().parents[2]
RUNNER = ROOT / "device" / "parity" / "answer.mjs"
NOT_INSTALLED = 3
SECONDS = 900  # far beyond what 100,000 positions take


def missing(name: str, release: Path) -> str | None:
    """What this runtime lacks on this machine and how to install it, or None."""
    if shutil.which("node") is None:
        return "there is no `node`: install Node.js 20 or later, then `make device`"
    if not (ROOT / "device" / "node_modules").is_dir():
        return "device/node_modules is not there: `make device` makes it"
    if not _is_built():
        return "device/dist was not built from device/src as it is now: `make device` builds it"
    with tempfile.TemporaryDirectory() as folder:
        done = _run(name, release, Path(folder), "")
    return _last_line(done) if done.returncode == NOT_INSTALLED else None


def _is_built() -> bool:
    """Whether what the runner loads was built from the sources as they are."""
    stamp = ROOT / "device" / "dist" / ".built"
    sources = (ROOT / "device" / "src").glob("*.ts")
    return stamp.exists() and all(file.stat().st_mtime <= stamp.stat().st_mtime for file in sources)


def answer(name: str, case: Case) -> Answers:
    """The runtime's answers. Raises CannotAnswer: it refuses the release, crashes, or answers something else."""
    layout = layout_of(case.game)
    lines = [
        {
            "board": board,
            "cells": layout.cells(state),
            "seeds": [str(seed) for seed in seeds],
            "to_move": int(state[0]),
        }
        for state, board, seeds in zip(case.states, case.boards, case.seeds, strict=True)
    ]
    with tempfile.TemporaryDirectory() as folder:
        text = "".join(json.dumps(line, sort_keys=True, separators=(",", ":")) + "\n" for line in lines)
        done = _run(name, case.release, Path(folder), text)
        if done.returncode:
            raise CannotAnswer(f"the runner ended with {done.returncode}: {_last_line(done)}")
        try:
            answers = (Path(folder) / "answers.jsonl").read_text(encoding="utf-8").splitlines()
            return _Reader(case, layout).answers([json.loads(line) for line in answers])
        except Exception as fault:  # whatever a runtime wrote, it is an answer that fails its gate
            raise CannotAnswer(f"the runner's answer is not in the form of device.py: {cut(repr(fault))}") from fault


def _run(name: str, release: Path, folder: Path, positions: str) -> "subprocess.CompletedProcess[str]":
    asked, answered = folder / "positions.jsonl", folder / "answers.jsonl"
    asked.write_text(positions, encoding="utf-8")
    command = ["node", str(RUNNER), "--target", name, "--release", str(release.resolve())]
    command += ["--positions", str(asked), "--out", str(answered)]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired as fault:
        raise CannotAnswer(f"the runner gave no answer in {SECONDS} seconds") from fault


def _last_line(done: "subprocess.CompletedProcess[str]") -> str:
    return (done.stderr.strip().splitlines() or ["it says nothing on stderr"])[-1]


class _Reader:
    """Checks the shape of every answer, so that comparing them is comparing numbers."""

    def __init__(self, case: Case, layout: Layout) -> None:
        self.case, self.layout = case, layout
        self.legal = [len(case.game.legal_moves(state)) for state in case.states]

    def answers(self, lines: list[dict[str, Any]]) -> Answers:
        *positions, about = lines
        if len(positions) != len(self.case.states):
            raise ValueError(f"{len(positions)} answers to {len(self.case.states)} positions")
        tiers = linear_tiers(self.case.tiers)
        weighing = bool(self.case.game.feature_names)
        return Answers(
            features=[self.rows(line["features"], count) for line, count in self.each(positions)] if weighing else None,
            scores=[
                {tier: self.numbers(line["scores"][tier], count) for tier in tiers}
                for line, count in self.each(positions)
            ]
            if weighing
            else None,
            sampled=self.sampled(positions) if samplers(self.case.tiers) else None,
            logits=self.logits([line["logits"] for line in positions]),
            int8_logits=self.logits([line["int8_logits"] for line in positions]),
            milliseconds=self.milliseconds(about["milliseconds"]),
        )

    def each(self, positions: list[dict[str, Any]]) -> "zip[tuple[dict[str, Any], int]]":
        return zip(positions, self.legal, strict=True)

    def rows(self, value: list[Any], count: int) -> list[list[float]]:
        if len(value) != count:
            raise ValueError(f"features of {len(value)} moves; there are {count}")
        return [self.numbers(row, len(self.case.game.feature_names)) for row in value]

    def numbers(self, value: list[Any], count: int) -> list[float]:
        numbers = [float(number) for number in value]
        if len(numbers) != count or not all(map(math.isfinite, numbers)):
            raise ValueError(f"{count} finite numbers were expected: {str(value)[:60]}")
        return numbers

    def sampled(self, positions: list[dict[str, Any]]) -> list[list[int]]:
        found = []
        for line, board, seeds in zip(positions, self.case.boards, self.case.seeds, strict=True):
            if len(line["sampled"]) != len(seeds):
                raise ValueError(f"{len(line['sampled'])} sampled moves to {len(seeds)} seeds")
            found.append([self.layout.library_move(board, int(cell)) for cell in line["sampled"]])
        return found

    def logits(self, rows: list[Any]) -> NDArray[np.float32] | None:
        if all(row is None for row in rows):
            return None
        return np.array([self.numbers(row, self.case.game.moves) for row in rows], np.float32)

    def milliseconds(self, value: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
        return {name: (float(each["median"]), float(each["p99"])) for name, each in value.items()}
