"""Small projects of their own, with this repository's settings and wrapper and toy stages that take no time."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from pocketzero.settings.base import read_yaml
from stages.declared import Declared, content_hash, read_declared
from tools import copies

ROOT = Path(__file__).resolve().parents[2]
BORROWED = (
    ".dvc/config",
    ".dvc/.gitignore",
    ".dvcignore",
    ".gitignore",
    ".gitattributes",
    "conf",
    "data/.gitignore",
    "pocketzero/__init__.py",
    "pocketzero/bad_file.py",
    "pocketzero/compile_cache.py",
    "pocketzero/compile_locator.py",
    "pocketzero/processes.py",
    "pocketzero/settings",
    "pocketzero/work.py",
    "pocketzero/games/tic_tac_toe.py",
    "stages/__init__.py",
    "tools/check_repro.py",
    "tools/closure.py",
    "tools/copies.py",
    "stages/declared.py",
    "tools/keep.py",
    "tools/params.py",
    "tools/plan.py",
    "tools/stale.py",
    "stages/verdicts.py",
    "stages/wrapper.py",
    "tools/__init__.py",
)
TOY_PIPELINE = """
stages:
  linear:
    cmd: python -m stages.linear
    params: [common, linear]
    deps: [stages/linear.py]
    outs:
      - models/linear.json: {cache: false}
  student:
    cmd: python -m stages.student
    params: [common, student]
    deps: [stages/student.py]
    outs:
      - models/student.txt: {cache: false}
  export:
    cmd: python -m stages.export
    params: [export]
    deps: [stages/export.py, models/linear.json, models/student.txt]
    outs:
      - models/release.txt: {cache: false}
"""
LINEAR = """
from pocketzero.settings.common import Common
from pocketzero.settings.linear import Linear
from pocketzero.work import write_json
from stages.wrapper import Run, stage

@stage
def linear(common: Common, linear: Linear, run: Run) -> None:
    write_json(run.path("models/linear.json"), {"seed": common.seed + linear.seed, "iterations": linear.iterations})

if __name__ == "__main__":
    linear()
"""
STUDENT = """
from pocketzero.settings.common import Common
from pocketzero.settings.student import Student
from pocketzero.work import write_text
from stages.wrapper import Run, stage

@stage
def student(common: Common, student: Student, run: Run) -> None:
    write_text(run.path("models/student.txt"), f"{student}")

if __name__ == "__main__":
    student()
"""
EXPORT = """
from pocketzero.settings.export import Export
from pocketzero.work import write_text
from stages.wrapper import Run, stage

@stage
def export(export: Export, run: Run) -> None:
    parts = [run.path(name).read_text() for name in ("models/linear.json", "models/student.txt")]
    write_text(run.path("models/release.txt"), f"{export} {parts}")

if __name__ == "__main__":
    export()
"""
TOY_STAGES = {"linear": LINEAR, "student": STUDENT, "export": EXPORT}


@dataclass(frozen=True)
class Project:
    """A git and DVC repository in a temporary folder."""

    root: Path
    environment: Mapping[str, str]

    def run(self, *command: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run a command in the project; its output, both streams together, as text."""
        done = subprocess.run(
            command, cwd=self.root, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        assert done.returncode == 0 or not check, done.stdout
        return done

    def start(self, *command: str) -> subprocess.Popen[str]:
        """Start a command in a process group of its own."""
        return subprocess.Popen(
            command,
            cwd=self.root,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def ran(self, output: str) -> list[str]:
        """The stages that a `dvc repro` or `dvc exp run` says it ran, in order."""
        return [line.split("'")[1] for line in output.splitlines() if line.startswith("Running stage '")]

    def write(self, name: str, content: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)

    def replace(self, name: str, old: str, new: str) -> None:
        content = (self.root / name).read_text()
        assert old in content, f"{old!r} is not in {name}"
        self.write(name, content.replace(old, new))

    def outputs(self, *stages: str) -> list[str]:
        """What these stages write, or all of them."""
        declared = read_declared(self.root)
        return [out for name in stages or declared for out in declared[name].outs]

    def hashes(self, *stages: str) -> dict[str, str]:
        """The content of what these stages wrote, or all of them."""
        return {out: content_hash(self.root / out) for out in self.outputs(*stages)}

    def settings(self) -> dict[str, Any]:
        """The content of params.yaml."""
        return read_yaml(self.root / "params.yaml")

    def set(self, key: str, value: object) -> None:
        """Edit params.yaml by hand, so to say."""
        content = self.settings()
        group, name = key.split(".")
        content[group][name] = value
        with (self.root / "params.yaml").open("w") as file:
            YAML(typ="safe", pure=True).dump(content, file)

    def commit(self, message: str) -> None:
        self.run("git", "add", "--all")
        self.run("git", "commit", "--quiet", "--message", message)

    def state(self) -> dict[str, bytes]:
        """Every file but git's and DVC's own."""
        files = (f for f in self.root.rglob("*") if f.is_file() and "__pycache__" not in f.parts)
        own = {str(f.relative_to(self.root)): f.read_bytes() for f in files}
        return {name: content for name, content in own.items() if not name.startswith((".git/", ".dvc/", ".cache/"))}


def hanging_from(stages: Mapping[str, Declared], names: set[str]) -> set[str]:
    """The named ones of these stages and all that read their outputs, worked out from the declared files alone."""
    run = set(names)
    while more := {
        name
        for name, declared in stages.items()
        if name not in run and any(set(declared.deps) & set(stages[above].outs) for above in run)
    }:
        run |= more
    return run


def environment_for(root: Path) -> dict[str, str]:
    """This environment's Python first on the path, this user's git identity and caches out of the way."""
    ours = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "POCKETZERO_CACHE": str(root / ".cache"),
        "SHELL": "/bin/sh",
        "PYTHONDONTWRITEBYTECODE": "1",
        **{f"GIT_{who}_{what}": f"tests{'@example.invalid' if what == 'EMAIL' else ''}"
           for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    }  # fmt: skip
    return {**{name: value for name, value in os.environ.items() if not name.startswith(("DVC_", "GIT_"))}, **ours}


@pytest.fixture(scope="session")
def borrowed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the toy projects take from this repository, its params.yaml composed."""
    root = tmp_path_factory.mktemp("borrowed")
    for name in BORROWED:
        source, target = ROOT / name, root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(source, target)
    project = Project(root, environment_for(root))
    project.replace(".gitignore", "/.venv/", "/.venv/\n/.cache/")
    project.run("python", "-m", "tools.params")
    return root


def toy(borrowed: Path, root: Path, stages: Mapping[str, str], pipeline: str) -> Project:
    """A committed toy project in `root` that has not run yet."""
    shutil.copytree(borrowed, root)
    project = Project(root, environment_for(root))
    project.write("dvc.yaml", pipeline)
    for name, code in stages.items():
        project.write(f"stages/{name}.py", code)
    project.run("git", "init", "--quiet", "--initial-branch=main")
    project.commit("toy")
    return project


@pytest.fixture
def make_project(borrowed: Path, tmp_path: Path) -> Callable[..., Project]:
    """make_project(stages={name: code}, pipeline=text of dvc.yaml): a committed project that has not run yet."""

    def make(stages: Mapping[str, str] = TOY_STAGES, pipeline: str = TOY_PIPELINE) -> Project:
        return toy(borrowed, tmp_path / "project", stages, pipeline)

    return make


@pytest.fixture
def project(make_project: Callable[..., Project]) -> Project:
    """The toy pipeline: linear and student, and export from both."""
    return make_project()


@pytest.fixture(scope="session")
def built_once(borrowed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = toy(borrowed, tmp_path_factory.mktemp("built") / "project", TOY_STAGES, TOY_PIPELINE)
    project.run("dvc", "repro")
    project.commit("built")
    return project.root


@pytest.fixture
def built(built_once: Path, tmp_path: Path) -> Project:
    """The toy pipeline, built and committed."""
    root = tmp_path / "project"
    shutil.copytree(built_once, root, symlinks=True)
    return Project(root, environment_for(root))


@pytest.fixture(scope="session")
def smoke(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """This repository's own pipeline in a copy, its smoke profile built from nothing and committed."""
    root = tmp_path_factory.mktemp("smoke") / "project"
    copies.copy_working_tree(root)
    project = Project(root, environment_for(root))
    (root / ".dvc" / "config.local").unlink()
    project.replace(".gitignore", "/.venv/", "/.venv/\n/.cache/")
    project.run("git", "init", "--quiet", "--initial-branch=main")
    # so that `dvc exp run -S` composes the small profile too
    project.replace("conf/config.yaml", "profile: ship", "profile: smoke")
    project.run("python", "-m", "tools.params")
    project.commit("before the first run")
    project.run("dvc", "repro")
    project.commit("built")
    return project
