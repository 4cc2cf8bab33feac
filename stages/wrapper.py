"""What every stage runs in: it may read its declared settings and files only, and they may not change meanwhile.

    @stage
    def student(common: Common, game: Game, student: Student, run: Run) -> None: ...

DVC records the inputs that it finds when a stage has ended, so an edit during the run would be recorded as the input of
an output that never saw it: the wrapper compares its inputs before and after, and fails the stage where they differ.
Killing DVC leaves its stages alone with the files: a stage dies with who started it, and holds a lock while it lives.
"""

import errno
import fcntl
import functools
import importlib.metadata
import logging
import os
import platform
import sys
import time
import typing
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pocketzero import processes
from pocketzero.bad_file import BadFile
from pocketzero.settings.base import BadSetting, leaves, load, read_yaml
from pocketzero.settings.runtime import Runtime
from pocketzero.work import Work, WorkFull, hash_of, read_json, remove_partial, work_root, write_json
from stages.declared import PARAMS, Declared, content_hash, files_under, read_declared, snapshot
from stages.verdicts import verdict_lines

ROOT = Path(__file__).resolve().parent.parent
STARTED = time.time()
LOCK_SECONDS = 10.0  # an orphan of a killed run needs a moment to die
INPUT_CHANGED, INTERRUPTED = 75, 130  # exit statuses
DISK_FAULTS = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM}
LIBRARIES = ("joblib", "numba", "numpy", "onnx", "onnxruntime", "safetensors", "torch")


class NotDeclared(Exception):
    """A stage asked for something that dvc.yaml does not declare for it."""


class Run:
    """What a stage is given beside its settings.

    Attributes: name of the stage; runtime: settings that change no output; processor: kind of processor, which every
    stage records beside its figures.
    """

    def __init__(self, name: str, declared: Declared, runtime: Runtime) -> None:
        self.name, self.runtime = name, runtime
        self.processor = processes.processor() + (" cuda" if runtime.device == "cuda" else "")
        self.resumed = False
        self.figures: dict[str, Any] = {}
        self._declared = declared
        self._work: Work | None = None

    def path(self, name: str) -> Path:
        """A declared dependency or output, or a file under a declared folder, named as in dvc.yaml."""
        known = (*self._declared.deps, *self._declared.outs)
        if not any(name == path or name.startswith(path.rstrip("/") + "/") for path in known):
            raise NotDeclared(f"dvc.yaml: stage {self.name} does not declare {name}; it may use " + ", ".join(known))
        path = ROOT / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def work(self, without: tuple[str, ...] = ()) -> Work:
        """The folder where this stage's finished steps survive a kill, named by a hash of all that decides their bytes.

        Args: without: dotted settings that do not change a finished step, such as a number of iterations.
        """
        if self._work is None:
            params = read_yaml(ROOT / PARAMS)
            settings = leaves({group: params[group] for group in self._declared.groups})
            for key in without:
                if key not in settings:
                    raise NotDeclared(f"{PARAMS}: {key} is not a setting of stage {self.name}")
                del settings[key]
            inputs = {
                "settings": settings,
                "files": {dep: content_hash(ROOT / dep) for dep in self._declared.deps},
                "python": platform.python_version(),
                "libraries": {library: importlib.metadata.version(library) for library in LIBRARIES},
                "processor": self.processor,
            }
            folder = work_root() / self.name / hash_of(inputs)
            self.resumed = folder.exists() and any(file.name != ".lock" for file in folder.iterdir())
            self._work = Work(folder)
        return self._work

    def measure(self, **figures: float) -> None:
        """Add wall-clock figures to metrics/timing/<stage>.json, which reproducibility checks leave out."""
        self.figures.update(figures)


def stage(function: Callable[..., None]) -> Callable[[], None]:
    """Make the function the stage of its own name: its parameters are the declared settings groups, and `run`."""

    @functools.wraps(function)
    def run_stage() -> None:
        try:
            _run(function)
        except (BadSetting, BadFile, NotDeclared, WorkFull) as error:
            sys.exit(f"stage {function.__name__}: {error}")
        except OSError as error:
            if error.errno not in DISK_FAULTS:
                raise
            sys.exit(
                f"stage {function.__name__}: {error.strerror}: {error.filename or 'the file that it was writing'}. "
                "Nothing half written is left, and finished steps are kept: make room, or make it writable, and run "
                "again. `git restore models metrics plots` brings back what was committed"
            )
        except KeyboardInterrupt:
            print(f"stage {function.__name__}: interrupted; run again, it goes on where it stopped", file=sys.stderr)
            sys.exit(INTERRUPTED)

    return run_stage


def _run(function: Callable[..., None]) -> None:
    name = function.__name__
    processes.watch_ancestors()
    _lock(name)
    declared = read_declared(ROOT)[name]
    before = snapshot(ROOT, name)
    _refuse_edited(declared)
    settings = _settings(function, declared)
    run = Run(name, declared, load(ROOT / PARAMS, {"runtime": Runtime})["runtime"])
    logging.basicConfig(level=run.runtime.log_level.upper(), format="%(message)s")
    for out in declared.outs:
        remove_partial((ROOT / out).parent, f"-{Path(out).name}")
    started, cpu_started = time.perf_counter(), time.process_time()
    function(**settings, run=run)
    seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - cpu_started
    _refuse_changed(name, before)
    missing = [out for out in declared.outs if not (ROOT / out).exists()]
    if missing:
        sys.exit(f"stage {name} ended without writing " + ", ".join(missing))
    _write_timing(run, declared, seconds=round(seconds, 1), stage_process_cpu_seconds=round(cpu_seconds, 1))
    _tell_verdicts(declared)


def _settings(function: Callable[..., None], declared: Declared) -> dict[str, Any]:
    """The declared groups, typed by the function's annotations; its parameters must be just those groups and `run`."""
    kinds = typing.get_type_hints(function)
    kinds.pop("return", None)
    if kinds.pop("run", None) is not Run or set(kinds) != set(declared.groups):
        raise NotDeclared(
            f"it reads {', '.join(sorted(kinds))} and run: Run; dvc.yaml declares {', '.join(sorted(declared.groups))}"
        )
    return load(ROOT / PARAMS, kinds)


def _refuse_edited(declared: Declared) -> None:
    """Refuse inputs written since this process started: what was imported or read before may be another version."""
    files = [ROOT / PARAMS, ROOT / "dvc.yaml", *(file for dep in declared.deps for file in files_under(ROOT / dep))]
    edited = [str(file.relative_to(ROOT)) for file in files if file.stat().st_mtime > STARTED]
    if edited:
        _fail_changed(edited)


def _refuse_changed(name: str, before: Mapping[str, str]) -> None:
    after = snapshot(ROOT, name)
    changed = sorted(key for key in {*before, *after} if before.get(key) != after.get(key))
    if changed:
        _fail_changed(changed)


def _fail_changed(changed: list[str]) -> None:
    print(
        f"These inputs changed while the stage ran, so its outputs belong to neither version: {', '.join(changed)}. "
        "Run it again.",
        file=sys.stderr,
    )
    sys.exit(INPUT_CHANGED)


def _lock(name: str) -> None:
    """Hold .dvc/tmp/stages/<name>.lock until this process ends; refuse where another run of the stage holds it."""
    file = ROOT / ".dvc" / "tmp" / "stages" / f"{name}.lock"
    file.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o644)  # stays open for good: closing it would unlock
    give_up = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            if time.monotonic() > give_up:
                holder = os.pread(descriptor, 32, 0).decode().strip()
                sys.exit(f"stage {name} is already running in this checkout, as process {holder}")
            time.sleep(0.1)
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)


def timing_file(root: Path, name: str) -> Path:
    return root / "metrics" / "timing" / f"{name}.json"


def settings_hash(root: Path, declared: Declared) -> str:
    """A short name for the stage's own settings, to tell whether an earlier duration is one of the same work."""
    params = read_yaml(root / PARAMS)
    return hash_of({group: params.get(group) for group in declared.groups})


def _write_timing(run: Run, declared: Declared, **seconds: float) -> None:
    """Record durations, except where a resumed run would hide how long the whole work takes."""
    file = timing_file(ROOT, run.name)
    settings = settings_hash(ROOT, declared)
    if run.resumed and file.exists() and read_json(file)["settings"] == settings:
        return
    about = {"processor": run.processor, "workers": run.runtime.workers, "settings": settings, "resumed": run.resumed}
    write_json(file, {**run.figures, **seconds, **about})


def _tell_verdicts(declared: Declared) -> None:
    """Print the gates of the stage's metrics, so that `dvc repro` ends with them."""
    for out in declared.outs:
        if out.startswith("metrics/") and out.endswith(".json"):
            content = read_json(ROOT / out)
            if isinstance(content, dict) and content.get("gates"):
                print("\n".join(verdict_lines(content["gates"])))
