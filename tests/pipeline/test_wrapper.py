"""The wrapper that every stage runs in, with toy stages."""

import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from .conftest import LINEAR, TOY_PIPELINE, TOY_STAGES, Project

SLOW_LINEAR = LINEAR.replace(
    "    write_json(",
    """    import time
    run.path("models/linear.json").with_name("started").touch()
    time.sleep(SECONDS)
    write_json(""",
)


def wait_for(path: Path, seconds: float = 20.0) -> None:
    give_up = time.monotonic() + seconds
    while not path.exists():
        assert time.monotonic() < give_up, f"{path} did not appear"
        time.sleep(0.05)


def slow(make_project: Callable[..., Project], seconds: float) -> Project:
    return make_project({**TOY_STAGES, "linear": SLOW_LINEAR.replace("SECONDS", str(seconds))})


def test_a_stage_gets_its_declared_groups_typed_and_writes_its_timing(project: Project) -> None:
    project.run("python", "-m", "stages.linear")
    settings = project.settings()
    assert json.loads((project.root / "models/linear.json").read_text()) == {
        "iterations": settings["linear"]["iterations"],
        "seed": settings["common"]["seed"] + settings["linear"]["seed"],
    }
    timing = json.loads((project.root / "metrics/timing/linear.json").read_text())
    assert timing["seconds"] >= 0.0
    assert timing["processor"]


def test_timing_is_no_output_so_two_runs_leave_the_same_lock(project: Project) -> None:
    project.run("dvc", "repro", "linear")
    first = (project.root / "dvc.lock").read_bytes()
    project.run("dvc", "repro", "--force", "linear")
    assert (project.root / "dvc.lock").read_bytes() == first


def test_a_stage_that_reads_a_group_dvc_yaml_does_not_declare_is_refused(project: Project) -> None:
    project.replace("dvc.yaml", "params: [common, linear]", "params: [linear]")
    done = project.run("python", "-m", "stages.linear", check=False)
    assert done.returncode != 0
    assert "it reads common, linear and run: Run; dvc.yaml declares linear" in done.stdout


def test_a_group_that_dvc_yaml_declares_and_the_stage_does_not_read_is_refused(project: Project) -> None:
    project.replace("dvc.yaml", "params: [common, linear]", "params: [common, linear, export]")
    assert (
        "dvc.yaml declares common, export, linear" in project.run("python", "-m", "stages.linear", check=False).stdout
    )


def test_a_file_that_dvc_yaml_does_not_declare_is_refused(make_project: Callable[..., Project]) -> None:
    code = LINEAR.replace('run.path("models/linear.json")', 'run.path("models/other.json")')
    done = make_project({**TOY_STAGES, "linear": code}).run("python", "-m", "stages.linear", check=False)
    assert "stage linear does not declare models/other.json" in done.stdout


@pytest.mark.parametrize(
    ("raised", "status", "told"),
    [
        ("BadFile('data/x.npz', 'states', 7, 'legal')", 1, "stage linear: data/x.npz: states is 7; it should be legal"),
        ("KeyboardInterrupt", 130, "stage linear: interrupted; run again, it goes on where it stopped"),
    ],
)
def test_a_refused_file_and_an_interruption_end_in_one_line(
    make_project: Callable[..., Project], raised: str, status: int, told: str
) -> None:
    code = "from pocketzero.bad_file import BadFile\n" + LINEAR.replace(
        "    write_json(", f"    raise {raised}\n    write_json("
    )
    done = make_project({**TOY_STAGES, "linear": code}).run("python", "-m", "stages.linear", check=False)
    assert done.returncode == status
    assert told in done.stdout and "Traceback" not in done.stdout


def test_a_hand_edited_params_yaml_is_refused_with_file_key_and_value(project: Project) -> None:
    project.set("linear.iterations", -5)
    done = project.run("python", "-m", "stages.linear", check=False)
    assert "params.yaml: linear.iterations is -5, but must be a whole number from 1 to 100000" in done.stdout


@pytest.mark.parametrize(
    ("edit", "named"),
    [
        (lambda project: project.set("linear.iterations", 77), "params.yaml: linear"),
        (lambda project: project.replace("stages/linear.py", "import Run", "import  Run"), "stages/linear.py"),
        (lambda project: project.replace("dvc.yaml", "[stages/linear.py]", "[stages/linear.py, conf]"), "dvc.yaml"),
    ],
    ids=["a setting", "a file of code", "the declaration"],
)
def test_an_edit_while_a_stage_runs_fails_it_and_the_next_run_repeats_it(
    make_project: Callable[..., Project], edit: Callable[[Project], None], named: str
) -> None:
    project = slow(make_project, 1.5)
    running = project.start("dvc", "repro", "linear")
    wait_for(project.root / "models/started")
    edit(project)
    output, _ = running.communicate(timeout=30)
    assert running.returncode != 0
    assert "changed while the stage ran" in output
    assert named in output
    assert project.ran(project.run("dvc", "repro", "linear").stdout) == ["linear"]


def test_an_edit_of_a_setting_the_stage_does_not_declare_disturbs_nothing(make_project: Callable[..., Project]) -> None:
    project = slow(make_project, 1.5)
    running = project.start("python", "-m", "stages.linear")
    wait_for(project.root / "models/started")
    project.set("student.epochs", 77)
    output, _ = running.communicate(timeout=30)
    assert running.returncode == 0, output


@pytest.mark.parametrize("shell", ["/bin/sh", "/bin/bash"])
def test_a_stage_dies_when_dvc_is_killed_and_the_next_run_starts_at_once(
    make_project: Callable[..., Project], shell: str
) -> None:
    project = slow(make_project, 60)
    project = Project(project.root, {**project.environment, "SHELL": shell})
    running = project.start("dvc", "repro", "linear")
    wait_for(project.root / "models/started")
    stage = next(p for p in psutil.Process(running.pid).children(recursive=True) if "stages.linear" in p.cmdline()[-1])
    running.kill()
    running.wait()
    _, alive = psutil.wait_procs([stage], timeout=5)
    assert not alive
    assert not (project.root / "models/linear.json").exists()
    project.replace("stages/linear.py", "time.sleep(60)", "time.sleep(0)")
    assert project.ran(project.run("dvc", "repro", "linear").stdout) == ["linear"]


def test_a_stage_is_refused_while_another_run_of_it_lives(make_project: Callable[..., Project]) -> None:
    project = slow(make_project, 60)
    first = project.start("python", "-m", "stages.linear")
    try:
        wait_for(project.root / "models/started")
        done = project.run("python", "-m", "stages.linear", check=False)
        assert done.returncode != 0
        assert f"stage linear is already running in this checkout, as process {first.pid}" in done.stdout
    finally:
        os.killpg(first.pid, signal.SIGKILL)
        first.wait()


def test_what_a_killed_stage_left_half_written_is_removed_by_the_next_run(project: Project) -> None:
    left = project.root / "models/.partial-1-linear.json"
    project.write("models/.partial-1-linear.json", "half")
    project.run("python", "-m", "stages.linear")
    assert not left.exists()


def test_gates_are_told_when_the_stage_ends_and_failing_ones_do_not_fail_it(
    make_project: Callable[..., Project],
) -> None:
    gates = [{"name": "hard beats medium", "wanted": 0.6, "found": 0.25, "holds": False}]
    code = LINEAR.replace('{"seed"', f'{{"gates": {gates!r}, "seed"').replace(
        "models/linear.json", "metrics/linear.json"
    )
    pipeline = TOY_PIPELINE.replace("models/linear.json", "metrics/linear.json")
    project = make_project({**TOY_STAGES, "linear": code}, pipeline)
    assert "FAILS   hard beats medium: 0.25 (wanted above 0.6)" in project.run("python", "-m", "stages.linear").stdout


def test_editing_a_stage_while_it_is_still_starting_is_seen(make_project: Callable[..., Project]) -> None:
    project = make_project()
    future = time.time() + 3600
    os.utime(project.root / "stages/linear.py", (future, future))
    done = project.run("python", "-m", "stages.linear", check=False)
    assert done.returncode == 75
    assert "stages/linear.py" in done.stdout
