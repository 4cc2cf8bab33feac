"""No file can make this repository run code: nothing here unpickles, and files that would be unpickled are refused."""

import ast
import io
import os
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.hostile import edits
from tests.hostile.attempt import attempt
from tests.hostile.readers import READERS

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("pocketzero", "stages", "tools", "bench", "conf")
MODULES = {"pickle", "cPickle", "_pickle", "cloudpickle", "dill", "shelve", "marshal", "copyreg", "pandas", "yaml"}
RUNNERS = {"eval", "exec", "compile", "__import__"}
JOBLIB = {"Parallel", "delayed", "parallel_config", "cpu_count"}
"""What is used of joblib, which also unpickles files; workers exchange pickles, but through pipes of their own."""


def faults(tree: ast.AST) -> Iterator[str]:
    """What in this code could unpickle a file or run a text."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (f"import {name.name}" for name in names if name.name.partition(".")[0] in MODULES)
            case ast.ImportFrom(module=str(module), names=names):
                if module.partition(".")[0] in MODULES:
                    yield f"from {module}"
                if module.partition(".")[0] == "joblib":
                    yield from (f"from {module} import {name.name}" for name in names if name.name not in JOBLIB)
            case ast.Attribute(value=ast.Name(id="joblib"), attr=attr) if attr not in JOBLIB:
                yield f"joblib.{attr}"
            case ast.Call(func=function):
                given = {word.arg: ast.unparse(word.value) for word in node.keywords}
                name = ast.unparse(function)
                if given.get("allow_pickle", "False") != "False":
                    yield f"{name}(allow_pickle={given['allow_pickle']})"
                if name in ("np.load", "numpy.load") and given.get("allow_pickle") != "False":
                    yield f"{name} without allow_pickle=False"
                if name.endswith("read_array") and given.get("allow_pickle") != "False":
                    yield f"{name} without allow_pickle=False"
                if name in ("torch.load", "torch.jit.load") and given.get("weights_only") != "True":
                    yield f"{name} without weights_only=True"
                if name == "YAML" and given.get("typ") not in ("'safe'", "'rt'", None):
                    yield f"YAML(typ={given['typ']})"
                if name in RUNNERS:
                    yield name


@pytest.mark.parametrize("room", ROOMS)
def test_no_code_unpickles_a_file_or_runs_a_text(room: str) -> None:
    files = sorted((ROOT / room).rglob("*.py"))
    assert files
    found = {
        f"{file.relative_to(ROOT)}: {fault}"
        for file in files
        for fault in faults(ast.parse(file.read_text(encoding="utf-8")))
    }
    assert found == set()


@pytest.mark.parametrize(
    "code",
    [
        "import pickle",
        "from pickle import loads",
        "import numpy as np\nnp.load('a.npz')",
        "np.load('a.npz', allow_pickle=True)",
        "np.lib.format.read_array(file)",
        "torch.load('a.pt')",
        "torch.load('a.pt', weights_only=False)",
        "joblib.load('a')",
        "from joblib import load",
        "import yaml",
        "YAML(typ='unsafe')",
        "def f():\n    eval('1')",
    ],
)
def test_code_that_would_is_found(code: str) -> None:
    assert len(list(faults(ast.parse(code)))) >= 1


class Touch:
    """Unpickled, it makes a folder: the mark that code ran."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (str(self.mark),)


def pickled_array(_: bytes, mark: Path) -> bytes:
    raw = io.BytesIO()
    np.lib.format.write_array(raw, np.array([Touch(mark)], object), allow_pickle=True)
    return raw.getvalue()


def array_in_records(good: bytes, mark: Path) -> bytes:
    with zipfile.ZipFile(io.BytesIO(good)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    return edits.zipped(list({**members, "moves.npy": pickled_array(good, mark)}.items()))


def saved_by_torch(_: bytes, mark: Path) -> bytes:
    raw = io.BytesIO()
    torch.save({"weights": Touch(mark)}, raw)
    return raw.getvalue()


def tag_in_yaml(good: bytes, mark: Path) -> bytes:
    return good.replace(b"2024", f"!!python/object/apply:os.mkdir ['{mark}']".encode())


def new_in_yaml(good: bytes, mark: Path) -> bytes:
    return good.replace(b"2024", f"!!python/object/new:os.mkdir ['{mark}']".encode())


PLANTED: list[tuple[str, Callable[[bytes, Path], bytes]]] = [
    ("recorded positions", array_in_records),
    ("recorded positions", pickled_array),
    ("recorded positions", saved_by_torch),
    ("a network", saved_by_torch),
    ("a network", pickled_array),
    ("a training state", saved_by_torch),
    ("the float model", saved_by_torch),
    ("the int8 model", saved_by_torch),
    ("settings", tag_in_yaml),
    ("settings", new_in_yaml),
]


@pytest.mark.parametrize(("kind", "plant"), PLANTED)
def test_planted_code_is_refused_and_never_runs(
    tmp_path: Path, kind: str, plant: Callable[[bytes, Path], bytes]
) -> None:
    reader, mark = READERS[kind], tmp_path / "mark"
    (tmp_path / "good").mkdir()
    (tmp_path / "alone").mkdir()
    reader.make(tmp_path / "good" / reader.file)
    content = plant((tmp_path / "good" / reader.file).read_bytes(), mark)
    assert content != (tmp_path / "good" / reader.file).read_bytes()
    assert not attempt(reader, content, tmp_path / "alone", tmp_path)
    assert not mark.exists()


def test_the_planted_code_does_run_where_it_is_unpickled(tmp_path: Path) -> None:
    (tmp_path / "a.npy").write_bytes(pickled_array(b"", tmp_path / "mark"))
    np.load(tmp_path / "a.npy", allow_pickle=True)
    assert (tmp_path / "mark").exists()
