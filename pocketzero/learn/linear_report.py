"""What a person sees of the linear models: figures, the learning curve, and a chart of the weights.

The same trainings give the same bytes, pictures included.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

from pocketzero.learn.linear import Training
from pocketzero.work import atomic, write_text

NAMES = {1: "linear", 2: "switching"}
LATEST = 50  # iterations over which the last figures are averaged
CURVES = {
    "margin": "size of the final margin",
    "first_player": "reward of who moves first",
    "entropy": "entropy of the policy",
    "kl": "KL, policy of play to updated one",
    "clip_share": "share of moves clipped",
    "temperature": "softmax temperature",
}
DPI = 110
SUM_TO_ONE = ("openness", "ai_neighbors", "opp_neighbors", "boundary_neighbors")
"""Features that always add up to 1: a constant added to the weights of all of them changes no choice."""


def figures(models: Mapping[int, Training], norms: Mapping[str, float]) -> dict[str, Any]:
    """Each model's latest figures, means over its last iterations, and how long its vectors are."""
    return {
        **{
            NAMES[count]: {
                "iterations": len(training.curve),
                **{f"latest_{key}": mean_of(training.curve[-LATEST:], key) for key in (*CURVES, "epochs")},
            }
            for count, training in models.items()
        },
        "norm": dict(norms),
    }


def mean_of(curve: Sequence[Mapping[str, float]], key: str) -> float:
    """Mean of a figure over the curve, to 6 digits."""
    return float(f"{sum(point[key] for point in curve) / len(curve):.6g}")


def comparable(features: Sequence[str], weights: Sequence[float]) -> NDArray[np.float64]:
    """[L] the weights as they can be compared: the last of SUM_TO_ONE, where the game has it, is taken from them."""
    shifted = np.array(weights, np.float64)
    if set(SUM_TO_ONE) <= set(features):
        places = [list(features).index(name) for name in SUM_TO_ONE]
        shifted[places] -= shifted[places[-1]]
    return shifted


def write_curve(path: Path, models: Mapping[int, Training]) -> None:
    """A table with one row an iteration and model, tab-separated, for `dvc plots` and spreadsheets."""
    lines = ["\t".join(("model", "iteration", *CURVES, "epochs"))]
    for count, training in models.items():
        for iteration, point in enumerate(training.curve):
            numbers = (f"{point[key]:.6g}" for key in (*CURVES, "epochs"))
            lines.append("\t".join((NAMES[count], str(iteration), *numbers)))
    write_text(path, "\n".join(lines) + "\n")


def draw_curve(path: Path, models: Mapping[int, Training]) -> None:
    """The learning curve as a PNG, one small chart a figure."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        picture = Figure(figsize=(11, 6), dpi=DPI, layout="constrained")
        picture.suptitle("Self-play of the linear models")
        picture.supxlabel("iteration", fontsize=9)
        for axis, (key, title) in zip(picture.subplots(2, 3).ravel(), CURVES.items(), strict=True):
            for count, training in models.items():
                axis.plot([point[key] for point in training.curve], linewidth=0.8, label=NAMES[count])
            axis.set_title(title, fontsize=10)
            axis.grid(alpha=0.3)
            if models:
                axis.legend(fontsize=8)
        _save(picture, path)


def draw_weights(path: Path, content: Mapping[str, Any]) -> None:
    """The weights of models/linear.json (`content`) as horizontal bars, one panel a vector, as a PNG."""
    vectors = [name for name in ("weights", "early", "late") if content.get(name)]
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        picture = Figure(figsize=(3 + 3.2 * max(1, len(vectors)), 5.5), dpi=DPI, layout="constrained")
        picture.suptitle("Trained weights of the linear models" if vectors else f"{content['game']} has no features")
        if vectors:
            features = content["features"][: len(content[vectors[0]])]
            shown = {name: comparable(features, content[name]) for name in vectors}
            reach = 1.4 * max(1e-9, *(float(np.abs(weights).max()) for weights in shown.values()))
            panels = picture.subplots(1, len(vectors), sharey=True, squeeze=False)[0]
            for axis, (name, weights) in zip(panels, shown.items(), strict=True):
                _bars(axis, f"{name} (norm as shipped {content['norm'][name]:.1f})", features, weights, reach)
            if set(SUM_TO_ONE) <= set(features):
                *others, last = SUM_TO_ONE
                picture.supxlabel(f"{last}'s weight is taken away from it, {', '.join(others)}", fontsize=8)
        _save(picture, path)


def _bars(axis: Axes, title: str, features: Sequence[str], weights: NDArray[np.float64], reach: float) -> None:
    places = np.arange(len(features))
    axis.barh(places, weights, color=["#2b6cb0" if weight >= 0 else "#c05621" for weight in weights])
    for place, weight in enumerate(weights.tolist()):
        side = "left" if weight >= 0 else "right"
        axis.text(weight, place, f" {weight:+.2f} ", va="center", ha=side, fontsize=8)
    axis.set_yticks(places, features)
    axis.set_xlim(-reach, reach)
    axis.set_ylim(len(features) - 0.5, -0.5)
    axis.axvline(0, color="black", linewidth=0.8)
    axis.set_title(title, fontsize=10)
    axis.set_axisbelow(True)
    axis.grid(axis="x", alpha=0.3)


def _save(picture: Figure, path: Path) -> None:
    FigureCanvasAgg(picture)
    with atomic(path) as partial:
        picture.savefig(partial, format="png", metadata={"Software": None})
