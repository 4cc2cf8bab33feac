"""Arithmetic that gives the same bits on every runtime: only IEEE-exact operations, in a stated order.

Math.exp and the C library's exp differ in the last bit between engines, sums may be reordered or compensated. Where a
choice must be the same in Python, in compiled code and in an app, it is made with these. All are callable from
compiled code.
"""

import math

from numba.extending import register_jitable

LOG2_E = 1.4426950408889634
LN2_HIGH, LN2_LOW = 0.6931471803691238, 1.9082149292705877e-10
UNDERFLOW = -708.0
EXP_TERMS = tuple(1.0 / math.factorial(n) for n in range(14))


@register_jitable
def exp_shared(x):  # type: ignore[no-untyped-def]
    """exp(x) for x <= 0 (float64), within 2 units in the last place; 0 below -708.

    Cody-Waite reduction x = k ln 2 + r, a degree-13 Horner polynomial in r, and an exact scaling by 2**k.
    """
    if x < UNDERFLOW:
        return 0.0
    k = math.floor(x * LOG2_E + 0.5)
    r = (x - k * LN2_HIGH) - k * LN2_LOW
    p = EXP_TERMS[13]
    for n in range(12, -1, -1):
        p = p * r + EXP_TERMS[n]
    scale = 1.0
    for _ in range(-k):
        scale *= 0.5
    for _ in range(k):
        scale *= 2.0
    return p * scale


@register_jitable
def dot_in_order(left, right, count):  # type: ignore[no-untyped-def]
    """Sum of left[i] * right[i] for i = 0 .. count - 1 in that order, in doubles, each product and sum rounded."""
    total = 0.0
    for i in range(count):
        total += left[i] * right[i]
    return total


@register_jitable
def weights_at(model, progress, weights):  # type: ignore[no-untyped-def]
    """The weights of a linear model at a game's progress (0 to 1), into weights ([L] float64).

    model: [L] float64, the same throughout; or [2 L], early and late: early * (1 - progress) + late * progress.
    """
    count = len(weights)
    if len(model) == count:
        for f in range(count):
            weights[f] = model[f]
    else:
        for f in range(count):
            weights[f] = model[f] * (1.0 - progress) + model[count + f] * progress


@register_jitable
def softmax_sample(scores, count, temperature, u):  # type: ignore[no-untyped-def]
    """An index in 0 .. count - 1, drawn with probability proportional to exp(scores[i] / temperature).

    u is uniform in [0, 1). Weights are exp((scores[i] - max) / temperature); the answer is the first index whose
    running sum exceeds u times the total. temperature must be positive.
    """
    top = scores[0]
    for i in range(1, count):
        top = max(top, scores[i])
    total = 0.0
    for i in range(count):
        total += exp_shared((scores[i] - top) / temperature)
    mark = u * total
    running = 0.0
    for i in range(count):
        running += exp_shared((scores[i] - top) / temperature)
        if running > mark:
            return i
    return count - 1
