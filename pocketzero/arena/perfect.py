"""The perfect player of a small game, by exhaustive search: a fixed opponent that nobody can beat."""

import numpy as np

from pocketzero.arena.players import STATE, Moves, Seeds, States
from pocketzero.games import PLAYING, Game

MOST_POSITIONS = 100_000
SMALL_GAMES = ("tic_tac_toe",)


class PerfectPlayer:
    """Plays a move with the best possible outcome, of several such moves the lowest.

    Every position that can follow is looked at once (negamax with a table), so the game must be small: ValueError is
    raised for one that is not among SMALL_GAMES, or that turns out to have more than MOST_POSITIONS positions.
    """

    name = "perfect"
    sees = STATE
    deterministic = True

    def __init__(self, game: Game) -> None:
        if game.name not in SMALL_GAMES:
            raise ValueError(f"player: perfect can play {', '.join(SMALL_GAMES)}; {game.name} is too large to search")
        self._game = game
        self._values: dict[bytes, int] = {}

    def moves(self, states: States, seeds: Seeds) -> Moves:
        del seeds
        return np.array([self.best(state) for state in states], np.int64)

    def best(self, state: np.ndarray) -> int:
        """The move for one state ([S] int8)."""
        legal = self._game.legal_moves(state)
        values = [-self.value(self._after(state, move)) for move in legal]
        return int(legal[values.index(max(values))])

    def value(self, state: np.ndarray) -> int:
        """How the game ends for the player to move when both play perfectly: 1, 0, -1."""
        key = state.tobytes()
        if key not in self._values:
            if len(self._values) >= MOST_POSITIONS:
                raise ValueError(f"player: perfect gave up on {self._game.name} after {MOST_POSITIONS} positions")
            result = self._game.result(state)
            if result == PLAYING:
                found = max(-self.value(self._after(state, move)) for move in self._game.legal_moves(state))
            else:
                found = result if state[0] == 0 else -result
            self._values[key] = found
        return self._values[key]

    def _after(self, state: np.ndarray, move: int) -> np.ndarray:
        """The state behind the move. In every small game the players take turns."""
        after = state.copy()
        self._game.step(after, move)
        return after
