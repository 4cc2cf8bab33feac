"""The int8 model gives the same bits however it is computed, and one that might not is refused by the node's name."""

from collections.abc import Callable

import numpy as np
import onnx
import onnxruntime
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper

from pocketzero.games import Game
from pocketzero.games.compiled import encode_states
from pocketzero.nets.graph import build_onnx
from pocketzero.nets.weights import Network
from pocketzero.ship import integer_pass
from pocketzero.ship.integer_pass import IntegerPass
from pocketzero.ship.quantize import quantize
from tests.ship.conftest import random_network

Change = Callable[[onnx.ModelProto], None]


@pytest.fixture(scope="module")
def planes(game: Game, recorded: dict[int, np.ndarray]) -> np.ndarray:
    return encode_states(game.addresses, game.planes, np.concatenate(list(recorded.values())))


@pytest.fixture(scope="module")
def int8(model: bytes, planes: np.ndarray) -> bytes:
    return quantize(model, planes)


@pytest.fixture(scope="module")
def plain(int8: bytes) -> IntegerPass:
    return IntegerPass(int8)


def in_onnxruntime(model: bytes, fused: bool) -> Callable[[np.ndarray], np.ndarray]:
    """ONNX Runtime with its integer kernels, or with every node computed by itself in float32."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    level = onnxruntime.GraphOptimizationLevel
    options.graph_optimization_level = level.ORT_ENABLE_ALL if fused else level.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return lambda planes: session.run(None, {"board": planes})[0]


@pytest.fixture(scope="module", params=["fused", "node by node"])
def runtime(request: pytest.FixtureRequest, int8: bytes) -> Callable[[np.ndarray], np.ndarray]:
    return in_onnxruntime(int8, request.param == "fused")


def test_the_plain_pass_gives_onnx_runtimes_logits_to_the_last_bit(
    runtime: Callable[[np.ndarray], np.ndarray], plain: IntegerPass, planes: np.ndarray
) -> None:
    mine = plain.logits(planes)
    assert mine.tobytes() == runtime(planes).tobytes()
    assert mine[:20].tobytes() == np.concatenate([runtime(planes[i : i + 1]) for i in range(20)]).tobytes()


@given(st.integers(0, 2**32 - 1))
def test_whatever_the_input_the_bits_are_the_same(
    runtime: Callable[[np.ndarray], np.ndarray], plain: IntegerPass, seed: int
) -> None:
    """Halves and quarters of the input's scale among it, so that roundings tie, and numbers that clip."""
    noise = np.random.default_rng(seed).integers(-300, 1400, (4, 3, 8, 8)).astype(np.float32) / np.float32(1024)
    assert plain.logits(noise).tobytes() == runtime(noise).tobytes()


def test_int8_stays_near_float32(model: bytes, plain: IntegerPass, planes: np.ndarray) -> None:
    wanted = in_onnxruntime(model, True)(planes)
    assert np.abs(plain.logits(planes) - wanted).mean() < 0.05 * wanted.std()


def test_all_that_is_exact_in_float32_is_kept_to(int8: bytes) -> None:
    parsed = onnx.load_model_from_string(int8)
    arrays = {tensor.name: numpy_helper.to_array(tensor) for tensor in parsed.graph.initializer}
    assert all((np.frexp(array)[0] == 0.5).all() for name, array in arrays.items() if name.endswith(".scale"))
    assert all(np.abs(array.astype(int)).max() <= 64 for array in arrays.values() if array.dtype == np.int8)
    assert {node.op_type for node in parsed.graph.node} == {
        "QuantizeLinear",
        "DequantizeLinear",
        "Conv",
        "Add",
        "Flatten",
        "Gemm",
    }


@pytest.mark.parametrize("strength", [0.0, 1e-12, 1e-30])
def test_a_dead_layer_can_be_quantised(student: Network, planes: np.ndarray, strength: float) -> None:
    """Its biases are then far larger than its weights."""
    weak = {name: t * np.float32(strength) if t.ndim == 4 else t for name, t in student.tensors.items()}
    model = build_onnx(Network(student.architecture, weak))
    int8 = quantize(model, planes)
    found = IntegerPass(int8).logits(planes)
    assert found.tobytes() == in_onnxruntime(int8, True)(planes).tobytes()
    assert np.abs(found - in_onnxruntime(model, True)(planes)).max() < 0.1


@pytest.mark.parametrize("strength", [1.0, 0.2, 0.04, 0.008])
def test_a_part_much_smaller_than_the_sum_takes_the_sums_scale(
    student: Network, planes: np.ndarray, strength: float
) -> None:
    """With a finer one the sum would be rounded, and ONNX Runtime for arm64 rounds halves otherwise than for x86."""
    small = {name: t * np.float32(strength) if "second.norm" in name else t for name, t in student.tensors.items()}
    assert any("second.norm" in name for name in small)
    int8 = quantize(build_onnx(Network(student.architecture, small)), planes)
    scales = {
        tensor.name: float(numpy_helper.to_array(tensor))
        for tensor in onnx.load_model_from_string(int8).graph.initializer
        if tensor.name in ("stem.scale", "blocks.0.second.scale", "blocks.0.add.scale")
    }
    assert min(scales["stem.scale"], scales["blocks.0.second.scale"]) >= scales["blocks.0.add.scale"]
    assert IntegerPass(int8).logits(planes).tobytes() == in_onnxruntime(int8, True)(planes).tobytes()


def test_a_value_head_cannot_be_quantised(game: Game, planes: np.ndarray) -> None:
    with pytest.raises(ValueError, match="Tanh cannot be quantised here"):
        quantize(build_onnx(random_network(game, "teacher", value_hidden=8)), planes)


def edited(name: str, change: Callable[[np.ndarray], np.ndarray]) -> Change:
    def apply(model: onnx.ModelProto) -> None:
        tensor = next(tensor for tensor in model.graph.initializer if tensor.name == name)
        tensor.CopyFrom(numpy_helper.from_array(change(numpy_helper.to_array(tensor)), name))

    return apply


def set_attribute(name: str, attribute: str, value: object) -> Change:
    def apply(model: onnx.ModelProto) -> None:
        node = next(node for node in model.graph.node if node.name == name)
        kept = [each for each in node.attribute if each.name != attribute]
        del node.attribute[:]
        node.attribute.extend([*kept, helper.make_attribute(attribute, value)])

    return apply


def read_from(name: str, index: int, tensor: str) -> Change:
    def apply(model: onnx.ModelProto) -> None:
        next(node for node in model.graph.node if node.name == name).input[index] = tensor

    return apply


def without_zero_point(model: onnx.ModelProto) -> None:
    del next(node for node in model.graph.node if node.name == "stem.q").input[2]


def float_bias(model: onnx.ModelProto) -> None:
    read_from("stem", 2, "stem.bias.float")(model)
    model.graph.initializer.append(numpy_helper.from_array(np.zeros(4, np.float32), "stem.bias.float"))


FAULTS: dict[str, tuple[Change, str]] = {
    "scale": (
        edited("stem.scale", lambda a: a * np.float32(1.5)),
        "node 'stem.q' has scales that are not powers of two",
    ),
    "weight scale": (
        edited("stem.weight.scale", lambda a: a * np.float32(0.7)),
        "node 'stem.weight' has scales that are not powers of two",
    ),
    "negative scale": (edited("stem.scale", np.negative), "not powers of two"),
    "weight": (edited("stem.weight.numbers", lambda a: np.full_like(a, 65)), "has weights outside -64 .. 64"),
    "least weight": (edited("stem.weight.numbers", lambda a: np.full_like(a, -128)), "has weights outside -64 .. 64"),
    "weight's zero point": (
        edited("stem.weight.zero", lambda a: a + np.int8(1)),
        "has a zero point; constants have none",
    ),
    "bias too large": (
        edited("stem.bias.numbers", lambda a: np.full_like(a, 2**24)),
        "; float32 is exact below 16777216",
    ),
    "bias in other units": (
        edited("stem.bias.scale", lambda a: a * np.float32(2)),
        "node 'stem' has a bias in other units than its sums",
    ),
    "a rounded sum": (
        edited("blocks.0.add.scale", lambda a: a * np.float32(64)),
        "node 'blocks.0.add.q' rounds a sum of steps of",
    ),
    "bias in float32": (float_bias, "node 'stem' needs int8 weights and an int32 bias that stand in the file"),
    "signed activations": (edited("stem.zero", lambda _: np.array(0, np.int8)), "quantised by channel or to int8"),
    "unquantised input": (
        read_from("stem", 0, "board"),
        "node 'stem' reads board, which must come from DequantizeLinear",
    ),
    "strides": (set_attribute("stem", "strides", [1, 1]), "node 'stem' has the attributes"),
    "alpha": (set_attribute("policy", "alpha", 2.0), "node 'policy' has the attributes"),
    "no zero point": (without_zero_point, "node 'stem.q' needs a scale and a zero point that stand in the file"),
}


@pytest.mark.parametrize(("change", "message"), FAULTS.values(), ids=FAULTS)
def test_a_model_that_might_differ_between_runtimes_is_refused(
    game: Game, int8: bytes, metadata: dict[str, str], change: Change, message: str
) -> None:
    faulty = onnx.load_model_from_string(int8)
    change(faulty)
    found = integer_pass.refusals(faulty.SerializeToString(), game.planes, game.moves, metadata)
    assert len(found) == 1
    assert message in found[0]


def test_float32_is_not_taken_for_int8(game: Game, model: bytes, metadata: dict[str, str]) -> None:
    found = integer_pass.refusals(model, game.planes, game.moves, metadata)
    assert found == ["node 'stem' reads board, which must come from DequantizeLinear"]


def newer_ir(model: onnx.ModelProto) -> None:
    model.ir_version = 10


def external_data(model: onnx.ModelProto) -> None:
    tensor = model.graph.initializer[2]
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="weights.bin")


def int64_input(model: onnx.ModelProto) -> None:
    model.graph.input[0].type.tensor_type.elem_type = TensorProto.INT64


def other_game(model: onnx.ModelProto) -> None:
    next(entry for entry in model.metadata_props if entry.key == "game").value = "connect_four"


def other_shape(model: onnx.ModelProto) -> None:
    model.graph.input[0].type.tensor_type.shape.dim[2].dim_value = 9


BROKEN: dict[Change, str] = {
    newer_ir: "IR version is 10: runtimes in the field read at most 8",
    external_data: "keeps its data in another file: all data must be inside this one",
    int64_input: "input 'board' is int64: it must be float",
    other_game: "metadata 'game' is 'connect_four': this game's is 'cell_division'",
    other_shape: "input 'board' has shape [batch, 3, 9, 8]: it must be [batch, 3, 8, 8]",
}


@pytest.mark.parametrize("change", BROKEN, ids=lambda change: change.__name__)
@pytest.mark.parametrize("which", ["model", "int8"])
def test_what_breaks_apps_in_the_field_is_refused_in_both_models(
    request: pytest.FixtureRequest, game: Game, metadata: dict[str, str], which: str, change: Change
) -> None:
    broken = onnx.load_model_from_string(request.getfixturevalue(which))
    change(broken)
    found = integer_pass.refusals(broken.SerializeToString(), game.planes, game.moves, metadata)
    assert any(BROKEN[change] in refusal for refusal in found)


def test_a_truncated_int8_model_is_refused_wherever_it_is_cut(
    game: Game, int8: bytes, metadata: dict[str, str]
) -> None:
    cuts = {0, 1, 2, len(int8) - 1, *range(3, len(int8), len(int8) // 60)}
    accepted = [cut for cut in sorted(cuts) if not integer_pass.refusals(int8[:cut], game.planes, game.moves, metadata)]
    assert accepted == []
