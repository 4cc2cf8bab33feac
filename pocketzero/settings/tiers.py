"""Difficulty tiers as data: a designer changes a personality by editing YAML."""

from collections.abc import Mapping
from dataclasses import dataclass

from pocketzero.settings.base import DoesNotFit, bounded, one_of

WEIGHING = ("linear", "switching")


@dataclass(kw_only=True)
class Tier:
    kind: str = one_of("linear", "switching", "network", "random")
    """What scores a move: one weight a feature, an early and a late vector, the student, or nothing."""

    weights: dict[str, float] = bounded(-1000.0, 1000.0)
    """Feature name -> weight of a linear tier; features not named weigh 0. Empty where the weights are trained."""

    trained: bool
    """Whether the weights come from models/linear.json; a switching tier's always do."""

    blend_with: str
    """Tier of the same kind whose weights are mixed in, or empty."""

    blend_share: float = bounded(0.0, 1.0)
    """Share of that tier in the mix."""

    choice: str = one_of("argmax", "sample")
    """The best move, or a draw from the softmax of the scores."""

    temperature: float = bounded(0.0, 100.0)
    """Softmax temperature where choice is sample."""

    within: float = bounded(0.0, 1000.0)
    """Where choice is sample, only moves that score within this distance of the best are drawn; 0 for all."""

    def check(self) -> None:
        if self.choice == "sample" and self.temperature <= 0.0:
            raise DoesNotFit("temperature", "above 0 where choice is sample")
        if self.kind == "random" and self.choice != "sample":
            raise DoesNotFit("choice", "sample where kind is random")
        if self.choice == "argmax" and self.within != 0.0:
            raise DoesNotFit("within", "0 where choice is argmax")
        if self.weights and (self.trained or self.kind != "linear"):
            raise DoesNotFit("weights", "empty unless kind is linear and trained is false")
        if self.trained != (self.kind == "switching") and self.kind != "linear":
            raise DoesNotFit("trained", "true where kind is switching, false where it is network or random")
        if self.blend_with and self.kind not in WEIGHING:
            raise DoesNotFit("blend_with", "empty where a tier has no weights to mix")
        if self.blend_with == "" and self.blend_share != 0.0:
            raise DoesNotFit("blend_share", "0 where blend_with is empty")


def blend_order(tiers: Mapping[str, Tier]) -> list[str]:
    """The tiers' names, each after the one that it blends with.

    Raises DoesNotFit where a tier blends with one that is not there, that is of another kind, or that leads back to it.
    """
    order: list[str] = []
    for name in tiers:
        path: list[str] = []
        while name and name not in order:
            if name in path:
                circle = " -> ".join([*path[path.index(name) :], name])
                raise DoesNotFit(f"{name}.blend_with", f"a tier that does not lead back to it ({circle})")
            path.append(name)
            other = tiers[name].blend_with
            if other and other not in tiers:
                raise DoesNotFit(f"{name}.blend_with", "empty or a tier: " + ", ".join(tiers))
            if other and tiers[other].kind != tiers[name].kind:
                raise DoesNotFit(f"{name}.blend_with", f"a tier of the same kind, {tiers[name].kind}")
            name = other
        order.extend(reversed(path))
    return order
