"""Which stages a change reruns: what dvc.yaml declares, what the code imports, and what DVC does about it."""

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from dvc.dependency import ParamsDependency
from dvc.repo import Repo

from pocketzero.settings.base import leaves, read_yaml
from stages.declared import read_declared
from tools import closure, copies, plan

from .conftest import TOY_PIPELINE, Project, hanging_from

ROOT = Path(__file__).resolve().parents[2]
STAGES = read_declared(ROOT)
LEAVES = leaves(read_yaml(ROOT / "params.yaml"))


@pytest.mark.parametrize("stage", STAGES)
def test_deps_name_exactly_the_code_that_the_stage_can_import(stage: str) -> None:
    entry = read_yaml(ROOT / "dvc.yaml")["stages"][stage]
    assert closure.declared_code(entry) == closure.stage_code(ROOT, stage), "`python -m tools.closure --write`"


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_runs_its_own_module_from_the_folder_it_stands_in(stage: str) -> None:
    """`python stages/x.py` would import another checkout under `dvc exp run --temp`."""
    assert read_yaml(ROOT / "dvc.yaml")["stages"][stage]["cmd"] == f"python -m stages.{stage}"


def test_the_closure_sees_function_level_imports_and_texts_that_name_a_module(tmp_path: Path) -> None:
    for name in ("a", "b", "c", "d", "e"):
        (tmp_path / "pocketzero" / name).mkdir(parents=True)
        (tmp_path / "pocketzero" / name / "__init__.py").write_text("")
    (tmp_path / "pocketzero" / "b" / "deep.py").write_text("from . import beside")
    (tmp_path / "pocketzero" / "b" / "beside.py").write_text("import pocketzero.c")
    (tmp_path / "start.py").write_text(
        "import typing\n"
        "if typing.TYPE_CHECKING:\n    import pocketzero.a\n"
        "def late():\n    from pocketzero.b import deep\n    return load('pocketzero.d')\n"
        "'mentions pocketzero.e in passing'\n"
    )
    assert closure.closure(tmp_path, ["start.py"]) == {
        "start.py",
        "pocketzero/b/__init__.py",
        "pocketzero/b/deep.py",
        "pocketzero/b/beside.py",
        "pocketzero/c/__init__.py",
        "pocketzero/d/__init__.py",
    }


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repo]:
    """A copy of this repository whose dvc.lock says that everything has been built, without building anything."""
    root = tmp_path_factory.mktemp("recorded") / "project"
    copies.copy_working_tree(root)
    for declared in STAGES.values():
        for out in declared.outs:
            path = root / out if Path(out).suffix else root / out / "chart.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(out)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        repo = Repo(str(root))
        repo.commit(force=True)
        assert repo.status() == {}
        yield repo


def changed(value: Any) -> Any:
    """Another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, list):
        return [*value, value[-1]] if value else [1.0]
    return {"more": 1.0} if isinstance(value, dict) else f"{value}x"


@pytest.mark.parametrize("key", [key for key in LEAVES if key != "game.source"])
def test_a_changed_setting_reruns_the_stages_that_read_it_and_what_hangs_from_them(recorded: Repo, key: str) -> None:
    file = Path(recorded.root_dir) / "params.yaml"
    before = file.read_bytes()
    content = read_yaml(file)
    *above, last = key.split(".")
    group = content
    for name in above:
        group = group[name]
    group[last] = changed(group[last])
    try:
        file.write_text(json.dumps(content))  # JSON is YAML, and is written faster
        direct = {
            stage.name
            for stage in recorded.index.stages
            if any(dep.status() for dep in stage.deps if isinstance(dep, ParamsDependency))
        }
        assert set(plan.downstream(recorded, direct)) == hanging_from(
            STAGES, {name for name, declared in STAGES.items() if above and above[0] in declared.groups}
        )
    finally:
        file.write_bytes(before)


def test_the_issue_s_own_examples() -> None:
    after_student = {"student", "export", "parity", "ladder"}
    assert hanging_from(STAGES, {name for name in STAGES if "student" in STAGES[name].groups}) == after_student
    after_linear = {"linear", "export", "parity", "ladder"}
    assert hanging_from(STAGES, {name for name in STAGES if "linear" in STAGES[name].groups}) == after_linear
    assert hanging_from(STAGES, {name for name in STAGES if "tiers" in STAGES[name].groups}) == {
        "export",
        "parity",
        "ladder",
    }


def test_another_game_file_reruns_everything(recorded: Repo) -> None:
    file = Path(recorded.root_dir) / "params.yaml"
    before = file.read_text()
    source = LEAVES["game.source"]
    try:
        file.write_text(before.replace(f"source: {source}", "source: pocketzero/games/tic_tac_toe.py"))
        assert set(plan.changed_stages(Repo(recorded.root_dir))) == set(STAGES)
    finally:
        file.write_text(before)


def test_a_changed_library_file_reruns_the_stages_that_import_it(recorded: Repo) -> None:
    file = Path(recorded.root_dir) / "pocketzero/settings/ladder.py"
    before = file.read_text()
    try:
        file.write_text(before + "\n# another line\n")
        assert set(plan.changed_stages(Repo(recorded.root_dir))) == {"ladder"}
    finally:
        file.write_text(before)


def test_byte_code_changes_nothing(recorded: Repo) -> None:
    source = Path(recorded.root_dir) / LEAVES["game.source"]
    (source / "__pycache__").mkdir(exist_ok=True)
    (source / "__pycache__" / "rules.cpython-311.pyc").write_bytes(b"compiled")
    assert Repo(recorded.root_dir).status() == {}


def test_dvc_really_reruns_those_stages_and_no_others(built: Project) -> None:
    built.set("linear.epochs", 3)
    built.set("runtime.workers", 1)
    assert built.ran(built.run("dvc", "repro").stdout) == ["linear"], "its output has the old bytes"
    built.set("student.learning_rate", 0.5)
    assert built.ran(built.run("dvc", "repro").stdout) == ["student", "export"]


def test_no_output_is_handed_on_to_the_next_run_half_written() -> None:
    """`persist` would hand a stage what a killed one left; what may be gone on with lies in the work folder."""
    entries = [entry for stage in read_yaml(ROOT / "dvc.yaml")["stages"].values() for entry in outputs_of(stage)]
    assert entries
    assert [entry for entry in entries if isinstance(entry, dict) and "persist" in next(iter(entry.values()))] == []


def outputs_of(stage: dict[str, Any]) -> list[Any]:
    return [entry for kind in ("outs", "metrics", "plots") for entry in stage.get(kind, [])]


def git(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True)


def test_git_hands_out_the_same_bytes_everywhere() -> None:
    files = git("ls-files").stdout.splitlines()
    told = git("check-attr", "text", "eol", "--", *files).stdout.splitlines()
    attributes = {tuple(line.split(": ")[:2]): line.split(": ")[2] for line in told}
    converted = [file for file in files if attributes[file, "text"] != "unset" and attributes[file, "eol"] != "lf"]
    assert files and not converted


def test_every_output_is_in_the_cache_or_in_git() -> None:
    """An experiment in a folder of its own sees only what is in git, or can be taken out of the cache."""
    for stage in read_yaml(ROOT / "dvc.yaml")["stages"].values():
        for entry in outputs_of(stage):
            name, options = next(iter(entry.items())) if isinstance(entry, dict) else (entry, {})
            is_ignored = git("check-ignore", "--quiet", "--no-index", name).returncode == 0
            assert is_ignored == options.get("cache", True), name
    assert git("ls-files", "data/.gitignore").stdout, "a first run that fails would leave data for git to find"


def test_an_output_edited_in_place_leaves_the_cache_as_it_is(make_project: Callable[..., Project]) -> None:
    project = make_project(
        pipeline=TOY_PIPELINE.replace("models/linear.json: {cache: false}", "models/linear.json: {cache: true}")
    )
    project.run("dvc", "repro")
    built = (project.root / "models/linear.json").read_bytes()
    with (project.root / "models/linear.json").open("r+b") as file:
        file.write(b"[edited in place]")
    project.run("dvc", "checkout", "--force", "models/linear.json")
    assert (project.root / "models/linear.json").read_bytes() == built
