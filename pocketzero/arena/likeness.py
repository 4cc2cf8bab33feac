"""How alike players play, and how freely each chooses: a ladder of equals in disguise would be no ladder."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketzero.arena.match import mean_interval
from pocketzero.arena.players import Player, chances
from pocketzero.games import Game


def likeness(game: Game, players: Sequence[Player], board: int, states: NDArray[np.int8]) -> dict[str, Any]:
    """agreement: how often two players play the same move, for each two. entropy: of a player's choice, in nats.

    states: [P, S]. Where moves are drawn, agreement is how likely both draw the same, and deterministic players have no
    entropy. No rows for less than two positions.
    """
    if len(states) < 2:
        return {"agreement": [], "entropy": []}
    played = {player.name: chances(game, player, states) for player in players}
    agreement = []
    for b, a in combinations(played, 2):
        same = (played[a] * played[b]).sum(axis=1)
        low, high = mean_interval(same)
        about = {"board": board, "a": a, "b": b, "positions": len(states)}
        agreement.append({**about, "agreement": float(same.mean()), "low": max(0.0, low), "high": min(1.0, high)})
    entropy = [
        {"board": board, "player": name, "positions": len(states), "entropy": _entropy(each)}
        for name, each in played.items()
    ]
    return {"agreement": agreement, "entropy": entropy}


def _entropy(played: NDArray[np.float64]) -> float:
    """Mean entropy of the rows' distributions."""
    logarithms = np.log(played, where=played > 0, out=np.zeros_like(played))
    return float(-(played * logarithms).sum(axis=1).mean()) + 0.0
