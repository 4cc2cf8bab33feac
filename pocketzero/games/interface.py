"""What a game file holds, as types: the signatures under which its functions are compiled."""

from numba.types import Array, boolean, float32, float64, int8, int64, void

PLAYING = 2  # the result of a game that is not over

State, Mask = Array(int8, 1, "C"), Array(boolean, 1, "C")
Planes, Features = Array(float32, 3, "C"), Array(float64, 1, "C")

# Order matters: a compiled game is the tuple of its functions' addresses in this order.
SIGNATURES = {
    "init": void(State, int64, int64),
    "legal": void(State, Mask),
    "step": void(State, int64),
    "result": int64(State),
    "encode": void(State, Planes),
    "margin": int64(State),
    "features": void(State, int64, Features),
    "mirror": void(State, int64, State),
    "mirror_move": int64(State, int64, int64),
}
REQUIRED = ("init", "legal", "step", "result", "encode")
