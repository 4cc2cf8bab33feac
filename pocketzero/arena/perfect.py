"""The perfect player: a fixed opponent that nobody can beat, where a game can be searched to its end."""

import numpy as np

from pocketzero.arena.players import STATE, Moves, Seeds, States, legal_moves
from pocketzero.games import Game
from pocketzero.search.endgame import Solver

MOST_MOVES = {"tic_tac_toe": 9, "cell_division": 16}
"""Game -> how many legal moves a position may have that is searched to its end within seconds."""

TABLE = 2**22  # of 4 x 4 boards from the first stone on, most positions; 64 MB


class PerfectPlayer:
    """Plays a move with the best possible final margin, of several such moves the lowest.

    Raises ValueError for a game that is not in MOST_MOVES, and for a position with more legal moves than it says.
    """

    name = "perfect"
    sees = STATE
    deterministic = True

    def __init__(self, game: Game) -> None:
        if game.name not in MOST_MOVES:
            raise ValueError(f"player: perfect can play {', '.join(MOST_MOVES)}; {game.name} is too large to search")
        self._game = game
        self._solver = Solver(game, TABLE)

    def moves(self, states: States, seeds: Seeds) -> Moves:
        del seeds
        return self.values(states).argmax(axis=1)

    def values(self, states: States) -> np.ndarray:
        """The final margin that each legal move leads to, [B, M] int64; endgame.ILLEGAL for other moves."""
        most = MOST_MOVES[self._game.name]
        found = int(legal_moves(self._game, states).sum(axis=1).max())
        if found > most:
            raise ValueError(
                f"player: perfect needs positions of {most} moves at most; {self._game.name} has {found} here"
            )
        return self._solver.move_values(states)
