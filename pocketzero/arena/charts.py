"""Heat maps of a ladder: win share and margin, every pair on every board. The same figures give the same bytes."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

from pocketzero.arena.players import ORACLE
from pocketzero.work import atomic

COLUMNS = 3
CELL_INCHES = 0.62
DPI = 110
DARK_FROM = 0.6  # of the colour scale's half: numbers on darker cells are white


def draw_charts(folder: Path, figures: Mapping[str, Any]) -> None:
    """Write share.png and margin.png. figures: ladder.report's; its players, in their order, are the axes."""
    for figure in ("share", "margin"):
        _heat_maps(folder / f"{figure}.png", figures["players"], figures["pairs"], figure)


def labels(players: Sequence[Mapping[str, Any]]) -> list[str]:
    """What each player is called in a table: an oracle is named as such."""
    return [each["player"] + (f" ({ORACLE})" if each["sees"] == ORACLE else "") for each in players]


def table(players: Sequence[str], pairs: Sequence[Mapping[str, Any]], board: int, figure: str) -> NDArray[np.float64]:
    """A board's figures, [N, N]: of the row's player against the column's; NaN where they did not meet."""
    place = {name: i for i, name in enumerate(players)}
    cells = np.full((len(players), len(players)), np.nan)
    for pair in pairs:
        if pair["board"] == board:
            a, b = place[pair["a"]], place[pair["b"]]
            cells[a, b] = pair[figure]
            cells[b, a] = 1 - pair[figure] if figure == "share" else -pair[figure]
    return cells


def _heat_maps(
    path: Path, players: Sequence[Mapping[str, Any]], pairs: Sequence[Mapping[str, Any]], figure: str
) -> None:
    names = [each["player"] for each in players]
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
        _heat_map(axis, f"board {board}", labels(players), table(names, pairs, board, figure), figure)
    for axis in axes[len(boards) :]:
        axis.set_visible(False)
    FigureCanvasAgg(picture)
    with atomic(path) as partial:
        picture.savefig(partial, format="png", metadata={"Software": None})


def _heat_map(axis: Axes, title: str, names: Sequence[str], cells: NDArray[np.float64], figure: str) -> None:
    known = np.abs(cells[~np.isnan(cells)])
    middle, reach = (0.5, 0.5) if figure == "share" else (0.0, max(1.0, float(known.max(initial=0.0))))
    axis.set_title(title)
    axis.imshow(cells, cmap="RdBu", vmin=middle - reach, vmax=middle + reach)
    axis.set_xticks(range(len(names)), names, rotation=90)
    axis.set_yticks(range(len(names)), names)
    for (row, column), value in np.ndenumerate(cells):
        if not np.isnan(value):
            dark = abs(value - middle) > DARK_FROM * reach
            text = f"{value:.2f}" if figure == "share" else f"{value:+.1f}"
            axis.text(column, row, text, ha="center", va="center", fontsize=8, color="white" if dark else "black")
