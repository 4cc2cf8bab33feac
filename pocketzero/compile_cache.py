"""Where compiled code is kept between runs: a folder of the user's cache, named after the sources that made it.

Numba renews what it kept when a function's own file changes, not when a function or constant that the file imports
does; it would then run stale code, silently. So the folder's name is a hash of every source that may be compiled, and
the same sources in another checkout find the same compiled code.
"""

import hashlib
import os
import shutil
from pathlib import Path

import platformdirs

PACKAGE = Path(__file__).parent
KEPT_FOLDERS = 16  # about 3 MB each


def user_folder() -> Path:
    """The folder for all that can be made again: POCKETZERO_CACHE, else the platform's cache folder for this user."""
    return Path(os.environ.get("POCKETZERO_CACHE") or platformdirs.user_cache_dir("pocketzero"))


def compiled_sources() -> list[Path]:
    """The library's files that hold compiled code or that compiled code may take constants from: all games, and every
    file that mentions numba or the decorators of games/compiled.py."""
    return [path for path in sorted(PACKAGE.rglob("*.py")) if _may_be_compiled(path)]


def _may_be_compiled(path: Path) -> bool:
    source = path.read_bytes()
    return "games" in path.relative_to(PACKAGE).parts or b"numba" in source or b"games.compiled" in source


def sources_hash() -> str:
    digest = hashlib.sha256()
    for path in compiled_sources():
        digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def use() -> None:
    """Point numba, in this process and its children, at the folder that belongs to these sources."""
    folder = user_folder() / "numba" / sources_hash()
    if not folder.exists():
        folder.mkdir(parents=True, exist_ok=True)
        by_age = sorted(folder.parent.iterdir(), key=lambda path: path.stat().st_mtime)
        for old in by_age[:-KEPT_FOLDERS]:
            shutil.rmtree(old, ignore_errors=True)  # another process may be deleting it too
    os.environ["NUMBA_CACHE_DIR"] = str(folder)
    os.environ["NUMBA_CACHE_LOCATOR_CLASSES"] = "pocketzero.compile_locator.ContentLocator"
