"""What a game means that leaves out an optional function: nothing to count but the result, no linear tiers, no symmetry
but the identity. Compiled into the game that lacks them."""


def margin(state):  # type: ignore[no-untyped-def]
    """Won or lost by one: the result itself."""
    return result(state)  # type: ignore[name-defined]  # noqa: F821 - the game's own, bound by the loader


def features(state, move, out):  # type: ignore[no-untyped-def]
    """No features: FEATURES is empty, and so is out."""


def mirror(state, index, out):  # type: ignore[no-untyped-def]
    """The identity."""
    for i in range(len(state)):
        out[i] = state[i]


def mirror_move(state, move, index):  # type: ignore[no-untyped-def]
    """The identity."""
    return move
