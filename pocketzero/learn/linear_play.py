"""Games that a linear policy plays against itself, as decisions to learn from.

A game is known by its number, which tells its board and, with the seed and the iteration, its opening and its random
numbers. All games of a round are played side by side.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pocketzero.games import PLAYING, Game, opening_seed
from pocketzero.games.compiled import features_many, init_many, results_many, step_many
from pocketzero.learn.linear_policy import choose_many
from pocketzero.rng import GOLDEN, MASK, mix_array, stream


@dataclass(frozen=True, kw_only=True)
class Round:
    """The sampled moves of a round of games: D decisions, R legal moves in all of them, L features, G games."""

    features: NDArray[np.float64]
    """[R, L] of every legal move, decision after decision."""
    starts: NDArray[np.int64]
    """[D + 1] where each decision's rows begin, and R."""
    chosen: NDArray[np.int64]
    """[D] row of the move that was played."""
    progress: NDArray[np.float64]
    """[D] game_progress; 0 in a game that does not tell it."""
    players: NDArray[np.int64]
    """[D] who moved, 0 or 1."""
    games: NDArray[np.int64]
    """[D] in which of the G games."""
    margins: NDArray[np.int64]
    """[G] final margin, for player 0."""


def play_round(
    game: Game,
    boards: NDArray[np.int64],
    model: NDArray[np.float64],
    temperature: float,
    sampled_share: float,
    seed: int,
    iteration: int,
) -> Round:
    """Play one game on each of boards ([G]), both sides with the same model ([L] or [2 L]).

    The first sampled_share of a game's moves are drawn from the softmax; the others are the best ones, and not part of
    the answer. A game is taken to last as many moves as its opening has legal ones: games with features fill a board.
    """
    states = _openings(game, boards, seed, iteration)
    streams = np.array([stream(seed, "linear_moves", iteration, number) for number in range(len(boards))], np.uint64)
    results, margins = np.full(len(boards), PLAYING, np.int64), np.zeros(len(boards), np.int64)
    lengths = np.zeros(len(boards))
    plies: list[dict[str, np.ndarray]] = []
    while (results == PLAYING).any():
        ply, playing = len(plies), np.flatnonzero(results == PLAYING)
        now = np.ascontiguousarray(states[playing])
        masks, features, progress = _features(game, now)
        if ply == 0:
            lengths = masks.sum(1)
        sampled = ply < sampled_share * lengths[playing]
        uniforms = (mix_array(streams[playing] + np.uint64((ply + 1) * GOLDEN & MASK)) >> np.uint64(11)) * 2.0**-53
        moves = np.zeros(len(playing), np.int64)
        choose_many(masks, features, progress, model, temperature, uniforms, sampled, moves)
        plies.append(_decisions(now, masks, features, progress, moves, playing, sampled))
        step_many(game.addresses, now, moves)
        found, lead = np.zeros(len(playing), np.int64), np.zeros(len(playing), np.int64)
        results_many(game.addresses, now, found, lead)
        states[playing], results[playing], margins[playing] = now, found, lead
    joined = {key: np.concatenate([ply[key] for ply in plies]) for key in plies[0]}
    starts = np.concatenate([[0], np.cumsum(joined.pop("counts"))])
    return Round(starts=starts, chosen=starts[:-1] + joined.pop("chosen_of_legal"), margins=margins, **joined)


def _openings(game: Game, boards: NDArray[np.int64], seed: int, iteration: int) -> NDArray[np.int8]:
    """[G, S] the seeded openings of an iteration."""
    openings = stream(seed, "linear_openings", iteration)
    states = np.zeros((len(boards), game.state_size), np.int8)
    seeds = np.array([opening_seed(openings, number) for number in range(len(boards))], np.int64)
    init_many(game.addresses, states, boards, seeds)
    return states


def _features(game: Game, states: NDArray[np.int8]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Legal moves [B, M], their weighed features [B, M, L], and the progress of every state [B]."""
    count = len(game.weighed_features)
    masks = np.zeros((len(states), game.moves), np.bool_)
    features = np.zeros((len(states), game.moves, len(game.feature_names)))
    features_many(game.addresses, states, masks, features)
    if count == len(game.feature_names):
        return masks, features, np.zeros(len(states))
    progress = features[np.arange(len(states)), masks.argmax(1), count]  # the same at every legal move
    return masks, np.ascontiguousarray(features[:, :, :count]), progress


def _decisions(
    states: np.ndarray,
    masks: np.ndarray,
    features: np.ndarray,
    progress: np.ndarray,
    moves: np.ndarray,
    playing: np.ndarray,
    sampled: np.ndarray,
) -> dict[str, np.ndarray]:
    """What is kept of one ply: the sampled moves among those of the games in play ([B])."""
    masks, moves = masks[sampled], moves[sampled]
    before = np.arange(masks.shape[1]) < moves[:, None]
    return {
        "features": features[sampled][masks],
        "counts": masks.sum(1),
        "chosen_of_legal": (masks & before).sum(1),
        "progress": progress[sampled],
        "players": states[sampled, 0].astype(np.int64),
        "games": playing[sampled],
    }
