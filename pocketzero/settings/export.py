"""What the app gets beside the models: positions with every answer written down."""

from dataclasses import dataclass

from pocketzero.settings.base import DoesNotFit, bounded


@dataclass(kw_only=True)
class Export:
    seed: int = bounded(0, 2**53)
    """This stage's offset to the common seed."""

    positions: int = bounded(1, 1_000_000)
    """Golden positions, spread over the boards."""

    feature_positions: int = bounded(1, 1_000_000)
    """How many of them carry the features of every legal move."""

    calibration_positions: int = bounded(1, 1_000_000)
    """Positions from which the int8 model's scales come, spread over the boards."""

    def check(self) -> None:
        if self.feature_positions > self.positions:
            raise DoesNotFit("feature_positions", f"at most positions, which is {self.positions}")
