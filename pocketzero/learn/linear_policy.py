"""The softmax-linear policy: how it plays, and the gradient of PPO's objective with respect to its weights.

A legal move scores the dot product of its L features with the weights, and is drawn with probability proportional to
exp(score / temperature). A model has one vector of weights [L], or two, early and late, one after the other [2 L]: then
a position's weights are early * (1 - progress) + late * progress.

Below, B is the number of positions in play, M of moves, L of features, D of decisions to learn from, R of legal moves
in all of these; decision d owns the rows starts[d] .. starts[d + 1] - 1. All sums run in a fixed order.
"""

import math

import numpy as np
from numba.types import boolean, float64, int64, void

from pocketzero.exact import dot_in_order, softmax_sample, weights_at
from pocketzero.games.compiled import entry, part

FIGURES = ("objective", "entropy", "kl", "clip_share")


@entry(
    void(
        boolean[:, ::1], float64[:, :, ::1], float64[::1], float64[::1], float64, float64[::1], boolean[::1], int64[::1]
    )
)
def choose_many(masks, features, progress, model, temperature, uniforms, sampled, moves):  # type: ignore[no-untyped-def]
    """The policy's move in every position, into moves ([B] int64).

    masks [B, M] legal moves; features [B, M, L]; progress [B]; uniforms [B] in [0, 1); sampled [B]: draw from the
    softmax, else take the best move, of equal ones the lowest.
    """
    weights = np.zeros(features.shape[2], np.float64)
    scores = np.zeros(masks.shape[1], np.float64)
    where = np.zeros(masks.shape[1], np.int64)
    for b in range(len(moves)):
        weights_at(model, progress[b], weights)
        count, best = 0, 0
        for move in range(masks.shape[1]):
            if masks[b, move]:
                scores[count] = dot_in_order(features[b, move], weights, len(weights))
                where[count] = move
                if scores[count] > scores[best]:
                    best = count
                count += 1
        moves[b] = where[softmax_sample(scores, count, temperature, uniforms[b]) if sampled[b] else best]


@part
def add_gradient(by_weight, progress, decisions, gradient):  # type: ignore[no-untyped-def]
    """Add one decision's share of a mean: from by_weight ([L], see weights_at) to gradient ([L] or [2 L])."""
    count = len(by_weight)
    for f in range(count):
        if len(gradient) == count:
            gradient[f] += by_weight[f] / decisions
        else:
            gradient[f] += by_weight[f] * (1.0 - progress) / decisions
            gradient[count + f] += by_weight[f] * progress / decisions


@part
def log_softmax(features, first, end, weights, temperature, log_policy):  # type: ignore[no-untyped-def]
    """Log-probabilities of the rows first .. end - 1 of features ([R, L]), into the same rows of log_policy ([R])."""
    top = -np.inf
    for row in range(first, end):
        log_policy[row] = dot_in_order(features[row], weights, len(weights)) / temperature
        top = max(top, log_policy[row])
    total = 0.0
    for row in range(first, end):
        total += math.exp(log_policy[row] - top)
    log_total = top + math.log(total)
    for row in range(first, end):
        log_policy[row] -= log_total


@entry(void(float64[:, ::1], float64[::1], int64[::1], float64[::1], float64, float64[::1]))
def log_policy_many(features, progress, starts, model, temperature, log_policy):  # type: ignore[no-untyped-def]
    """Log-probabilities of every legal move of every decision, into log_policy ([R]).

    features [R, L]; progress [D]; starts [D + 1].
    """
    weights = np.zeros(features.shape[1], np.float64)
    for d in range(len(progress)):
        weights_at(model, progress[d], weights)
        log_softmax(features, starts[d], starts[d + 1], weights, temperature, log_policy)


@entry(
    void(
        float64[:, ::1],
        float64[::1],
        int64[::1],
        int64[::1],
        float64[::1],
        float64[::1],
        float64[::1],
        float64,
        float64,
        float64,
        float64[::1],
        float64[::1],
    )
)
def objective_gradient(  # type: ignore[no-untyped-def]
    features, progress, starts, chosen, advantages, old, model, temperature, clip, bonus, gradient, figures
):
    """PPO's clipped objective plus bonus * entropy, as means over the decisions, and its gradient.

    Schulman et al., "Proximal Policy Optimization Algorithms" (2017), equation 7: the mean of min(ratio * advantage,
    clip(ratio, 1 - clip, 1 + clip) * advantage). The derivative of a move's log-probability by the score of row i is
    ([i is the move] - p_i) / temperature; that of the entropy h is -p_i * (log p_i + h) / temperature.

    Args: features [R, L]; progress [D]; starts [D + 1]; chosen [D] rows; advantages [D]; old [R] log-probabilities when
    played; model [L] or [2 L]. gradient (as model) and figures ([4], named in FIGURES) are overwritten; kl is the mean
    of KL(old || new), clip_share the share of moves whose ratio lies outside 1 - clip .. 1 + clip.
    """
    count, decisions = features.shape[1], len(progress)
    weights, by_weight = np.zeros(count, np.float64), np.zeros(count, np.float64)
    log_policy = np.zeros(len(features), np.float64)
    for k in range(len(gradient)):
        gradient[k] = 0.0
    for k in range(len(figures)):
        figures[k] = 0.0
    for d in range(decisions):
        first, end = starts[d], starts[d + 1]
        weights_at(model, progress[d], weights)
        log_softmax(features, first, end, weights, temperature, log_policy)
        entropy, kl = 0.0, 0.0
        for row in range(first, end):
            entropy -= math.exp(log_policy[row]) * log_policy[row]
            kl += math.exp(old[row]) * (old[row] - log_policy[row])
        ratio = math.exp(log_policy[chosen[d]] - old[chosen[d]])
        gain = ratio * advantages[d]
        limited = min(max(ratio, 1.0 - clip), 1.0 + clip) * advantages[d]
        pull = gain if gain <= limited else 0.0  # a clipped move has no gradient
        for f in range(count):
            by_weight[f] = 0.0
        for row in range(first, end):
            probability = math.exp(log_policy[row])
            by_score = -pull * probability - bonus * probability * (log_policy[row] + entropy)
            if row == chosen[d]:
                by_score += pull
            for f in range(count):
                by_weight[f] += by_score / temperature * features[row, f]
        add_gradient(by_weight, progress[d], decisions, gradient)
        figures[0] += (min(gain, limited) + bonus * entropy) / decisions
        figures[1] += entropy / decisions
        figures[2] += kl / decisions
        if abs(ratio - 1.0) > clip:
            figures[3] += 1.0 / decisions
