"""Games of a linear recipe against itself: what a teacher imitates before its first round of self-play.

The recipe scores every legal move by its features and draws from the softmax of the scores; now and then it plays a
uniformly random move instead, so that the network also sees what lies beside its path. The policy target is the
softmax. A game is known by its number, which tells its board and seeds its opening and its moves: all games of one
call are played side by side, and each comes out the same beside any others.
"""

from collections.abc import Sequence

import numpy as np
from numba.types import float32, float64, int8, int64, uint64, void

from pocketzero.exact import dot_in_order, exp_shared, softmax_sample, weights_at
from pocketzero.games import PLAYING, Game, opening_seed
from pocketzero.games.compiled import GAME, entry, results_many, rules, step_many
from pocketzero.records import Positions, board_of
from pocketzero.rng import draw, stream
from pocketzero.settings.teacher import WarmStart

DRAWS = 3  # random numbers a move: whether it is random, which random move, which sampled move

Ply = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""For the games still going: which they are [n], states [n, S], policies [n, M], moves [n]."""


def play_recipe(game: Game, numbers: Sequence[int], settings: WarmStart, seed: int, boards: Sequence[int]) -> Positions:
    """The recipe's games with these numbers, game after game in the order of the numbers.

    Raises ValueError for a game without linear features, or where the settings have not one weight for each of them, or
    two in a game with progress.
    """
    check_weights(game, settings.weights)
    if not len(numbers):
        raise ValueError("warm start: no games to play; at least one number would be right")
    openings, moves = stream(seed, "warm_start_openings"), stream(seed, "warm_start")
    starts = board_of(np.asarray(numbers), boards)
    states = np.stack([game.new(int(b), opening_seed(openings, n)) for b, n in zip(starts, numbers, strict=True)])
    streams = np.array([stream(moves, "game", number) for number in numbers], np.uint64)
    return _to_positions(numbers, *_play(game, states, streams, settings))


def check_weights(game: Game, weights: Sequence[float]) -> None:
    """Raise ValueError unless the game can score moves with this model."""
    count = len(game.weighed_features)
    wanted = [count, 2 * count] if game.has_progress else [count]
    if not count or len(weights) not in wanted:
        right = " or ".join(map(str, wanted)) if count else "none: switch warm_start.enabled off"
        raise ValueError(
            f"warm_start.weights: {len(weights)} weights; right for {game.name} would be {right}"
            + (f" ({', '.join(game.weighed_features)})" if count else "")
        )


def _play(
    game: Game, states: np.ndarray, streams: np.ndarray, settings: WarmStart
) -> tuple[list[Ply], np.ndarray, np.ndarray]:
    """Play from states ([B, S]) to the end of every game: the plies, then results and margins ([B], for player 0)."""
    model = np.array(settings.weights, np.float64)
    results, margins = np.zeros(len(states), np.int64), np.zeros(len(states), np.int64)
    playing = np.arange(len(states))
    plies: list[Ply] = []
    while len(playing):
        policies = np.zeros((len(playing), game.moves), np.float32)
        moves = np.zeros(len(playing), np.int64)
        _choose_many(
            game.addresses,
            states,
            model,
            len(game.weighed_features),
            len(game.feature_names),
            settings.temperature,
            settings.random_share,
            streams[playing],
            len(plies),
            policies,
            moves,
        )
        plies.append((playing, states.copy(), policies, moves))
        step_many(game.addresses, states, moves)
        now, lead = np.zeros(len(playing), np.int64), np.zeros(len(playing), np.int64)
        results_many(game.addresses, states, now, lead)
        results[playing], margins[playing] = now, lead
        states, playing = np.ascontiguousarray(states[now == PLAYING]), playing[now == PLAYING]
    return plies, results, margins


def _to_positions(numbers: Sequence[int], plies: list[Ply], results: np.ndarray, margins: np.ndarray) -> Positions:
    """From ply by ply to game by game, in the view of the player to move."""
    which, states, policies, moves = (np.concatenate(arrays) for arrays in zip(*plies, strict=True))
    ply = np.concatenate([np.full(len(arrays[0]), number) for number, arrays in enumerate(plies)])
    order = np.lexsort((ply, which))
    which, states = which[order], states[order]
    sign = np.where(states[:, 0] == 0, 1, -1)
    return Positions(
        states=states,
        policies=policies[order],
        values=np.zeros(len(order), np.float32),
        moves=moves[order].astype(np.int16),
        outcomes=(sign * results[which]).astype(np.int8),
        margins=(sign * margins[which]).astype(np.int16),
        games=np.asarray(numbers, np.int32)[which],
        plies=ply[order].astype(np.int16),
    )


@entry(
    void(
        GAME,
        int8[:, ::1],
        float64[::1],
        int64,
        int64,
        float64,
        float64,
        uint64[::1],
        int64,
        float32[:, ::1],
        int64[::1],
    )
)
def _choose_many(  # type: ignore[no-untyped-def]
    game, states, model, weighed, features, temperature, random_share, streams, ply, policies, moves
):
    """The recipe's policy ([B, M] float32, all 0) and its move ([B] int64) in every state ([B, S]), at ply `ply`.

    model: see exact.weights_at. weighed: L, how many features it weighs, and features: how many the game has; where it
    has one more, that is the progress. streams: [B], one a game.
    """
    _, legal, _, _, _, _, measure, _, _ = rules(game)
    mask = np.zeros(policies.shape[1], np.bool_)
    found, weights = np.zeros(features, np.float64), np.zeros(weighed, np.float64)
    scores = np.zeros(policies.shape[1], np.float64)
    where = np.zeros(policies.shape[1], np.int64)
    for b in range(len(states)):
        for move in range(len(mask)):
            mask[move] = False
        legal(states[b], mask)
        count = 0
        for move in range(len(mask)):
            if mask[move]:
                for f in range(features):
                    found[f] = 0
                measure(states[b], move, found)
                weights_at(model, found[features - 1], weights)
                scores[count] = dot_in_order(found, weights, weighed)
                where[count] = move
                count += 1
        top = scores[0]
        for i in range(1, count):
            top = max(top, scores[i])
        total = 0.0
        for i in range(count):
            total += exp_shared((scores[i] - top) / temperature)
        for i in range(count):
            policies[b, where[i]] = exp_shared((scores[i] - top) / temperature) / total
        first = ply * DRAWS
        if draw(streams[b], first, 2**53) * 2.0**-53 < random_share:
            moves[b] = where[draw(streams[b], first + 1, count)]
        else:
            u = draw(streams[b], first + 2, 2**53) * 2.0**-53
            moves[b] = where[softmax_sample(scores, count, temperature, u)]
