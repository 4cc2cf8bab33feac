"""Hostile edits of good files: of their bytes, drawn with NumPy, and of their structure, drawn with Hypothesis."""

import contextlib
import io
import json
import warnings
import zipfile
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import onnx
from google.protobuf.message import Message
from hypothesis import strategies as st

Contents = st.SearchStrategy[bytes]
Path = tuple[Any, ...]
LENGTHS = [b"\xff" * 8, b"\x00" * 8, b"\x7f" + b"\xff" * 7, b"\xff\xff\xff\x7f", b"\x00\xe1\xf5\x05" + b"\x00" * 4]


def changed_bytes(content: bytes, draw: np.random.Generator) -> bytes:
    """One to three edits at random places."""
    changed = bytearray(content)
    for _ in range(int(draw.integers(1, 4))):
        one, other = sorted(int(place) for place in draw.integers(0, len(changed) + 1, 2))
        other = min(other, one + int(draw.integers(1, 64)))
        match int(draw.integers(7)):
            case 0 if one < len(changed):
                changed[one] ^= 1 << int(draw.integers(8))
            case 1 if one < len(changed):
                changed[one] = int(draw.integers(256))
            case 2:
                del changed[one:]
            case 3:
                del changed[one:other]
            case 4:
                changed[one:one] = draw.bytes(int(draw.integers(1, 16)))
            case 5:  # a piece of the file itself at another place
                start = int(draw.integers(0, len(changed) + 1))
                changed[one:other] = changed[start : start + int(draw.integers(1, 200))]
            case 6:  # where a length may stand
                length = LENGTHS[int(draw.integers(len(LENGTHS)))]
                changed[one : one + len(length)] = length
    return bytes(changed)


# JSON


VALUES = {
    "NaN": "NaN",
    "minus infinity": "-Infinity",
    "beyond a double": "1e400",
    "below a double": "-1e400",
    "nearly beyond a double": "1.7e308",
    "400 digits": "9" * 400,
    "-400 digits": "-" + "9" * 400,
    "5,000 digits": "9" * 5000,
    "400 digits as text": f'"{"9" * 400}"',
    "5,000 digits as text": f'"{"9" * 5000}"',
    "2**64": str(2**64),
    "2**31": str(2**31),
    "a thousand million": "1000000000",
    "lists without end": "[" * 100_000,
    "objects without end": '{"a":' * 100_000,
    "900 lists in each other": "[" * 900 + "]" * 900,
    "half a character": '"\\ud800"',
    "a zero character": '"\\u0000"',
    "digits of another script": '"\\u0664\\u0662"',
    "a long text": f'"{"x" * 100_000}"',
    "a path": '"../../../etc/passwd"',
    "an option": '"--output=/tmp/written"',
    "a list of everything": '[null, true, 0, -1, 0.5, "", {}, []]',
    "an object": '{"kind": 1, "a": {}}',
    **{value: value for value in ("true", "null", "[]", "{}", '""', "0", "-1", "-0.0", "0.5", "1", "[0]", '{"": 0}')},
}
PLACE, KEY = "\ue000value", "\ue000key"  # in nobody's file
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=4,
)


def changed_json(content: bytes) -> Contents:
    """A value replaced, doubled under its key, taken away, or renamed."""
    tree = json.loads(content)
    values = st.sampled_from(sorted(VALUES)).map(VALUES.get) | PLAIN.map(json.dumps)
    edits = {"replaced": replaced, "doubled": _doubled, "taken away": _taken_away, "renamed": _renamed}

    def edit(path: Path, how: str, value: str) -> bytes:
        return edits[how](json.loads(content), path, value).encode("utf-8", "surrogatepass")

    weighed = ["replaced"] * 5 + ["doubled", "taken away", "renamed"]
    return st.builds(edit, st.sampled_from(list(_paths(tree))), st.sampled_from(weighed), values)


def changed_lines(content: bytes) -> Contents:
    """A line of JSON changed, or the lines put together in another way."""
    lines = content.splitlines()

    @st.composite
    def one(draw: st.DrawFn) -> bytes:
        at = draw(st.integers(0, len(lines) - 1))
        return b"\n".join([*lines[:at], draw(changed_json(lines[at])), *lines[at + 1 :], b""])

    orders = st.lists(st.sampled_from([*lines, b"", b" ", b"[]", b"{}", b"\xef\xbb\xbf"]), max_size=5)
    return st.one_of(one(), one(), one(), orders.map(lambda order: b"\n".join([*order, b""])))


def _paths(tree: object, path: Path = ()) -> Iterator[Path]:
    """Where every value stands; of a long list, the first few."""
    yield path
    if isinstance(tree, dict):
        for key, value in tree.items():
            yield from _paths(value, (*path, key))
    elif isinstance(tree, list):
        for index, value in enumerate(tree[:3]):
            yield from _paths(value, (*path, index))


def _parent(tree: Any, path: Path) -> Any:
    for step in path[:-1]:
        tree = tree[step]
    return tree


def replaced(tree: Any, path: Path, value: str) -> str:
    """The tree as JSON, with this text for the value at `path`."""
    if not path:
        return value
    _parent(tree, path)[path[-1]] = PLACE
    return _text(tree).replace(_text(PLACE), value)


def _doubled(tree: Any, path: Path, value: str) -> str:
    parent = _parent(tree, path)
    if isinstance(parent, dict) and path:
        parent[KEY] = PLACE
        return _text(tree).replace(_text(KEY), _text(path[-1])).replace(_text(PLACE), value)
    return _text(tree) * 2


def _taken_away(tree: Any, path: Path, _value: str) -> str:
    if path:
        del _parent(tree, path)[path[-1]]
    return _text(tree) if path else ""


def _renamed(tree: Any, path: Path, value: str) -> str:
    parent = _parent(tree, path)
    if isinstance(parent, dict) and path:
        parent[value[:200]] = parent.pop(path[-1])
    return _text(tree)


def _text(tree: object) -> str:
    return json.dumps(tree)


# YAML


def laughs(depth: int) -> str:
    """A few lines that stand for 9 ** depth values."""
    rows = [f"l{row}: &l{row} [{', '.join([f'*l{row - 1}' if row else 'ha'] * 9)}]" for row in range(depth)]
    return "{" + ", ".join(rows) + "}"


SCALARS = {
    "python's system": "!!python/object/apply:os.system ['false']",
    "python's name": "!!python/name:os.system",
    "an unknown tag": "!!nothing x",
    "a word as a number": "!!int x",
    "a word as a float": "!!float x",
    "a list as a number": "!!int [1]",
    "a number as a list": "!!seq 1",
    "a number as bytes": "!!binary 1",
    "a word as a time": "!!timestamp x",
    "no such day": "2024-13-45",
    "no such time": "2024-01-01T99:99:99Z",
    "a day": "2024-01-01",
    "a set": "!!set {a, b}",
    "an ordered map": "!!omap [a: 1, a: 2]",
    "pairs": "!!pairs [a: 1]",
    "a list in itself": "&a [*a]",
    "a mapping in itself": "&a {a: *a}",
    "an anchor that is not there": "*nobody",
    "many laughs": laughs(9),
    "a list for a key": "{? [1, 2] : 3}",
    "a mapping for a key": "{? {a: 1} : 3}",
    "a merge with nothing": "{<<: 3}",
    "a merge with itself": "&b {<<: *b}",
    "hexadecimal without end": "0x" + "f" * 5000,
    "5,000 digits": "9" * 5000,
    "400 digits": "9" * 400,
    "a float without end": "9" * 5000 + ".5",
    "beyond a double": "1e400",
    "not a number": ".nan",
    "infinity": "-.inf",
    "base 60": "1:99:99",
    "octal": "0o9",
    "a lonely sign": "-",
    "underscores": "1__",
    "half a character": '"\\ud800"',
    "an unknown escape": '"\\q"',
    "no character": '"\\U7fffffff"',
    "lists without end": "[" * 500,
    "400 lists in each other": "[" * 400 + "]" * 400,
    "another document": "1\n---\n2",
    "a newer YAML": "1\n...\n%YAML 9.9\n---\n2",
    "a tab": "\t1",
    "a block": "|\n  x",
    "a text without end": '"x',
    **{value: value for value in ("true", "yes", "null", "~", "''", "[]", "{}", "0", "-1", "0.5", "1e3", "'???'")},
}


def changed_yaml(content: bytes) -> Contents:
    """A line's value replaced, or a line doubled, moved, taken away."""
    lines = content.decode().splitlines()

    def edit(at: int, how: str, name: str) -> bytes:
        head, colon, _ = lines[at].partition(":")
        if how == "replaced":
            new = [f"{head}{colon} {SCALARS[name]}" if colon else f"{head.partition('- ')[0]}- {SCALARS[name]}"]
        else:
            new = {
                "doubled": [lines[at]] * 2,
                "taken away": [],
                "moved": [f" {lines[at]}"],
                "without its mark": [lines[at].replace(":", "").replace("- ", "")],
            }[how]
        return "\n".join([*lines[:at], *new, *lines[at + 1 :], ""]).encode("utf-8", "surrogatepass")

    hows = ["replaced"] * 8 + ["doubled", "taken away", "moved", "without its mark"]
    return st.builds(
        edit, st.integers(0, len(lines) - 1), st.sampled_from(hows), st.sampled_from(sorted(SCALARS)) | st.just("0")
    )


# .npz


def npy(array: np.ndarray, version: tuple[int, int] = (1, 0)) -> bytes:
    content = io.BytesIO()
    np.lib.format.write_array(content, array, version=version)
    return content.getvalue()


def npy_header(text: str, data: bytes = b"", version: int = 1, length: int | None = None) -> bytes:
    """An .npy of any header."""
    raw = text.encode() + b"\n"
    size = (len(raw) if length is None else length).to_bytes(2 if version == 1 else 4, "little")
    return b"\x93NUMPY" + bytes([version, 0]) + size + raw + data


def header(descr: str = "'<f4'", shape: str = "(3,)", order: str = "False") -> str:
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}"


ARRAYS: dict[str, Callable[[np.ndarray], bytes]] = {
    "half as many rows": lambda old: npy(old[: len(old) // 2] if old.ndim else old),
    "no rows": lambda old: npy(old[:0] if old.ndim else old),
    "rows in reverse": lambda old: npy(old[::-1] if old.ndim else old),
    "one more dimension": lambda old: npy(old[None]),
    "flat": lambda old: npy(old.ravel()),
    "zeros": lambda old: npy(np.zeros_like(old)),
    "the lowest numbers": lambda old: npy(np.full_like(old, -128 if old.dtype.kind in "if" else "")),
    "the highest numbers": lambda old: npy(np.full_like(old, 127 if old.dtype.kind in "if" else "x")),
    "not numbers": lambda old: npy(np.full_like(old, np.nan) if old.dtype.kind == "f" else old.astype("S9")),
    "infinite": lambda old: npy(np.full_like(old, np.inf) if old.dtype.kind == "f" else old.astype("S9")),
    "columns first": lambda old: npy(np.asfortranarray(old)),
    "big-endian": lambda old: npy(old.astype(old.dtype.newbyteorder(">"))),
    "doubles": lambda old: npy(np.zeros(old.shape, np.float64)),
    "complex": lambda old: npy(np.zeros(old.shape, np.complex64)),
    "times": lambda old: npy(np.zeros(old.shape, "M8[s]")),
    "fields": lambda old: npy(np.zeros(old.shape, [("a", "i1"), ("b", "O" if not old.ndim else "f4")])),
    "objects": lambda old: npy(np.full(old.shape, None, object)),
    "a newer header": lambda old: npy(old, (2, 0)),
    "the newest header": lambda old: npy(old, (3, 0)),
    "bytes after its end": lambda old: npy(old) + b"\x00" * 99,
    "nothing": lambda _: b"",
    "no header": lambda _: b"\x93NUMPY",
    "a header of no version": lambda _: npy_header(header(), bytes(12), version=9),
    "a header without end": lambda _: npy_header(header(), bytes(12), length=65535),
    "a header that is a list": lambda _: npy_header("[1, 2]"),
    "a header that is a call": lambda _: npy_header("__import__('os').getpid()"),
    "a header of signs": lambda _: npy_header("-" * 9000 + "1"),
    "a header of brackets": lambda _: npy_header("(" * 9000),
    "a header with a list for a key": lambda _: npy_header("{[]: 1}"),
    "a header that ends early": lambda _: npy_header("{'descr': '"),
    "a header of 4 GiB": lambda _: npy_header(header(), version=2, length=2**32 - 1),
    "10**15 rows": lambda _: npy_header(header(shape="(10**15,)".replace("10**15", str(10**15)))),
    "2**62 rows": lambda _: npy_header(header(shape=f"({2**62}, 4)")),
    "2**70 rows": lambda _: npy_header(header(shape=f"({2**70},)")),
    "-1 rows": lambda _: npy_header(header(shape="(-1,)"), bytes(12)),
    "half a row": lambda _: npy_header(header(shape="(0.5,)"), bytes(12)),
    "true rows": lambda _: npy_header(header(shape="(True,)"), bytes(12)),
    "1,000 dimensions": lambda _: npy_header(header(shape="(" + "1," * 1000 + ")"), bytes(12)),
    "no type": lambda _: npy_header(header(descr="'<q9'"), bytes(12)),
    "a type of 2 GiB": lambda _: npy_header(header(descr="'<U500000000'", shape="()"), bytes(12)),
    "a type that is a list": lambda _: npy_header(header(descr="[[], 1]"), bytes(12)),
    "types in each other": lambda _: npy_header(header(descr="[('a', " * 90 + "'i1'" + ")]" * 90), bytes(12)),
    "an order that is a word": lambda _: npy_header(header(order="'no'"), bytes(12)),
}


def _with_size(content: bytes, size: int) -> bytes:
    """The archive with another size in the first entry of its directory."""
    at = content.index(b"PK\x01\x02") + 24
    return content[:at] + size.to_bytes(4, "little") + content[at + 4 :]


def _with_flag(content: bytes, bits: int) -> bytes:
    """The archive with other flags in every entry and in every directory entry."""
    for mark, offset in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        parts = content.split(mark)
        content = mark.join([parts[0], *(_or(part, offset - 4, bits) for part in parts[1:])])
    return content


def _or(part: bytes, at: int, bits: int) -> bytes:
    return part[:at] + bytes([part[at] | bits]) + part[at + 1 :]


def zipped(members: Sequence[tuple[str, bytes]], how: str = "deflated") -> bytes:
    """An archive, odd in one way."""
    kinds = {"stored": zipfile.ZIP_STORED, "bzip2": zipfile.ZIP_BZIP2, "lzma": zipfile.ZIP_LZMA}
    raw = io.BytesIO()
    with warnings.catch_warnings(action="ignore"), zipfile.ZipFile(raw, "w") as archive:  # of names that stand twice
        for name, content in members:
            info = zipfile.ZipInfo(name)
            info.compress_type = kinds.get(how, zipfile.ZIP_DEFLATED)
            info.extra = b"\x01\x00\x02\x00ab" if how == "a broken extra field" else b""
            archive.writestr(info, content)
        archive.comment = b"PK\x05\x06" * 9 if how == "a comment that looks like an end" else b""
    content = raw.getvalue()
    match how:
        case "encrypted":
            return _with_flag(content, 1)
        case "patched":
            return _with_flag(content, 32)
        case "a size of 4 GiB":
            return _with_size(content, 2**32 - 2)
        case "a size of nothing":
            return _with_size(content, 0)
        case "something in front":
            return b"#!/bin/sh\n" + content
        case "twice":
            return content * 2
    return content


HOWS = ["deflated"] * 6 + [
    *("stored", "bzip2", "lzma", "encrypted", "patched", "a size of 4 GiB", "a size of nothing", "something in front"),
    *("twice", "a broken extra field", "a comment that looks like an end"),
]


def npz_with(content: bytes, name: str, what: str, how: str) -> bytes:
    """The archive with one array as ARRAYS makes it, packed in one of HOWS."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {each: archive.read(each) for each in archive.namelist()}
    members[name] = ARRAYS[what](np.lib.format.read_array(io.BytesIO(members[name])))
    return zipped(list(members.items()), how)


def changed_npz(content: bytes) -> Contents:
    """An array replaced, a member doubled, added or taken away, the archive packed in another way."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = [(name, archive.read(name)) for name in archive.namelist()]
    arrays = {name: np.lib.format.read_array(io.BytesIO(raw)) for name, raw in members}

    def edit(at: int, what: str, how: str, others: str) -> bytes:
        name, old = members[at]
        new = ARRAYS[what](arrays[name]) if what else old
        changed = [*members[:at], (name, new), *members[at + 1 :]]
        changed += {"doubled": [(name, old)], "added": [("../../evil.npy", old)]}.get(others, [])
        if others == "taken away":
            del changed[at]
        if others == "renamed":
            changed[at] = (name.removesuffix(".npy"), new)
        return zipped(changed, how)

    others = ["as they were"] * 8 + ["doubled", "added", "taken away", "renamed"]
    whats = st.sampled_from(sorted(ARRAYS)) | st.just("")
    places = st.integers(0, len(members) - 1)
    return st.builds(edit, places, whats, st.sampled_from(HOWS), st.sampled_from(others))


# .safetensors


def tensors_with(content: bytes, new: bytes, length: int | None = None) -> bytes:
    """The file with another header."""
    end = 8 + int.from_bytes(content[:8], "little")
    return (len(new) if length is None else length).to_bytes(8, "little") + new + content[end:]


def changed_safetensors(content: bytes) -> Contents:
    """The header changed, or the JSON text within it, or its length."""
    old = content[8 : 8 + int.from_bytes(content[:8], "little")]
    tree = json.loads(old)

    def within(text: bytes) -> bytes:
        changed = {**tree, "__metadata__": {"pocketzero": text.decode("utf-8", "replace")}}
        return tensors_with(content, _text(changed).encode())

    headers = changed_json(old.rstrip()).map(lambda new: tensors_with(content, new))
    inner = changed_json(tree["__metadata__"]["pocketzero"].encode()).map(within)
    lengths = st.sampled_from([0, 1, 7, len(old) - 1, len(old) + 1, len(content), 10**8 + 1, 2**31, 2**63, 2**64 - 1])
    lies = lengths.map(lambda length: tensors_with(content, old, length))
    return st.one_of(headers, inner, inner, lies)


# .onnx


WHOLES = [0, 1, -1, 2, 3, 7, 9, 10, 64, 255, 1000, 2**31 - 1, -(2**31), 2**31, 2**62, 2**63 - 1, -(2**63)]
TEXTS = ["", "x", "board", "policy", "batch", "axis", "Conv", "Gemm", "Relu", "com.microsoft", "\x00", "x" * 9999]
Field = tuple[tuple[str, int | None], ...]


def changed_onnx(content: bytes) -> Contents:
    """A field of the model set to something else, emptied, doubled, or moved."""
    fields = list(_fields(onnx.load_model_from_string(content)))

    def edit(at: int, how: str, whole: int, text: str, share: float) -> bytes:
        field, model = fields[at], onnx.load_model_from_string(content)
        holder: Any = model
        for name, index in field[:-1]:
            holder = getattr(holder, name) if index is None else getattr(holder, name)[index]
        name, index = field[-1]
        _edit_field(holder, name, index, how, whole, text, share)
        return model.SerializeToString()

    hows = st.sampled_from(["set", "set", "set", "emptied", "doubled", "first", "external", "attribute"])
    places = st.integers(0, len(fields) - 1)
    return st.builds(edit, places, hows, st.sampled_from(WHOLES), st.sampled_from(TEXTS), st.floats(0, 2))


def _fields(message: Message, path: Field = ()) -> Iterator[Field]:
    """Where every field of the message stands; of many numbers, the first few."""
    for descriptor, value in message.ListFields():
        repeated = not isinstance(value, (Message, str, bytes, int, float))
        for index, each in enumerate(value) if repeated else [(None, value)]:
            place = (*path, (descriptor.name, index))
            if isinstance(each, Message):
                yield from _fields(each, place)
            elif index is None or index < 4:
                yield place
            if isinstance(each, Message) and repeated:
                yield place


def _edit_field(holder: Any, name: str, index: int | None, how: str, whole: int, text: str, share: float) -> None:
    if how == "external" and hasattr(holder, "external_data"):
        holder.data_location = onnx.TensorProto.EXTERNAL
        holder.external_data.add(key="location", value="../../etc/passwd")
    elif how == "attribute" and hasattr(holder, "op_type"):
        holder.attribute.add(name=text, i=max(whole, 0), type=onnx.AttributeProto.INT)
    elif index is None:
        _set(holder, name, how, whole, text, share)
    else:
        _set_entry(getattr(holder, name), index, how, whole, text)


def _set(holder: Any, name: str, how: str, whole: int, text: str, share: float) -> None:
    old = getattr(holder, name)
    if how == "emptied":
        holder.ClearField(name)
    elif isinstance(old, bytes):
        size = int(len(old) * share)
        setattr(holder, name, bytes([whole % 256]) * len(old) if how == "first" else (old * 2)[:size])
    elif isinstance(old, str):
        setattr(holder, name, text)
    elif isinstance(old, int):
        with contextlib.suppress(ValueError):  # no such value of an enumeration, or beyond 32 bits
            setattr(holder, name, whole)
    else:
        setattr(holder, name, float(whole))


def _set_entry(entries: Any, index: int, how: str, whole: int, text: str) -> None:
    old = entries[index]
    if how == "emptied":
        del entries[index]
    elif how == "doubled":
        entries.extend([old])
    elif isinstance(old, Message):
        other = entries[abs(whole) % len(entries)]
        if how == "first":
            other = entries[0]
        content = other.SerializeToString()
        other.CopyFrom(old)
        old.ParseFromString(content)
    elif isinstance(old, str):
        entries[index] = text
    elif isinstance(old, int):
        entries[index] = whole
