"""golden.jsonl: positions with the answers that every runtime must give. One JSON object a line, keys in this order of
the alphabet, no spaces, a final newline; the same positions give the same bytes.

    board        n
    cells        the cells of the n x n board, row by row: 0 empty, 1 player 0, 2 player 1, 3 blocked
    features     a list of numbers for every legal move; only in some of the positions
    int8_logits  elite.int8.onnx's, for every move of the library (Cell Division: 64, on the 8 x 8 grid), fp32
    logits       the same of elite.onnx
    moves        the legal moves, ascending, as an app numbers them (Cell Division: the cell on the n x n board)
    sampled      {"move": the move that Easy samples, "seed": of a SplitMix64, in decimal as text}; null if none samples
    scores       for every linear tier, its score of every legal move
    to_move      0 or 1

Doubles are written so that reading gives the same double; logits so that what was read, rounded to fp32, is the same
fp32. For games other than Cell Division `cells` holds what layout.py says.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from pocketzero.bad_file import cut, shown
from pocketzero.games import PLAYING, Game
from pocketzero.ship.layout import BadPosition, layout_of

KEYS = frozenset({"board", "cells", "int8_logits", "logits", "moves", "sampled", "scores", "to_move"})
OPTIONAL = frozenset({"features"})
LARGEST = float(np.finfo(np.float64).max)
LARGEST_FLOAT32 = float(np.finfo(np.float32).max)


class BadGolden(ValueError):
    """A golden file that is not what it should be: names file, line, key and value, and what would be right."""

    def __init__(self, path: Path | str, line: int, key: str, value: object, wanted: str):
        super().__init__(f"{path}, line {line}: {cut(key, 80)} is {shown(value, 80)}; it should be {wanted}")


@dataclass(frozen=True, kw_only=True)
class Golden:
    """One position and its answers; L is the number of legal moves."""

    board: int
    cells: list[int]
    to_move: int
    moves: list[int]
    """[L], as an app numbers them."""
    scores: dict[str, list[float]]
    """Linear tier -> [L]."""
    seed: int | None
    """Of the sampled move; None in a game without a tier that samples."""
    sampled: int | None
    logits: NDArray[np.float32]
    """[M], one for every move of the library, of elite.onnx."""
    int8_logits: NDArray[np.float32]
    """[M], of elite.int8.onnx."""
    features: list[list[float]] | None = None
    """[L, F], or None where they are left out."""


def write_golden(positions: Iterable[Golden]) -> bytes:
    """The file's bytes."""
    return "".join(_line(position) + "\n" for position in positions).encode()


def read_golden(path: Path, game: Game, tiers: Sequence[str], sampling: bool) -> list[Golden]:
    """Read and check a golden file. What the numbers mean is not checked here: parity.py recomputes them.

    Args:
      tiers: the linear tiers, whose scores every line must have.
      sampling: whether the game's tiers sample a move, so that every line must have one.

    Raises BadGolden for the first line that is not right, and FileNotFoundError.
    """
    text = path.read_bytes()
    if not text.endswith(b"\n"):
        last = text.count(b"\n") + 1
        raise BadGolden(path, last, "end", text[-20:], "a newline: the file is empty or cut off")
    positions = []
    seen: dict[tuple[object, ...], int] = {}
    for number, line in enumerate(text[:-1].split(b"\n"), 1):
        position = _Reader(path, number, game, tiers, sampling).position(line)
        first = seen.setdefault((position.board, position.to_move, *position.cells), number)
        if first != number:
            raise BadGolden(path, number, "cells", position.cells, f"another position: line {first} has this one")
        positions.append(position)
    return positions


def short_float32(value: np.float32) -> float:
    """A double with few digits that rounds to this fp32."""
    short = float(str(value))
    return short if np.float32(short) == value else float(value)


def _line(position: Golden) -> str:
    entries: dict[str, object] = {
        "board": position.board,
        "cells": position.cells,
        "int8_logits": [short_float32(logit) for logit in position.int8_logits],
        "logits": [short_float32(logit) for logit in position.logits],
        "moves": position.moves,
        "sampled": None if position.seed is None else {"move": position.sampled, "seed": str(position.seed)},
        "scores": position.scores,
        "to_move": position.to_move,
    }
    if position.features is not None:
        entries["features"] = position.features
    return json.dumps(entries, sort_keys=True, separators=(",", ":"), allow_nan=False)


class _Reader:
    """Checks one line, so that every refusal knows where it is."""

    def __init__(self, path: Path, number: int, game: Game, tiers: Sequence[str], sampling: bool) -> None:
        self.path, self.number, self.game, self.tiers, self.sampling = path, number, game, tiers, sampling

    def refuse(self, key: str, value: object, wanted: str) -> NoReturn:
        raise BadGolden(self.path, self.number, key, value, wanted)

    def position(self, line: bytes) -> Golden:
        entry = self.entry(line)
        board = self.whole("board", entry["board"], self.game.boards)
        to_move = self.whole("to_move", entry["to_move"], (0, 1))
        cells = self.wholes("cells", entry["cells"])
        moves = self.wholes("moves", entry["moves"])
        self.rules(board, cells, to_move, moves)
        seed, sampled = self.sample(entry["sampled"], moves)
        return Golden(
            board=board,
            cells=cells,
            to_move=to_move,
            moves=moves,
            scores=self.scores(entry["scores"], len(moves)),
            seed=seed,
            sampled=sampled,
            logits=self.logits("logits", entry["logits"]),
            int8_logits=self.logits("int8_logits", entry["int8_logits"]),
            features=self.features(entry["features"], len(moves)) if "features" in entry else None,
        )

    def entry(self, line: bytes) -> dict[str, Any]:
        try:
            entry = json.loads(line, object_pairs_hook=self.unique, parse_constant=self.constant)
        except BadGolden:
            raise
        except (ValueError, RecursionError) as fault:
            self.refuse("text", line[:40], f"one JSON object ({fault})")
        if not isinstance(entry, dict):
            self.refuse("text", entry, "one JSON object")
        for key in sorted(KEYS - set(entry)):
            self.refuse(key, "missing", "there")
        for key in sorted(set(entry) - KEYS - OPTIONAL):
            self.refuse(key, entry[key], "left out: no such key is known")
        return entry

    def unique(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        entry: dict[str, Any] = {}
        for key, value in pairs:
            if key in entry:
                self.refuse(key, value, "there once")
            entry[key] = value
        return entry

    def constant(self, text: str) -> NoReturn:
        self.refuse("text", text, "a finite number")

    def whole(self, key: str, value: object, allowed: Sequence[int]) -> int:
        if type(value) is not int or value not in allowed:
            self.refuse(key, value, "one of " + ", ".join(map(str, allowed)))
        return value

    def wholes(self, key: str, value: object) -> list[int]:
        if not isinstance(value, list):
            self.refuse(key, value, "a list of whole numbers")
        for index, each in enumerate(value):
            if type(each) is not int:
                self.refuse(f"{key}[{index}]", each, "a whole number")
        return value

    def items(self, key: str, value: object, count: int) -> list[Any]:
        if not isinstance(value, list):
            self.refuse(key, value, "a list")
        if len(value) != count:
            self.refuse(key, f"{len(value)} entries long", f"{count} entries long")
        return value

    def numbers(self, key: str, value: object, count: int, low: float, high: float) -> list[float]:
        value = self.items(key, value, count)
        for index, each in enumerate(value):
            if type(each) not in (int, float) or not low <= each <= high:
                self.refuse(f"{key}[{index}]", each, f"a number in {low:g} .. {high:g}")
        return [float(each) for each in value]

    def rules(self, board: int, cells: list[int], to_move: int, moves: list[int]) -> None:
        layout = layout_of(self.game)
        try:
            state = layout.state(board, cells, to_move)
        except BadPosition as fault:
            self.refuse(fault.key, fault.value, fault.wanted)
        if self.game.result(state) != PLAYING:
            self.refuse("cells", cells, "a position that is not over")
        legal = [layout.app_move(board, int(move)) for move in self.game.legal_moves(state)]
        if moves != legal:
            self.refuse("moves", moves, f"the legal moves, {legal}")

    def scores(self, value: object, count: int) -> dict[str, list[float]]:
        if not isinstance(value, Mapping) or set(value) != set(self.tiers):
            found = sorted(value) if isinstance(value, Mapping) else value
            self.refuse("scores", found, f"one list for each of {', '.join(self.tiers) or 'no tier'}")
        return {tier: self.numbers(f"scores.{tier}", value[tier], count, -LARGEST, LARGEST) for tier in self.tiers}

    def sample(self, value: object, moves: list[int]) -> tuple[int | None, int | None]:
        if not self.sampling:
            if value is not None:
                self.refuse("sampled", value, "null: no tier of this game samples")
            return None, None
        if not isinstance(value, Mapping) or set(value) != {"move", "seed"}:
            self.refuse("sampled", value, "an object of move and seed")
        seed = value["seed"]
        if not (isinstance(seed, str) and seed.isascii() and seed.isdecimal()):
            self.refuse("sampled.seed", seed, "a whole number in decimal, as text")
        if len(seed) > 20 or str(int(seed)) != seed or int(seed) >= 1 << 64:
            self.refuse("sampled.seed", seed, "below 2**64, without leading zeros")
        return int(seed), self.whole("sampled.move", value["move"], moves)

    def logits(self, key: str, value: object) -> NDArray[np.float32]:
        numbers = self.numbers(key, value, self.game.moves, -LARGEST_FLOAT32, LARGEST_FLOAT32)
        return np.array(numbers, np.float64).astype(np.float32)

    def features(self, value: object, count: int) -> list[list[float]]:
        rows = self.items("features", value, count)
        width = len(self.game.feature_names)
        return [self.numbers(f"features[{index}]", each, width, 0.0, 1.0) for index, each in enumerate(rows)]
