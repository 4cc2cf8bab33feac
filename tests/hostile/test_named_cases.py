"""Hostile files by name, each of a kind of its own: what is wrong is said in a sentence that names the file."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest

from pocketzero import records
from tests.hostile import edits
from tests.hostile.attempt import attempt
from tests.hostile.readers import READERS

Change = Callable[[bytes], bytes]


def put(path: str, raw: str) -> Change:
    """Of JSON: the value at a dotted path becomes this text."""

    def change(content: bytes) -> bytes:
        steps = [int(step) if step.isdecimal() else step for step in path.split(".")] if path else []
        return edits.replaced(json.loads(content), tuple(steps), raw).encode()

    return change


def line(number: int, change: Change) -> Change:
    def edit(content: bytes) -> bytes:
        lines = content.splitlines()
        lines[number - 1] = change(lines[number - 1])
        return b"\n".join([*lines, b""])

    return edit


def inner(path: str, raw: str) -> Change:
    """Of .safetensors: the same in the JSON text within the header."""

    def change(content: bytes) -> bytes:
        header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
        text = put(path, raw)(header["__metadata__"]["pocketzero"].encode()).decode()
        return edits.tensors_with(content, json.dumps({**header, "__metadata__": {"pocketzero": text}}).encode())

    return change


def outer(path: str, raw: str) -> Change:
    def change(content: bytes) -> bytes:
        return edits.tensors_with(content, put(path, raw)(content[8 : 8 + int.from_bytes(content[:8], "little")]))

    return change


def member(name: str, what: str, how: str = "deflated") -> Change:
    """Of .npz: an array as edits.ARRAYS makes it."""
    return lambda content: edits.npz_with(content, f"{name}.npy", what, how)


def model(edit: Callable[[onnx.ModelProto], object]) -> Change:
    def change(content: bytes) -> bytes:
        parsed = onnx.load_model_from_string(content)
        edit(parsed)
        return parsed.SerializeToString()

    return change


def replaced(old: str, new: str) -> Change:
    def change(content: bytes) -> bytes:
        assert old.encode() in content
        return content.replace(old.encode(), new.encode(), 1)

    return change


def moment(number: float) -> Change:
    """Of a training state: the first number of a mean of squares."""

    def change(content: bytes) -> bytes:
        length = int.from_bytes(content[:8], "little")
        header = json.loads(content[8 : 8 + length])
        at = 8 + length + header["exp_avg_sq/policy.dense.bias"]["data_offsets"][0]
        return content[:at] + np.float32(number).tobytes() + content[at + 4 :]

    return change


def swap_input(parsed: onnx.ModelProto) -> None:
    parsed.graph.initializer[0].dims[:] = [4, 4, 3]


def same_name(parsed: onnx.ModelProto) -> None:
    parsed.graph.node[1].name = parsed.graph.node[2].name


def narrow(parsed: onnx.ModelProto) -> None:
    attribute = next(each for each in parsed.graph.node[0].attribute if each.name == "kernel_shape")
    attribute.ints[:] = [1, 1]
    next(each for each in parsed.graph.node[0].attribute if each.name == "pads").ints[:] = [0] * 4


def flat_batch(parsed: onnx.ModelProto) -> None:
    next(node for node in parsed.graph.node if node.op_type == "Flatten").attribute[0].i = 0


def many_operators(parsed: onnx.ModelProto) -> None:
    for number in range(1000):
        parsed.graph.node.add(op_type=f"Op{number}" + "x" * 1000)


DEEP, DIGITS, BEYOND = "[" * 100_000, "9" * 400, "1e400"
CASES: dict[str, tuple[str, Change, str]] = {
    "an encrypted archive": ("recorded positions", member("states", "zeros", "encrypted"), "is encrypted"),
    "a header of half a row": ("recorded positions", member("values", "half a row"), "content is unreadable"),
    "a header that ends early": ("recorded positions", member("values", "a header that ends early"), "is unreadable"),
    "a header of signs": ("recorded positions", member("values", "a header of signs"), "content is unreadable"),
    "a header that calls": ("recorded positions", member("values", "a header that is a call"), "content is unreadable"),
    "10**15 rows": ("recorded positions", member("values", "10**15 rows"), "content is unreadable"),
    "a text of 2 GiB": ("recorded positions", member("game", "a type of 2 GiB"), "content is unreadable"),
    "objects for numbers": ("recorded positions", member("moves", "objects"), "allow_pickle"),
    "a thousand million blocks": ("a network", inner("blocks", "1000000000"), "blocks is 1000000000"),
    "channels beyond counting": ("a network", inner("channels", "9" * 4000), "channels is 999"),
    "a board beyond counting": ("a network", inner("planes.1", DIGITS), "planes is [3, 999"),
    "a header of lists": ("a network", inner("moves", DEEP), "header is unreadable"),
    "no metadata": ("a network", outer("__metadata__", "null"), "format is None"),
    "steps beyond a double": ("a training state", inner("steps", DIGITS), "steps and figures is (999"),
    "steps of true": ("a training state", inner("steps", "true"), "steps and figures is (True"),
    "a negative square": ("a training state", moment(-1), "exp_avg_sq/policy.dense.bias is"),
    "a square that is no number": ("a training state", moment(np.nan), "exp_avg_sq/policy.dense.bias is"),
    "a name that is no text": ("the float model", lambda it: it.replace(b"stem", b"st\xffm"), "is not UTF-8"),
    "too many bytes for a shape": ("the float model", model(swap_input), "cannot be read"),
    "two nodes of one name": ("the float model", model(same_name), "2 nodes are called"),
    "a window of another size": ("the float model", model(narrow), "cannot run it"),
    "positions mixed up": ("the float model", model(flat_batch), "cannot run it"),
    "a thousand long operators": ("the float model", model(many_operators), "and 990 more"),
    "a kind that is a list": ("tiers", put("tiers.easy.kind", "[]"), "tiers.easy.kind is []"),
    "a game that is a list": ("tiers", put("game", "[]"), "game is []"),
    "a weight of 400 digits": ("tiers", put("tiers.easy.weights.0", DIGITS), "tiers.easy.weights is [999"),
    "a temperature of 400 digits": ("tiers", put("tiers.easy.temperature", DIGITS), "tiers.easy.temperature is 999"),
    "infinity by another name": ("tiers", put("tiers.easy.recipe.within", BEYOND), "1e400 is not a finite number"),
    "lists without end": ("tiers", put("tiers.easy.recipe", DEEP), "not readable as JSON"),
    "a game of a long name": ("tiers", put("game", f'"{"x" * 100_000}"'), "game is xxx"),
    "a key twice": (
        "tiers",
        replaced('"schema": 2', '"schema": 2, "schema": 2'),
        "the key 'schema' stands",
    ),
    "a trained weight of 400 digits": ("trained weights", put("weights.3", DIGITS), "weights is [0.0, 1.0, 2.0, 999"),
    "no mean": ("a block of training", replaced('"mean"', '"means"'), "content is {"),
    "a mean that is a text": ("a block of training", put("mean", '"0"'), "mean is 0"),
    "a mean within a mean": ("a block of training", put("mean.0", "[0.5]"), "mean is [[0.5]"),
    "a model of another length": ("a block of training", put("square", "[0.5]"), "square is 1 numbers"),
    "golden lists without end": ("golden positions", line(2, put("scores", DEEP)), "line 2: text is"),
    "a golden number of 5,000 digits": ("golden positions", line(2, put("board", "9" * 5000)), "line 2: text is"),
    "a golden seed of 5,000 digits": (
        "golden positions",
        line(2, put("sampled.seed", f'"{"9" * 5000}"')),
        "line 2: sampled.seed is '999",
    ),
    "many laughs": ("settings", replaced("seed: 2024", f"seed: {edits.laughs(9)}"), "named by an alias"),
    "a list in itself": ("settings", replaced("seed: 2024", "seed: &a [*a]"), "named by an alias"),
    "a word called a number": ("settings", replaced("2024", "!!int x"), "readable YAML"),
    "no character": ("settings", replaced("2024", '"\\U7fffffff"'), "readable YAML"),
    "settings without end": ("settings", replaced("2024", "[" * 500), "readable YAML"),
    "a seed of 20,000 bits": (
        "settings",
        replaced("2024", "0x" + "f" * 5000),
        "seed is of type int, too large",
    ),
    "a weight beyond a double": ("settings", replaced("1.0", DIGITS), "tiers.easy.weights.openness is 999"),
    "a commit that is an option": (
        "an earlier release",
        put("commit", '"--output=/tmp/written"'),
        "commit is '--output=/tmp/written'",
    ),
    "a file outside": (
        "an earlier release",
        replaced('"elite.onnx"', '"../../elite.onnx"'),
        "files is {",
    ),
    "a file of two dots": ("an earlier release", replaced('"elite.onnx"', '".."'), "files is {"),
    "shares of nobody": ("an earlier release", put("shares.0.player", "1"), "shares is ["),
    "an attempt that is a list": ("attempts", line(1, put("attempt", "[]")), "line 1: text is"),
    "attempts that are no text": ("attempts", line(1, lambda it: it + b"\xff"), "line 1: text is"),
    "attempts without end": ("attempts", line(2, put("refused", DEEP)), "line 2: text is"),
}


@pytest.mark.parametrize(("kind", "change", "message"), CASES.values(), ids=CASES)
def test_it_is_refused(tmp_path: Path, kind: str, change: Change, message: str) -> None:
    reader = READERS[kind]
    good, alone = tmp_path / "good" / reader.file, tmp_path / "alone"
    good.parent.mkdir()
    alone.mkdir()
    reader.make(good)
    content = change(good.read_bytes())
    assert content != good.read_bytes()
    assert not attempt(reader, content, alone, tmp_path)
    with pytest.raises(reader.refusals) as refusal:
        reader.read(alone / reader.file)
    assert message in str(refusal.value)


def test_an_archive_that_unpacks_to_more_than_any_games_is_refused_unread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = READERS["recorded positions"]
    file = tmp_path / reader.file
    reader.make(file)
    monkeypatch.setattr(records, "LARGEST", 1000)
    with pytest.raises(records.BadFile, match=r"size of the arrays is \d+ bytes; it should be at most 1000"):
        reader.read(file)
