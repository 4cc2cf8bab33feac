"""Which positions become golden: real ones, as varied as the games that were played allow."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

import numpy as np

from pocketzero.games import PLAYING, Game, opening_seed
from pocketzero.rng import SplitMix64, stream
from pocketzero.ship.layout import Layout, States, layout_of

Item = TypeVar("Item")

# Random games a board, where the recorded ones are too few: enough for varied openings, and an end to trying.
VARIED_GAMES, RANDOM_GAMES = 50, 2000


@dataclass(frozen=True)
class Selection:
    """The chosen positions and where they are from."""

    states: States
    """[N, S] int8, boards taking turns, all different, none of them over."""
    boards: list[int]
    """[N]."""
    recorded: int
    """How many come from recorded games; the others are each board's start and positions of random games."""


def choose(game: Game, recorded: Mapping[int, States], count: int, seed: int) -> Selection:
    """Choose `count` positions, a function of the arguments alone.

    Boards take turns, and on a board the kinds of positions take turns (Layout.kinds), so that rare ones are not lost
    among the many. The start that an app shows is always there, for every board. Where a board has fewer recorded
    positions than its share, random games from seeded openings fill it up.

    Args:
      recorded: for every board that ships [N, S] int8, states of recorded games in any order; repeated and finished
        ones are left out.
      count: how many positions to choose.
      seed: of the choice, and of the random games.

    Raises ValueError when the game does not have that many positions.
    """
    layout = layout_of(game)
    share = -(-count // len(recorded))
    per_board: list[list[tuple[int, States]]] = []
    known: set[bytes] = set()
    for board, states in recorded.items():
        start = game.new(board)
        mine = _usable(game, states, start)
        extra = _random_states(game, board, [start, *mine], share - len(mine) - 1, seed)
        order = stream(seed, "golden", board)
        in_order = [start, *_varied(layout, mine, order), *_varied(layout, extra, order)]
        per_board.append([(board, state) for state in in_order])
        known.update(state.tobytes() for state in mine)
    chosen = list(islice(_take_turns(per_board), count))
    if len(chosen) < count:
        raise ValueError(f"export.positions is {count}; {len(chosen)} different positions of {game.name} were found")
    return Selection(
        states=np.stack([state for _, state in chosen]),
        boards=[board for board, _ in chosen],
        recorded=sum(state.tobytes() in known for _, state in chosen),
    )


def fresh(game: Game, boards: Sequence[int], known: States, count: int, seed: int) -> tuple[States, list[int]]:
    """At most `count` positions ([K, S] int8, and their boards [K]) of random games, none of them in `known` ([N, S]).

    Boards take turns, all positions differ, and none is over. Fewer come back where the game has no more.
    """
    share = -(-count // len(boards))
    rows = list(known)
    per_board = [[(board, state) for state in _random_states(game, board, rows, share, seed)] for board in boards]
    chosen = list(islice(_take_turns(per_board), count))
    states = np.array([state for _, state in chosen], np.int8).reshape(-1, game.state_size)
    return states, [board for board, _ in chosen]


def _usable(game: Game, states: States, start: States) -> States:
    """The states that differ from each other and from the start, and are not over, in a fixed order."""
    different = np.unique(states, axis=0)
    usable = [state.tobytes() != start.tobytes() and game.result(state) == PLAYING for state in different]
    return different[np.array(usable, np.bool_)]


def _varied(layout: Layout, states: States, seed: int) -> Iterator[States]:
    """All states, their kinds taking turns; within a kind in random order."""
    if not len(states):
        return iter(())
    shuffled = states[SplitMix64(seed).permutation(len(states))]
    kinds = layout.kinds(shuffled)
    return _take_turns([shuffled[kinds == kind] for kind in np.unique(kinds)])


def _random_states(game: Game, board: int, known: Sequence[States], count: int, seed: int) -> States:
    """At least `count` states ([K, S] int8) of random games on a board if there are, different and not in `known`."""
    seen = {state.tobytes() for state in known}
    found: list[States] = []
    for number in range(RANDOM_GAMES if count > 0 else 0):
        state = game.new(board, opening_seed(seed, number))
        numbers = SplitMix64(stream(seed, "golden_games", board, number))
        while game.result(state) == PLAYING:
            if state.tobytes() not in seen:
                seen.add(state.tobytes())
                found.append(state.copy())
            legal = game.legal_moves(state)
            game.step(state, legal[numbers.below(len(legal))])
        if number >= VARIED_GAMES and len(found) >= count:
            break
    return np.array(found, np.int8).reshape(-1, game.state_size)


def _take_turns(sources: Iterable[Iterable[Item]]) -> Iterator[Item]:
    """One of each source, then the next of each, until all are empty."""
    waiting = [iter(source) for source in sources]
    while waiting:
        still = []
        for source in waiting:
            for item in islice(source, 1):
                still.append(source)
                yield item
        waiting = still
