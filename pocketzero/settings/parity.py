"""How closely the runtimes must agree."""

from dataclasses import dataclass

from pocketzero.settings.base import bounded, one_of


@dataclass(kw_only=True)
class Parity:
    seed: int = bounded(0, 2**53)
    """This stage's offset to the common seed."""

    targets: list[str] = one_of(
        "python",
        "compiled",
        "onnxruntime",
        "torch",
        "plain",
        "typescript",
        "chromium",
        "node",
        "wasm",
        "chromium-wasm",
    )
    """Runtimes that answer; one that is named and missing is an error."""

    positions: int = bounded(1, 1_000_000)
    """How many they answer: the golden ones, and fresh ones of random games up to this number."""

    tolerance: float = bounded(0.0, 1.0)
    """Largest difference of a float32 logit."""

    clear_gap: float = bounded(0.0, 1.0)
    """Where the two best float32 logits differ by more than this, the chosen move must be the same."""
