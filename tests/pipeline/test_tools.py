"""The tools around the stages: copies, the plan, keeping models after a harmless change, the summary."""

import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from dvc.repo import Repo

from tools import check_repro, copies, keep, plan, profile_copy, stale, summary

from .conftest import TOY_PIPELINE, Project

ROOT = Path(__file__).resolve().parents[2]


def test_make_alone_lists_every_target_with_its_purpose() -> None:
    told = subprocess.run(["make", "--no-print-directory"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for target in ("setup", "params", "models", "test", "bench", "check-repro", "keep", "clean-work"):
        assert any(line.split()[:1] == [target] and len(line.split()) > 3 for line in told.splitlines()), target


def test_requirements_are_pinned_and_each_says_why() -> None:
    pinned = {
        line.split("==")[0].lower() for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line
    }
    for line in (ROOT / "requirements.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, _, why = line.partition("#")
            assert name.strip().lower() in pinned
            assert why.strip(), f"{name} does not say why it is there"


def test_a_copy_has_the_code_as_it_is_and_nothing_that_stages_wrote(built: Project, tmp_path: Path) -> None:
    built.write("stages/new.py", "# not committed")
    before = built.state()
    target = tmp_path / "copy"
    copies.copy_working_tree(target, built.root)
    assert (target / "stages/new.py").read_text() == "# not committed"
    assert not (target / "models/linear.json").exists()
    assert not (target / "dvc.lock").exists()
    copies.compose(target, ["student.epochs=3"])
    copies.reproduce(target)
    assert "epochs=3" in (target / "models/student.txt").read_text()
    assert built.state() == before


def test_a_misspelt_game_or_profile_costs_no_earlier_copy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(copies, "COPIES", tmp_path)
    monkeypatch.setattr(sys, "argv", ["profile_copy", "smoke", "game=nope"])
    (tmp_path / "smoke").mkdir()
    (tmp_path / "smoke/left").touch()
    assert profile_copy.main() == 1
    assert (tmp_path / "smoke/left").exists()


def test_a_copy_replaces_an_earlier_one(project: Project, tmp_path: Path) -> None:
    target = tmp_path / "copy"
    target.mkdir()
    (target / "left").touch()
    copies.copy_commit(target, "HEAD", project.root)
    assert not (target / "left").exists()
    assert (target / "dvc.yaml").exists()


def test_output_hashes_are_plain_sha256_so_that_other_programs_can_check_them(project: Project) -> None:
    project.run("dvc", "repro", "linear")
    content = (project.root / "models/linear.json").read_bytes()
    assert copies.output_hashes(project.root) == {"models/linear.json": hashlib.sha256(content).hexdigest()}


def test_a_difference_between_two_runs_is_named() -> None:
    assert check_repro.differences({"a": "1", "b": "2", "c": "3"}, {"a": "1", "b": "x"}) == [
        "b: 2 and x",
        "c: 3 and missing",
    ]


def test_hashes_of_another_kind_of_processor_are_not_comparable(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "saved.json"
    file.write_text(json.dumps({"processor": "z80", "outputs": {}}))
    assert check_repro._compare_with(file, {}) == check_repro.NOT_COMPARABLE
    assert "Not comparable" in capsys.readouterr().out


def test_the_plan_names_what_hangs_from_a_change_which_dvc_status_does_not(built: Project) -> None:
    built.set("linear.iterations", 77)
    repo = Repo(str(built.root))
    changed = plan.changed_stages(repo)
    assert changed == {"linear": "linear is modified"}
    assert plan.downstream(repo, set(changed)) == ["linear", "export"]


def test_keep_records_harmless_code_for_the_old_outputs_and_nothing_runs_again(built: Project) -> None:
    outputs = {name: content for name, content in built.state().items() if name.startswith("models/")}
    built.replace("stages/linear.py", "@stage", "# a remark\n@stage")
    assert "Every output is the same" in built.run("python", "-m", "tools.keep").stdout
    assert built.run("dvc", "status").stdout.strip() == "Data and pipelines are up to date."
    assert {name: content for name, content in built.state().items() if name.startswith("models/")} == outputs


def test_keep_compares_code_alone_where_settings_changed_since_the_commit_that_it_came_from(built: Project) -> None:
    seed = built.settings()["linear"]["seed"]
    built.replace("conf/linear/default.yaml", f"seed: {seed}", f"seed: {seed + 1}")
    built.run("python", "-m", "tools.params")
    built.run("dvc", "repro")
    built.commit("other settings, made by the code of an earlier commit")
    built.replace("stages/linear.py", "@stage", "# a remark\n@stage")
    assert "Every output is the same" in built.run("python", "-m", "tools.keep").stdout


def test_keep_refuses_code_that_makes_other_outputs(built: Project) -> None:
    lock = (built.root / "dvc.lock").read_bytes()
    built.replace("stages/linear.py", '"seed": common.seed', '"seed": 1 + common.seed')
    done = built.run("python", "-m", "tools.keep", check=False)
    assert done.returncode == 1
    assert "models/linear.json" in done.stdout
    assert (built.root / "dvc.lock").read_bytes() == lock


def test_check_repro_finds_an_output_that_depends_on_the_number_of_workers(built: Project) -> None:
    assert (
        "All 3 outputs are the same with 1 and with 2 workers" in built.run("python", "-m", "tools.check_repro").stdout
    )
    built.replace("stages/linear.py", '"seed": common.seed', '"seed": run.runtime.workers + common.seed')
    built.commit("depends on workers")
    done = built.run("python", "-m", "tools.check_repro", check=False)
    assert done.returncode == 1
    assert "models/linear.json: " in done.stdout


def test_keep_finds_the_commit_whose_code_made_the_recorded_outputs(built: Project) -> None:
    made_by = built.run("git", "rev-parse", "HEAD").stdout.strip()
    built.replace("stages/linear.py", "@stage", "# a remark\n@stage")
    built.commit("a remark")
    keep.refuse_other_changes(Repo(str(built.root)).status())
    assert keep.commit_of(keep.recorded_code(built.root), built.root) == made_by


def test_keep_refuses_where_more_than_code_changed(built: Project) -> None:
    built.set("linear.iterations", 77)
    with pytest.raises(keep.CannotKeep, match=r"linear: changed deps .*params.yaml"):
        keep.refuse_other_changes(Repo(str(built.root)).status())


def test_keep_refuses_where_an_output_was_edited(built: Project) -> None:
    built.write("models/linear.json", "{}")
    with pytest.raises(keep.CannotKeep, match=r"models/linear.json"):
        keep.refuse_other_changes(Repo(str(built.root)).status())


def test_keep_refuses_where_no_commit_holds_the_recorded_code(project: Project) -> None:
    project.write("stages/linear.py", (project.root / "stages/linear.py").read_text() + "# never committed\n")
    project.run("dvc", "repro")
    project.run("git", "checkout", "--quiet", "stages/linear.py")
    with pytest.raises(keep.CannotKeep, match="no commit holds the code"):
        keep.commit_of(keep.recorded_code(project.root), project.root)


def test_a_stale_output_is_found_where_the_data_is_not_there(make_project: Callable[..., Project]) -> None:
    """As on a fresh clone, or in CI: outputs that only the cache has are missing, and that alone is not stale."""
    project = make_project(
        pipeline=TOY_PIPELINE.replace("models/linear.json: {cache: false}", "models/linear.json: {cache: true}")
    )
    project.run("dvc", "repro")
    (project.root / "models/linear.json").unlink()
    shutil.rmtree(project.root / ".dvc/cache")
    assert "Every committed output was made by these sources." in project.run("python", "-m", "tools.stale").stdout
    project.set("linear.iterations", 77)
    done = project.run("python", "-m", "tools.stale", check=False)
    assert done.returncode == 1
    assert "Not made by these sources: the outputs of linear" in done.stdout


@pytest.mark.parametrize("output", ["", "Stage 'linear' didn't change, skipping", "Everything is fine."])
def test_words_of_dvc_that_nobody_knows_are_no_proof_that_nothing_is_stale(output: str) -> None:
    with pytest.raises(ValueError, match="not clear what would become of"):
        stale.stale_stages(output, ["linear", "export"])


def test_the_summary_shows_each_player_against_the_reference_on_each_board() -> None:
    pairs = [
        {"a": "medium", "b": "easy", "board": 6, "share": 0.75},
        {"a": "hard", "b": "medium", "board": 6, "share": 0.625},
    ]
    ladder = {"strength": {"easy": -100.0, "medium": 10.0, "hard": 90.0}, "pairs": pairs}
    title, *rows = summary.strength_lines(ladder)
    assert "win share against medium, board 6" in title
    assert [row.split() for row in rows] == [["hard", "90", "0.625"], ["medium", "10", "-"], ["easy", "-100", "0.250"]]
