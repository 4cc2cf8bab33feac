"""Files that are whole or absent, and steps that a kill does not lose."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pocketzero import processes, work

ROOT = Path(__file__).resolve().parents[1]


def square(number: int) -> int:
    return number * number


def write_square(path: Path, number: int) -> None:
    path.write_text(str(number * number))


def fail_on_three_when_one_is_there(path: Path, number: int) -> None:
    if number == 3:
        for _ in range(600):  # the first worker may have started last
            if (path.parent / "one").exists():
                raise ArithmeticError(number)
            time.sleep(0.1)
    write_square(path, number)


def test_a_file_is_there_only_when_its_block_has_ended_well(tmp_path: Path) -> None:
    path = tmp_path / "a" / "file.npz"
    with work.atomic(path) as partial:
        assert partial.suffix == ".npz"
        partial.write_text("whole")
        assert not path.exists()
    assert path.read_text() == "whole"


def test_a_block_that_fails_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")

    def fail() -> None:
        with work.atomic(path) as partial:
            partial.write_text("half")
            raise ArithmeticError

    with pytest.raises(ArithmeticError):
        fail()
    assert [file.name for file in tmp_path.iterdir()] == ["file"]
    assert path.read_text() == "old"


def test_json_has_sorted_keys_a_final_newline_and_no_nan(tmp_path: Path) -> None:
    work.write_json(tmp_path / "a.json", {"b": 1.0, "a": 0.1 + 0.2})
    assert (tmp_path / "a.json").read_text() == '{\n  "a": 0.30000000000000004,\n  "b": 1.0\n}\n'
    with pytest.raises(ValueError, match="not JSON compliant"):
        work.write_json(tmp_path / "a.json", {"a": float("nan")})
    assert json.loads((tmp_path / "a.json").read_text())["b"] == 1.0


@pytest.mark.parametrize("content", ['{"a": NaN}', '{"a": 1', ""])
def test_json_that_is_none_is_refused_with_the_file_s_name(tmp_path: Path, content: str) -> None:
    (tmp_path / "a.json").write_text(content)
    with pytest.raises(ValueError, match=r"a\.json: content is not readable as JSON"):
        work.read_json(tmp_path / "a.json")


def test_a_step_is_made_once(tmp_path: Path) -> None:
    folder = work.Work(tmp_path / "work" / "stage" / "hash")
    made = []
    for _ in range(2):
        path = folder.step("one", lambda path: (made.append(1), path.write_text("content")))
        assert path.read_text() == "content"
    assert made == [1]
    folder.close()


@pytest.mark.parametrize("workers", [1, 2])
def test_shards_come_back_in_their_order_whoever_computed_them(workers: int) -> None:
    assert work.map_shards(square, [3, 1, 2], workers, "squares") == [9, 1, 4]


@pytest.mark.parametrize("workers", [1, 2])
def test_finished_shards_survive_the_failure_of_another(tmp_path: Path, workers: int) -> None:
    folder = work.Work(tmp_path / "work" / "stage" / "hash")
    names = ["one", "two", "three"]
    with pytest.raises(ArithmeticError):
        folder.map_steps(names, fail_on_three_when_one_is_there, [1, 2, 3], workers, "squares")
    before = folder.path("one").stat().st_mtime_ns
    paths = folder.map_steps(names, write_square, [1, 2, 3], workers, "squares")
    assert [path.read_text() for path in paths] == ["1", "4", "9"]
    assert folder.path("one").stat().st_mtime_ns == before
    folder.close()


def test_a_second_process_waits_for_the_first(tmp_path: Path) -> None:
    folder = tmp_path / "work" / "stage" / "hash"
    first = work.Work(folder)
    code = f"from pathlib import Path; from pocketzero.work import Work; Work(Path({str(folder)!r})); print('in')"
    second = subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert second.stderr is not None
    assert "waiting for it" in second.stderr.readline()
    first.close()
    output, _ = second.communicate(timeout=30)
    assert output == "in\n"


def test_half_written_files_of_a_killed_process_are_gone_when_the_work_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "work" / "stage" / "hash"
    folder.mkdir(parents=True)
    (folder / f"{work.PARTIAL}1-one").write_text("half")
    work.Work(folder).close()
    assert not list(folder.glob(f"{work.PARTIAL}*"))


def test_the_folders_used_longest_ago_make_room(tmp_path: Path) -> None:
    root = tmp_path / "work" / "stage"
    for age, name in enumerate(("new", "older", "oldest")):
        (root / name).mkdir(parents=True)
        (root / name / "file").write_bytes(bytes(400))
        past = time.time() - 1000 * (age + 1)
        os.utime(root / name, (past, past))
    folder = work.Work(root / "current", limit_bytes=1000)
    folder.step("file", lambda path: path.write_bytes(bytes(400)))
    assert sorted(path.name for path in root.iterdir()) == ["current", "new"]
    folder.close()


def test_a_folder_that_another_process_works_in_is_not_removed(tmp_path: Path) -> None:
    root = tmp_path / "work" / "stage"
    busy = work.Work(root / "busy", limit_bytes=1000)
    busy.step("file", lambda path: path.write_bytes(bytes(900)))
    folder = work.Work(root / "current", limit_bytes=1000)
    folder.step("file", lambda path: path.write_bytes(bytes(900)))
    assert busy.has("file")
    busy.close()
    folder.close()


def test_work_that_outgrows_the_limit_alone_is_an_error_that_says_so(tmp_path: Path) -> None:
    folder = work.Work(tmp_path / "work" / "stage" / "hash", limit_bytes=1000)
    with pytest.raises(work.WorkFull, match="the limit is 1000"):
        folder.step("file", lambda path: path.write_bytes(bytes(2000)))
    folder.close()


def test_workers_die_with_the_process_that_started_them() -> None:
    code = (
        "import os, sys, time\n"
        "from pocketzero import work\n"
        "sys.path.insert(0, 'tests')\n"
        "import test_work\n"
        "work.map_shards(test_work.tell_and_sleep, [1, 2], 2, 'sleeping')\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    workers = [int(parent.stdout.readline()) for _ in range(2)]
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    give_up = time.monotonic() + 10
    while any(alive(worker) for worker in workers):
        assert time.monotonic() < give_up
        time.sleep(0.05)


def tell_and_sleep(_: int) -> None:
    os.write(1, f"{os.getpid()}\n".encode())  # one write a line, so that two workers' lines stay whole
    time.sleep(60)


def alive(process: int) -> bool:
    stat = Path(f"/proc/{process}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


def test_the_hash_of_inputs_does_not_depend_on_their_order_and_tells_types_apart() -> None:
    assert work.hash_of({"a": 1, "b": 2}) == work.hash_of({"b": 2, "a": 1})
    assert len({work.hash_of({"a": value}) for value in (1, 1.0, True, "1")}) == 4


def test_the_kind_of_processor_names_the_architecture() -> None:
    assert os.uname().machine in processes.processor()
