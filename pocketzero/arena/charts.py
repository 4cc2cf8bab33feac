"""Charts of a ladder, and their data for DVC. The same figures give the same bytes.

share.png, margin.png   heat maps: every pair on every board
ratings.png             every player's rating over all boards, with its interval
endgames.png            what every player gives away in endgames, with intervals, board by board
share.json, ...         the rows behind each: `dvc plots` draws and compares them
"""

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
from pocketzero.work import atomic, write_json

COLUMNS = 3
CELL_INCHES = 0.62
DPI = 110
DARK_FROM = 0.6  # of the colour scale's half: numbers on darker cells are white
TITLES = {
    "share": "Win share of the row's player (a draw counts half)",
    "margin": "Mean margin of the row's player",
    "ratings": "Rating over all boards, with its 95 % interval (400 points: ten times the chance to win)",
    "endgames": "Points given away in an endgame position against perfect play, with 95 % intervals",
}


def draw_charts(folder: Path, figures: Mapping[str, Any]) -> None:
    """Write the charts and their data. figures: ladder.report's; its players, in their order, are the axes."""
    names = labels(figures["players"])
    for figure, rows in chart_rows(figures).items():
        write_json(folder / f"{figure}.json", rows)
    for figure in ("share", "margin"):
        _save(_heat_maps(list(names), list(names.values()), figures["pairs"], figure), folder / f"{figure}.png")
    _save(_ratings([row for row in figures["ratings"] if row["board"] == "all"], names), folder / "ratings.png")
    _save(_endgames(figures["endgames"], names), folder / "endgames.png")


def chart_rows(figures: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Chart -> its rows. Of share and margin, each pair stands there from both sides."""
    names, both = labels(figures["players"]), [_turned(pair) for pair in figures["pairs"]]
    pairs = sorted((*figures["pairs"], *both), key=lambda pair: pair["board"])
    sides = [{**pair, "a": names[pair["a"]], "b": names[pair["b"]]} for pair in pairs]
    return {
        "share": [{key: side[key] for key in ("board", "a", "b", "share", "low", "high")} for side in sides],
        "margin": [{key: side[key] for key in ("board", "a", "b", "margin")} for side in sides],
        "ratings": [{**row, "player": names[row["player"]]} for row in figures["ratings"]],
        "endgames": [{**row, "player": names[row["player"]]} for row in figures["endgames"]],
    }


def labels(players: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Player -> what it is called in a table: an oracle is named as such."""
    return {each["player"]: each["player"] + (f" ({ORACLE})" if each["sees"] == ORACLE else "") for each in players}


def table(players: Sequence[str], pairs: Sequence[Mapping[str, Any]], board: int, figure: str) -> NDArray[np.float64]:
    """A board's figures, [N, N]: of the row's player against the column's; NaN where they did not meet."""
    place = {name: i for i, name in enumerate(players)}
    cells = np.full((len(players), len(players)), np.nan)
    for pair in pairs:
        if pair["board"] == board:
            for side in (pair, _turned(pair)):
                cells[place[side["a"]], place[side["b"]]] = side[figure]
    return cells


def _turned(pair: Mapping[str, Any]) -> dict[str, Any]:
    """The pair from the other player's side."""
    low, high = pair.get("low"), pair.get("high")
    return {
        "board": pair["board"],
        "a": pair["b"],
        "b": pair["a"],
        "share": round(1 - pair["share"], 6),
        "low": None if high is None else round(1 - high, 6),
        "high": None if low is None else round(1 - low, 6),
        "margin": -pair["margin"],
    }


def _save(picture: Figure, path: Path) -> None:
    FigureCanvasAgg(picture)
    with atomic(path) as partial:
        picture.savefig(partial, format="png", metadata={"Software": None})


def _panels(title: str, boards: Sequence[int], width: float, height: float) -> tuple[Figure, list[Axes]]:
    """A picture with a panel a board, of that size in inches."""
    columns = min(COLUMNS, max(1, len(boards)))
    rows = max(1, math.ceil(len(boards) / columns))
    picture = Figure(figsize=(width * columns, height * rows), dpi=DPI, layout="constrained")
    picture.suptitle(title)
    axes = list(np.atleast_1d(picture.subplots(rows, columns, squeeze=False)).ravel())
    for axis, board in zip(axes, boards, strict=False):
        axis.set_title(f"board {board}")
    for axis in axes[len(boards) :]:
        axis.set_visible(False)
    return picture, axes[: len(boards)]


def _heat_maps(players: Sequence[str], names: Sequence[str], pairs: Sequence[Mapping[str, Any]], figure: str) -> Figure:
    boards = sorted({pair["board"] for pair in pairs})
    side = CELL_INCHES * len(players) + 1.4
    picture, axes = _panels(TITLES[figure], boards, side, side)
    for axis, board in zip(axes, boards, strict=True):
        _heat_map(axis, names, table(players, pairs, board, figure), figure)
    return picture


def _heat_map(axis: Axes, names: Sequence[str], cells: NDArray[np.float64], figure: str) -> None:
    known = np.abs(cells[~np.isnan(cells)])
    middle, reach = (0.5, 0.5) if figure == "share" else (0.0, max(1.0, float(known.max(initial=0.0))))
    axis.imshow(cells, cmap="RdBu", vmin=middle - reach, vmax=middle + reach)
    axis.set_xticks(range(len(names)), names, rotation=90)
    axis.set_yticks(range(len(names)), names)
    for (row, column), value in np.ndenumerate(cells):
        if not np.isnan(value):
            dark = abs(value - middle) > DARK_FROM * reach
            text = f"{value:.2f}" if figure == "share" else f"{value:+.1f}"
            axis.text(column, row, text, ha="center", va="center", fontsize=8, color="white" if dark else "black")


def _ratings(rows: Sequence[Mapping[str, Any]], names: Mapping[str, str]) -> Figure:
    picture = Figure(figsize=(8, 0.4 * len(rows) + 1.2), dpi=DPI, layout="constrained")
    picture.suptitle(TITLES["ratings"], fontsize=10)
    axis = picture.subplots()
    _intervals(axis, rows, "rating", names)
    for place, row in enumerate(rows):
        axis.text(row["rating"], place - 0.2, f"{row['rating']:.0f}", ha="center", va="bottom", fontsize=8)
    return picture


def _endgames(rows: Sequence[Mapping[str, Any]], names: Mapping[str, str]) -> Figure:
    boards = sorted({row["board"] for row in rows})
    players = len({row["player"] for row in rows})
    picture, axes = _panels(TITLES["endgames"], boards, 4.2, 0.3 * players + 1.2)
    for axis, board in zip(axes, boards, strict=True):
        _intervals(axis, [row for row in rows if row["board"] == board], "regret", names)
        axis.set_xlim(left=0)
    return picture


def _intervals(axis: Axes, rows: Sequence[Mapping[str, Any]], figure: str, names: Mapping[str, str]) -> None:
    """A line a player from low to high with a dot at the figure, the first on top."""
    for place, row in enumerate(rows):
        axis.plot([row["low"], row["high"]], [place, place], color="tab:blue")
        axis.plot([row[figure]], [place], "o", color="tab:blue", markersize=5)
    axis.set_yticks(range(len(rows)), [names[row["player"]] for row in rows])
    axis.invert_yaxis()
    axis.grid(axis="x", alpha=0.3)
