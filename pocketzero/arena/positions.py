"""Positions on which players are compared move by move: out of plausible games, one of each, the same for everyone.

The games are played from openings of their own by one tier that draws its moves.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pocketzero.arena.match import opening_starts
from pocketzero.arena.players import Player, legal_moves, tier_player
from pocketzero.arena.tiers import PlayableTier
from pocketzero.games import PLAYING, Game
from pocketzero.games.compiled import results_many, step_many
from pocketzero.rng import SplitMix64, mix_array, stream


@dataclass(frozen=True)
class Source:
    """Where positions come from."""

    game: Game
    player: Player
    seed: int


def source(game: Game, tier: PlayableTier, temperature: float, seed: int) -> Source:
    """Games of that tier, which draws its moves from the softmax of its scores over `temperature`."""
    drawing = replace(tier, choice="sample", temperature=temperature, within=0.0)
    return Source(game, tier_player(game, drawing), seed)


def endgames(source: Source, board: int, count: int, moves: int) -> NDArray[np.int8]:
    """Up to `count` different positions, [P, S]: of each game the first with `moves` legal moves or fewer, but two."""
    history, over, legal = _games(source, board, count, "endgames")
    wanted = ~over & (legal <= moves) & (legal > 1)
    return _different(history[wanted.argmax(axis=0), np.arange(count)][wanted.any(axis=0)])


def all_stages(source: Source, board: int, count: int) -> NDArray[np.int8]:
    """Up to `count` different positions with a choice of moves, [P, S]: of each game any, all as likely."""
    history, over, legal = _games(source, board, count, "stages")
    random = SplitMix64(stream(source.seed, "stages", board))
    found = []
    for game in range(count):
        plies = np.flatnonzero(~over[:, game] & (legal[:, game] > 1))
        if len(plies):
            found.append(history[plies[random.below(len(plies))], game])
    return _different(np.array(found, np.int8).reshape(len(found), source.game.state_size))


def _games(
    source: Source, board: int, count: int, purpose: str
) -> tuple[NDArray[np.int8], NDArray[np.bool_], NDArray[np.int64]]:
    """`count` games, T plies: the states [T, count, S], whether they are over [T, count], their legal moves [T, count].

    A game that is over stands still while others go on.
    """
    game, player = source.game, source.player
    seed = stream(source.seed, purpose, board)
    states = opening_starts(game, player, player, board, count, seed)
    luck = np.array([stream(seed, "moves", index) for index in range(count)], np.uint64)
    results, margins = np.empty(count, np.int64), np.empty(count, np.int64)
    history, over, legal = [], [], []
    while True:
        results_many(game.addresses, states, results, margins)
        history.append(states.copy())
        over.append(results != PLAYING)
        legal.append(legal_moves(game, states).sum(axis=1))
        playing = np.flatnonzero(~over[-1])
        if not len(playing):
            return np.stack(history), np.stack(over), np.stack(legal)
        luck = mix_array(luck)
        moves = np.full(count, -1, np.int64)
        moves[playing] = player.moves(states[playing], luck[playing])
        step_many(game.addresses, states, moves)


def _different(states: NDArray[np.int8]) -> NDArray[np.int8]:
    """The states without those that stand there before."""
    _, first = np.unique(states, axis=0, return_index=True)
    return states[np.sort(first)]
