"""The one training loop of teacher and student: batches in, a better tower out, the same bits every time.

A `Trainer` is a tower with its optimiser. Saved and read back at any step it goes on bit for bit as if it had never
stopped: weights, running statistics, both moments of AdamW (Loshchilov and Hutter 2019, arXiv:1711.05101) and the
number of steps are all there is, in the memory layout that training had.
"""

import contextlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from pocketzero.bad_file import BadFile
from pocketzero.games import Game
from pocketzero.learn.replay import Batch
from pocketzero.nets.tower import Tower, load_tower, network_of
from pocketzero.nets.weights import Network, architecture_of, check_tensors, read_tensors, write_tensors

FORMAT = "pocketzero training state 1"
MOMENTS = ("exp_avg", "exp_avg_sq")
LAYOUT = torch.channels_last  # more steps a second than the default: 1.2 to 1.8 times as many (make bench)
PREDICT_ROWS = 1024
LARGEST_STEPS = 2**53

Figures = dict[str, Any]
"""What was measured on the way to a state, for JSON; `curve`: points (name -> number, one of them `step`)."""


class NotFinite(ArithmeticError):
    """Training met a loss that is not a finite number."""


@dataclass(frozen=True)
class Losses:
    """Means over a batch."""

    policy: float
    """Cross-entropy to the soft target, over the legal moves."""
    value: float
    """Squared error; 0 for a network without a value head."""


@contextlib.contextmanager
def deterministic(threads: int) -> Iterator[None]:
    """Within: torch on so many threads, deterministic algorithms only, no TF32. Restores what was set before."""
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # without it CUDA has no deterministic products
    before = torch.get_num_threads(), torch.get_deterministic_debug_mode()
    tf32 = torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32
    torch.set_num_threads(threads)
    # use_deterministic_algorithms by another name, which does not import the compiler for seconds.
    torch.set_deterministic_debug_mode("error")
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    try:
        yield
    finally:
        torch.set_num_threads(before[0])
        torch.set_deterministic_debug_mode(before[1])
        torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32 = tf32


def masked_log_softmax(logits: Tensor, legal: Tensor) -> Tensor:
    """Log-probabilities over the legal moves, [B, moves]; 0 at illegal ones, so that a target of 0 adds 0, not NaN."""
    masked = logits.masked_fill(~legal, -torch.inf)
    return torch.log_softmax(masked, 1).masked_fill(~legal, 0.0)


def policy_loss(logits: Tensor, legal: Tensor, targets: Tensor) -> Tensor:
    """Mean cross-entropy of [B, moves] logits to soft targets, a scalar."""
    return -(targets * masked_log_softmax(logits, legal)).sum(1).mean()


class Trainer:
    """A tower, its optimiser and the number of steps taken."""

    def __init__(self, tower: Tower, weight_decay: float, value_weight: float = 1.0, device: str = "cpu"):
        """weight_decay: of convolutions and dense layers; norms and biases are left alone."""
        self.tower = tower.to(device).to(memory_format=LAYOUT)  # type: ignore[call-overload]
        self.device, self.value_weight, self.steps = device, value_weight, 0
        parameters = list(self.tower.parameters())
        groups = [
            {"params": [p for p in parameters if p.dim() > 1], "weight_decay": weight_decay},
            {"params": [p for p in parameters if p.dim() == 1], "weight_decay": 0.0},
        ]
        self.optimizer = torch.optim.AdamW(groups)

    def step(self, batch: Batch, learning_rate: float) -> Losses:
        """One step on one batch. Raises NotFinite, before any weight changes, for a loss that is no finite number."""
        planes, legal, policies, values = self._tensors(batch)
        self.tower.train()
        logits, predicted = self.tower(planes)
        policy = policy_loss(logits, legal, policies)
        value = torch.zeros((), device=self.device) if predicted is None else ((predicted - values) ** 2).mean()
        losses = Losses(policy.item(), value.item())
        if not np.isfinite([losses.policy, losses.value]).all():
            raise NotFinite(
                f"training step {self.steps + 1}: policy loss {losses.policy}, value loss {losses.value} at learning "
                f"rate {learning_rate}; both should be finite. A lower learning rate may help"
            )
        self.optimizer.zero_grad(set_to_none=True)
        (policy + self.value_weight * value).backward()
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate
        self.optimizer.step()
        self.steps += 1
        return losses

    def _tensors(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        planes = torch.from_numpy(batch.planes).to(self.device).contiguous(memory_format=LAYOUT)
        rest = (torch.from_numpy(array).to(self.device) for array in (batch.legal, batch.policies, batch.values))
        return (planes, *rest)  # type: ignore[return-value]


def train(trainer: Trainer, batches: Iterable[tuple[Batch, float]]) -> dict[str, float]:
    """A step for every (batch, learning rate). Returns the mean losses, the last learning rate and the steps so far."""
    policy, value, learning_rate = [], [], 0.0
    for batch, learning_rate in batches:
        losses = trainer.step(batch, learning_rate)
        policy.append(losses.policy)
        value.append(losses.value)
    means = {"policy_loss": float(np.mean(policy)), "value_loss": float(np.mean(value))}
    return {"step": trainer.steps, "learning_rate": learning_rate, **means}


def predict(tower: Tower, batch: Batch) -> tuple[np.ndarray, np.ndarray]:
    """Logits [B, moves] and values [B] (0 without a value head), float32, with the running statistics of the norms."""
    tower.eval()
    logits, values = [], []
    device = next(tower.parameters()).device
    with torch.no_grad():
        for start in range(0, len(batch.planes), PREDICT_ROWS):
            planes = torch.from_numpy(batch.planes[start : start + PREDICT_ROWS]).to(device)
            some, value = tower(planes.contiguous(memory_format=LAYOUT))
            logits.append(some.cpu().numpy())
            values.append(np.zeros(len(some), np.float32) if value is None else value.cpu().numpy())
    return np.concatenate(logits), np.concatenate(values)


def save_state(path: Path, trainer: Trainer, figures: Figures) -> None:
    """Everything that training goes on from, and the figures of the way here, as one atomic safetensors file."""
    network = network_of(trainer.tower)
    check_tensors(f"training state after step {trainer.steps}", network.architecture, network.tensors)
    tensors = {f"network/{name}": array for name, array in network.tensors.items()}
    for name, parameter in trainer.tower.named_parameters():
        for moment in MOMENTS if trainer.steps else ():
            array = trainer.optimizer.state[parameter][moment]
            tensors[f"{moment}/{name}"] = array.cpu().contiguous().numpy()
    header = {"architecture": asdict(network.architecture), "steps": trainer.steps, "figures": figures}
    write_tensors(path, FORMAT, header, tensors)


def read_state(path: Path, game: Game) -> tuple[Network, dict[str, np.ndarray], int, Figures]:
    """Network, moments (`exp_avg/<name>`, `exp_avg_sq/<name>`), steps and figures of a saved state.

    Raises BadFile for a file that is not a whole training state of this game.
    """
    header, tensors = read_tensors(path, FORMAT)
    if set(header) != {"architecture", "steps", "figures"} or not isinstance(header["architecture"], dict):
        raise BadFile(path, "header", sorted(header), "architecture, steps and figures")
    architecture = architecture_of(path, header["architecture"])
    if architecture.game != game.name:
        raise BadFile(path, "game", repr(architecture.game), repr(game.name))
    steps, figures = header["steps"], header["figures"]
    if type(steps) is not int or not 0 <= steps <= LARGEST_STEPS or not isinstance(figures, dict):
        raise BadFile(path, "steps and figures", (steps, type(figures).__name__), "a number from 0 and a mapping")
    network = {name.removeprefix("network/"): a for name, a in tensors.items() if name.startswith("network/")}
    check_tensors(path, architecture, network)
    network = {name: network[name] for name in architecture.shapes()}
    moments = {name: array for name, array in tensors.items() if not name.startswith("network/")}
    shapes = {name: shape for name, shape in architecture.shapes().items() if ".running_" not in name}
    wanted = {f"{moment}/{name}": shape for moment in MOMENTS if steps for name, shape in shapes.items()}
    if {name: array.shape for name, array in moments.items()} != wanted:
        raise BadFile(path, "moments", sorted(moments), "both moments of every weight, in its shape")
    for name, array in moments.items():
        low = 0 if name.startswith("exp_avg_sq/") else -np.inf
        if array.dtype != np.float32 or not np.isfinite(array).all() or (array < low).any():
            found = f"of type {array.dtype}, not finite everywhere or below its least"
            raise BadFile(path, name, found, "float32 and finite, a mean of squares at least 0")
    return Network(architecture, network), moments, steps, figures


def load_state(path: Path, game: Game, weight_decay: float, value_weight: float, device: str) -> Trainer:
    """A trainer that goes on where the saved one stopped. Raises what `read_state` raises."""
    network, moments, steps, _ = read_state(path, game)
    trainer = Trainer(load_tower(network), weight_decay, value_weight, device)
    trainer.steps = steps
    for name, parameter in trainer.tower.named_parameters() if steps else ():
        state = trainer.optimizer.state[parameter]
        state["step"] = torch.tensor(float(steps))
        for moment in MOMENTS:
            # In the parameter's own memory layout: another would change the order in which numbers are added.
            state[moment] = torch.zeros_like(parameter, memory_format=torch.preserve_format)
            state[moment].copy_(torch.from_numpy(moments[f"{moment}/{name}"]))
    return trainer
