"""Files that are whole or absent, and work that a kill does not lose.

A long stage works in a folder of the user's cache, `work/<stage>/<hash of its inputs>/`, one atomically written file
per finished step. Run again after a kill, it finds them, continues, and ends with the same bytes.
"""

import contextlib
import fcntl
import hashlib
import json
import math
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pocketzero.bad_file import BadFile
from pocketzero.compile_cache import user_folder
from pocketzero.processes import die_with_parent

Shard = TypeVar("Shard")
Result = TypeVar("Result")

PARTIAL = ".partial-"
LIMIT_BYTES = 20 * 2**30  # of all work folders together


class WorkFull(OSError):
    """One stage's own work folder has outgrown the limit for all of them."""


@contextlib.contextmanager
def atomic(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`, with the same ending; it becomes `path` if the block ends without error.

    An OSError of the block, such as that of a full disk, names `path` where it named no file.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{PARTIAL}{os.getpid()}-{path.name}")
    try:
        yield partial
        with partial.open("rb") as file:
            os.fsync(file.fileno())
        partial.replace(path)
    except BaseException as error:
        partial.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename is None:
            error.filename = str(path)  # a failed write does not say of which file
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def remove_partial(folder: Path, ending: str = "") -> None:
    """Remove what killed writers left in `folder`; call it only where no writer can be alive."""
    for partial in folder.rglob(f"{PARTIAL}*{ending}"):
        partial.unlink(missing_ok=True)


def write_bytes(path: Path, content: bytes) -> None:
    with atomic(path) as partial:
        partial.write_bytes(content)


def write_text(path: Path, content: str) -> None:
    write_bytes(path, content.encode())


def write_json(path: Path, content: Any) -> None:
    """Write JSON with sorted keys and a final newline. Raises ValueError for NaN or infinity, which JSON has not."""
    write_text(path, json.dumps(content, sort_keys=True, indent=2, allow_nan=False, ensure_ascii=False) + "\n")


def read_json(path: Path) -> Any:
    """Raises BadFile where the file is not JSON: NaN, infinity and a key that stands twice in an object are not."""
    try:
        text = path.read_text(encoding="utf-8")
        return json.loads(text, parse_constant=_finite, parse_float=_finite, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise BadFile(path, "content", f"not readable as JSON ({error})", "one JSON value") from error


def _finite(text: str) -> float:
    if not math.isfinite(number := float(text)):
        raise ValueError(f"{text[:40]} is not a finite number")
    return number


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the key {next(name for name in names if names.count(name) > 1)!r} stands there twice")
    return members


def hash_of(inputs: Mapping[str, Any]) -> str:
    """A short name for plain values: the same for equal values, whatever the order of keys."""
    return hashlib.sha256(json.dumps(inputs, sort_keys=True, allow_nan=False).encode()).hexdigest()[:20]


class Work:
    """The folder of one stage with one set of inputs; one process at a time, a second waits for the first.

    Contract: a name, once there, has its final content. Whatever is done between two steps may be done again.
    """

    def __init__(self, folder: Path, limit_bytes: int = LIMIT_BYTES) -> None:
        """Args: folder: <root of all work>/<stage>/<hash of inputs>. limit_bytes: of everything under that root."""
        self.folder = folder
        self._limit_bytes = limit_bytes
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = _lock(folder)
        if self._lock is None:
            print(f"Another run works on the same inputs in {folder}; waiting for it.", file=sys.stderr, flush=True)
            self._lock = _lock(folder, wait=True)
        remove_partial(folder)
        os.utime(folder)
        self._prune()

    def close(self) -> None:
        """Let another process in; the end of this process does so as well."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def path(self, name: str) -> Path:
        return self.folder / name

    def has(self, name: str) -> bool:
        return self.path(name).exists()

    def step(self, name: str, make: Callable[[Path], object]) -> Path:
        """The path of `name`; unless it is there, `make` is first called with a temporary path to write to."""
        path = self.path(name)
        if not path.exists():
            with atomic(path) as partial:
                make(partial)
            self._prune()
        return path

    def map_steps(
        self,
        names: Sequence[str],
        make: Callable[[Path, Shard], object],
        shards: Sequence[Shard],
        workers: int,
        description: str,
    ) -> list[Path]:
        """`step` for many shards at once: `make(temporary path, shard)` runs in a worker for each missing name.

        Returns the paths in shard order.
        """
        missing = [(self.path(n), make, shard) for n, shard in zip(names, shards, strict=True) if not self.has(n)]
        map_shards(_make_file, missing, workers, description)
        if missing:
            self._prune()
        return [self.path(name) for name in names]

    def _prune(self) -> None:
        """Remove the folders that were used longest ago until all of them together are within the limit."""
        folders = [folder for folder in self.folder.parent.parent.glob("*/*") if folder.is_dir()]
        bytes_of = {folder: _bytes_in(folder) for folder in folders}
        total = sum(bytes_of.values())
        for folder in sorted(folders, key=lambda folder: folder.stat().st_mtime):
            if total <= self._limit_bytes:
                return
            if folder != self.folder and (lock := _lock(folder)) is not None:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(lock)
                total -= bytes_of[folder]
        if bytes_of[self.folder] > self._limit_bytes:
            raise WorkFull(f"{self.folder} holds {bytes_of[self.folder]} bytes; the limit is {self._limit_bytes}")


def _make_file(task: tuple[Path, Callable[[Path, Shard], object], Shard]) -> None:
    path, make, shard = task
    with atomic(path) as partial:
        make(partial, shard)


def _bytes_in(folder: Path) -> int:
    total = 0
    for file in folder.rglob("*"):
        with contextlib.suppress(FileNotFoundError):
            total += file.lstat().st_size
    return total


def _lock(folder: Path, wait: bool = False) -> int | None:
    """An open, locked file descriptor; None where another process holds the lock and `wait` is False."""
    descriptor = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def work_root() -> Path:
    """The folder of all work folders; `make clean-work` removes it."""
    return user_folder() / "work"


def map_shards(
    function: Callable[[Shard], Result], shards: Sequence[Shard], workers: int, description: str
) -> list[Result]:
    """The function's results in shard order, whoever computed them.

    Args: function: importable by name, its result a function of the shard alone. workers: processes; 1 for none beside
    this one, 0 for one a core. description: what the progress bar says.
    """
    import joblib
    from tqdm import tqdm

    workers = min(workers or joblib.cpu_count(), len(shards))
    if workers <= 1:
        return [function(shard) for shard in tqdm(shards, description, disable=None)]
    with joblib.parallel_config(backend="loky", inner_max_num_threads=1):
        run = joblib.Parallel(n_jobs=workers, batch_size=1, return_as="generator")
        results = run(joblib.delayed(_in_worker)(os.getpid(), function, shard) for shard in shards)
        return list(tqdm(results, description, total=len(shards), disable=None))


def _in_worker(parent: int, function: Callable[[Shard], Result], shard: Shard) -> Result:
    die_with_parent(parent)
    return function(shard)
