"""What a game means that leaves out an optional function: no linear tiers, no symmetry but the identity.

They look nothing up in the game: compiled code is kept by its place in the library, so all games share these.
"""


def features(state, move, out):
    """No features: FEATURES is empty, and so is out."""


def mirror(state, index, out):
    """The identity."""
    for i in range(len(state)):
        out[i] = state[i]


def mirror_move(state, move, index):
    """The identity."""
    return move
