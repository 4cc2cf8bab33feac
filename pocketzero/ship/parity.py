"""Does every copy of what ships agree? Golden positions put to each runtime, and a verdict as gates.

Nothing here stops a pipeline over a verdict: a gate that does not hold is written down, and `make release` refuses.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pocketzero.arena.tiers import MODEL, BadTier
from pocketzero.arena.tiers import read as read_tiers
from pocketzero.games import Game
from pocketzero.settings.parity import Parity
from pocketzero.ship import identity, structure
from pocketzero.ship.answers import Answers, Tiers, linear_tiers, samples
from pocketzero.ship.comparison import (
    LogitComparison,
    compare_logits,
    different_features,
    different_samples,
    different_scores,
)
from pocketzero.ship.files import GOLDEN, TIERS, describe
from pocketzero.ship.golden import Golden, read_golden
from pocketzero.ship.layout import layout_of
from pocketzero.ship.targets import TARGETS, CannotAnswer, Case, choose_targets

LEAST_POSITIONS = 1000
LEAST_FEATURE_POSITIONS = 300
WORST = 5
SHOWN_LINES = 20

Gate = dict[str, Any]


@dataclass(frozen=True)
class Report:
    """What parity found."""

    figures: dict[str, Any]
    """For metrics/parity.json: the same on every machine of a kind."""
    timing: dict[str, float]
    """Milliseconds that a network takes for one position alone, by runtime."""


def check_release(
    game: Game, boards: list[int], release: Path, student: Path, settings: Parity, torch_threads: int
) -> Report:
    """Put the golden positions of a release to the chosen runtimes.

    Args:
      boards: the boards that ship.
      release: folder of elite.onnx, tiers.json, golden.jsonl.
      student: the trained student from which elite.onnx was made.
      torch_threads: of the torch reference.

    Raises golden.BadGolden, arena.tiers.BadTier and nets.weights.BadNetwork for files that cannot be read as what they
    are, targets.MissingRuntime for a runtime that is not installed, ValueError for one that is not known.
    """
    targets = choose_targets(settings.targets)
    named, tiers = read_tiers(release / TIERS)
    if named.name != game.name:
        raise BadTier(release / TIERS, "game", named.name, repr(game.name))
    positions = read_golden(release / GOLDEN, game, linear_tiers(tiers), samples(tiers))
    refusals = structure.refusals((release / MODEL).read_bytes(), game.planes, game.moves, identity.metadata(game))
    case = _case(game, tiers, release, student, positions, torch_threads)
    gates = [_gate("elite.onnx: structure", "no refusal", "; ".join(refusals) or "no refusal", not refusals)]
    gates += _size_gates(game, boards, positions)
    logits, timing = {}, {}
    worst: list[dict[str, Any]] = []
    for name, target in targets.items():
        try:
            answers = target.answer(case)
        except CannotAnswer as fault:
            gates.append(_gate(f"{name}: answers", "every position", str(fault), False))
            continue
        gates += _exact_gates(name, game, positions, answers)
        if answers.logits is not None:
            comparison = compare_logits(game, positions, answers.logits)
            gates += _logit_gates(name, comparison, settings)
            logits[name] = {"difference": comparison.percentiles()}
            worst += [{"target": name, **entry} for entry in comparison.worst(positions, WORST)]
        if answers.milliseconds is not None:
            timing[f"{name}_median_ms"] = float(np.median(answers.milliseconds))
            timing[f"{name}_p99_ms"] = float(np.percentile(answers.milliseconds, 99))
    figures = {
        "gates": gates,
        "positions": len(positions),
        "logits": logits,
        "worst": sorted(worst, key=lambda entry: -entry["difference"])[:WORST],
        "not_run": [name for name in TARGETS if name not in targets],
        "files": describe([release / name for name in (MODEL, TIERS, GOLDEN)]),
    }
    return Report(figures, timing)


def _case(
    game: Game,
    tiers: Tiers,
    release: Path,
    student: Path,
    positions: list[Golden],
    torch_threads: int,
) -> Case:
    layout = layout_of(game)
    states = np.stack([layout.state(each.board, each.cells, each.to_move) for each in positions])
    return Case(
        game=game,
        tiers=tiers,
        release=release,
        student=student,
        states=states,
        seeds=[position.seed or 0 for position in positions],
        torch_threads=torch_threads,
    )


def _gate(name: str, wanted: object, found: object, holds: bool) -> Gate:
    return {"name": name, "wanted": wanted, "found": found, "holds": holds}


def _size_gates(game: Game, boards: list[int], positions: list[Golden]) -> Iterator[Gate]:
    """Enough positions, and all boards among them."""
    groups = [("positions", LEAST_POSITIONS, positions)]
    if game.feature_names:
        featured = [position for position in positions if position.features is not None]
        groups.append(("positions with features", LEAST_FEATURE_POSITIONS, featured))
    for what, least, group in groups:
        missing = sorted(set(boards) - {position.board for position in group})
        found = f"{len(group)}" + (f", none on board {', '.join(map(str, missing))}" if missing else "")
        holds = len(group) >= least and not missing
        yield _gate(f"golden.jsonl: {what}", f"{least} or more, on every board", found, holds)


def _exact_gates(name: str, game: Game, positions: list[Golden], answers: Answers) -> Iterator[Gate]:
    """What must be equal to the last bit."""
    if answers.features is not None:
        yield _lines_gate(f"{name}: features, to the last bit", different_features(positions, answers.features))
    if answers.scores is not None:
        yield _lines_gate(
            f"{name}: scores of linear tiers, to the last bit", different_scores(positions, answers.scores)
        )
    if answers.sampled is not None:
        yield _lines_gate(f"{name}: sampled moves", different_samples(game, positions, answers.sampled))


def _lines_gate(name: str, lines: list[int]) -> Gate:
    shown = ", ".join(map(str, lines[:SHOWN_LINES])) + (", ..." if len(lines) > SHOWN_LINES else "")
    found = f"{len(lines)} differ: golden.jsonl line {shown}" if lines else "all equal"
    return _gate(name, "all equal", found, not lines)


def _logit_gates(name: str, comparison: LogitComparison, settings: Parity) -> Iterator[Gate]:
    largest = float(comparison.differences.max())
    wanted = f"{settings.tolerance:g} or less"
    yield _gate(f"{name}: largest difference of a logit", wanted, largest, comparison.within(settings.tolerance))
    other = comparison.other_moves(settings.clear_gap)
    clear = sum(comparison.clear(settings.clear_gap))
    found = f"{other} of {clear} differ" if other else "all equal"
    yield _gate(f"{name}: moves where the lead is above {settings.clear_gap:g}", "all equal", found, other == 0)
