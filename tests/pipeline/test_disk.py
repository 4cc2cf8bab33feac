"""A full disk, or one that is not writable: one clear error, what was good stays, and mended, the run goes on."""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .conftest import LINEAR, TOY_STAGES, Project

SMALL = 64 * 1024
BIG_LINEAR = LINEAR.replace('{"seed"', '{"filling": "x" * (linear.iterations // 1000 * 1000), "seed"')
STEPS_LINEAR = LINEAR.replace(
    "    write_json(",
    """    for number in range(3):
        run.work().step(f"{number}", lambda path: path.write_bytes(bytes(linear.iterations // 1000 * 1000)))
    write_json(""",
)
Mount = Callable[..., None]


@pytest.fixture
def mount() -> Iterator[Mount]:
    """mount(folder): its content on a small disk of its own; again with read_only=True: nobody can write there now."""
    mounted: list[Path] = []

    def run(folder: Path, size: int = SMALL, read_only: bool = False) -> None:
        options = f"size={size}" + (",ro,remount" if read_only else "")
        kept = folder.parent / f"{folder.name}-kept"
        if not read_only:
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copytree(folder, kept)
        command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            pytest.skip(f"a disk of its own takes the right to mount: {done.stderr.strip()}")
        if not read_only:
            mounted.append(folder)
            shutil.copytree(kept, folder, dirs_exist_ok=True)
            shutil.rmtree(kept)

    yield run
    for folder in mounted:
        subprocess.run(["umount", "--lazy", folder], check=True)


def build(project: Project) -> dict[str, bytes]:
    """Build and commit it; its files."""
    project.run("dvc", "repro")
    project.commit("built")
    return project.state()


def errors(output: str) -> list[str]:
    return [line for line in output.splitlines() if line.startswith("stage ") or "Traceback" in line]


def test_a_full_disk_is_one_clear_error_and_costs_nothing_that_was_good(
    make_project: Callable[..., Project], mount: Mount
) -> None:
    project = make_project({**TOY_STAGES, "linear": BIG_LINEAR})
    project.set("linear.iterations", 1)
    good = build(project)
    mount(project.root / "models")
    project.set("linear.iterations", 100_000)
    done = project.run("dvc", "repro", check=False)
    assert done.returncode != 0
    (error,) = errors(done.stdout)
    assert error.startswith(f"stage linear: No space left on device: {project.root}/models/linear.json. Nothing half")
    assert not list((project.root / "models").glob(".partial-*"))
    project.run("git", "restore", "models", "params.yaml")
    assert project.state() == good
    assert project.run("dvc", "status").stdout.strip() == "Data and pipelines are up to date."


def test_a_full_cache_keeps_the_finished_steps_and_the_next_run_goes_on_from_them(
    make_project: Callable[..., Project], mount: Mount
) -> None:
    project = make_project({**TOY_STAGES, "linear": STEPS_LINEAR})
    project.set("linear.iterations", 24_000)  # two steps of these bytes have room, and three have not
    cache = Path(project.environment["POCKETZERO_CACHE"])
    mount(cache)
    done = project.run("dvc", "repro", "linear", check=False)
    assert done.returncode != 0
    (error,) = errors(done.stdout)
    assert error.startswith("stage linear: No space left on device: ") and "/work/linear/" in error
    steps = {file.name: file.stat().st_mtime_ns for file in cache.rglob("work/linear/*/?")}
    assert sorted(steps) == ["0", "1"]
    subprocess.run(["mount", "-o", f"remount,size={4 * SMALL}", cache], check=True)
    project.run("dvc", "repro", "linear")
    now = {file.name: file.stat().st_mtime_ns for file in cache.rglob("work/linear/*/?")}
    assert sorted(now) == ["0", "1", "2"]
    assert {name: now[name] for name in steps} == steps


@pytest.mark.parametrize("folder", ["models", ".cache", "."])
def test_a_folder_that_is_not_writable_is_one_clear_error_and_nothing_changes(
    make_project: Callable[..., Project], mount: Mount, folder: str
) -> None:
    project = make_project({**TOY_STAGES, "linear": STEPS_LINEAR})
    project.set("linear.iterations", 1000)
    build(project)
    project.set("linear.iterations", 2000)
    before = project.state()
    mount(project.root / folder, size=2**26)
    mount(project.root / folder, size=2**26, read_only=True)
    done = project.run("dvc", "repro", check=False)
    assert done.returncode != 0
    assert "Traceback" not in done.stdout
    assert "Read-only file system" in done.stdout
    kept = {name: content for name, content in project.state().items() if name != "models/linear.json"}
    assert kept == {name: content for name, content in before.items() if name != "models/linear.json"}
