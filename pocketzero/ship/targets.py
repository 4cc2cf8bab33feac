"""Runtimes that answer positions. A new one is a function from a Case to Answers, and a line in TARGETS.

python         features, tier scores and sampled moves by the plain rules
compiled       the same by compiled code
onnxruntime    logits of the shipped elite.onnx and elite.int8.onnx, on the CPU
torch          logits of the trained student that elite.onnx was made from
plain          int8 logits by the plain pass in whole numbers: the reference
typescript     device/, as an app has it, in Node: features, scores, sampled moves, int8 logits by its own plain pass
chromium       the same in Chromium
node           device/ with onnxruntime-node for both models
wasm           device/ with onnxruntime-web for both models, in Node
chromium-wasm  the same in Chromium
"""

import importlib.util
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from pocketzero.arena.tiers import INT8_MODEL, MODEL
from pocketzero.games.compiled import encode_states
from pocketzero.nets.evaluator import onnx_evaluator
from pocketzero.search.answers import Evaluate
from pocketzero.ship import device
from pocketzero.ship.answers import Answers, compiled_answers, plain_answers
from pocketzero.ship.case import CannotAnswer, Case, MissingRuntime
from pocketzero.ship.integer_pass import IntegerPass

TORCH_BATCH = 256  # not one by one: nothing that ships runs in torch, so its latency is nobody's


@dataclass(frozen=True)
class Target:
    """One runtime."""

    answer: Callable[[Case], Answers]
    """Raises CannotAnswer."""
    missing: Callable[[Path], str | None]
    """What is not on this machine and how to install it, or None; from the folder of the release."""


def choose_targets(names: Iterable[str], release: Path) -> dict[str, Target]:
    """The targets of these names. Raises MissingRuntime, or ValueError for a name that is not known."""
    chosen = {}
    for name in names:
        if name not in TARGETS:
            raise ValueError(f"parity.targets: there is no {name!r}; the targets are {', '.join(TARGETS)}")
        if (missing := TARGETS[name].missing(release)) is not None:
            raise MissingRuntime(name, missing)
        chosen[name] = TARGETS[name]
    return chosen


def python_package(package: str) -> Callable[[Path], str | None]:
    """Target.missing of a runtime that is a Python package."""

    def missing(release: Path) -> str | None:  # noqa: ARG001
        if importlib.util.find_spec(package) is not None:
            return None
        return f"`make setup` installs it, and so does `.venv/bin/pip install -c constraints.txt {package}`"

    return missing


def _python(case: Case) -> Answers:
    return plain_answers(case.game, case.tiers, case.states, case.seeds)


def _compiled(case: Case) -> Answers:
    return compiled_answers(case.game, case.tiers, case.states, case.seeds)


def _onnxruntime(case: Case) -> Answers:
    logits, milliseconds = {}, {}
    for name in (MODEL, INT8_MODEL):
        try:
            evaluate = onnx_evaluator((case.release / name).read_bytes(), without_value=True)
            logits[name], milliseconds[name] = _one_by_one(case, evaluate)
        except Exception as fault:  # ONNX Runtime's errors have no common class of their own
            raise CannotAnswer(f"{name}: {' '.join(str(fault).split())}") from fault
    return Answers(logits=logits[MODEL], int8_logits=logits[INT8_MODEL], milliseconds=milliseconds)


def _torch(case: Case) -> Answers:
    import torch

    from pocketzero.nets.tower import load_tower
    from pocketzero.nets.weights import read_network

    tower = load_tower(read_network(case.student, case.game.name, "student")).eval()

    planes = encode_states(case.game.addresses, case.game.planes, case.states)
    threads = torch.get_num_threads()
    torch.set_num_threads(case.torch_threads)
    try:
        with torch.inference_mode():
            batches = [tower(batch)[0].numpy() for batch in torch.from_numpy(planes).split(TORCH_BATCH)]
    finally:
        torch.set_num_threads(threads)
    return Answers(logits=np.concatenate(batches))


def _plain(case: Case) -> Answers:
    try:
        network = IntegerPass((case.release / INT8_MODEL).read_bytes())
        return Answers(int8_logits=network.logits(encode_states(case.game.addresses, case.game.planes, case.states)))
    except Exception as fault:  # a file that structure.refusals tells apart; protobuf, NumPy and ours raise here
        raise CannotAnswer(f"{INT8_MODEL}: {' '.join(str(fault).split())}") from fault


def _one_by_one(case: Case, evaluate: Evaluate) -> tuple[np.ndarray, tuple[float, float]]:
    """The logits of one position at a time, as an app asks for them; median and 99th percentile of what each took."""
    planes = encode_states(case.game.addresses, case.game.planes, case.states)
    logits = np.empty((len(planes), case.game.moves), np.float32)
    milliseconds = np.empty(len(planes), np.float64)
    evaluate(planes[:1])  # the first call also prepares
    for index in range(len(planes)):
        started = time.perf_counter_ns()
        logits[index] = evaluate(planes[index : index + 1])[0][0]
        milliseconds[index] = (time.perf_counter_ns() - started) / 1e6
    return logits, (float(np.median(milliseconds)), float(np.percentile(milliseconds, 99)))


TARGETS = {
    "python": Target(_python, python_package("numpy")),
    "compiled": Target(_compiled, python_package("numba")),
    "onnxruntime": Target(_onnxruntime, python_package("onnxruntime")),
    "torch": Target(_torch, python_package("torch")),
    "plain": Target(_plain, python_package("onnx")),
    **{name: Target(partial(device.answer, name), partial(device.missing, name)) for name in device.NAMES},
}
