"""Games that a network plays against itself, as records to learn from.

A game is known by its number: its board, its opening, its weak side and its random numbers follow from it, so it comes
out the same in any row of any worker, beside any neighbours.
"""

from collections.abc import Sequence

import numpy as np

from pocketzero import games
from pocketzero.games import PLAYING, Game
from pocketzero.records import Positions, concatenate
from pocketzero.rng import SplitMix64, stream
from pocketzero.search.answers import Evaluate
from pocketzero.search.lockstep import ROWS, Lockstep, Turn
from pocketzero.search.trees import NONE
from pocketzero.settings.search import Search


def play_games(
    game: Game,
    evaluate: Evaluate,
    numbers: Sequence[int],
    search: Search,
    seed: int,
    boards: Sequence[int],
    iteration: int = 0,
    weak_share: float = 0.0,
    weak_move_share: float = 0.0,
    rows: int = ROWS,
) -> Positions:
    """Play the games with these numbers; returns their positions, game after game in the order of the numbers.

    Game i plays on boards[i % len(boards)] from a seeded opening of (seed, iteration, i). In about weak_share of the
    games one side, the other one each time round the boards, plays a uniformly random legal move with probability
    weak_move_share; its search runs and its policy is recorded all the same. rows: games in flight, which changes
    nothing in the records. Raises ValueError for no numbers or a number that is there twice, and what Lockstep.play
    raises for a network that answers nonsense.
    """
    if not numbers or len(set(numbers)) != len(numbers):
        raise ValueError(f"self-play: numbers are {list(numbers)}; one or more, each number once, would be right")
    rows = min(rows, len(numbers))
    lockstep = Lockstep(game, rows, search)
    waiting = iter(numbers)
    playing: dict[int, int] = {}
    turns: dict[int, list[Turn]] = {number: [] for number in numbers}
    openings = stream(seed, "self_play_openings", iteration)

    def seat(row: int) -> None:
        number = next(waiting, None)
        if number is None:
            return
        playing[row] = number
        start = game.new(boards[number % len(boards)], games.opening_seed(openings, number))
        weak = weak_side(seed, iteration, number, len(boards), weak_share)
        lockstep.place(row, start, stream(seed, "self_play", iteration, number), weak, weak_move_share)

    for row in range(rows):
        seat(row)
    for turn in lockstep.play(evaluate):
        turns[playing[turn.row]].append(turn._replace(state=turn.state.copy(), policy=turn.policy.copy()))
        if turn.result != PLAYING:
            seat(turn.row)
    return concatenate([_record(number, turns[number]) for number in numbers])


def weak_side(seed: int, iteration: int, number: int, boards: int, weak_share: float) -> int:
    """The side that plays weakly in a game, or NONE: on each board the sides take turns."""
    if SplitMix64(stream(seed, "weak", iteration, number)).uniform() >= weak_share:
        return NONE
    return number // boards % 2


def _record(number: int, turns: list[Turn]) -> Positions:
    """One game as records: results and margins turn into the view of the player to move."""
    states = np.array([turn.state for turn in turns])
    sign = 1 - 2 * states[:, 0].astype(np.int16)
    return Positions(
        states=states,
        policies=np.array([turn.policy for turn in turns]),
        values=np.array([turn.value for turn in turns], np.float32),
        moves=np.array([turn.move for turn in turns], np.int16),
        outcomes=(sign * turns[-1].result).astype(np.int8),
        margins=(sign * turns[-1].margin).astype(np.int16),
        games=np.full(len(turns), number, np.int32),
        plies=np.array([turn.ply for turn in turns], np.int16),
    )
