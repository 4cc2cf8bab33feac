"""Killed anywhere, the pipeline ends with the same bytes as a run that nobody touched."""

import json
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from .conftest import Project, environment_for

PHASES = ("teacher", "teacher_data", "student", "linear")
VICTIMS = ("stage", "worker", "dvc")
KILLS = 32
DEATH_SECONDS = 10.0
pytestmark = pytest.mark.xdist_group("smoke")


@pytest.fixture
def unbuilt(smoke: Project, tmp_path: Path) -> Project:
    """The smoke profile with nothing built and no work done, but what numba compiled."""
    root = tmp_path / "project"
    shutil.copytree(smoke.root, root, symlinks=True)
    project = Project(root, environment_for(root))
    clear(project)
    return project


def clear(project: Project) -> None:
    """Back to before the first run."""
    for folder in (".cache/work", ".dvc/cache", ".dvc/tmp"):
        shutil.rmtree(project.root / folder, ignore_errors=True)
    for out in project.outputs(*PHASES):
        path = project.root / out
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    (project.root / "dvc.lock").unlink(missing_ok=True)


def seconds_of(project: Project, phase: str) -> float:
    """How long the stage took when nobody disturbed it."""
    return float(json.loads((project.root / f"metrics/timing/{phase}.json").read_text())["seconds"])


def stage_processes(running: subprocess.Popen[str], phase: str) -> list[psutil.Process]:
    """The stage's process and its workers; none where it does not run now."""
    processes = [process for process in descendants(running) if f"stages.{phase}" in command(process)]
    return [processes[-1], *processes[-1].children(recursive=True)] if processes else []


def descendants(running: subprocess.Popen[str]) -> list[psutil.Process]:
    try:
        return psutil.Process(running.pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def command(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except (psutil.NoSuchProcess, psutil.ZombieProcess):
        return []


def kill_in(project: Project, phase: str, wait: float, victim: str, instants: Iterator[float]) -> str:
    """Run the pipeline, wait so long into the phase, and kill the victim; what was killed, or "" where it had ended.

    Whoever is left of the run must die too, and soon.
    """
    running = project.start("dvc", "repro", *PHASES)
    try:
        while running.poll() is None and not stage_processes(running, phase):
            time.sleep(0.02)
        time.sleep(wait)
        found = [process for process in stage_processes(running, phase) if process.is_running()]
        everyone = descendants(running)
        if running.poll() is not None or not found:
            return ""
        chosen = {"dvc": psutil.Process(running.pid), "stage": found[0]}.get(victim)
        if chosen is None:
            chosen = found[int(next(instants) * len(found))]
        name = f"{victim} {chosen.pid} of {phase}"
        try:
            chosen.send_signal(signal.SIGKILL)
        except psutil.NoSuchProcess:
            return ""
        running.communicate(timeout=60)
        _, alive = psutil.wait_procs(everyone, timeout=DEATH_SECONDS)
        assert not alive, f"{name} was killed, and {[command(process) for process in alive]} lived on"
        return name
    finally:
        running.kill()
        running.communicate()


def assert_ends_alike(project: Project, wanted: dict[str, str], killed: list[str]) -> None:
    done = project.run("dvc", "repro", *PHASES, check=False)
    assert done.returncode == 0, f"after {killed}:\n{done.stdout}"
    assert project.hashes(*PHASES) == wanted, f"after {killed}"
    left = [str(path) for path in project.root.rglob(".partial-*")]
    assert not left, f"after {killed}"


def test_killed_once_in_every_phase_the_next_run_ends_with_the_same_bytes(smoke: Project, unbuilt: Project) -> None:
    instants = iter([0.99])
    killed = [
        kill_in(unbuilt, phase, 0.5 * seconds_of(smoke, phase), victim, instants)
        for phase, victim in zip(PHASES, ("worker", "dvc", "stage", "dvc"), strict=True)
    ]
    assert all(killed), killed
    assert_ends_alike(unbuilt, smoke.hashes(*PHASES), killed)


@pytest.mark.long
def test_killed_at_random_instants_it_ends_with_the_same_bytes_every_time(smoke: Project, unbuilt: Project) -> None:
    chance = random.Random(20261207)
    instants = iter(chance.random, None)
    wanted, total = smoke.hashes(*PHASES), 0
    while total < KILLS:
        killed: list[str] = []
        for phase in PHASES:
            for _ in range(chance.randint(1, 3)):
                wait = chance.random() * seconds_of(smoke, phase)
                killed.append(kill_in(unbuilt, phase, wait, chance.choice(VICTIMS), instants))
                if not killed[-1]:
                    break
        total += len([name for name in killed if name])
        assert_ends_alike(unbuilt, wanted, killed)
        clear(unbuilt)
