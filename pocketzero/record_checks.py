"""Are these recorded positions whole games of this game? Everything is replayed through the rules.

Raises BadFile at the first thing that is wrong, naming the row. Only states that followed by legal moves from an
opening that plain Python has looked at reach compiled code, which does not check its indices.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pocketzero.bad_file import BadFile
from pocketzero.games import PLAYING, Game
from pocketzero.games.compiled import legal_many, results_many, step_many

if TYPE_CHECKING:
    from pocketzero.records import Positions

SUM_TOLERANCE = 1e-4


def check_positions(path: Path, positions: "Positions", game: Game) -> None:
    """Raise BadFile unless the positions (right dtypes and shapes) are complete games that follow from the rules."""
    _check_numbers(path, positions)
    first, last = _bounds_of_games(path, positions)
    for row in first:
        _check_opening(path, row, positions.states[row], game)
    _replay(path, positions, game, first, last)


def _refuse(path: Path, field: str, rows: np.ndarray, bad: np.ndarray, values: np.ndarray, wanted: str) -> None:
    """Raise BadFile for the first of `rows` ([n]) that is `bad` ([n] bool), showing its entry of `values`."""
    if bad.any():
        at = int(np.argmax(bad))
        raise BadFile(path, f"{field} of row {rows[at]}", values[at], wanted)


def _check_numbers(path: Path, positions: "Positions") -> None:
    """What can be said without the rules."""
    rows = np.arange(len(positions))
    sums = positions.policies.sum(1, dtype=np.float64)
    _refuse(path, "policies", rows, ~np.isfinite(sums), sums, "finite")
    _refuse(path, "policies", rows, positions.policies.min(1) < 0, positions.policies.min(1), "at least 0")
    _refuse(path, "sum of policies", rows, np.abs(sums - 1) > SUM_TOLERANCE, sums, "1")
    _refuse(path, "values", rows, ~(np.abs(positions.values) <= 1), positions.values, "from -1 to 1")
    _refuse(path, "outcomes", rows, ~np.isin(positions.outcomes, (-1, 0, 1)), positions.outcomes, "-1, 0 or 1")
    _refuse(path, "games", rows, positions.games < 0, positions.games, "0 or more")


def _bounds_of_games(path: Path, positions: "Positions") -> tuple[np.ndarray, np.ndarray]:
    """First and last row of every game, [games] each. Rows of a game stand together, plies 0, 1, 2, ..."""
    games, plies = positions.games, positions.plies
    if not len(games):
        raise BadFile(path, "rows", 0, "1 or more")
    starts = np.r_[True, games[1:] != games[:-1]]
    first = np.flatnonzero(starts)
    wanted = np.arange(len(games)) - first[np.cumsum(starts) - 1]
    rows = np.arange(len(games))
    _refuse(path, "plies", rows, plies != wanted, plies, "0 at a game's first row, then one more each row")
    _, where = np.unique(games[first], return_index=True)
    repeated = np.ones(len(first), np.bool_)
    repeated[where] = False
    _refuse(path, "games", first, repeated, games[first], "a number that no other game has")
    return first, np.r_[first[1:], len(games)] - 1


def _check_opening(path: Path, row: int, state: np.ndarray, game: Game) -> None:
    """A first state on which every rule runs in plain Python, which checks its indices."""
    field, wanted = f"states of row {row}", f"an opening of {game.name}"
    try:
        legal, result = game.legal_moves(state), game.result(state)
        game.encode(state, np.zeros(game.planes, np.float32))
        game.margin(state)
        game.mirror(state, game.symmetries - 1, np.zeros_like(state))
        if len(legal):
            game.features(state, legal[0], np.zeros(len(game.feature_names)))
            game.mirror_move(state, legal[0], game.symmetries - 1)
    except (IndexError, ValueError, OverflowError, ZeroDivisionError) as error:
        raise BadFile(path, field, f"not playable ({error})", wanted) from error
    if state[0] not in (0, 1) or result != PLAYING or not len(legal):
        raise BadFile(path, field, f"for player {state[0]}, result {result}, {len(legal)} legal moves", wanted)


def _replay(path: Path, positions: "Positions", game: Game, first: np.ndarray, last: np.ndarray) -> None:
    """Play all games side by side, ply by ply, and compare with what is recorded."""
    states = np.ascontiguousarray(positions.states[first])
    rows, ends = first.copy(), last
    while len(rows):
        recorded = positions.states[rows]
        _refuse(path, "states", rows, (recorded != states).any(1), recorded, "the state that the moves before lead to")
        _play(path, positions, game, rows, states)
        results, margins = _results(game, states)
        over = rows == ends
        moves = positions.moves[rows]
        _refuse(path, "moves", rows, over & (results == PLAYING), moves, "one that ends the game")
        _refuse(path, "moves", rows, ~over & (results != PLAYING), moves, "one that leaves the game open")
        for at in np.flatnonzero(over):
            game_rows = slice(rows[at] - positions.plies[rows[at]], rows[at] + 1)
            _check_end(path, positions, game_rows, int(results[at]), int(margins[at]))
        states, rows, ends = np.ascontiguousarray(states[~over]), rows[~over] + 1, ends[~over]


def _play(path: Path, positions: "Positions", game: Game, rows: np.ndarray, states: np.ndarray) -> None:
    """Check the moves and the policies of `rows` ([n]) in `states` ([n, state]) and play the moves: changes states."""
    legal = np.zeros((len(rows), game.moves), np.bool_)
    legal_many(game.addresses, states, legal)
    moves = positions.moves[rows].astype(np.int64)
    on_board = (moves >= 0) & (moves < game.moves)
    allowed = on_board & legal[np.arange(len(rows)), np.where(on_board, moves, 0)]
    _refuse(path, "moves", rows, ~allowed, moves, "a legal move")
    astray = (positions.policies[rows] > 0) & ~legal
    _refuse(path, "policies", rows, astray.any(1), np.argmax(astray, 1), "0 at every illegal move, also at that one")
    step_many(game.addresses, states, moves)


def _results(game: Game, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    results, margins = np.zeros(len(states), np.int64), np.zeros(len(states), np.int64)
    results_many(game.addresses, states, results, margins)
    return results, margins


def _check_end(path: Path, positions: "Positions", rows: slice, result: int, margin: int) -> None:
    """Outcomes and margins of one game's rows, for whoever moves in each."""
    signs = np.where(positions.states[rows, 0] == 0, 1, -1)
    numbers = np.arange(rows.start, rows.stop)
    for name, found, end in (("outcomes", positions.outcomes, result), ("margins", positions.margins, margin)):
        wanted = f"{end} seen from player 0, as the game ends"
        _refuse(path, name, numbers, found[rows] != signs * end, found[rows], wanted)
