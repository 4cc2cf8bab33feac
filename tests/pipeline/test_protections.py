"""Each protection does protect: without it, the test that pins it fails.

A protection is taken out of a copy of this repository (a text of a file, replaced), and the named test is run there.
"""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools import copies

ROOT = Path(__file__).resolve().parents[2]
WRAPPER, COMPOSE, SETTINGS, DAG = (
    f"tests/pipeline/test_{name}.py" for name in ("wrapper", "compose", "settings", "dag")
)
# what it protects from: (file, the protection, what stands there without it, the test that fails then)
PROTECTIONS = {
    "params.yaml that conf/ does not compose to": (
        "params.yaml",
        "  epochs: ",
        "  epochs: 1",
        f"{COMPOSE}::test_params_yaml_is_what_conf_composes_to",
    ),
    "a hand edit of params.yaml that is out of bounds": (
        "pocketzero/settings/base.py",
        'not limits["low"] <= value <= limits["high"]',
        "False",
        f"{WRAPPER}::test_a_hand_edited_params_yaml_is_refused_with_file_key_and_value",
    ),
    "names that DVC leaves out of its keys": (
        "pocketzero/settings/base.py",
        'frozenset({"size", "nfiles"})',
        "frozenset()",
        f"{SETTINGS}::test_a_tier_may_not_have_a_name_that_dvc_or_hydra_cannot_keep",
    ),
    "1, 1.0 and true, which DVC takes for the same": (
        "pocketzero/settings/base.py",
        "if type(value) is not kind:",
        "if not isinstance(value, (int, float, str)):",
        f"{SETTINGS}::test_a_wrong_value_is_refused_by_name",
    ),
    "an edit while a stage runs": (
        "stages/wrapper.py",
        "    _refuse_changed(name, before)\n",
        "",
        f"{WRAPPER}::test_an_edit_while_a_stage_runs_fails_it_and_the_next_run_repeats_it",
    ),
    "an edit while a stage is starting": (
        "stages/wrapper.py",
        "    _refuse_edited(declared)\n",
        "",
        f"{WRAPPER}::test_editing_a_stage_while_it_is_still_starting_is_seen",
    ),
    "a stage that outlives dvc": (
        "stages/wrapper.py",
        "    processes.watch_ancestors()\n",
        "",
        f"{WRAPPER}::test_a_stage_dies_when_dvc_is_killed_and_the_next_run_starts_at_once",
    ),
    "a worker that outlives its stage": (
        "pocketzero/work.py",
        "    die_with_parent(parent)\n",
        "",
        "tests/test_work.py::test_workers_die_with_the_process_that_started_them",
    ),
    "two runs of one stage at a time": (
        "stages/wrapper.py",
        "    _lock(name)\n",
        "",
        f"{WRAPPER}::test_a_stage_is_refused_while_another_run_of_it_lives",
    ),
    "half written files in their place": (
        "pocketzero/work.py",
        "        yield partial\n",
        "        yield path\n",
        "tests/test_work.py",
    ),
    "what a killed stage left": (
        "stages/wrapper.py",
        '        remove_partial((ROOT / out).parent, f"-{Path(out).name}")\n',
        "        pass\n",
        f"{WRAPPER}::test_what_a_killed_stage_left_half_written_is_removed_by_the_next_run",
    ),
    "outputs handed on from run to run": (
        "dvc.yaml",
        "models/linear.json: {cache: false}",
        "models/linear.json: {cache: false, persist: true}",
        f"{DAG}::test_no_output_is_handed_on_to_the_next_run_half_written",
    ),
    "byte code among the inputs": (
        ".dvcignore",
        "__pycache__\n*.pyc\n",
        "",
        f"{DAG}::test_byte_code_changes_nothing",
    ),
    "line ends that differ between machines": (
        ".gitattributes",
        "* text=auto eol=lf\n",
        "",
        f"{DAG}::test_git_hands_out_the_same_bytes_everywhere",
    ),
    "code that a stage imports and dvc.yaml does not name": (
        "dvc.yaml",
        "      - pocketzero/exact.py\n",
        "",
        f"{DAG}::test_deps_name_exactly_the_code_that_the_stage_can_import",
    ),
    "settings that a stage reads and dvc.yaml does not name": (
        "stages/wrapper.py",
        "or set(kinds) != set(declared.groups)",
        "",
        f"{WRAPPER}::test_a_stage_that_reads_a_group_dvc_yaml_does_not_declare_is_refused",
    ),
    "files that a stage opens and dvc.yaml does not name": (
        "stages/wrapper.py",
        'if not any(name == path or name.startswith(path.rstrip("/") + "/") for path in known):',
        "if False:",
        f"{WRAPPER}::test_a_file_that_dvc_yaml_does_not_declare_is_refused",
    ),
    "values that are still missing": (
        "pocketzero/settings/base.py",
        'if value == "???":',
        "if False:",
        f"{SETTINGS}::test_a_wrong_value_is_refused_by_name",
    ),
    "settings that depend on the machine": (
        "conf/hydra_plugins/pocketzero.py",
        "RESOLVER_CALL.search(str(value))",
        "False",
        f"{COMPOSE}::test_what_must_not_reach_a_stage_does_not_compose",
    ),
    "NaN and infinity": (
        "pocketzero/settings/base.py",
        'not limits["low"] <= value <= limits["high"]',
        'value < limits["low"] or value > limits["high"]',
        f"{SETTINGS}::test_a_wrong_value_is_refused_by_name",
    ),
    "a copy that imports the checkout it was taken from": (
        "dvc.yaml",
        "cmd: python -m stages.linear",
        "cmd: python stages/linear.py",
        f"{DAG}::test_a_stage_runs_its_own_module_from_the_folder_it_stands_in",
    ),
    "outputs outside the cache that git does not hold": (
        ".gitignore",
        "/.copies/\n",
        "/.copies/\n/models/\n",
        f"{DAG}::test_every_output_is_in_the_cache_or_in_git",
    ),
    "a cache whose files an edit in place would change": (
        ".dvc/config",
        "[core]\n",
        "[cache]\n    type = symlink\n[core]\n",
        f"{DAG}::test_an_output_edited_in_place_leaves_the_cache_as_it_is",
    ),
    "a plan that names only the stages that changed themselves": (
        "tools/plan.py",
        "if name in names or needs[name] & run:",
        "if name in names:",
        "tests/pipeline/test_tools.py::test_the_plan_names_what_hangs_from_a_change_which_dvc_status_does_not",
    ),
    "a check for stale outputs that trusts an exit code": (
        "tools/stale.py",
        "    if stale:\n",
        "    if done.returncode:\n",
        "tests/pipeline/test_tools.py::test_a_stale_output_is_found_where_the_data_is_not_there",
    ),
    "an array that runs code when it is read": (
        "pocketzero/records.py",
        "allow_pickle=False",
        "allow_pickle=True",
        "tests/hostile/test_no_pickle.py",
    ),
}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    root = tmp_path_factory.mktemp("protections") / "copy"
    copies.copy_working_tree(root)
    for command in (("init", "--quiet"), ("add", "--all"), ("commit", "--quiet", "--message", "copy")):
        subprocess.run(["git", "-c", "user.name=tests", "-c", "user.email=tests@example.invalid", *command], cwd=root)
    yield root
    shutil.rmtree(root)


@pytest.mark.parametrize("protection", PROTECTIONS)
def test_each_protection_is_where_the_table_says_and_so_is_its_test(protection: str) -> None:
    file, text, _, test = PROTECTIONS[protection]
    assert text in (ROOT / file).read_text(encoding="utf-8"), f"{text!r} is not in {file}"
    path, _, name = test.partition("::")
    assert f"def {name}(" in (ROOT / path).read_text(encoding="utf-8") if name else (ROOT / path).exists()


@pytest.mark.long
@pytest.mark.parametrize("protection", PROTECTIONS)
def test_without_the_protection_its_test_fails(copy: Path, protection: str) -> None:
    file, text, without, test = PROTECTIONS[protection]
    whole = (copy / file).read_text(encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", test]
    try:
        (copy / file).write_text(whole.replace(text, without), encoding="utf-8")
        done = subprocess.run(command, cwd=copy, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    finally:
        (copy / file).write_text(whole, encoding="utf-8")
    assert done.returncode == 1, done.stdout
    assert "1 failed" in done.stdout, done.stdout
