"""`dvc exp run`: refusals that touch nothing, experiments in folders of their own, queued sweeps."""

import time

import pytest

from .conftest import Project


@pytest.mark.parametrize(
    ("override", "named"),
    [
        ("student.epochs=abc", "student.epochs"),
        ("student.epochs=-5", "student.epochs is -5, but must be a whole number from 1"),
        ("student.epoch=3", "student.epoch"),
    ],
)
def test_a_setting_that_cannot_be_right_is_refused_by_name_and_nothing_is_touched(
    built: Project, override: str, named: str
) -> None:
    before = built.state()
    done = built.run("dvc", "exp", "run", "-S", override, check=False)
    assert done.returncode != 0
    assert named in done.stdout
    assert not built.ran(done.stdout)
    assert built.state() == before


def test_an_experiment_in_the_workspace_reruns_what_the_setting_reaches(built: Project) -> None:
    done = built.run("dvc", "exp", "run", "-S", "student.epochs=3")
    assert built.ran(done.stdout) == ["student", "export"]
    assert built.settings()["student"]["epochs"] == 3


def test_only_experiments_compose_so_a_hand_edit_of_params_yaml_is_lost_there(project: Project) -> None:
    """DVC's way, and why params.yaml is never edited by hand: `dvc repro` takes the edit, exp run drops it."""
    project.set("student.epochs", 7)
    project.run("dvc", "repro", "student")
    assert project.settings()["student"]["epochs"] == 7
    project.run("dvc", "exp", "run", "-S", "linear.epochs=3", "student")
    assert project.settings()["student"]["epochs"] != 7


def test_a_queued_sweep_runs_every_value_and_the_workspace_stays_as_it_is(built: Project) -> None:
    before = built.state()
    built.run("dvc", "exp", "run", "-S", "student.epochs=3,4", "--queue")
    built.run("dvc", "queue", "start")
    give_up = time.monotonic() + 120
    while (told := built.run("dvc", "queue", "status").stdout).count("Success") < 2:
        assert "Failed" not in told, built.run("dvc", "queue", "logs", told.split()[0], check=False).stdout
        assert time.monotonic() < give_up, told
        time.sleep(2)
    assert built.state() == before
    shown = built.run("dvc", "exp", "show", "--csv", "--only-changed").stdout
    assert {"3", "4"} <= {cell for line in shown.splitlines() for cell in line.split(",")}


@pytest.mark.xdist_group("smoke")
def test_the_whole_pipeline_builds_from_nothing_and_then_nothing_is_left_to_do(smoke: Project) -> None:
    assert smoke.run("dvc", "status").stdout.strip() == "Data and pipelines are up to date."
    assert smoke.run("git", "status", "--porcelain").stdout == ""


@pytest.mark.xdist_group("smoke")
def test_an_experiment_of_the_whole_pipeline_runs_in_a_folder_of_its_own(smoke: Project) -> None:
    before = smoke.state()
    done = smoke.run("dvc", "exp", "run", "-S", "student.epochs=3", "--temp")
    assert smoke.ran(done.stdout) == ["student", "export", "parity", "ladder"]
    assert smoke.state() == before
