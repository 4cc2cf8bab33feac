"""The teacher's loop: killed and run again, by more workers or for more iterations, it ends with the same bytes."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from pocketzero.learn.teacher import TeacherRun, summary
from pocketzero.learn.training import Figures
from pocketzero.nets.weights import Network
from pocketzero.work import Work
from tests.learn.small import BOARDS, GAME, WARM_START, contents_of, files_of, ignore, teacher_settings, work_in

ROOT = Path(__file__).resolve().parents[2]
FILES = 1 + 1 + 2 + 3 * (3 + 1)  # start, recipe games, two chunks, and for each iteration three shards and a state
PROGRAM = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from pathlib import Path
from tests.learn.test_teacher import run
run(Path(sys.argv[1]))
"""


def making(work: Work, workers: int = 1, **changes: object) -> TeacherRun:
    settings = teacher_settings(**changes)
    return TeacherRun(game=GAME, boards=BOARDS, settings=settings, seed=3, threads=1, work=work, workers=workers)


def run(folder: Path, workers: int = 1, **changes: object) -> tuple[dict[str, bytes], Network, list[Figures]]:
    """Train to the end: the work folder's files, the network, and every figure that was reported."""
    work, figures = work_in(folder), []
    network = making(work, workers, **changes).run(figures.append)
    work.close()
    return contents_of(folder), network, figures


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, bytes], Network, list[Figures]]:
    """An uninterrupted run."""
    return run(tmp_path_factory.mktemp("whole"))


def kill_after(folder: Path, files: int) -> None:
    """Start a run in a process of its own and kill it, with no chance to clean up, once so many files are there."""
    process = subprocess.Popen([sys.executable, "-c", PROGRAM, str(folder)], cwd=ROOT, stderr=subprocess.DEVNULL)
    while len(files_of(folder)) < files:
        assert process.poll() is None, "the run ended before it was killed"
        time.sleep(0.005)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()


def test_killed_at_any_point_and_run_again_it_ends_with_the_same_bytes(whole, tmp_path: Path) -> None:
    for files in (3, 9):
        kill_after(tmp_path, files)
        assert files <= len(files_of(tmp_path)) < FILES
    files, network, figures = run(tmp_path)
    assert len(whole[0]) == FILES
    assert files == whole[0]
    assert figures == whole[2]
    assert all(np.array_equal(network.tensors[name], tensor) for name, tensor in whole[1].tensors.items())


@pytest.mark.parametrize("lost", ["iteration-00002/games-00001.npz", "iteration-00002/*", "**/*"])
def test_finished_files_that_somebody_deleted_are_made_again_where_they_are_needed(
    whole, tmp_path: Path, lost: str
) -> None:
    run(tmp_path, iterations=2)
    deleted = [path for path in tmp_path.glob(f"**/{lost}") if path.is_file()]
    assert deleted
    for path in deleted:
        path.unlink()
    assert run(tmp_path)[0] == whole[0]


def test_the_number_of_workers_changes_no_byte(whole, tmp_path: Path) -> None:
    assert run(tmp_path, workers=2)[0] == whole[0]


def test_more_iterations_cost_only_the_further_ones(whole, tmp_path: Path) -> None:
    files, _, _ = run(tmp_path, iterations=1)
    assert files == {name: content for name, content in whole[0].items() if name in files}
    written = {name: path.stat().st_mtime_ns for name, path in files_of(tmp_path).items()}
    assert run(tmp_path, iterations=3)[0] == whole[0]
    after = files_of(tmp_path)
    assert {name: after[name].stat().st_mtime_ns for name in written} == written


def test_a_finished_run_reports_the_same_figures_again(whole, tmp_path: Path) -> None:
    first = run(tmp_path, iterations=1)
    assert run(tmp_path, iterations=1)[2] == first[2] == whole[2][:3]


def test_without_a_warm_start_it_begins_at_random_weights(tmp_path: Path) -> None:
    warm_start = {**WARM_START, "enabled": False}
    files, network, figures = run(tmp_path, iterations=1, warm_start=warm_start)
    assert not any(name.startswith("warm_start/") for name in files)
    assert [figure["part"] for figure in figures] == ["self_play"]
    assert network.architecture.kind == "teacher"


def test_schedules_are_functions_of_the_iteration(whole) -> None:
    rates = [figure["curve"][-1]["learning_rate"] for figure in whole[2]]
    np.testing.assert_allclose(rates, [0.002, 0.0005, 0.001, 0.0009, 0.00081])
    assert [figure["curve"][-1]["step"] for figure in whole[2]] == [50, 60, 64, 68, 72]


def test_the_summary_counts_what_was_learned_from(whole) -> None:
    figures = summary(whole[2])
    assert figures["warm_start"]["games"] == 12 * len(BOARDS)
    assert (figures["self_play"]["games"], figures["self_play"]["iterations"]) == (18, 3)
    fresh = figures["self_play"]["fresh_games_before_training"]
    assert fresh["all"]["games"] == 6
    assert fresh["board_4"]["positions"] + fresh["board_5"]["positions"] == fresh["all"]["positions"]
    assert 0 <= fresh["all"]["value_error"] <= 4


def test_another_seed_is_another_teacher(whole, tmp_path: Path) -> None:
    settings = teacher_settings(iterations=0)
    work = work_in(tmp_path)
    other = TeacherRun(game=GAME, boards=BOARDS, settings=settings, seed=4, threads=1, work=work)
    network = other.run(ignore)
    assert not np.array_equal(network.tensors["stem.convolution.weight"], whole[1].tensors["stem.convolution.weight"])
