"""Rows of games that are searched side by side, with one network for all of them.

lockstep = Lockstep(game, rows, search)
lockstep.place(row, state, random)          # a game for every row that shall play
for turn in lockstep.play(network):         # ends when every row rests
    ...                                     # one row's move; place a new game where turn.result is not PLAYING
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from pocketzero.games import PLAYING, Game
from pocketzero.search import mcts
from pocketzero.search.answers import Evaluate, shaped, unsound
from pocketzero.search.gumbel import schedule
from pocketzero.search.trees import NONE, new_trees
from pocketzero.settings.search import Search

ROWS = 64  # more rows make larger batches, and past this measured no faster on a CPU


class Turn(NamedTuple):
    """One move of one row."""

    row: int
    ply: int
    state: np.ndarray
    """int8 [state]: the position before the move; a view, valid until the next turn is taken"""
    policy: np.ndarray
    """float32 [moves]: what the search says to play: shares of the simulations, or a Gumbel root's policy; a view,
    too"""
    value: float
    """The search's value of the position for the player who moved."""
    move: int
    result: int
    """The game's result for player 0 after the move, or PLAYING."""
    margin: int
    """Player 0's margin once the game is over, else 0."""


class Lockstep:
    """Games of one kind in `rows` rows; a row without a game rests."""

    def __init__(self, game: Game, rows: int, search: Search) -> None:
        self._game = game
        self._habits = mcts.habits_of(search)
        self._trees = new_trees(game, rows, search.simulations)
        self._turns = mcts.Turns(
            np.zeros(rows, mcts.TURN),
            np.zeros((rows, game.state_size), np.int8),
            np.zeros((rows, game.moves), np.float32),
        )
        self._batch = np.zeros((rows, *game.planes), np.float32)
        self._asking = np.zeros(rows, np.int32)
        self._asked = 0
        visits = schedule(search.considered, search.simulations)
        self._memory = game.addresses, self._trees, self._habits, visits, self._batch, self._asking

    def place(self, row: int, state: np.ndarray, random: int, weak: int = NONE, weak_share: float = 0.0) -> None:
        """Start a game in a row, from a state ([state] int8), with a 64-bit stream of random numbers of its own.

        With probability weak_share, player `weak` moves at random instead of by its search. Raises ValueError for a
        state in which the game is over.
        """
        if self._game.result(state) != PLAYING:
            raise ValueError(f"search: row {row} was given a game of {self._game.name} that is over: {state.tolist()}")
        mcts.place(self._trees, row, state, np.uint64(random), self._habits.simulations, weak, weak_share)

    def rest(self, row: int) -> None:
        """Take a row's game away."""
        mcts.place(self._trees, row, self._trees.state[row, 0], np.uint64(0), 0, NONE, 0.0)

    def play(self, network: Evaluate) -> Iterator[Turn]:
        """Search in all rows until they rest, yielding each move that a row makes.

        Between two moves, rows may be placed or put to rest. The network sees one batch a step, with the questions of
        the rows that have one. Raises ValueError or FloatingPointError for an unsound answer (see answers.py).
        """
        logits, values = nothing = np.zeros((0, self._game.moves), np.float32), np.zeros(0, np.float32)
        while True:
            asked, due = mcts.advance_directly(*self._memory, self._asked, logits, values)
            if asked == mcts.UNSOUND:
                raise unsound(due, logits, values)
            self._asked, (logits, values) = asked, nothing
            if due:
                yield from self._turns_made()
            elif asked:
                logits, values = shaped(network(self._batch[:asked]), asked, self._game.moves)
            else:
                return

    def _turns_made(self) -> Iterator[Turn]:
        moved = mcts.turn_directly(self._game.addresses, self._trees, self._habits, self._turns)
        for turn, state, policy in zip(*(array[:moved] for array in self._turns), strict=True):
            row, move, value, result, margin, ply = turn.item()
            yield Turn(row, ply, state, policy, value, move, result, margin)


def search_moves(
    game: Game, network: Evaluate, states: np.ndarray, search: Search, seeds: np.ndarray, rows: int = ROWS
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Search each position for one move.

    states: [B, state] int8, none of them over. seeds: [B] uint64, each position's own random numbers, used where
    `search` has noise or a temperature (the positions count as the first ply). A player that plays to win has neither.

    Returns moves ([B] int64), policies ([B, moves] float32, as Turn.policy) and values ([B] float32: for the
    player to move).
    """
    count = len(states)
    moves, values = np.zeros(count, np.int64), np.zeros(count, np.float32)
    policies = np.zeros((count, game.moves), np.float32)
    if count == 0:
        return moves, policies, values
    lockstep = Lockstep(game, min(rows, count), search)
    waiting = iter(range(count))
    position = dict(zip(range(min(rows, count)), waiting, strict=False))
    for row, i in position.items():
        lockstep.place(row, states[i], int(seeds[i]))
    for turn in lockstep.play(network):
        i = position[turn.row]
        moves[i], policies[i], values[i] = turn.move, turn.policy, turn.value
        following = next(waiting, None)
        if following is None:
            lockstep.rest(turn.row)
        else:
            position[turn.row] = following
            lockstep.place(turn.row, states[following], int(seeds[following]))
    return moves, policies, values
