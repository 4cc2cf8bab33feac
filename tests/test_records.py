"""Records of games: the same bytes for the same games, and nothing foreign, broken or impossible gets in."""

import io
import zipfile
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from pocketzero import records
from pocketzero.games import PLAYING, load
from pocketzero.records import BadFile, Positions, board_of, concatenate, read_positions, write_positions

GAME = load("tic_tac_toe")


def random_game(number: int) -> Positions:
    """A game of random moves, recorded by hand."""
    draw = np.random.Generator(np.random.PCG64(number))
    state, rows, plies = GAME.new(GAME.boards[0]), [], 0
    while GAME.result(state) == PLAYING:
        legal = GAME.legal_moves(state)
        policy = np.zeros(GAME.moves, np.float32)
        policy[legal] = draw.dirichlet(np.ones(len(legal)))
        move = int(draw.choice(legal))
        rows.append((state.copy(), policy, move))
        GAME.step(state, move)
        plies += 1
    sign = np.array([1 if row[0][0] == 0 else -1 for row in rows])
    return Positions(
        states=np.array([row[0] for row in rows]),
        policies=np.array([row[1] for row in rows]),
        values=np.zeros(plies, np.float32),
        moves=np.array([row[2] for row in rows], np.int16),
        outcomes=(sign * GAME.result(state)).astype(np.int8),
        margins=(sign * GAME.margin(state)).astype(np.int16),
        games=np.full(plies, number, np.int32),
        plies=np.arange(plies, dtype=np.int16),
    )


@pytest.fixture
def positions() -> Positions:
    return concatenate([random_game(number) for number in range(5)])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "games.npz"


def changed(positions: Positions, name: str, row: object, value: object) -> Positions:
    array = getattr(positions, name).copy()
    array[row] = value
    return replace(positions, **{name: array})


def test_what_is_read_is_what_was_written(positions: Positions, file: Path) -> None:
    write_positions(file, positions, GAME.name)
    found = read_positions(file, GAME)
    for field in fields(Positions):
        wanted = getattr(positions, field.name)
        assert getattr(found, field.name).dtype == wanted.dtype
        np.testing.assert_array_equal(getattr(found, field.name), wanted)


def test_the_same_games_give_the_same_bytes(positions: Positions, tmp_path: Path) -> None:
    write_positions(tmp_path / "a.npz", positions, GAME.name)
    write_positions(tmp_path / "b.npz", positions.select(np.arange(len(positions))), GAME.name)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    assert all(info.date_time == (1980, 1, 1, 0, 0, 0) for info in zipfile.ZipFile(tmp_path / "a.npz").infolist())


def test_games_go_through_the_boards_in_turn() -> None:
    assert board_of(np.array([0, 1, 2, 3, 7]), (4, 6, 8)).tolist() == [4, 6, 8, 4, 6]


def test_there_is_nothing_to_concatenate() -> None:
    with pytest.raises(ValueError, match="no positions"):
        concatenate([])


def test_a_wrong_dtype_is_not_written(positions: Positions, file: Path) -> None:
    with pytest.raises(ValueError, match="values is float64; it should be float32"):
        write_positions(file, replace(positions, values=positions.values.astype(np.float64)), GAME.name)
    assert not file.exists()


@pytest.mark.parametrize("share", [0.0, 0.5, 0.99])
def test_a_truncated_file_is_refused(positions: Positions, file: Path, share: float) -> None:
    write_positions(file, positions, GAME.name)
    content = file.read_bytes()
    file.write_bytes(content[: int(share * len(content))])
    with pytest.raises(BadFile, match=r"games\.npz: content is unreadable"):
        read_positions(file, GAME)


def test_a_flipped_byte_is_refused(positions: Positions, file: Path) -> None:
    write_positions(file, positions, GAME.name)
    content = bytearray(file.read_bytes())
    content[200] ^= 0xFF
    file.write_bytes(bytes(content))
    with pytest.raises(BadFile):
        read_positions(file, GAME)


def test_a_foreign_file_is_refused(file: Path) -> None:
    np.savez(file, weights=np.zeros(3))
    with pytest.raises(BadFile, match="arrays is weights"):
        read_positions(file, GAME)
    file.write_text("moves: none")
    with pytest.raises(BadFile, match="not a zip file"):
        read_positions(file, GAME)


def test_pickles_are_never_read(positions: Positions, file: Path) -> None:
    write_positions(file, positions, GAME.name)
    raw = io.BytesIO()
    np.lib.format.write_array(raw, np.array([{"a": 1}], object), allow_pickle=True)
    with zipfile.ZipFile(file) as old:
        members = {name: old.read(name) for name in old.namelist()} | {"moves.npy": raw.getvalue()}
    with zipfile.ZipFile(file, "w") as new:
        for name, content in members.items():
            new.writestr(name, content)
    with pytest.raises(BadFile, match="allow_pickle"):
        read_positions(file, GAME)


def test_another_games_records_are_refused(positions: Positions, file: Path) -> None:
    write_positions(file, positions, GAME.name)
    with pytest.raises(BadFile, match="game is 'tic_tac_toe'; it should be 'connect_four'"):
        read_positions(file, load("connect_four"))


def test_a_wrong_shape_is_refused(positions: Positions, file: Path) -> None:
    write_positions(file, replace(positions, values=positions.values[:-1]), GAME.name)
    with pytest.raises(BadFile, match="shape of values"):
        read_positions(file, GAME)


def last_row_of_first_game(positions: Positions) -> int:
    return int(np.flatnonzero(positions.games == 0)[-1])


@pytest.mark.parametrize(
    ("name", "row", "value", "message"),
    [
        ("moves", 0, 99, "moves of row 0 is 99; it should be a legal move"),
        ("moves", 0, -1, "moves of row 0 is -1; it should be a legal move"),
        ("values", 3, 1.5, r"values of row 3 is 1\.5; it should be from -1 to 1"),
        ("values", 3, np.nan, "values of row 3 is nan"),
        ("policies", (2, 0), np.nan, "policies of row 2 is nan"),
        ("outcomes", 1, -128, "outcomes of row 1 is -128; it should be -1, 0 or 1"),
        ("margins", 0, 77, "margins of row 0 is 77"),
        ("plies", 1, 5, "plies of row 1 is 5"),
        ("games", 0, -4, "games of row 0 is -4; it should be 0 or more"),
        ("states", (0, 0), 7, "states of row 0 is .* it should be an opening"),
        ("states", (1, 3), 1, "states of row 1 is .* it should be the state that the moves before lead to"),
    ],
)
def test_an_impossible_number_is_refused(
    positions: Positions, file: Path, name: str, row: object, value: object, message: str
) -> None:
    write_positions(file, changed(positions, name, row, value), GAME.name)
    with pytest.raises(BadFile, match=message):
        read_positions(file, GAME)


def test_a_move_on_a_taken_cell_is_refused(positions: Positions, file: Path) -> None:
    write_positions(file, changed(positions, "moves", 1, positions.moves[0]), GAME.name)
    with pytest.raises(BadFile, match=r"moves of row 1 is .* it should be a legal move"):
        read_positions(file, GAME)


def test_a_policy_on_an_illegal_move_is_refused(positions: Positions, file: Path) -> None:
    policy = np.zeros(GAME.moves, np.float32)
    policy[positions.moves[0]] = 1
    write_positions(file, changed(positions, "policies", 1, policy), GAME.name)
    with pytest.raises(BadFile, match=r"policies of row 1 is .* it should be 0 at every illegal move"):
        read_positions(file, GAME)


def test_a_policy_that_is_no_share_is_refused(positions: Positions, file: Path) -> None:
    write_positions(file, replace(positions, policies=positions.policies * 2), GAME.name)
    with pytest.raises(BadFile, match="sum of policies of row 0"):
        read_positions(file, GAME)


def test_an_unfinished_game_is_refused(positions: Positions, file: Path) -> None:
    keep = np.arange(len(positions)) != last_row_of_first_game(positions)
    write_positions(file, positions.select(keep), GAME.name)
    with pytest.raises(BadFile, match="it should be one that ends the game"):
        read_positions(file, GAME)


def test_two_games_of_one_number_are_refused(positions: Positions, file: Path) -> None:
    games = np.where(positions.games == 2, 0, positions.games).astype(np.int32)
    write_positions(file, replace(positions, games=games), GAME.name)
    with pytest.raises(BadFile, match=r"games of row .* it should be a number that no other game has"):
        read_positions(file, GAME)


def test_a_file_without_positions_is_refused(positions: Positions, file: Path) -> None:
    write_positions(file, positions.select(np.zeros(len(positions), np.bool_)), GAME.name)
    with pytest.raises(BadFile, match="rows is 0"):
        read_positions(file, GAME)


def test_a_state_that_would_crash_compiled_rules_is_refused(file: Path) -> None:
    """Compiled code does not check indices: a board of 100 must be caught before it gets there."""
    game = load("cell_division")
    state = game.new(4)
    state[2] = 100
    arrays = {
        "states": state[None],
        "policies": np.eye(1, game.moves, dtype=np.float32),
        "values": np.zeros(1, np.float32),
        "moves": np.zeros(1, np.int16),
        "outcomes": np.zeros(1, np.int8),
        "margins": np.zeros(1, np.int16),
        "games": np.zeros(1, np.int32),
        "plies": np.zeros(1, np.int16),
    }
    write_positions(file, Positions(**arrays), game.name)
    with pytest.raises(BadFile, match="states of row 0"):
        read_positions(file, game)


def test_a_refusal_says_what_and_where(file: Path) -> None:
    error = BadFile(file, "moves", 7, "a legal move")
    assert (error.path, error.field, error.value, error.wanted) == (file, "moves", 7, "a legal move")
    assert str(error) == f"{file}: moves is 7; it should be a legal move"
    assert records.BadFile is BadFile
