"""Runtimes that answer golden positions. A new one is a function from a Case to Answers, and a line in TARGETS.

python       features, tier scores and sampled moves by the plain rules
compiled     the same by compiled code
onnxruntime  logits of the shipped elite.onnx, on the CPU
torch        logits of the trained student that elite.onnx was made from: the reference
"""

import importlib.util
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pocketzero.arena.tiers import MODEL
from pocketzero.games import Game
from pocketzero.games.compiled import encode_states
from pocketzero.nets.evaluator import onnx_evaluator
from pocketzero.ship.answers import Answers, Tiers, compiled_answers, plain_answers
from pocketzero.ship.layout import States

TORCH_BATCH = 256  # not one by one: nothing that ships runs in torch, so its latency is nobody's


@dataclass(frozen=True, kw_only=True)
class Case:
    """What the targets are asked."""

    game: Game
    tiers: Tiers
    release: Path
    """Folder of elite.onnx, tiers.json, golden.jsonl."""
    student: Path
    """models/student.safetensors, from which elite.onnx was made."""
    states: States
    """[N, S] int8, the golden positions in the order of their lines."""
    seeds: list[int]
    """[N], of the sampled moves."""
    torch_threads: int
    """Threads of one torch operation; its sums depend on them."""


class CannotAnswer(RuntimeError):
    """A runtime that is there and fails on what was shipped: a verdict on the files, not on this machine."""


class MissingRuntime(RuntimeError):
    """A runtime that was asked for and is not on this machine; the message says how to install it."""


@dataclass(frozen=True)
class Target:
    """One runtime."""

    answer: Callable[[Case], Answers]
    """Raises CannotAnswer."""
    package: str
    """The Python package that it needs."""

    def check_installed(self, name: str) -> None:
        """Raise MissingRuntime unless the package is there."""
        if importlib.util.find_spec(self.package) is None:
            raise MissingRuntime(
                f"parity.targets: {name} was asked for and is not installed; `make setup` installs it, and so does "
                f"`.venv/bin/pip install -c constraints.txt {self.package}`"
            )


def choose_targets(names: Iterable[str]) -> dict[str, Target]:
    """The targets of these names. Raises MissingRuntime, or ValueError for a name that is not known."""
    chosen = {}
    for name in names:
        if name not in TARGETS:
            raise ValueError(f"parity.targets: there is no {name!r}; the targets are {', '.join(TARGETS)}")
        TARGETS[name].check_installed(name)
        chosen[name] = TARGETS[name]
    return chosen


def _python(case: Case) -> Answers:
    return plain_answers(case.game, case.tiers, case.states, case.seeds)


def _compiled(case: Case) -> Answers:
    return compiled_answers(case.game, case.tiers, case.states, case.seeds)


def _onnxruntime(case: Case) -> Answers:
    model = (case.release / MODEL).read_bytes()
    try:
        evaluate = onnx_evaluator(model, without_value=True)
        return _one_by_one(case, lambda planes: evaluate(planes)[0])
    except Exception as fault:  # ONNX Runtime's errors have no common class of their own
        raise CannotAnswer(f"{MODEL}: {' '.join(str(fault).split())}") from fault


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


def _one_by_one(case: Case, network: Callable[[np.ndarray], np.ndarray]) -> Answers:
    """The logits of one position at a time, as an app asks for them, and what each took."""
    planes = encode_states(case.game.addresses, case.game.planes, case.states)
    logits = np.empty((len(planes), case.game.moves), np.float32)
    milliseconds = np.empty(len(planes), np.float64)
    network(planes[:1])  # the first call also prepares
    for index in range(len(planes)):
        started = time.perf_counter_ns()
        logits[index] = network(planes[index : index + 1])[0]
        milliseconds[index] = (time.perf_counter_ns() - started) / 1e6
    return Answers(logits=logits, milliseconds=milliseconds)


TARGETS = {
    "python": Target(_python, "numpy"),
    "compiled": Target(_compiled, "numba"),
    "onnxruntime": Target(_onnxruntime, "onnxruntime"),
    "torch": Target(_torch, "torch"),
}
