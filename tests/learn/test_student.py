"""Teacher data and student: held out by game, resumed bit for bit, better after training, and every figure counted."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pocketzero.learn.student import StudentRun, held_out_games
from pocketzero.learn.teacher_data import describe, make_teacher_data
from pocketzero.learn.training import Figures
from pocketzero.nets.tower import network_of, new_tower
from pocketzero.nets.weights import Architecture, Network
from pocketzero.records import Positions, board_of
from tests.learn.small import (
    BOARDS,
    GAME,
    contents_of,
    files_of,
    ignore,
    recipe_games,
    student_settings,
    teacher_data_settings,
    work_in,
)

TEACHER = Architecture(
    game=GAME.name, kind="teacher", planes=GAME.planes, moves=GAME.moves, channels=4, blocks=1, value_hidden=4
)


@pytest.fixture(scope="module")
def teacher() -> Network:
    return network_of(new_tower(TEACHER, 1))


@pytest.fixture(scope="module")
def positions() -> Positions:
    """Games with a policy that is worth learning: those of the linear recipe."""
    return recipe_games(range(24))


def making(folder: Path, positions: Positions, **changes: object) -> StudentRun:
    settings = student_settings(**changes)
    return StudentRun(
        game=GAME, boards=BOARDS, settings=settings, seed=5, threads=1, positions=positions, work=work_in(folder)
    )


def test_data_is_the_same_for_any_number_of_workers_and_any_shards(teacher: Network, tmp_path: Path) -> None:
    settings, other = teacher_data_settings(), teacher_data_settings(shard_games=8)
    one = make_teacher_data(GAME, BOARDS, teacher, settings, 1, work_in(tmp_path / "a"), workers=1)
    two = make_teacher_data(GAME, BOARDS, teacher, settings, 1, work_in(tmp_path / "b"), workers=2)
    whole = make_teacher_data(GAME, BOARDS, teacher, other, 1, work_in(tmp_path / "c"), workers=1)
    for found in (two, whole):
        assert all(np.array_equal(getattr(one, name), getattr(found, name)) for name in vars(one))
    np.testing.assert_array_equal(np.unique(one.games), np.arange(8))
    np.testing.assert_array_equal(one.states[:, 2], board_of(one.games, BOARDS))


def test_weak_sides_leave_the_teachers_path(teacher: Network, tmp_path: Path) -> None:
    found = {}
    for share in (0.0, 1.0):
        settings = teacher_data_settings(weak_share=share, weak_move_share=1.0)
        positions = make_teacher_data(GAME, BOARDS, teacher, settings, 1, work_in(tmp_path / str(share)))
        found[share] = describe(positions, BOARDS)["all"]["off_path"]
    assert found[1.0] > found[0.0]


def test_the_description_counts_every_board(positions: Positions) -> None:
    rows = describe(positions, BOARDS)
    assert [rows[name]["games"] for name in ("board_4", "board_5", "all")] == [12, 12, 24]
    assert rows["board_4"]["positions"] + rows["board_5"]["positions"] == rows["all"]["positions"] == len(positions)
    assert 0 <= rows["all"]["first_player"] <= 1
    assert 0 < rows["all"]["off_path"] < 1


def test_games_are_held_out_whole_and_from_every_board(positions: Positions) -> None:
    held = held_out_games(positions.games, BOARDS, 0.25, seed=1)
    assert np.bincount(board_of(held, BOARDS))[list(BOARDS)].tolist() == [3, 3]
    np.testing.assert_array_equal(held, held_out_games(positions.games, BOARDS, 0.25, seed=1))
    assert not np.array_equal(held, held_out_games(positions.games, BOARDS, 0.25, seed=2))


def test_a_board_without_games_to_spare_is_refused(positions: Positions) -> None:
    with pytest.raises(ValueError, match="student: 0 games on board 5; two are needed"):
        held_out_games(positions.games[positions.games % 2 == 0], BOARDS, 0.25, seed=1)


def test_held_out_games_are_never_trained_on(positions: Positions, tmp_path: Path) -> None:
    """Other policies in the held-out games change the score and not one bit of the student."""
    run = making(tmp_path / "a", positions, epochs=1)
    held = np.isin(positions.games, run.held_out())
    legal = positions.policies > 0
    uniform = (legal / legal.sum(1, keepdims=True)).astype(np.float32)
    policies = np.where(held[:, None], uniform, positions.policies)
    spoilt = replace(positions, policies=policies)
    other = making(tmp_path / "b", spoilt, epochs=1)
    one, two = run.run(ignore), other.run(ignore)
    assert all(np.array_equal(one.tensors[name], two.tensors[name]) for name in one.tensors)
    assert run.score(one)["all"]["kl"] != other.score(two)["all"]["kl"]
    assert run.training_size()["games"] + run.score(one)["all"]["games"] == 24


def test_it_learns(positions: Positions, tmp_path: Path) -> None:
    run, curve = making(tmp_path, positions, epochs=6), []
    network = run.run(curve.append)
    assert network.architecture.kind == "student"
    points = [figures["curve"][0] for figures in curve]
    assert points[-1]["policy_loss"] < points[0]["policy_loss"]
    assert points[-1]["held_out_kl"] < points[0]["held_out_kl"]
    assert points[-1]["learning_rate"] < points[0]["learning_rate"] < 0.002
    assert run.score(network) == curve[-1]["held_out"]


def test_stopped_between_epochs_it_ends_with_the_same_bytes(positions: Positions, tmp_path: Path) -> None:
    class Stop(Exception):
        pass

    def stop(figures: Figures) -> None:
        if figures["curve"][0]["epoch"] == 2:
            raise Stop

    whole, parts = making(tmp_path / "whole", positions), making(tmp_path / "parts", positions)
    curve: list[Figures] = []
    whole.run(curve.append)
    with pytest.raises(Stop):
        parts.run(stop)
    assert len(files_of(tmp_path / "parts")) < len(files_of(tmp_path / "whole"))
    again: list[Figures] = []
    parts.run(again.append)
    assert again == curve
    assert contents_of(tmp_path / "parts") == contents_of(tmp_path / "whole")


def test_the_teachers_bare_policy_can_be_scored_too(teacher: Network, positions: Positions, tmp_path: Path) -> None:
    rows = making(tmp_path, positions).score(teacher)
    assert set(rows) == {"board_4", "board_5", "all"}
    assert rows["all"]["games"] == 6
