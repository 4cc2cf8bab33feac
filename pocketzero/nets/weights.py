"""A network on disk: its architecture and its tensors in one safetensors file, checked in full on reading.

NumPy only, so that a self-play worker or the export reads a network without importing torch. The names and the shapes
of the tensors follow from the architecture (`Architecture.shapes`); `tower.py` builds torch modules with the same names
and `graph.py` an ONNX graph from them.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load, save

from pocketzero.bad_file import BadFile, shown
from pocketzero.work import write_bytes

FORMAT = "pocketzero network 1"
NORM_EPSILON = 1e-5
POLICY_PLANES = 2
VALUE_PLANES = 2
KINDS = ("teacher", "student")
LARGEST = {"channels": 1024, "blocks": 64, "value_hidden": 4096}  # as in settings.teacher
LARGEST_OTHER = 2**31 - 1
INPUT, POLICY, VALUE = "board", "policy", "value"  # of the ONNX model
# All metadata in one key: safetensors writes several keys in an order that changes from run to run.
HEADER = "pocketzero"

Tensors = dict[str, NDArray[np.float32]]


@dataclass(frozen=True, kw_only=True)
class Architecture:
    """What a network looks like: a residual tower with a policy head and, for a teacher, a value head."""

    game: str
    """Name of the game it plays."""
    kind: str
    """teacher (policy and value) or student (policy)."""
    planes: tuple[int, int, int]
    """Shape of one input: planes, rows, columns."""
    moves: int
    """Policy logits."""
    channels: int
    """Channels of every convolution of the tower."""
    blocks: int
    """Residual blocks, of two convolutions each."""
    value_hidden: int
    """Width of the value head's hidden layer; 0: no value head."""

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Name -> shape of every tensor, in the order of the computation."""
        planes, rows, columns = self.planes
        shapes: dict[str, tuple[int, ...]] = {}

        def convolution(name: str, inputs: int, outputs: int, kernel: int) -> None:
            shapes[f"{name}.convolution.weight"] = (outputs, inputs, kernel, kernel)
            for part in ("weight", "bias", "running_mean", "running_var"):
                shapes[f"{name}.norm.{part}"] = (outputs,)

        def dense(name: str, inputs: int, outputs: int) -> None:
            shapes[f"{name}.weight"] = (outputs, inputs)
            shapes[f"{name}.bias"] = (outputs,)

        convolution("stem", planes, self.channels, 3)
        for block in range(self.blocks):
            convolution(f"blocks.{block}.first", self.channels, self.channels, 3)
            convolution(f"blocks.{block}.second", self.channels, self.channels, 3)
        convolution("policy.reduce", self.channels, POLICY_PLANES, 1)
        dense("policy.dense", POLICY_PLANES * rows * columns, self.moves)
        if self.value_hidden:
            convolution("value.reduce", self.channels, VALUE_PLANES, 1)
            dense("value.hidden", VALUE_PLANES * rows * columns, self.value_hidden)
            dense("value.output", self.value_hidden, 1)
        return shapes

    def parameters(self) -> int:
        """How many numbers training changes (the running statistics of the batch norms are not among them)."""
        return sum(int(np.prod(shape)) for name, shape in self.shapes().items() if ".running_" not in name)


@dataclass(frozen=True)
class Network:
    """An architecture with its weights."""

    architecture: Architecture
    tensors: Tensors


def write_network(path: Path, network: Network) -> None:
    """Write the file in one atomic step; the same network gives the same bytes."""
    check_tensors(path, network.architecture, network.tensors)
    ordered = {name: network.tensors[name] for name in network.architecture.shapes()}
    write_tensors(path, FORMAT, asdict(network.architecture), ordered)


def read_network(path: Path, game: str | None = None, kind: str | None = None) -> Network:
    """Read and check a network; `game` and `kind`, when given, are what the caller expects.

    Raises BadFile for a truncated or foreign file, another game or kind, and missing, extra, misshapen or non-finite
    tensors; FileNotFoundError where there is no file.
    """
    header, tensors = read_tensors(path, FORMAT)
    architecture = architecture_of(path, header)
    for field, wanted in (("game", game), ("kind", kind)):
        if wanted is not None and getattr(architecture, field) != wanted:
            raise BadFile(path, field, repr(getattr(architecture, field)), repr(wanted))
    check_tensors(path, architecture, tensors)
    return Network(architecture, {name: tensors[name] for name in architecture.shapes()})


def write_tensors(path: Path, file_format: str, header: Mapping[str, object], tensors: Tensors) -> None:
    """Write tensors by name and a JSON header in one atomic step; the same content gives the same bytes."""
    text = json.dumps({"format": file_format, **header}, sort_keys=True, allow_nan=False)
    write_bytes(path, save({name: np.ascontiguousarray(array) for name, array in tensors.items()}, {HEADER: text}))


def read_tensors(path: Path, file_format: str) -> tuple[dict[str, object], Tensors]:
    """The header and the tensors that `write_tensors` wrote. Raises BadFile for a truncated or foreign file."""
    content = Path(path).read_bytes()
    try:
        tensors = load(content)
        length = int.from_bytes(content[:8], "little")
        metadata = json.loads(content[8 : 8 + length]).get("__metadata__") or {}
    except Exception as error:  # safetensors raises its own error, KeyError for a type that NumPy has not, and others
        raise BadFile(path, "content", f"unreadable ({error})", "a complete safetensors file") from error
    try:
        header = json.loads(metadata.get(HEADER, "{}"))
    except (ValueError, RecursionError) as error:
        raise BadFile(path, "header", f"unreadable ({error})", "a JSON object") from error
    found = header.pop("format", None) if isinstance(header, dict) else header
    if found != file_format:
        raise BadFile(path, "format", shown(found), repr(file_format))
    return header, tensors


def check_tensors(path: Path | str, architecture: Architecture, tensors: Mapping[str, NDArray[np.float32]]) -> None:
    """Raise BadFile unless the tensors are exactly those of the architecture: names, shapes, float32, finite."""
    shapes = architecture.shapes()
    if missing := sorted(set(shapes) - set(tensors)):
        raise BadFile(path, "tensors", f"without {', '.join(missing)}", "complete")
    if extra := sorted(set(tensors) - set(shapes)):
        raise BadFile(path, "tensors", f"with {', '.join(extra)}", "only those of the architecture")
    for name, shape in shapes.items():
        tensor = tensors[name]
        if tensor.shape != shape:
            raise BadFile(path, f"shape of {name}", list(tensor.shape), str(list(shape)))
        if tensor.dtype != np.float32:
            raise BadFile(path, f"type of {name}", tensor.dtype, "float32")
        if not np.isfinite(tensor).all():
            raise BadFile(path, name, "not finite everywhere", "finite")
        if name.endswith("running_var") and (tensor < 0).any():
            raise BadFile(path, name, f"as low as {tensor.min()}", "at least 0")


def architecture_of(path: Path | str, header: Mapping[str, object]) -> Architecture:
    """The architecture that a file's header describes. Raises BadFile where it describes none."""
    if wrong := {field.name for field in fields(Architecture)} ^ set(header):
        raise BadFile(path, "header", f"with or without {sorted(wrong)}", "the fields of an architecture")
    for name, allowed in (("game", None), ("kind", KINDS)):
        if not isinstance(header[name], str) or (allowed and header[name] not in allowed):
            raise BadFile(path, name, shown(header[name]), f"one of {allowed}" if allowed else "text")
    planes = header["planes"]
    if not isinstance(planes, list) or [_counts(number, 1, LARGEST_OTHER) for number in planes] != [True] * 3:
        raise BadFile(path, "planes", planes, f"three numbers, each from 1 to {LARGEST_OTHER}")
    for name, low in (("moves", 1), ("channels", 1), ("blocks", 0), ("value_hidden", 0)):
        high = LARGEST.get(name, LARGEST_OTHER)
        if not _counts(header[name], low, high):
            raise BadFile(path, name, shown(header[name]), f"a whole number from {low} to {high}")
    return Architecture(**{**header, "planes": tuple(planes)})  # type: ignore[arg-type]


def _counts(number: object, low: int, high: int) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and low <= number <= high
