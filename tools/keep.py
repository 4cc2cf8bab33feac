"""Keep the models after a change of code that changes no result: `python -m tools.keep`.

A stage's deps name every file of code that it can import, so a reworded comment would retrain the teacher. This finds
the commit whose code made the recorded outputs, runs the smoke profile with that code and with the code as it is now,
both with the settings as they are now, and only where every output is the same, byte for byte, records the new code for
the old outputs.
"""

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from dvc.repo import Repo

from pocketzero.settings.base import read_yaml
from stages.verdicts import GREEN, RED, coloured
from tools import copies
from tools.check_repro import differences
from tools.closure import OURS

ROOT = Path(__file__).resolve().parent.parent
COMMITS_LOOKED_AT = 500


class CannotKeep(Exception):
    """What stands against keeping the outputs, in words."""


def refuse_other_changes(status: dict[str, list[Any]]) -> None:
    """Only code may have changed: raises CannotKeep where `dvc status` names a setting, a file of data or an output."""
    for stage, entries in status.items():
        for entry in entries:
            changes = entry.items() if isinstance(entry, dict) else [(str(entry), {})]
            for kind, paths in changes:
                other = {path: state for path, state in paths.items() if path.split("/")[0] not in OURS}
                absent_data = kind == "changed outs" and set(other.values()) <= {"deleted", "not in cache"}
                if (other and not absent_data) or not isinstance(paths, dict) or not paths:
                    raise CannotKeep(f"{stage}: {kind} {other or ''}: more than code changed, so it must run again")


def recorded_code(root: Path = ROOT) -> dict[str, str]:
    """Path -> MD5 of every file and folder of code that dvc.lock records, as DVC writes it."""
    stages = read_yaml(root / "dvc.lock")["stages"].values()
    deps = [dep for stage in stages for dep in stage.get("deps", [])]
    return {dep["path"]: dep["md5"] for dep in deps if dep["path"].split("/")[0] in OURS}


def commit_of(code: dict[str, str], root: Path = ROOT) -> str:
    """The latest commit whose files have exactly these MD5s. Raises CannotKeep where there is none."""
    for commit in _git(root, "log", f"-{COMMITS_LOOKED_AT}", "--format=%H").decode().split():
        if all(_md5_at(root, commit, path) == md5 for path, md5 in code.items()):
            return commit
    raise CannotKeep("no commit holds the code that dvc.lock records: was it committed before the models were built?")


def _md5_at(root: Path, commit: str, path: str) -> str:
    """What DVC would record for the file or folder of that commit; of nothing where it has neither."""
    names = _git(root, "ls-tree", "-r", "-z", "--name-only", commit, "--", path).decode().split("\0")[:-1]
    md5_of = {name: hashlib.md5(_git(root, "show", f"{commit}:{name}")).hexdigest() for name in sorted(names)}
    if names == [path]:
        return md5_of[path]
    listing = [{"md5": md5, "relpath": name.removeprefix(f"{path}/")} for name, md5 in md5_of.items()]
    return hashlib.md5(json.dumps(listing, sort_keys=True).encode()).hexdigest() + ".dir"


def _git(root: Path, *arguments: str) -> bytes:
    return subprocess.run(["git", "-C", root, *arguments], check=True, capture_output=True).stdout


def _smoke_hashes(target: Path) -> dict[str, str]:
    copies.compose(target, ["profile=smoke"])
    copies.reproduce(target)
    return copies.output_hashes(target)


def main() -> int:
    repo = Repo(str(ROOT))
    status = repo.status()
    if not status:
        print("Nothing changed: there is nothing to keep.")
        return 0
    try:
        refuse_other_changes(status)
        before = commit_of(recorded_code())
    except CannotKeep as error:
        print(error, file=sys.stderr)
        return 1
    print(
        f"The recorded outputs come from the code of {before[:12]}: its smoke profile first, then today's.", flush=True
    )
    old, new = copies.COPIES / "keep-before", copies.COPIES / "keep-after"
    try:
        copies.copy_working_tree(new)
        copies.copy_working_tree(old)
        copies.take_from_commit(old, before, [*OURS, "dvc.yaml"])
        different = differences(_smoke_hashes(old), _smoke_hashes(new))
    except subprocess.CalledProcessError as error:
        return error.returncode
    if different:
        print(coloured("The change makes other outputs, so nothing is kept:", RED), *different, sep="\n  ")
        return 1
    repo.commit(force=True, allow_missing=True)
    print(
        coloured("Every output is the same. dvc.lock now records the new code for the old outputs: commit it.", GREEN)
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
