"""The player that searches with the teacher."""

import numpy as np

from pocketzero.arena.players import STATE, Moves, Seeds, States
from pocketzero.games import Game
from pocketzero.search.answers import Evaluate
from pocketzero.search.lockstep import search_moves
from pocketzero.settings.search import Search


class SearchPlayer:
    """Tree search with a network; without noise and always the most visited move, so the seed decides nothing."""

    sees = STATE
    deterministic = True

    def __init__(self, name: str, game: Game, evaluate: Evaluate, simulations: int, c_puct: float) -> None:
        """evaluate: a network with a value head. simulations: per move."""
        self.name = name
        self._game = game
        self._evaluate = evaluate
        self._search = Search(
            simulations=simulations,
            c_puct=c_puct,
            considered=0,
            value_scale=0.0,
            noise_alpha=1.0,  # of no account without a share
            noise_share=0.0,
            temperature=0.0,
            temperature_moves=0,
            reuse=False,
        )

    def moves(self, states: States, seeds: Seeds) -> Moves:
        moves, _, _ = search_moves(self._game, self._evaluate, states, self._search, seeds)
        return np.asarray(moves, np.int64)
