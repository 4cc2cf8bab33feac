"""Tiers for tests, short to write."""

from typing import Any

from pocketzero.arena.players import Player, tier_player
from pocketzero.arena.tiers import PlayableTier, resolve
from pocketzero.games import Game
from pocketzero.settings.tiers import Tier

FIRST = {"immediate_ai": 1.0, "immediate_opp": 1.0, "openness": 0.3}
PUBLISHED = (4.09, 4.34, 14.49, -1.73, -1.65, 1.90, 1.82, -1.84, -1.52, -3.89, -0.77, -0.37, -3.51)


def recipe(kind: str = "linear", **changes: Any) -> Tier:
    plain = {"weights": {}, "trained": kind == "switching", "blend_with": "", "blend_share": 0.0}
    choice = {"choice": "argmax", "temperature": 0.0, "within": 0.0}
    if kind == "random":
        choice = {"choice": "sample", "temperature": 1.0, "within": 0.0}
    return Tier(**{"kind": kind, **plain, **choice, **changes})


def tier(game: Game, kind: str = "linear", trained: object = None, **changes: Any) -> PlayableTier:
    return resolve({"it": recipe(kind, **changes)}, trained, game)["it"]


def player(game: Game, kind: str = "linear", **changes: Any) -> Player:
    return tier_player(game, tier(game, kind, **changes))


def trained(game: Game, early: list[float], late: list[float] | None = None) -> dict[str, Any]:
    """What models/linear.json holds of it."""
    return {"features": list(game.feature_names), "weights": early, "early": early, "late": late or early}
