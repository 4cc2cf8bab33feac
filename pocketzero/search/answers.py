"""What a network may answer. Everything that evaluates positions for a search or a player is held to it."""

from collections.abc import Callable

import numpy as np

Evaluate = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
"""Planes ([B, *planes] float32) to logits ([B, moves] float32) and values ([B] float32, from -1 to 1, mover's view)."""


def checked(answers: tuple[np.ndarray, np.ndarray], batch: int, moves: int) -> tuple[np.ndarray, np.ndarray]:
    """The answers, if they are what they should be.

    Raises ValueError for another shape or type, and FloatingPointError for a NaN, an infinity, or a value outside
    [-1, 1]: a search that went on would spread it into every game and record it.
    """
    logits, values = answers
    for name, array, shape in (("logits", logits, (batch, moves)), ("values", values, (batch,))):
        if array.shape != shape or array.dtype != np.float32:
            raise ValueError(f"network: {name} are {array.dtype} {array.shape}; float32 {shape} would be right")
    if not np.isfinite(logits).all():
        place, move = (int(i) for i in np.argwhere(~np.isfinite(logits))[0])
        raise FloatingPointError(
            f"network: the logit of move {move} is {logits[place, move]} at place {place} of the batch; "
            "logits must be finite"
        )
    bad = ~(np.abs(values) <= 1)
    if bad.any():
        place = int(np.flatnonzero(bad)[0])
        raise FloatingPointError(
            f"network: the value is {values[place]} at place {place} of the batch; values must be in [-1, 1]"
        )
    return np.ascontiguousarray(logits), np.ascontiguousarray(values)
