"""Games. `load(name)` gives one as people, tests and the search use it; loader.py says what a game file must hold."""

from pocketzero.games.interface import PLAYING
from pocketzero.games.loader import Game, load, names, opening_seed

__all__ = ["PLAYING", "Game", "load", "names", "opening_seed"]
