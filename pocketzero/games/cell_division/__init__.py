"""Cell Division: fill the board; a stone scores by the axes on which it touches its own colour. The shipping game."""

from pocketzero.games.cell_division.features import DENOMINATORS, FEATURES, features
from pocketzero.games.cell_division.planes import PLANES, SYMMETRIES, encode, mirror, mirror_move
from pocketzero.games.cell_division.rules import BOARDS, MOVES, STATE, init, legal, margin, result, step

__all__ = [
    "BOARDS",
    "DENOMINATORS",
    "FEATURES",
    "MOVES",
    "PLANES",
    "STATE",
    "SYMMETRIES",
    "encode",
    "features",
    "init",
    "legal",
    "margin",
    "mirror",
    "mirror_move",
    "result",
    "step",
]
