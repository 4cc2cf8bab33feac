"""Where the search keeps its trees: arrays of records that are allocated once.

Every game in flight owns one row of each array, so the search allocates nothing while it runs and rows share nothing.
A row's nodes are numbered in the order in which they were reached, so a parent stands before its children; the edges
of a node stand side by side, one for each legal move: first those that were tried, in the order in which they were,
then the untried one with the highest prior, then the others. None of the others can be the best, so the walk does not
look at them.
"""

from typing import NamedTuple

import numba
import numpy as np
from numba.types import boolean, float64, int8, int32

from pocketzero.games import Game

NONE = -1  # no node, no edge, no side

# random: state of the row's generator. nodes, edges: how many are in use. todo: simulations left before the move.
# leaf: the node that the network is being asked about, or NONE. depth: edges on the path to it. noisy: 1 once the root
# has its noise. plies: moves since the row's game began. weak: the side that plays weakly, or NONE; weak_share: how
# often.
ROW = np.dtype(
    (
        np.record,
        [
            ("random", "u8"),
            ("weak_share", "f8"),
            ("nodes", "i4"),
            ("edges", "i4"),
            ("todo", "i4"),
            ("leaf", "i4"),
            ("depth", "i4"),
            ("noisy", "i4"),
            ("plies", "i4"),
            ("weak", "i4"),
        ],
    )
)

# first, count: where the node's edges stand; count is 0 until the network has answered. tried: how many of them have a
# child. visits: simulations that went through one of its edges. result: of the game here, for player 0, or PLAYING.
# player: the one to move.
NODE = np.dtype(
    (
        np.record,
        [
            ("first", "i4"),
            ("parent", "i4"),
            ("visits", "i4"),
            ("count", "i2"),
            ("tried", "i2"),
            ("result", "i1"),
            ("player", "i1"),
            ("_", "i2"),
        ],
    )
)

# value: mean outcome, from -1 to 1, for the player who moves along the edge; before the first visit, the network's
# value of the node that the edge leaves. child: the node it leads to, or NONE while nobody went there.
EDGE = np.dtype((np.record, [("prior", "f4"), ("value", "f4"), ("visits", "i4"), ("child", "i4"), ("move", "i4")]))


class Trees(NamedTuple):
    """The rows' trees."""

    row: np.ndarray
    """ROW [rows]"""
    node: np.ndarray
    """NODE [rows, nodes]"""
    edge: np.ndarray
    """EDGE [rows, nodes * moves]"""
    state: np.ndarray
    """int8 [rows, nodes, state]: the position of each node"""
    path: np.ndarray
    """int32 [rows, nodes]: the edges walked to the leaf"""
    mask: np.ndarray
    """bool [rows, moves]: room to work in"""
    gumbel: np.ndarray
    """float64 [rows, moves]: the noise of a Gumbel root"""


def _array(kind: np.dtype | numba.types.Type, dimensions: int) -> numba.types.Array:
    return numba.types.Array(numba.from_dtype(kind) if isinstance(kind, np.dtype) else kind, dimensions, "C")


TREES = numba.types.NamedTuple(
    [
        _array(ROW, 1),
        _array(NODE, 2),
        _array(EDGE, 2),
        _array(int8, 3),
        _array(int32, 2),
        _array(boolean, 2),
        _array(float64, 2),
    ],
    Trees,
)


def new_trees(game: Game, rows: int, simulations: int) -> Trees:
    """Resting rows with room for trees of that many simulations.

    A simulation adds one node at most to the root, and a tree that is used again keeps no more nodes than it has
    visits, so simulations + 1 nodes are always enough. The memory is zero pages that the system hands out when they
    are first touched: edges that no tree reaches cost nothing.
    """
    nodes = simulations + 1
    return Trees(
        row=np.zeros(rows, ROW),
        node=np.zeros((rows, nodes), NODE),
        edge=np.zeros((rows, nodes * game.moves), EDGE),
        state=np.zeros((rows, nodes, game.state_size), np.int8),
        path=np.zeros((rows, nodes), np.int32),
        mask=np.zeros((rows, game.moves), np.bool_),
        gumbel=np.zeros((rows, game.moves), np.float64),
    )
