"""golden.jsonl reads back to the same bits, and a line that is not right is refused with its line, key and value."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketzero.games import Game
from pocketzero.ship.golden import BadGolden, Golden, read_golden, short_float32, write_golden

TIERS = ["easy", "fallback", "hard", "medium"]
Line = dict[str, Any]


@pytest.fixture
def file(models: Path) -> Path:
    return models / "release" / "golden.jsonl"


@pytest.fixture
def read(game: Game, file: Path) -> Callable[[], list[Golden]]:
    return lambda: read_golden(file, game, TIERS, sampling=True)


def rewrite(file: Path, number: int, change: Callable[[Line], None]) -> None:
    lines = file.read_text().splitlines()
    entry = json.loads(lines[number - 1])
    change(entry)
    lines[number - 1] = json.dumps(entry)
    file.write_text("\n".join(lines) + "\n")


def test_reading_and_writing_again_gives_the_same_bytes(read: Callable[[], list[Golden]], file: Path) -> None:
    assert write_golden(read()) == file.read_bytes()


def test_lines_are_compact_with_sorted_keys(file: Path) -> None:
    for line in file.read_text().splitlines():
        entry = json.loads(line)
        assert json.dumps(entry, sort_keys=True, separators=(",", ":")) == line


def test_boards_take_turns_and_all_of_them_have_features(read: Callable[[], list[Golden]], game: Game) -> None:
    positions = read()
    assert [position.board for position in positions[:10]] == [*game.boards, *game.boards]
    assert {position.board for position in positions if position.features is not None} == set(game.boards)


def test_the_board_that_an_app_starts_with_is_there(read: Callable[[], list[Golden]], game: Game) -> None:
    empty = {position.board for position in read() if not any(position.cells)}
    assert empty == set(game.boards)


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_a_logit_survives_text(value: float) -> None:
    logit = np.float32(value)
    assert np.float32(json.loads(json.dumps(short_float32(logit)))).tobytes() == logit.tobytes()


def moved(key: str, value: object) -> Callable[[Line], None]:
    def change(entry: Line) -> None:
        *path, last = key.split(".")
        target: Any = entry
        for part in path:
            target = target[int(part) if isinstance(target, list) else part]
        target[int(last) if isinstance(target, list) else last] = value

    return change


def without(key: str) -> Callable[[Line], None]:
    def change(entry: Line) -> None:
        del entry[key]

    return change


# Line 3 of the file is the empty board of 6 x 6, with features.
FAULTS: dict[str, tuple[Callable[[Line], None], str]] = {
    "missing key": (without("logits"), "logits is 'missing'; it should be there"),
    "unknown key": (moved("colour", 1), "colour is 1; it should be left out"),
    "unknown board": (moved("board", 9), "board is 9; it should be one of 4, 5, 6, 7, 8"),
    "another board": (moved("board", 5), "cells is '36 numbers'; it should be 25 numbers"),
    "board is true": (moved("board", True), "board is True"),
    "cell out of range": (moved("cells.0", 4), "cells is 4; it should be 0 (empty)"),
    "cell is a fraction": (moved("cells.0", 0.5), "cells[0] is 0.5; it should be a whole number"),
    "stones of one player only": (
        moved("cells.0", 2),
        "to_move is 0; it should be -1: the players have 0 and 1 stones",
    ),
    "blocked cell still legal": (moved("cells.0", 3), "it should be the legal moves, [1, 2, 3"),
    "other player": (moved("to_move", 1), "to_move is 1; it should be 0"),
    "no player": (moved("to_move", 2), "to_move is 2; it should be one of 0, 1"),
    "illegal move": (moved("moves.35", 36), "it should be the legal moves"),
    "moves not a list": (moved("moves", "0"), "moves is '0'; it should be a list of whole numbers"),
    "tier missing": (
        moved("scores", {"easy": []}),
        "scores is ['easy']; it should be one list for each of easy, fallback",
    ),
    "score missing": (moved("scores.hard", [1.0]), "scores.hard is '1 entries long'; it should be 36 entries long"),
    "score is text": (moved("scores.hard.2", "1"), "scores.hard[2] is '1'; it should be a number"),
    "seed is a number": (
        moved("sampled.seed", 7),
        "sampled.seed is 7; it should be a whole number in decimal, as text",
    ),
    "seed too large": (moved("sampled.seed", str(1 << 64)), "it should be below 2**64"),
    "seed with a zero": (moved("sampled.seed", "07"), "sampled.seed is '07'"),
    "sampled move illegal": (moved("sampled.move", 40), "sampled.move is 40; it should be one of 0, 1"),
    "no sample": (moved("sampled", None), "sampled is None; it should be an object of move and seed"),
    "too few logits": (moved("logits", [0.5]), "logits is '1 entries long'; it should be 64 entries long"),
    "logit beyond fp32": (moved("logits.5", 1e39), "logits[5] is 1e+39"),
    "feature above 1": (moved("features.3.2", 1.5), "features[3][2] is 1.5; it should be a number in 0 .. 1"),
    "features of too few moves": (moved("features", []), "features is '0 entries long'; it should be 36 entries long"),
    "feature missing": (moved("features.0", [0.0]), "features[0] is '1 entries long'; it should be 14 entries long"),
}


@pytest.mark.parametrize(("change", "message"), FAULTS.values(), ids=FAULTS)
def test_a_corrupted_line_is_refused(
    read: Callable[[], list[Golden]], file: Path, change: Callable[[Line], None], message: str
) -> None:
    rewrite(file, 3, change)
    with pytest.raises(BadGolden) as refusal:
        read()
    assert str(refusal.value).startswith(f"{file}, line 3: ")
    assert message in str(refusal.value)


RAW_FAULTS = {
    "cut off": (lambda text: text[:-40], "the file is empty or cut off"),
    "empty": (lambda _: b"", "line 1: end is b''"),
    "not JSON": (lambda text: b"{\n" + text, "line 1: text is b'{'; it should be one JSON object"),
    "an empty line": (lambda text: text + b"\n", "line 41: text is b''"),
    "not an object": (lambda text: b"[]\n" + text, "line 1: text is []"),
    "not UTF-8": (lambda text: b"\xff\xfe\n" + text, "line 1: text is"),
    "not a number": (lambda text: text.replace(b'"to_move":0', b'"to_move":NaN', 1), "text is 'NaN'"),
    "a key twice": (
        lambda text: text.replace(b'"to_move":0', b'"to_move":0,"to_move":0', 1),
        "it should be there once",
    ),
    "a position twice": (lambda text: text + text.split(b"\n")[0] + b"\n", "another position: line 1 has this one"),
}


@pytest.mark.parametrize(("change", "message"), RAW_FAULTS.values(), ids=RAW_FAULTS)
def test_a_corrupted_file_is_refused(
    read: Callable[[], list[Golden]], file: Path, change: Callable[[bytes], bytes], message: str
) -> None:
    file.write_bytes(change(file.read_bytes()))
    with pytest.raises(BadGolden) as refusal:
        read()
    assert message in str(refusal.value)
