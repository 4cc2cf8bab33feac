"""Learning curves through dvclive, in a folder that DVC plots."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dvclive.live import Live

from pocketzero.learn.training import Figures

NOT_DRAWN = {"step", "iteration", "epoch", "games", "positions"}  # what a point is about, not what it shows


@contextmanager
def curves(folder: Path) -> Iterator["Curves"]:
    """Yields what takes the figures of every step; the files in `folder` depend on those figures alone."""
    with Live(str(folder), save_dvc_exp=False, dvcyaml=False, monitor_system=False) as live:
        yield Curves(live)


class Curves:
    """Called with the figures of one finished step after the other, it draws their points."""

    def __init__(self, live: Live) -> None:
        self._live = live

    def __call__(self, figures: Figures) -> None:
        for point in figures["curve"]:
            self._live.step = int(point["step"])
            for name, value in point.items():
                if name not in NOT_DRAWN and value is not None:
                    self._live.log_metric(name, value)
            self._live.sync()
