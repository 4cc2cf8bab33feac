"""What players give away where the best move is known: endgames, each of whose moves is valued exactly."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketzero.arena.match import mean_interval, share_interval
from pocketzero.arena.players import Player, chances
from pocketzero.arena.roster import Roster
from pocketzero.search.endgame import ILLEGAL, Solver
from pocketzero.work import map_shards

TASK = 20  # positions


def value_endgames(roster: Roster, states: Sequence[NDArray[np.int8]], workers: int) -> list[NDArray[np.int64]]:
    """Exact values of the moves in every set of positions: [P, S] each to [P, M] each (endgame.ILLEGAL for others)."""
    places = [(i, first) for i, held in enumerate(states) for first in range(0, len(held), TASK)]
    tasks = [states[i][first : first + TASK] for i, first in places]
    found = map_shards(partial(_values, roster), tasks, workers, "endgames")
    return [
        np.concatenate([values for (at, _), values in zip(places, found, strict=True) if at == i] or [_none(roster)])
        for i in range(len(states))
    ]


def regrets(
    roster: Roster, players: Sequence[Player], board: int, states: NDArray[np.int8], values: NDArray[np.int64]
) -> list[dict[str, Any]]:
    """A row a player on the positions where the choice matters; none where there are less than two of them.

    regret: points of the final margin that it gives away in a position, on average, against perfect play. blunder: how
    often it gives away a win, or a draw. Each has its 95 % interval. Where moves are drawn, it is the expectation.
    """
    legal = values != ILLEGAL
    best = values.max(axis=1)
    matters = np.flatnonzero(np.min(values, axis=1, where=legal, initial=np.iinfo(np.int64).max) < best)
    if len(matters) < 2:
        return []
    states, legal, best, values = states[matters], legal[matters], best[matters, None], values[matters]
    given_away = np.where(legal, best - values, 0)
    worse_result = legal & (np.sign(values) < np.sign(best))
    rows = []
    for player in players:
        played = chances(roster.game(), player, states)
        regret, blunder = (played * given_away).sum(axis=1), (played * worse_result).sum(axis=1)
        low, high = mean_interval(regret)
        blunder_low, blunder_high = share_interval(blunder)
        rows.append(
            {
                "board": board,
                "player": player.name,
                "positions": len(states),
                "regret": float(regret.mean()),
                "low": max(0.0, low),
                "high": high,
                "blunder": float(blunder.mean()),
                "blunder_low": blunder_low,
                "blunder_high": blunder_high,
            }
        )
    return rows


def _values(roster: Roster, states: NDArray[np.int8]) -> NDArray[np.int64]:
    """Runs in a worker."""
    return Solver(roster.game()).move_values(states)


def _none(roster: Roster) -> NDArray[np.int64]:
    return np.zeros((0, roster.game().moves), np.int64)
