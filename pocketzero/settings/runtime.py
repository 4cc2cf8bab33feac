"""How the work is done, never what comes out: no stage declares this group, so a change reruns nothing."""

from dataclasses import dataclass

from pocketzero.settings.base import bounded, one_of


@dataclass(kw_only=True)
class Runtime:
    workers: int = bounded(0, 4096)
    """Worker processes; 0 for one a core, 1 for none beside the stage itself."""

    device: str = one_of("cpu", "cuda")
    """Where torch trains."""

    log_level: str = one_of("debug", "info", "warning", "error")
    """How much is printed."""
