"""How the tiers judge moves and pick one: the same bits in Python, in compiled code and in an app.

Everything here is compiled and works on many positions at once. B is the number of positions, S the size of a state, M
the number of moves, F the number of features; `game` is Game.addresses.
"""

import numpy as np
from numba.types import boolean, float64, int8, int64, uint64, void

from pocketzero.exact import dot_in_order, softmax_sample
from pocketzero.games.compiled import GAME, entry, rules
from pocketzero.rng import GOLDEN, mix


@entry(void(GAME, int8[:, ::1], int64, float64[::1], boolean[:, ::1], float64[:, ::1]))
def score_linear(game, states, count, weights, masks, scores):  # type: ignore[no-untyped-def]
    """Score every legal move by the dot product of its features and weights ([L] float64, the first L features).

    count is F. masks ([B, M] bool) and scores ([B, M] float64) are overwritten; scores are 0 where masks is False.
    """
    _, legal, _, _, _, _, measure, _, _ = rules(game)
    features = np.zeros(count, np.float64)
    for b in range(len(states)):
        for move in range(masks.shape[1]):
            masks[b, move] = False
            scores[b, move] = 0.0
        legal(states[b], masks[b])
        for move in range(masks.shape[1]):
            if masks[b, move]:
                for f in range(count):
                    features[f] = 0.0
                measure(states[b], move, features)
                scores[b, move] = dot_in_order(features, weights, len(weights))


@entry(void(GAME, int8[:, ::1], float64[::1], float64[::1], boolean[:, ::1], float64[:, ::1]))
def score_switching(game, states, early, late, masks, scores):  # type: ignore[no-untyped-def]
    """As score_linear, with the weights early * (1 - gp) + late * gp, where gp is the feature that follows them."""
    _, legal, _, _, _, _, measure, _, _ = rules(game)
    features = np.zeros(len(early) + 1, np.float64)
    weights = np.zeros(len(early), np.float64)
    for b in range(len(states)):
        for move in range(masks.shape[1]):
            masks[b, move] = False
            scores[b, move] = 0.0
        legal(states[b], masks[b])
        for move in range(masks.shape[1]):
            if masks[b, move]:
                for f in range(len(features)):
                    features[f] = 0.0
                measure(states[b], move, features)
                progress = features[len(early)]
                for f in range(len(early)):
                    weights[f] = early[f] * (1.0 - progress) + late[f] * progress
                scores[b, move] = dot_in_order(features, weights, len(weights))


@entry(void(boolean[:, ::1], float64[:, ::1], int64[::1]))
def best_moves(masks, scores, moves):  # type: ignore[no-untyped-def]
    """The best legal move of every position into moves ([B] int64); of equal ones the lowest."""
    for b in range(len(moves)):
        moves[b] = -1
        for move in range(masks.shape[1]):
            if masks[b, move] and (moves[b] < 0 or scores[b, move] > scores[b, moves[b]]):
                moves[b] = move


@entry(void(boolean[:, ::1], float64[:, ::1], float64, float64, uint64[::1], int64[::1]))
def sample_moves(masks, scores, temperature, within, seeds, moves):  # type: ignore[no-untyped-def]
    """Draw a legal move of every position from the softmax of the scores over temperature, into moves ([B] int64).

    seeds ([B] uint64) are SplitMix64 states, of which the first number decides; candidates are walked in ascending
    order. With within > 0 only moves that score at least the best score less `within` are candidates.
    """
    candidates = np.zeros(masks.shape[1], np.int64)
    held = np.zeros(masks.shape[1], np.float64)
    for b in range(len(moves)):
        top = -np.inf
        for move in range(masks.shape[1]):
            if masks[b, move]:
                top = max(top, scores[b, move])
        count = 0
        for move in range(masks.shape[1]):
            if masks[b, move] and (within <= 0.0 or scores[b, move] >= top - within):
                candidates[count] = move
                held[count] = scores[b, move]
                count += 1
        moves[b] = -1
        if count > 0:
            u = np.float64(mix(seeds[b] + np.uint64(GOLDEN)) >> np.uint64(11)) * 2.0**-53
            moves[b] = candidates[softmax_sample(held, count, temperature, u)]
