"""What a network may answer. Everything that evaluates positions for a search or a player is held to it."""

from collections.abc import Callable

import numpy as np
from numba.types import float32, int64

from pocketzero.games.compiled import entry

Evaluate = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
"""Planes ([B, *planes] float32) to logits ([B, moves] float32) and values ([B] float32, from -1 to 1, mover's view)."""


def checked(answers: tuple[np.ndarray, np.ndarray], batch: int, moves: int) -> tuple[np.ndarray, np.ndarray]:
    """The answers, if they are what they should be, as contiguous arrays.

    Raises ValueError for another shape or type, and FloatingPointError for a NaN, an infinity, or a value outside
    [-1, 1]: a search that went on would spread it into every game and record it.
    """
    logits, values = shaped(answers, batch, moves)
    place = _first_bad(logits, values)
    if place >= 0:
        raise unsound(place, logits, values)
    return logits, values


def shaped(answers: tuple[np.ndarray, np.ndarray], batch: int, moves: int) -> tuple[np.ndarray, np.ndarray]:
    """The answers as contiguous arrays. Raises ValueError for another shape or type."""
    logits, values = answers
    for name, array, shape in (("logits", logits, (batch, moves)), ("values", values, (batch,))):
        if array.shape != shape or array.dtype != np.float32:
            raise ValueError(f"network: {name} are {array.dtype} {array.shape}; float32 {shape} would be right")
    return np.ascontiguousarray(logits), np.ascontiguousarray(values)


def unsound(place: int, logits: np.ndarray, values: np.ndarray) -> FloatingPointError:
    """The error that says what the network answered at this place of the batch."""
    return FloatingPointError(
        f"network: at place {place} of the batch the value is {values[place]} and the logits are "
        f"{logits[place].tolist()}; a value in [-1, 1] and finite logits would be right"
    )


@entry(int64(float32[:, ::1], float32[::1]))
def _first_bad(logits, values):  # type: ignore[no-untyped-def]
    """The first place whose answer is not sound, or -1. In compiled code, since every batch passes here."""
    for place in range(len(values)):
        sound = abs(values[place]) <= 1
        for move in range(logits.shape[1]):
            sound &= abs(logits[place, move]) < np.inf
        if not sound:
            return place
    return -1
