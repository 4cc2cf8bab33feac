"""What every stage shares."""

from dataclasses import dataclass

from pocketzero.settings.base import bounded


@dataclass(kw_only=True)
class Common:
    seed: int = bounded(0, 2**53)
    """The one seed of the whole pipeline; every stage adds its own offset to it."""

    torch_threads: int = bounded(1, 64)
    """Threads of one torch operation: part of the bytes, so fixed here and not taken from the machine."""
