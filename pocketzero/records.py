"""Positions of whole games, in memory and on disk.

The file is an .npz without pickle and with fixed timestamps: the arrays of `Positions` by name, and two texts, `format`
and `game`. Games are complete and their rows stand together, ply 0 first, so that a reader can replay every game
through the rules; `read_positions` does, and takes nothing on trust.
"""

import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from pocketzero.bad_file import BadFile
from pocketzero.games import Game
from pocketzero.record_checks import check_positions
from pocketzero.work import write_bytes

__all__ = ["BadFile", "Positions", "board_of", "concatenate", "read_positions", "write_positions"]

FORMAT = "pocketzero positions 1"
LARGEST = 2**33  # bytes of all arrays together: 25 million positions of Cell Division
_TIMESTAMP = (1980, 1, 1, 0, 0, 0)
_TYPES = {
    "states": np.int8,
    "policies": np.float32,
    "values": np.float32,
    "moves": np.int16,
    "outcomes": np.int8,
    "margins": np.int16,
    "games": np.int32,
    "plies": np.int16,
}


@dataclass(frozen=True)
class Positions:
    """N positions with what was thought and what came of them. Views are those of the player to move."""

    states: np.ndarray
    """[N, state] int8: the position before the move."""
    policies: np.ndarray
    """[N, moves] float32: share of the search's visits, or of the recipe's softmax; sums to 1 on the legal moves."""
    values: np.ndarray
    """[N] float32: the search's value in -1 .. 1; 0 where nothing searched."""
    moves: np.ndarray
    """[N] int16: the move that was played."""
    outcomes: np.ndarray
    """[N] int8: how the game ended: 1 won, 0 drawn, -1 lost."""
    margins: np.ndarray
    """[N] int16: points at the end of the game, own minus the opponent's."""
    games: np.ndarray
    """[N] int32: number of the game; it tells the board (`board_of`) and the seeds."""
    plies: np.ndarray
    """[N] int16: 0 at the opening, then 1 more each move."""

    def __len__(self) -> int:
        return len(self.states)

    def select(self, rows: np.ndarray) -> "Positions":
        """The positions at `rows` ([n] indices, or [N] bool)."""
        return Positions(**{field.name: getattr(self, field.name)[rows] for field in fields(self)})


def board_of(games: np.ndarray, boards: Sequence[int]) -> np.ndarray:
    """The board of every game number: games go through `boards` in turn. [N] integers -> [N] int64"""
    return np.asarray(boards, np.int64)[np.asarray(games, np.int64) % len(boards)]


def concatenate(parts: Sequence[Positions]) -> Positions:
    """One after the other. Raises ValueError where there is nothing to put together."""
    if not parts:
        raise ValueError("concatenate: no positions were given")
    names = [field.name for field in fields(Positions)]
    return Positions(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})


def write_positions(path: Path, positions: Positions, game_name: str) -> None:
    """Write in one atomic step; the same positions give the same bytes. Raises ValueError for a wrong dtype."""
    arrays = {"format": np.array(FORMAT), "game": np.array(game_name)}
    for name, kind in _TYPES.items():
        arrays[name] = getattr(positions, name)
        if arrays[name].dtype != kind:
            raise ValueError(f"positions for {path}: {name} is {arrays[name].dtype}; it should be {np.dtype(kind)}")
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, array in arrays.items():
            member = zipfile.ZipInfo(f"{name}.npy", _TIMESTAMP)
            member.compress_type = zipfile.ZIP_DEFLATED
            raw = io.BytesIO()
            np.lib.format.write_array(raw, np.asarray(array, order="C"), allow_pickle=False)
            archive.writestr(member, raw.getvalue())
    write_bytes(path, content.getvalue())


def read_positions(path: Path, game: Game) -> Positions:
    """Read positions of `game` and check all there is to check.

    Raises BadFile: a truncated or foreign file, another game, missing or extra arrays, wrong dtypes or shapes, numbers
    out of range, policies that are not shares of legal moves, games that are not whole or do not follow from the rules.
    """
    arrays = _arrays(path)
    for name, wanted in (("format", FORMAT), ("game", game.name)):
        found = arrays.pop(name)
        if found.shape != () or str(found) != wanted:
            raise BadFile(path, name, repr(found.tolist()), repr(wanted))
    rows = len(arrays["states"]) if arrays["states"].ndim else 0
    for name, kind in _TYPES.items():
        shape = {"states": (rows, game.state_size), "policies": (rows, game.moves)}.get(name, (rows,))
        if arrays[name].dtype != kind:
            raise BadFile(path, f"type of {name}", arrays[name].dtype, str(np.dtype(kind)))
        if arrays[name].shape != shape:
            raise BadFile(path, f"shape of {name}", list(arrays[name].shape), str(list(shape)))
    positions = Positions(**arrays)
    check_positions(path, positions, game)
    return positions


def _arrays(path: Path) -> dict[str, np.ndarray]:
    """Every member of the file. Raises BadFile unless they are the ones of the format."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = [name.removesuffix(".npy") for name in archive.namelist()]
            if sorted(names) != sorted([*_TYPES, "format", "game"]):
                raise BadFile(path, "arrays", ", ".join(sorted(names)), ", ".join(sorted([*_TYPES, "format", "game"])))
            if (unpacked := sum(member.file_size for member in archive.infolist())) > LARGEST:
                raise BadFile(path, "size of the arrays", f"{unpacked} bytes", f"at most {LARGEST}")
            contents = {name: io.BytesIO(archive.read(f"{name}.npy")) for name in names}
        return {name: np.lib.format.read_array(raw, allow_pickle=False) for name, raw in contents.items()}
    except (FileNotFoundError, BadFile):
        raise
    except Exception as error:  # zipfile, its decompressors, NumPy and tokenize raise dozens of types
        raise BadFile(path, "content", f"unreadable ({error})", "a complete .npz of positions") from error
