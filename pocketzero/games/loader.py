"""How a plain Python file becomes a game.

A game is a file (or a folder with an __init__) in this room. It holds four constants and five functions:

    BOARDS    the board sizes that it supports, such as (4, 5, 6)
    STATE     how many numbers a state has
    MOVES     moves are 0 .. MOVES - 1
    PLANES    shape of the network's input: (planes, rows, columns)

    init(state, board, seed)   fill state (all 0) with a start: seed 0 is the one that an app shows, others are openings
    legal(state, mask)         set mask[move] for every legal move (mask is all False)
    step(state, move)          play the move: change state
    result(state)              PLAYING, or how player 0 did: 1 won, 0 drawn, -1 lost
    encode(state, planes)      draw the state as the player to move sees it (planes are all 0)

and may add

    margin(state)                    by how many points player 0 leads (left out: the result)
    FEATURES, DENOMINATORS           names of the linear tiers' features; each is an integer over a fixed denominator
    features(state, move, out)       the features of a legal move (out is all 0); one named game_progress stands last:
                                     it gets no weight, but mixes the early and late weights of a switching tier
    SYMMETRIES                       how many there are, the identity included
    mirror(state, index, out)        the state as symmetry `index` shows it (0: unchanged)
    mirror_move(state, move, index)  where that symmetry takes a move

A state is a row of int8 numbers, the first of them the player to move (0 or 1). Functions look at their arrays one
number at a time: state[3], planes[0, row, column]. They are plain Python: people and tests call them as such. The
search calls a compiled twin of the same code, through addresses, so that it is itself compiled once for every game.
"""

import importlib
import pkgutil
import sys
from collections.abc import Callable, Iterator
from functools import cache, cached_property
from pathlib import Path
from types import FunctionType, ModuleType

import numpy as np
from numba import njit

from pocketzero.games import optional
from pocketzero.games.interface import REQUIRED, SIGNATURES
from pocketzero.rng import stream

PROGRESS = "game_progress"
NOT_GAMES = {"interface", "loader", "compiled", "optional", "grid"}


def names() -> list[str]:
    """Every game in this room."""
    found = {module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)])}
    return sorted(found - NOT_GAMES)


@cache
def load(name: str) -> "Game":
    """The game of that name. Raises ValueError, naming the games there are, or what its file lacks."""
    if name not in names():
        raise ValueError(f"game: there is no {name!r}; the games are {', '.join(names())}")
    return Game(name, importlib.import_module(f"pocketzero.games.{name}"))


def opening_seed(seed: int, index: int) -> int:
    """The init seed of opening `index` of the set `seed`: positive, and the same for every board."""
    return (stream(seed, "opening", index) >> 1) or 1


class Game:
    """A game, ready to play. Its functions take NumPy arrays and run as plain Python."""

    def __init__(self, name: str, module: ModuleType) -> None:
        self.name = name
        self.module = module
        missing = [key for key in ("BOARDS", "STATE", "MOVES", "PLANES", *REQUIRED) if not hasattr(module, key)]
        if missing:
            raise ValueError(f"{module.__file__}: a game needs {', '.join(missing)} too (see games/loader.py)")
        self.boards: tuple[int, ...] = tuple(module.BOARDS)
        self.state_size: int = module.STATE
        self.moves: int = module.MOVES
        self.planes: tuple[int, int, int] = module.PLANES
        self.feature_names: tuple[str, ...] = tuple(getattr(module, "FEATURES", ()))
        if PROGRESS in self.feature_names[:-1]:
            raise ValueError(f"{module.__file__}: {PROGRESS} must be the last of FEATURES")
        self.denominators: tuple[int, ...] = tuple(getattr(module, "DENOMINATORS", ()))
        self.symmetries: int = getattr(module, "SYMMETRIES", 1)
        self.has_margin: bool = hasattr(module, "margin")
        self._plain = {key: _plain(function) for key, function in _entries(module).items()}

    @property
    def has_progress(self) -> bool:
        """Whether the last feature is game_progress, by which a switching tier mixes its two vectors of weights."""
        return self.feature_names[-1:] == (PROGRESS,)

    @property
    def weighed_features(self) -> tuple[str, ...]:
        """The features that a linear tier weighs: all but game_progress; empty for a game without linear tiers."""
        return self.feature_names[:-1] if self.has_progress else self.feature_names

    def init(self, state: np.ndarray, board: int, seed: int) -> None:
        """Fill state ([STATE] int8, all 0) with a start. Raises ValueError for a board that the game does not have."""
        if board not in self.boards:
            raise ValueError(f"board: {self.name} has no board {board}; it has {', '.join(map(str, self.boards))}")
        self._plain["init"](state, board, seed)

    def legal(self, state: np.ndarray, mask: np.ndarray) -> None:
        """Set mask ([MOVES] bool, all False) at every legal move."""
        self._plain["legal"](state, mask)

    def step(self, state: np.ndarray, move: int) -> None:
        """Play a legal move: change state."""
        self._plain["step"](state, int(move))

    def result(self, state: np.ndarray) -> int:
        """PLAYING, or 1, 0, -1 for player 0."""
        return int(self._plain["result"](state))

    def encode(self, state: np.ndarray, planes: np.ndarray) -> None:
        """Draw state into planes (PLANES float32, all 0) from the view of the player to move."""
        self._plain["encode"](state, planes)

    def margin(self, state: np.ndarray) -> int:
        """By how many points player 0 leads; in a game without points, its result."""
        return int(self._plain["margin"](state))

    def features(self, state: np.ndarray, move: int, out: np.ndarray) -> None:
        """The features of a legal move into out ([FEATURES] float64)."""
        self._plain["features"](state, int(move), out)

    def mirror(self, state: np.ndarray, index: int, out: np.ndarray) -> None:
        """The state as symmetry `index` (0 .. symmetries - 1) shows it, into out ([STATE] int8)."""
        self._plain["mirror"](state, index, out)

    def mirror_move(self, state: np.ndarray, move: int, index: int) -> int:
        """Where symmetry `index` takes a move of this state."""
        return int(self._plain["mirror_move"](state, int(move), index))

    def new(self, board: int, seed: int = 0) -> np.ndarray:
        """A start as a new state, [STATE] int8: the app's own with seed 0, else the opening of that seed."""
        state = np.zeros(self.state_size, np.int8)
        self.init(state, board, seed)
        return state

    def legal_moves(self, state: np.ndarray) -> np.ndarray:
        """The legal moves in ascending order, [count] int64."""
        mask = np.zeros(self.moves, np.bool_)
        self.legal(state, mask)
        return np.flatnonzero(mask)

    @cached_property
    def addresses(self) -> tuple[int, ...]:
        """Where the compiled functions are, in the order of SIGNATURES: this tells compiled code which game to play."""
        self._compiled = _compile(self.module)  # kept alive as long as the addresses may be used
        overloads = [next(iter(function.overloads.values())) for function in self._compiled]
        return tuple(each.library.get_pointer_to_function(each.fndesc.llvm_func_name) for each in overloads)


def _entries(module: ModuleType) -> dict[str, FunctionType]:
    """The game's own functions by name, those it leaves out filled in: without points, its margin is its result."""
    found = {key: getattr(module, key, None) or getattr(optional, key, None) for key in SIGNATURES}
    return {key: function or module.result for key, function in found.items()}


def _rebind(function: FunctionType, scope: dict) -> FunctionType:
    """The same code, looking its names up in another scope."""
    return FunctionType(function.__code__, scope, function.__name__, function.__defaults__)


def _plain(function: Callable) -> Callable:
    """The function on arrays seen as memoryviews: their numbers are Python's own, so they add up as in compiled code
    (NumPy's int8 would wrap around), and storing too large a number fails."""
    return lambda *args: function(*(arg.data if isinstance(arg, np.ndarray) else arg for arg in args))


def _own_functions(module: ModuleType) -> Iterator[FunctionType]:
    for value in vars(module).values():
        if isinstance(value, FunctionType) and value.__module__ == module.__name__:
            yield value


def _compile(module: ModuleType) -> list:
    """The compiled twins of the game's functions, in the order of SIGNATURES.

    Every function of the game's file, or of the files in its folder, gets a twin that calls twins; the originals stay
    plain Python. The ones named in SIGNATURES are compiled now, or taken from disk.
    """
    prefix = module.__name__ + "."
    modules = [m for name, m in sorted(sys.modules.items()) if name == module.__name__ or name.startswith(prefix)]
    scopes = {m.__name__: dict(vars(m)) for m in modules}
    twins = {
        id(function): njit(_rebind(function, scopes[m.__name__])) for m in modules for function in _own_functions(m)
    }
    for scope in scopes.values():
        for key, value in list(scope.items()):
            scope[key] = twins.get(id(value), value)
    return [
        njit(SIGNATURES[key], cache=True, error_model="numpy")(
            _rebind(function, scopes[function.__module__]) if function.__module__ in scopes else function
        )
        for key, function in _entries(module).items()
    ]
