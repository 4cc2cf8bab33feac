"""How a position is written for an app: board, cells, player to move; and back to the state that the rules play on.

An app knows its board and numbers the cells of an n x n board 0 .. n * n - 1, row by row. The library keeps every board
in one corner of the largest. Here is the only place that turns one into the other.
"""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pocketzero.games import Game

States = NDArray[np.int8]


class BadPosition(ValueError):
    """A position that cannot be on any board: names the key, its value and what would be right."""

    def __init__(self, key: str, value: object, wanted: str):
        super().__init__(f"{key} is {value}; it should be {wanted}")
        self.key, self.value, self.wanted = key, value, wanted


class Layout(Protocol):
    """The two ways of writing the positions of one game. In arrays, N is the number of states, S their size."""

    def cells(self, state: States) -> list[int]:
        """What an app keeps of a state ([S] int8), besides the board and the player to move."""

    def state(self, board: int, cells: Sequence[int], to_move: int) -> States:
        """The state ([S] int8) of what an app keeps. Raises BadPosition."""

    def app_move(self, board: int, move: int) -> int:
        """The app's number of one of the library's moves."""

    def library_move(self, board: int, move: int) -> int:
        """The reverse of app_move."""

    def kinds(self, states: States) -> NDArray[np.int64]:
        """What kind of position each state is, for a varied choice of positions: [N, S] int8 to [N]."""


def layout_of(game: Game) -> Layout:
    """The game's own layout, or the plain one."""
    return CellDivisionLayout(game) if game.name == "cell_division" else FlatLayout(game)


class CellDivisionLayout:
    """Cells of the n x n board, row by row: 0 empty, 1 player 0's, 2 player 1's, 3 blocked. A move is a cell."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.rules = game.module.rules
        self.grid: int = self.rules.GRID

    def cells(self, state: States) -> list[int]:
        side = int(state[self.rules.SIDE])
        grid = state[self.rules.CELLS :].reshape(self.grid, self.grid)
        return [int(cell) for cell in grid[:side, :side].ravel()]

    def state(self, board: int, cells: Sequence[int], to_move: int) -> States:
        if len(cells) != board * board:
            raise BadPosition("cells", f"{len(cells)} numbers", f"{board * board} numbers, one a cell")
        if wrong := sorted(set(cells) - {0, 1, 2, 3}):
            raise BadPosition("cells", wrong[0], "0 (empty), 1 or 2 (a player's stone) or 3 (blocked)")
        first, second = cells.count(1), cells.count(2)
        if first - second != to_move:
            raise BadPosition("to_move", to_move, f"{first - second}: the players have {first} and {second} stones")
        state = self.game.new(board)
        state[0] = to_move
        state[self.rules.EMPTIES] = cells.count(self.rules.EMPTY)
        grid = state[self.rules.CELLS :].reshape(self.grid, self.grid)
        grid[:board, :board] = np.array(cells, np.int8).reshape(board, board)
        return state

    def app_move(self, board: int, move: int) -> int:
        return move // self.grid * board + move % self.grid

    def library_move(self, board: int, move: int) -> int:
        return move // board * self.grid + move % board

    def kinds(self, states: States) -> NDArray[np.int64]:
        """By blocked cells, by eighth of the game, and by who is to move."""
        side = states[:, self.rules.SIDE].astype(np.int64)
        outside = self.grid * self.grid - side * side
        blocked = (states[:, self.rules.CELLS :] == self.rules.BLOCKED).sum(axis=1) - outside
        playable = side * side - blocked
        eighth = (playable - states[:, self.rules.EMPTIES]) * 8 // playable
        return (blocked * 8 + eighth) * 2 + states[:, 0]


class FlatLayout:
    """For any game: `cells` are the numbers of the state after the player to move; moves keep their numbers."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def cells(self, state: States) -> list[int]:
        return [int(number) for number in state[1:]]

    def state(self, board: int, cells: Sequence[int], to_move: int) -> States:  # noqa: ARG002
        if len(cells) != self.game.state_size - 1:
            raise BadPosition("cells", f"{len(cells)} numbers", f"{self.game.state_size - 1} numbers")
        if wrong := [cell for cell in cells if not -128 <= cell <= 127]:
            raise BadPosition("cells", wrong[0], "a number in -128 .. 127")
        return np.array([to_move, *cells], np.int8)

    def app_move(self, board: int, move: int) -> int:  # noqa: ARG002
        return move

    def library_move(self, board: int, move: int) -> int:  # noqa: ARG002
        return move

    def kinds(self, states: States) -> NDArray[np.int64]:
        """By how many numbers of the state are not 0: about how far the game is."""
        return np.count_nonzero(states[:, 1:], axis=1) * 2 + states[:, 0].astype(np.int64)
