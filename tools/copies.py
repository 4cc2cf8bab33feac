"""Copies of this checkout in which the pipeline runs from nothing, so that the committed settings and models stay."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from stages.declared import content_hash, files_under, read_declared

ROOT = Path(__file__).resolve().parent.parent
COPIES = ROOT / ".copies"  # ignored by git and DVC


def copy_working_tree(target: Path, root: Path = ROOT) -> None:
    """Copy every file that git tracks or would track, as it is now; an earlier copy is removed first."""
    listed = _git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    _start(target)
    for name in sorted({name for name in listed if name}):
        if (root / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, target / name)
    _finish(target)


def copy_commit(target: Path, revision: str, root: Path = ROOT) -> None:
    """Copy a commit's files; an earlier copy is removed first."""
    _start(target)
    archive = subprocess.run(["git", "-C", root, "archive", revision], check=True, capture_output=True).stdout
    subprocess.run(["tar", "-x", "-C", target], input=archive, check=True)
    _finish(target)


def take_from_commit(target: Path, revision: str, paths: Sequence[str], root: Path = ROOT) -> None:
    """Replace these files and folders of a copy by the commit's; all else stays as it is in the copy."""
    for path in map(target.joinpath, paths):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    archive = subprocess.run(["git", "-C", root, "archive", revision, *paths], check=True, capture_output=True).stdout
    subprocess.run(["tar", "-x", "-C", target], input=archive, check=True)


def compose(target: Path, overrides: list[str]) -> None:
    """Compose the copy's params.yaml from the copy's own conf/."""
    _python(target, {}, "-m", "tools.params", *overrides)


def reproduce(target: Path, cache: Path | None = None) -> None:
    """Run the copy's pipeline; with `cache`, nothing in this user's cache can help. Raises CalledProcessError."""
    _python(target, {"POCKETZERO_CACHE": str(cache)} if cache else {}, "-m", "dvc", "repro")


def output_hashes(target: Path) -> dict[str, str]:
    """SHA-256 of every file that the copy's dvc.yaml declares as an output."""
    outs = {out for declared in read_declared(target).values() for out in declared.outs}
    files = {file for out in outs for file in files_under(target / out)}
    return {str(file.relative_to(target)): content_hash(file) for file in sorted(files)}


def _start(target: Path) -> None:
    if target.exists():
        shutil.rmtree(target)
    target.mkdir(parents=True)


def _finish(target: Path) -> None:
    """Remove what stages wrote, and let DVC run here without git: the copy is no repository, its parent may be one."""
    for declared in read_declared(target).values():
        for out in declared.outs:
            path = target / out
            if path.is_dir():
                shutil.rmtree(path)
            path.unlink(missing_ok=True)
    (target / "dvc.lock").unlink(missing_ok=True)
    (target / ".dvc" / "config.local").write_text("[core]\n    no_scm = true\n", encoding="utf-8")


def _git(root: Path, *arguments: str) -> str:
    return subprocess.run(["git", "-C", root, *arguments], check=True, capture_output=True, text=True).stdout


def _python(folder: Path, environment: Mapping[str, str], *arguments: str) -> None:
    """Run this environment's Python in `folder`, its programs first on the path."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(
        [sys.executable, *arguments], cwd=folder, env={**os.environ, "PATH": path, **environment}, check=True
    )
