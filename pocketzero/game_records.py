"""Games of Cell Division as people play them: one JSON object a line, as device/ and its page write and read them.

    board    n
    cells    the start, n * n numbers row by row: 0 empty, 1 player 0's stone, 2 player 1's, 3 blocked
    format   "pocketzero game 1"
    game     "cell_division"
    moves    cells, in the order in which they were played; they may stop before the end
    players  who played first and second: "human", a tier's name, or what the players call themselves
    result   the points of both where the board is full, else null
    seed     of the opponent's sampled moves, 64 bits in decimal as text

Keys are sorted; empty lines hold no game. `python -m pocketzero.game_records FILE` checks a file and sums it up.
"""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from pocketzero.bad_file import BadFile, shown
from pocketzero.games import PLAYING, load
from pocketzero.ship.layout import BadPosition, CellDivisionLayout, States

FORMAT = "pocketzero game 1"
GAME = load("cell_division")
LAYOUT = CellDivisionLayout(GAME)
RULES = GAME.module.rules
LEAST_CELLS = 2  # that are not blocked: a move for each player
KEYS = frozenset({"board", "cells", "format", "game", "moves", "players", "result", "seed"})


class BadGame(BadFile):
    """A refused game. Attributes besides BadFile's: line; move, or None where no move is to blame; both from 1."""

    def __init__(self, path: Path | str, line: int, move: int | None, field: str, value: object, wanted: str):
        place = f"{path}, line {line}" + ("" if move is None else f", move {move}")
        super().__init__(place, field, shown(value, 80), wanted)
        self.line, self.move = line, move


class IllegalMove(BadPosition):
    """A move that the rules forbid; `number` counts moves from 1."""

    def __init__(self, number: int, cell: int, wanted: str):
        super().__init__("the cell", cell, wanted)
        self.number = number


@dataclass(frozen=True, kw_only=True)
class GameRecord:
    """One game, played to its end or not."""

    board: int
    cells: tuple[int, ...]
    """[n * n], the start."""
    moves: tuple[int, ...]
    """Cells of the n x n board."""
    players: tuple[str, str]
    result: tuple[int, int] | None
    """The points of both; None where the board is not full."""
    seed: int

    def states(self) -> States:
        """Every position from the start to the last, [moves + 1, S] int8.

        Raises BadPosition for a start that no game has, IllegalMove for a move that the rules forbid.
        """
        state = _start(self.board, self.cells)
        states = [state.copy()]
        for number, cell in enumerate(self.moves, 1):
            empty = [LAYOUT.app_move(self.board, int(move)) for move in GAME.legal_moves(state)]
            if cell not in empty:
                raise IllegalMove(
                    number, cell, f"one of the empty cells {empty}" if empty else "left out: the game is over"
                )
            GAME.step(state, LAYOUT.library_move(self.board, cell))
            states.append(state.copy())
        return np.stack(states)


def write_games(games: Iterable[GameRecord]) -> bytes:
    """The games as a file's bytes; what read_games reads comes out the same."""
    return b"".join(_line(game) for game in games)


def read_games(path: Path) -> list[GameRecord]:
    """Read games and replay every move through the rules.

    Raises BadGame for the first game that is not right, FileNotFoundError.
    """
    lines = path.read_bytes().removeprefix(b"\xef\xbb\xbf").split(b"\n")  # some editors write a mark in front
    return [_Reader(path, number).game(line) for number, line in enumerate(lines, 1) if line.strip()]


def summary(games: Sequence[GameRecord]) -> list[str]:
    """For a person: how many games, and who won, by board and players."""
    finished = sum(game.result is not None for game in games)
    lines = [f"{len(games)} games, {finished} played to the end, every move legal"]
    groups: dict[tuple[int, str, str], list[GameRecord]] = defaultdict(list)
    for game in games:
        groups[game.board, *game.players].append(game)
    for (board, first, second), group in sorted(groups.items()):
        leads = [game.result[0] - game.result[1] for game in group if game.result is not None]
        won, lost = sum(lead > 0 for lead in leads), sum(lead < 0 for lead in leads)
        lines.append(
            f"board {board}: {_shown(first)} first against {_shown(second)}: {len(group)} games, "
            f"{won} won, {len(leads) - won - lost} drawn, {lost} lost, {len(group) - len(leads)} unfinished"
        )
    return lines


def main(arguments: list[str] | None = None) -> int:
    """The command. Returns its exit status: 2, with the reason on stderr, for a file that is refused."""
    parser = argparse.ArgumentParser(
        prog="python -m pocketzero.game_records", description="Check a file of games and sum it up."
    )
    parser.add_argument("file", type=Path, help="games, one a line, as the page exports them")
    file = parser.parse_args(arguments).file
    try:
        print("\n".join(summary(read_games(file))))
    except BadGame as refusal:
        print(refusal, file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{file}: {error.strerror}", file=sys.stderr)
        return 2
    return 0


class _Reader:
    """Checks one line, so that every refusal knows where it is."""

    def __init__(self, path: Path, line: int) -> None:
        self.path, self.line = path, line

    def refuse(self, field: str, value: object, wanted: str, move: int | None = None) -> NoReturn:
        raise BadGame(self.path, self.line, move, field, value, wanted)

    def game(self, text: bytes) -> GameRecord:
        entry = self.entry(text)
        for key, wanted in (("format", FORMAT), ("game", GAME.name)):
            if entry[key] != wanted:
                self.refuse(key, entry[key], repr(wanted))
        if type(entry["board"]) is not int or entry["board"] not in GAME.boards:
            self.refuse("board", entry["board"], "one of " + ", ".join(map(str, GAME.boards)))
        players, seed, result = entry["players"], entry["seed"], entry["result"]
        if not isinstance(players, list) or [type(name) for name in players] != [str, str]:
            self.refuse("players", players, "two names")
        if not (isinstance(seed, str) and seed.isascii() and seed.isdecimal() and len(seed) <= 20):
            self.refuse("seed", seed, "a whole number in decimal, as text")
        if str(int(seed)) != seed or int(seed) >= 1 << 64:
            self.refuse("seed", seed, "below 2**64, without leading zeros")
        if result is not None and len(self.wholes("result", result)) != 2:
            self.refuse("result", result, "the points of both, or null")
        record = GameRecord(
            board=entry["board"],
            cells=self.wholes("cells", entry["cells"]),
            moves=self.wholes("moves", entry["moves"]),
            players=(players[0], players[1]),
            result=None if result is None else (result[0], result[1]),
            seed=int(seed),
        )
        self.check_rules(record)
        return record

    def entry(self, text: bytes) -> dict[str, Any]:
        try:
            entry = json.loads(text, object_pairs_hook=self.unique, parse_constant=self.constant)
        except (ValueError, RecursionError) as fault:
            if isinstance(fault, BadGame):
                raise
            self.refuse("text", text[:40], "one JSON object")
        if not isinstance(entry, dict):
            self.refuse("text", entry, "one JSON object")
        for key in sorted(KEYS - set(entry)):
            self.refuse(key, "missing", "there")
        for key in sorted(set(entry) - KEYS):
            self.refuse(key, entry[key], "left out: no such key is known")
        return entry

    def unique(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        entry = dict(pairs)
        if len(entry) != len(pairs):
            self.refuse("keys", [key for key, _ in pairs], "all different")
        return entry

    def constant(self, text: str) -> NoReturn:
        self.refuse("text", text, "a finite number")

    def wholes(self, key: str, value: object) -> tuple[int, ...]:
        if not isinstance(value, list):
            self.refuse(key, value, "a list of whole numbers")
        for index, each in enumerate(value):
            if type(each) is not int:
                self.refuse(f"{key}[{index}]", each, "a whole number")
        return tuple(value)

    def check_rules(self, record: GameRecord) -> None:
        try:
            last = record.states()[-1]
        except IllegalMove as fault:
            self.refuse(fault.key, fault.value, fault.wanted, move=fault.number)
        except BadPosition as fault:
            self.refuse(fault.key, fault.value, fault.wanted)
        over = GAME.result(last) != PLAYING
        points = (RULES.score(last, 1), RULES.score(last, 2)) if over else None
        if record.result != points:
            self.refuse(
                "result", record.result, f"{points}, to which the moves lead" if over else "null: cells are empty"
            )


def _line(game: GameRecord) -> bytes:
    entry = {**asdict(game), "format": FORMAT, "game": GAME.name, "seed": str(game.seed)}
    return (json.dumps(entry, sort_keys=True, separators=(",", ":")) + "\n").encode()


def _start(board: int, cells: Sequence[int]) -> States:
    """The state of a start ([S] int8): whose turn it is follows from the stones."""
    to_move = cells.count(1) - cells.count(2)
    if to_move not in (0, 1):
        raise BadPosition(
            "cells", f"{cells.count(1)} and {cells.count(2)} stones", "as many of each, or one more of player 0"
        )
    state = LAYOUT.state(board, list(cells), to_move)
    if len(cells) - cells.count(RULES.BLOCKED) < LEAST_CELLS:
        raise BadPosition("cells", f"blocked but for {len(cells) - cells.count(3)}", f"open on {LEAST_CELLS} or more")
    return state


def _shown(name: str) -> str:
    """Names are anybody's text, which must not control a terminal."""
    return name if name.isprintable() else ascii(name)


if __name__ == "__main__":
    sys.exit(main())
