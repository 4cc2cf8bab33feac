"""What parity asks of every runtime, and the two ways in which a runtime may have no answer."""

from dataclasses import dataclass
from pathlib import Path

from pocketzero.games import Game
from pocketzero.settings.base import BadSetting
from pocketzero.ship.answers import Tiers
from pocketzero.ship.layout import States


@dataclass(frozen=True, kw_only=True)
class Case:
    """N positions, K seeds each."""

    game: Game
    tiers: Tiers
    release: Path
    """Folder of the shipped files."""
    student: Path
    """models/student.safetensors, from which elite.onnx was made."""
    states: States
    """[N, S] int8, none of them over."""
    boards: list[int]
    """[N]."""
    seeds: list[list[int]]
    """[N, K], of the sampled moves."""
    torch_threads: int
    """Threads of one torch operation; its sums depend on them."""


class CannotAnswer(RuntimeError):
    """A runtime that is there and fails on what was shipped: a verdict on the files, not on this machine."""


class MissingRuntime(BadSetting):
    """A runtime that was asked for and is not on this machine; `install` says how to get it."""

    def __init__(self, name: str, install: str):
        super().__init__("params.yaml", "parity.targets", name, f"left out, or installed: {install}")
