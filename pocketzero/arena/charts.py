"""Heat maps of a ladder: win share and margin, every pair on every board. The same figures give the same bytes."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

from pocketzero.work import atomic

COLUMNS = 3
CELL_INCHES = 0.62
DPI = 110
DARK_FROM = 0.6  # of the colour scale's half: numbers on darker cells are white


def draw_charts(folder: Path, players: Sequence[str], pairs: Sequence[dict[str, Any]]) -> None:
    """Write share.png and margin.png. players: in the order of the axes. pairs: as ladder.report's."""
    _heat_maps(folder / "share.png", players, pairs, "share")
    _heat_maps(folder / "margin.png", players, pairs, "margin")


def table(players: Sequence[str], pairs: Sequence[dict[str, Any]], board: int, figure: str) -> NDArray[np.float64]:
    """A board's figures, [N, N]: of the row's player against the column's; NaN where they did not meet."""
    place = {name: i for i, name in enumerate(players)}
    cells = np.full((len(players), len(players)), np.nan)
    for pair in pairs:
        if pair["board"] == board:
            a, b = place[pair["a"]], place[pair["b"]]
            cells[a, b] = pair[figure]
            cells[b, a] = 1 - pair[figure] if figure == "share" else -pair[figure]
    return cells


def _heat_maps(path: Path, players: Sequence[str], pairs: Sequence[dict[str, Any]], figure: str) -> None:
    boards = sorted({pair["board"] for pair in pairs})
    columns = min(COLUMNS, len(boards))
    rows = math.ceil(len(boards) / columns)
    side = CELL_INCHES * len(players) + 1.4
    picture = Figure(figsize=(side * columns, side * rows), dpi=DPI, layout="constrained")
    picture.suptitle(
        "Win share of the row's player (a draw counts half)" if figure == "share" else "Mean margin of the row's player"
    )
    axes = np.atleast_1d(picture.subplots(rows, columns, squeeze=False)).ravel()
    for axis, board in zip(axes, boards, strict=False):
        _heat_map(axis, f"board {board}", players, table(players, pairs, board, figure), figure)
    for axis in axes[len(boards) :]:
        axis.set_visible(False)
    FigureCanvasAgg(picture)
    with atomic(path) as partial:
        picture.savefig(partial, format="png", metadata={"Software": None})


def _heat_map(axis: Axes, title: str, players: Sequence[str], cells: NDArray[np.float64], figure: str) -> None:
    known = np.abs(cells[~np.isnan(cells)])
    middle, reach = (0.5, 0.5) if figure == "share" else (0.0, max(1.0, float(known.max(initial=0.0))))
    axis.set_title(title)
    axis.imshow(cells, cmap="RdBu", vmin=middle - reach, vmax=middle + reach)
    axis.set_xticks(range(len(players)), players, rotation=90)
    axis.set_yticks(range(len(players)), players)
    for (row, column), value in np.ndenumerate(cells):
        if not np.isnan(value):
            dark = abs(value - middle) > DARK_FROM * reach
            text = f"{value:.2f}" if figure == "share" else f"{value:+.1f}"
            axis.text(column, row, text, ha="center", va="center", fontsize=8, color="white" if dark else "black")
