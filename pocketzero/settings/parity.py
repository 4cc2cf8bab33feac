"""How closely the runtimes must agree."""

from dataclasses import dataclass

from pocketzero.settings.base import bounded, one_of


@dataclass(kw_only=True)
class Parity:
    targets: list[str] = one_of("python", "compiled", "onnxruntime", "torch")
    """Runtimes that answer the golden positions; one that is named and missing is an error."""

    tolerance: float = bounded(0.0, 1.0)
    """Largest difference of a logit."""

    clear_gap: float = bounded(0.0, 1.0)
    """Where the two best logits differ by more than this, the chosen move must be the same."""
