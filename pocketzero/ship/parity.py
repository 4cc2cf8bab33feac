"""Does every copy of what ships agree? Positions put to each runtime, and a verdict as gates.

The reference is what golden.jsonl says; for the fresh positions, which it has not, it is computed here: features,
scores and sampled moves by compiled code, int8 logits by the plain pass, float32 logits by ONNX Runtime. Nothing here
stops a pipeline over a verdict: a gate that does not hold is written down, and `make release` refuses.
"""

import gzip
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pocketzero.arena.tiers import INT8_MODEL, MODEL, BadTier
from pocketzero.arena.tiers import read as read_tiers
from pocketzero.games import Game
from pocketzero.games.compiled import encode_states
from pocketzero.nets.evaluator import onnx_evaluator
from pocketzero.rng import stream
from pocketzero.settings.parity import Parity
from pocketzero.ship import identity, integer_pass, structure
from pocketzero.ship.answers import Answers, Tiers, compiled_answers, linear_tiers, samplers
from pocketzero.ship.case import CannotAnswer, Case
from pocketzero.ship.comparison import Difference, LogitComparison, compare_logits, differences
from pocketzero.ship.files import GOLDEN, TIERS, describe
from pocketzero.ship.golden import Golden, read_golden
from pocketzero.ship.integer_pass import IntegerPass
from pocketzero.ship.layout import layout_of
from pocketzero.ship.selection import fresh
from pocketzero.ship.targets import TARGETS, choose_targets

LEAST_POSITIONS = 1000
LEAST_FEATURE_POSITIONS = 300
SEEDS = 4  # sampled moves a position
WORST = 5
SHOWN = 20
FILES = (MODEL, INT8_MODEL, TIERS, GOLDEN)

Gate = dict[str, Any]


@dataclass(frozen=True)
class Report:
    """What parity found."""

    figures: dict[str, Any]
    """For metrics/parity.json: the same on every machine of a kind."""
    timing: dict[str, float]
    """Milliseconds for one position alone, by runtime and model or tier; and sizes, as they are and compressed."""


def check_release(
    game: Game, boards: list[int], release: Path, student: Path, settings: Parity, torch_threads: int, seed: int
) -> Report:
    """Put golden and fresh positions to the chosen runtimes.

    Args:
      boards: the boards that ship.
      release: folder of elite.onnx, elite.int8.onnx, tiers.json, golden.jsonl.
      student: the trained student from which elite.onnx was made.
      torch_threads: of torch.
      seed: of the fresh positions and of the sampled moves.

    Raises case.MissingRuntime before all else for a runtime that is not installed, ValueError for one that is not
    known; golden.BadGolden, arena.tiers.BadTier and nets.weights.BadNetwork for files that cannot be read as what they
    are.
    """
    targets = choose_targets(settings.targets, release)
    named, tiers = read_tiers(release / TIERS)
    if named.name != game.name:
        raise BadTier(release / TIERS, "game", named.name, repr(game.name))
    golden = read_golden(release / GOLDEN, game, linear_tiers(tiers), bool(samplers(tiers)))
    about = (game.planes, game.moves, identity.metadata(game))
    refused = {
        MODEL: structure.refusals((release / MODEL).read_bytes(), *about),
        INT8_MODEL: integer_pass.refusals((release / INT8_MODEL).read_bytes(), *about),
    }
    case = _case(game, tiers, release, student, golden, boards, settings.positions, torch_threads, seed)
    reference = _reference(case, golden, refused)
    checks = _Checks(case, reference, len(golden), settings)
    for name, found in refused.items():
        checks.gate(f"{name}: structure", "no refusal", "; ".join(found) or "no refusal", not found)
    checks.sizes(boards, golden)
    for name, target in targets.items():
        try:
            checks.target(name, target.answer(case))
        except CannotAnswer as fault:
            checks.gate(f"{name}: answers", "every position", str(fault), False)
    files = [release / name for name in FILES]
    figures = {
        **checks.figures(),
        "positions": len(case.states),
        "golden_positions": len(golden),
        "not_run": [name for name in TARGETS if name not in targets],
        "files": describe(files),
    }
    sizes = {f"{file.name}_gzip_bytes": float(len(gzip.compress(file.read_bytes(), mtime=0))) for file in files}
    return Report(figures, {**checks.timing, **sizes})


def _case(
    game: Game,
    tiers: Tiers,
    release: Path,
    student: Path,
    golden: list[Golden],
    boards: list[int],
    count: int,
    torch_threads: int,
    seed: int,
) -> Case:
    """The golden positions in the order of their lines, then fresh ones until there are `count`."""
    layout = layout_of(game)
    known = np.stack([layout.state(each.board, each.cells, each.to_move) for each in golden])
    others, their_boards = fresh(game, boards, known, max(0, count - len(golden)), seed)
    seeds = [
        [stream(seed, "parity_sample", index, k) for k in range(SEEDS)] for index in range(len(golden) + len(others))
    ]
    for index, position in enumerate(golden):
        if position.seed is not None:
            seeds[index][0] = position.seed
    return Case(
        game=game,
        tiers=tiers,
        release=release,
        student=student,
        states=np.concatenate([known, others]),
        boards=[*(position.board for position in golden), *their_boards],
        seeds=seeds,
        torch_threads=torch_threads,
    )


def _reference(case: Case, golden: list[Golden], refused: Mapping[str, list[str]]) -> Answers:
    """The right answers. Of a model that was refused, only the golden positions' logits."""
    layout, count = layout_of(case.game), len(golden)
    computed = compiled_answers(case.game, case.tiers, case.states, case.seeds)
    planes = encode_states(case.game.addresses, case.game.planes, case.states[count:])
    logits = np.stack([position.logits for position in golden])
    int8_logits = np.stack([position.int8_logits for position in golden])
    if len(planes) and not refused[MODEL]:
        evaluate = onnx_evaluator((case.release / MODEL).read_bytes(), without_value=True)
        logits = np.concatenate([logits, evaluate(planes)[0]])
    if len(planes) and not refused[INT8_MODEL]:
        network = IntegerPass((case.release / INT8_MODEL).read_bytes())
        int8_logits = np.concatenate([int8_logits, network.logits(planes)])
    sampled = computed.sampled
    if sampled is not None:
        for moves, position in zip(sampled, golden, strict=False):
            assert position.sampled is not None  # read_golden has seen to it
            moves[0] = layout.library_move(position.board, position.sampled)
    return Answers(
        features=computed.features and [*(position.features for position in golden), *computed.features[count:]],
        scores=computed.scores and [*(position.scores for position in golden), *computed.scores[count:]],
        sampled=sampled,
        logits=logits,
        int8_logits=int8_logits,
    )


class _Checks:
    """Gates and figures, gathered runtime by runtime."""

    def __init__(self, case: Case, reference: Answers, golden: int, settings: Parity) -> None:
        self.case, self.reference, self.golden, self.settings = case, reference, golden, settings
        self.gates: list[Gate] = []
        self.timing: dict[str, float] = {}
        self.differing: dict[str, dict[str, Any]] = {}
        self.logits: dict[str, Any] = {}
        self.worst: list[dict[str, Any]] = []

    def gate(self, name: str, wanted: object, found: object, holds: bool) -> None:
        self.gates.append({"name": name, "wanted": wanted, "found": found, "holds": holds})

    def figures(self) -> dict[str, Any]:
        return {
            "gates": self.gates,
            "differing": self.differing,
            "logits": self.logits,
            "int8": self.int8_cost(),
            "worst": sorted(self.worst, key=lambda entry: -entry["difference"])[:WORST],
        }

    def sizes(self, boards: list[int], golden: list[Golden]) -> None:
        """Enough positions, and all boards among them."""
        self.least(f"{GOLDEN}: positions", LEAST_POSITIONS, boards, [position.board for position in golden])
        if self.case.game.feature_names:
            featured = [position.board for position in golden if position.features is not None]
            self.least(f"{GOLDEN}: positions with features", LEAST_FEATURE_POSITIONS, boards, featured)
        self.least("positions, with fresh ones", self.settings.positions, boards, self.case.boards)

    def least(self, name: str, least: int, boards: list[int], found: list[int]) -> None:
        missing = sorted(set(boards) - set(found))
        text = f"{len(found)}" + (f", none on board {', '.join(map(str, missing))}" if missing else "")
        self.gate(name, f"{least} or more, on every board", text, len(found) >= least and not missing)

    def target(self, name: str, answers: Answers) -> None:
        """One runtime's answers against the reference's."""
        compared = differences(self.reference, answers)
        self.differing[name] = {
            what: {"bits": found.count, "positions": len(found.at)} for what, found in compared.items()
        }
        for what, found in compared.items():
            self.exact(name, what, found)
        if answers.logits is not None and self.reference.logits is not None:
            self.close(name, self.compared(self.reference.logits, answers.logits))
        for what, (median, p99) in answers.milliseconds.items():
            self.timing |= {f"{name}_{what}_median_ms": median, f"{name}_{what}_p99_ms": p99}

    def exact(self, name: str, what: str, found: Difference) -> None:
        """What must be equal to the last bit."""
        moves = what == "sampled moves"
        text = (
            f"{found.count} {'moves' if moves else 'bits'} differ: {self.where(found.at)}"
            if found.count
            else "all equal"
        )
        self.gate(f"{name}: {what}" + ("" if moves else ", to the last bit"), "all equal", text, not found.count)

    def close(self, name: str, comparison: LogitComparison) -> None:
        """Float32 logits, which are never bit-equal across processors."""
        largest, gap = float(comparison.differences.max()), self.settings.clear_gap
        tolerance = self.settings.tolerance
        self.gate(f"{name}: largest difference of a logit", f"{tolerance:g} or less", largest, largest <= tolerance)
        other = comparison.other_moves(gap)
        text = f"{other} of {comparison.clear(gap)} differ" if other else "all equal"
        self.gate(f"{name}: moves where the lead is above {gap:g}", "all equal", text, other == 0)
        self.logits[name] = {"difference": comparison.percentiles()}
        self.worst += [self.entry(name, comparison, index) for index in comparison.worst(WORST)]

    def compared(self, wanted: np.ndarray, found: np.ndarray) -> LogitComparison:
        """As many positions as both have."""
        count = min(len(wanted), len(found))
        return compare_logits(self.case.game, self.case.states[:count], wanted[:count], found[:count])

    def int8_cost(self) -> dict[str, Any]:
        """How far int8's moves are from float32's, by the reference's logits."""
        assert self.reference.logits is not None
        assert self.reference.int8_logits is not None
        comparison = self.compared(self.reference.logits, self.reference.int8_logits)
        same = comparison.wanted == comparison.found
        boards = np.array(self.case.boards[: len(same)])
        by_board = {str(board): float(same[boards == board].mean()) for board in sorted(set(boards.tolist()))}
        return {
            "positions": len(same),
            "same_move": float(same.mean()),
            "same_move_by_board": by_board,
            "kl_mean": float(comparison.divergences.mean()),
            "kl_p99": float(np.percentile(comparison.divergences, 99)),
            "logit_difference": comparison.percentiles(),
        }

    def entry(self, name: str, comparison: LogitComparison, index: int) -> dict[str, Any]:
        """One of the worst positions."""
        layout, state, board = layout_of(self.case.game), self.case.states[index], self.case.boards[index]
        gap = float(comparison.gaps[index])
        return {
            "target": name,
            "position": self.where([index]),
            "board": board,
            "to_move": int(state[0]),
            "cells": layout.cells(state),
            "difference": float(comparison.differences[index]),
            "golden_move": layout.app_move(board, int(comparison.wanted[index])),
            "move": layout.app_move(board, int(comparison.found[index])),
            "gap": gap if np.isfinite(gap) else None,
        }

    def where(self, at: list[int]) -> str:
        """Positions, as a person finds them."""
        return "; ".join(self.places(at[:SHOWN])) + ("; ..." if len(at) > SHOWN else "")

    def places(self, at: list[int]) -> Iterator[str]:
        lines = [str(index + 1) for index in at if index < self.golden]
        others = [str(index + 1 - self.golden) for index in at if index >= self.golden]
        if lines:
            yield f"{GOLDEN} line {', '.join(lines)}"
        if others:
            yield f"fresh position {', '.join(others)}"
