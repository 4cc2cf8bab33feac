"""Games from the page: read back as written, every move replayed, and a bad one refused with its line and move."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketzero import game_records
from pocketzero.game_records import GAME, LAYOUT, BadGame, GameRecord, read_games, write_games
from pocketzero.games import PLAYING

Line = dict[str, Any]
SEEDS = st.integers(0, 2**64 - 1)


@st.composite
def records(draw: st.DrawFn) -> GameRecord:
    """A game from an opening or from the app's start, played to some move or to its end."""
    board = draw(st.sampled_from(GAME.boards))
    state = GAME.new(board, draw(st.integers(0, 50)))
    cells = tuple(LAYOUT.cells(state))
    moves: list[int] = []
    for _ in range(draw(st.integers(0, 64))):
        if GAME.result(state) != PLAYING:
            break
        move = int(draw(st.sampled_from(GAME.legal_moves(state).tolist())))
        moves.append(LAYOUT.app_move(board, move))
        GAME.step(state, move)
    over = GAME.result(state) != PLAYING
    score = GAME.module.rules.score
    return GameRecord(
        board=board,
        cells=cells,
        moves=tuple(moves),
        players=(draw(st.text()), draw(st.text())),
        result=(int(score(state, 1)), int(score(state, 2))) if over else None,
        seed=draw(SEEDS),
    )


@given(st.lists(records(), max_size=4))
def test_games_come_back_as_they_were_written(
    tmp_path_factory: pytest.TempPathFactory, games: list[GameRecord]
) -> None:
    file = tmp_path_factory.mktemp("games") / "games.jsonl"
    file.write_bytes(write_games(games))
    assert read_games(file) == games
    assert write_games(read_games(file)) == file.read_bytes()
    for game in games:
        states = game.states()
        assert len(states) == len(game.moves) + 1
        assert tuple(LAYOUT.cells(states[0])) == game.cells


@given(records(), st.data())
def test_a_changed_move_is_refused_at_its_number_or_gives_another_legal_game(
    tmp_path_factory: pytest.TempPathFactory, game: GameRecord, data: st.DataObject
) -> None:
    """A cell that is taken or off the board is always found; another empty one only leads to another game."""
    if not game.moves:
        return
    number = data.draw(st.integers(1, len(game.moves)))
    before = game.states()[number - 1]
    legal = {LAYOUT.app_move(game.board, int(move)) for move in GAME.legal_moves(before)}
    cell = data.draw(st.integers(-3, game.board**2 + 3).filter(lambda cell: cell not in legal))
    entry = json.loads(write_games([game]))
    entry["moves"][number - 1] = cell
    file = tmp_path_factory.mktemp("games") / "games.jsonl"
    file.write_text("\n" + json.dumps(entry))
    with pytest.raises(BadGame) as refusal:
        read_games(file)
    assert (refusal.value.line, refusal.value.move) == (2, number)
    assert f"games.jsonl, line 2, move {number}: the cell is {cell}; it should be" in str(refusal.value)


@given(st.binary(max_size=200))
def test_bytes_that_are_no_games_are_refused(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    file = tmp_path_factory.mktemp("games") / "games.jsonl"
    file.write_bytes(content)
    if content.removeprefix(b"\xef\xbb\xbf").strip():
        with pytest.raises(BadGame):
            read_games(file)
    else:
        assert read_games(file) == []


def example() -> Line:
    """Both fill the empty 4 x 4 row by row, so that each has two columns of four: 8 stones with one axis each."""
    return {
        "board": 4,
        "cells": [0] * 16,
        "format": "pocketzero game 1",
        "game": "cell_division",
        "moves": list(range(16)),
        "players": ["human", "easy"],
        "result": [16, 16],
        "seed": "123",
    }


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "games.jsonl"


def put(file: Path, *lines: Line) -> None:
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_the_example_is_read(file: Path) -> None:
    put(file, example())
    (game,) = read_games(file)
    assert game.moves == tuple(range(16))
    assert game.seed == 123


def test_line_ends_empty_lines_and_a_byte_order_mark_do_no_harm(file: Path) -> None:
    file.write_bytes(
        b"\xef\xbb\xbf" + json.dumps(example()).encode() + b"\r\n\r\n  \n" + json.dumps(example()).encode()
    )
    assert len(read_games(file)) == 2


def test_an_unfinished_game_has_no_result(file: Path) -> None:
    put(file, {**example(), "moves": [0, 1], "result": None})
    assert read_games(file)[0].result is None


def without(key: str) -> Callable[[Line], None]:
    return lambda line: line.pop(key)


def having(**changes: object) -> Callable[[Line], None]:
    return lambda line: line.update(changes)


def cell(index: int, value: object) -> Callable[[Line], None]:
    return lambda line: line["cells"].__setitem__(index, value)


FAULTS: dict[str, tuple[Callable[[Line], object], str]] = {
    "no moves": (without("moves"), ": moves is 'missing'; it should be there"),
    "another key": (having(clock=3), ": clock is 3; it should be left out"),
    "newer format": (
        having(format="pocketzero game 2"),
        ": format is 'pocketzero game 2'; it should be 'pocketzero game 1'",
    ),
    "another game": (having(game="chess"), ": game is 'chess'; it should be 'cell_division'"),
    "no such board": (having(board=9), ": board is 9; it should be one of 4, 5, 6, 7, 8"),
    "board is text": (having(board="4"), ": board is '4'"),
    "board is true": (having(board=True), ": board is True"),
    "board is a fraction": (having(board=4.0), ": board is 4.0"),
    "another board's cells": (having(board=5), "cells is '16 numbers'; it should be 25 numbers"),
    "no such cell": (cell(3, 7), ": cells is 7; it should be 0 (empty)"),
    "cell beyond all bounds": (cell(3, 10**40), ": cells is 1000"),
    "cell is null": (cell(3, None), ": cells[3] is None; it should be a whole number"),
    "one player's stones": (having(cells=[1, 1] + [0] * 14), "'2 and 0 stones'; it should be as many of each"),
    "second player ahead": (having(cells=[2] + [0] * 15), "'0 and 1 stones'"),
    "all blocked": (having(cells=[3] * 15 + [0], moves=[15], result=[1, 0]), "it should be open on 2 or more"),
    "taken": (having(moves=[0, 0], result=None), ", move 2: the cell is 0; it should be one of the empty cells [1, 2"),
    "off the board": (having(moves=[16], result=None), ", move 1: the cell is 16; it should be one of the empty cells"),
    "negative": (having(moves=[-1], result=None), ", move 1: the cell is -1"),
    "too many moves": (
        having(moves=[*range(16), 3]),
        ", move 17: the cell is 3; it should be left out: the game is over",
    ),
    "move is text": (having(moves=["0"]), ": moves[0] is '0'; it should be a whole number"),
    "moves is a number": (having(moves=5), ": moves is 5; it should be a list"),
    "result of a game that goes on": (having(moves=[0]), ": result is (16, 16); it should be null: cells are empty"),
    "no result": (having(result=None), ": result is None; it should be (16, 16), to which the moves lead"),
    "another result": (having(result=[16, 15]), ": result is (16, 15); it should be (16, 16)"),
    "result of three": (having(result=[1, 2, 3]), ": result is [1, 2, 3]; it should be the points of both, or null"),
    "result is true": (having(result=[True, 1]), ": result[0] is True; it should be a whole number"),
    "one player": (having(players=["human"]), ": players is ['human']; it should be two names"),
    "seed is a number": (having(seed=7), ": seed is 7; it should be a whole number in decimal, as text"),
    "seed too large": (having(seed=str(2**64)), ": seed is '18446744073709551616'; it should be below 2**64"),
    "seed with a zero": (having(seed="07"), ": seed is '07'"),
}


@pytest.mark.parametrize(("change", "message"), FAULTS.values(), ids=FAULTS)
def test_a_bad_game_is_refused_with_its_line(file: Path, change: Callable[[Line], object], message: str) -> None:
    bad = example()
    change(bad)
    put(file, example(), bad)
    with pytest.raises(BadGame) as refusal:
        read_games(file)
    assert str(refusal.value).startswith(f"{file}, line 2")
    assert message in str(refusal.value)


RAW = {
    "cut off": json.dumps(example())[:-20],
    "not an object": "[1]",
    "a key twice": json.dumps(example())[:-1] + ', "board": 4}',
    "not a number": json.dumps({**example(), "seed": float("nan")}),
    "a number of 5,000 digits": '{"board": ' + "9" * 5000 + "}",
    "nested without end": "[" * 100_000,
}


@pytest.mark.parametrize("text", RAW.values(), ids=RAW)
def test_a_line_that_is_no_game_is_refused(file: Path, text: str) -> None:
    file.write_text(json.dumps(example()) + "\n" + text)
    with pytest.raises(BadGame, match=r"games\.jsonl, line 2: "):
        read_games(file)


def test_the_command_sums_a_file_up(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(file, example(), {**example(), "moves": [3], "result": None}, {**example(), "players": ["a\x1b[2J", "easy"]})
    assert game_records.main([str(file)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "3 games, 2 played to the end, every move legal",
        "board 4: 'a\\x1b[2J' first against easy: 1 games, 0 won, 1 drawn, 0 lost, 0 unfinished",
        "board 4: human first against easy: 2 games, 0 won, 1 drawn, 0 lost, 1 unfinished",
    ]


def test_the_command_says_what_is_wrong(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(file, {**example(), "moves": [3, 3], "result": None})
    assert game_records.main([str(file)]) == 2
    assert capsys.readouterr().err.startswith(f"{file}, line 1, move 2: the cell is 3; it should be one of")
    assert game_records.main([str(file.with_name("none.jsonl"))]) == 2
    assert "none.jsonl: No such file" in capsys.readouterr().err
