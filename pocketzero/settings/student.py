"""The student: the small network that ships."""

from dataclasses import dataclass

from pocketzero.settings.base import bounded


@dataclass(kw_only=True)
class Student:
    seed: int = bounded(0, 2**53)
    """This stage's offset to the common seed."""

    channels: int = bounded(1, 1024)
    """Width of the residual tower."""

    blocks: int = bounded(0, 64)
    """Residual blocks."""

    epochs: int = bounded(1, 100_000)
    """Passes over the data."""

    batch_size: int = bounded(2, 1_000_000)
    """Positions a step."""

    learning_rate: float = bounded(1e-8, 1.0)
    """Step width at the start; it falls to nothing over the run."""

    weight_decay: float = bounded(0.0, 1.0)
    """AdamW's decoupled weight decay."""

    held_out_share: float = bounded(0.01, 0.9)
    """Share of the games (never of the positions of one game) kept from training and scored."""

    contested_gap: float = bounded(0.0, 1.0)
    """A position is contested where the teacher's best move leads its second by this much probability."""
