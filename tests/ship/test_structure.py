"""Every fault that is known to break apps in the field is planted in a good model, and must be refused by its name."""

from collections.abc import Callable

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from pocketzero.games import Game
from pocketzero.ship import structure

Refusals = Callable[[bytes], list[str]]


@pytest.fixture
def refusals(game: Game, metadata: dict[str, str]) -> Refusals:
    return lambda model: structure.refusals(model, game.planes, game.moves, metadata)


def newer_ir(model: onnx.ModelProto) -> None:
    model.ir_version = 10


def other_opset(model: onnx.ModelProto) -> None:
    model.opset_import[0].version = 20


def second_operator_set(model: onnx.ModelProto) -> None:
    model.opset_import.append(helper.make_opsetid("com.microsoft", 1))


def no_opset(model: onnx.ModelProto) -> None:
    del model.opset_import[:]


def external_data(model: onnx.ModelProto) -> None:
    tensor = model.graph.initializer[0]
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="elite.onnx.data")
    tensor.ClearField("raw_data")


def other_operator(model: onnx.ModelProto) -> None:
    relu = next(node for node in model.graph.node if node.op_type == "Relu")
    relu.op_type = "Softplus"


def other_domain(model: onnx.ModelProto) -> None:
    relu = next(node for node in model.graph.node if node.op_type == "Relu")
    relu.domain = "com.microsoft"


def int64_tensor(model: onnx.ModelProto) -> None:
    model.graph.initializer.append(numpy_helper.from_array(np.array([1, 64], np.int64), "shape"))


def float16_tensor(model: onnx.ModelProto) -> None:
    tensor = model.graph.initializer[0]
    tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor).astype(np.float16), tensor.name))


def float16_input(model: onnx.ModelProto) -> None:
    model.graph.input[0].type.tensor_type.elem_type = TensorProto.FLOAT16


def int64_constant_of_a_node(model: onnx.ModelProto) -> None:
    value = numpy_helper.from_array(np.array([3], np.int64), "three")
    model.graph.node.insert(0, helper.make_node("Constant", [], ["three"], value=value))


def other_input_name(model: onnx.ModelProto) -> None:
    model.graph.input[0].name = model.graph.node[0].input[0] = "input"


def other_output_name(model: onnx.ModelProto) -> None:
    model.graph.output[0].name = model.graph.node[-1].output[0] = "logits"


def frozen_batch(model: onnx.ModelProto) -> None:
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_value = 1


def other_board_shape(model: onnx.ModelProto) -> None:
    model.graph.input[0].type.tensor_type.shape.dim[3].dim_value = 9


def other_policy_shape(model: onnx.ModelProto) -> None:
    model.graph.output[0].type.tensor_type.shape.dim[1].dim_value = 65


def other_game(model: onnx.ModelProto) -> None:
    entry(model, "game").value = "connect_four"


def other_rules(model: onnx.ModelProto) -> None:
    entry(model, "rules").value = "0" * 64


def no_schema(model: onnx.ModelProto) -> None:
    model.metadata_props.remove(entry(model, "schema"))


def not_a_number(model: onnx.ModelProto) -> None:
    tensor = model.graph.initializer[0]
    values = numpy_helper.to_array(tensor).copy()
    values.flat[3] = np.nan
    tensor.CopyFrom(numpy_helper.from_array(values, tensor.name))


def missing_weight(model: onnx.ModelProto) -> None:
    del model.graph.initializer[2]


def misshapen_weight(model: onnx.ModelProto) -> None:
    model.graph.initializer[0].dims[0] += 1


def entry(model: onnx.ModelProto, key: str) -> onnx.StringStringEntryProto:
    return next(each for each in model.metadata_props if each.key == key)


FAULTS = {
    newer_ir: "IR version is 10",
    other_opset: "ai.onnx 20",
    second_operator_set: "com.microsoft 1",
    no_opset: "operator sets are none",
    external_data: "keeps its data in another file",
    other_operator: "operator Softplus is not allowed",
    other_domain: "operator com.microsoft.Relu is not allowed",
    int64_tensor: "tensor 'shape' is int64",
    float16_tensor: "is float16: allowed are float",
    float16_input: "input 'board' is float16: it must be float",
    int64_constant_of_a_node: "tensor 'three' is int64",
    other_input_name: "input names are input: they must be board",
    other_output_name: "output names are logits: they must be policy",
    frozen_batch: "input 'board' has shape [1, 3, 8, 8]: it must be [batch, 3, 8, 8]",
    other_board_shape: "input 'board' has shape [batch, 3, 8, 9]",
    other_policy_shape: "output 'policy' has shape [batch, 65]: it must be [batch, 64]",
    other_game: "metadata 'game' is 'connect_four': this game's is 'cell_division'",
    other_rules: "metadata 'rules' is",
    no_schema: "metadata 'schema' is missing",
    not_a_number: "holds a number that is not finite",
    missing_weight: "ONNX's checker refuses it",
    misshapen_weight: "ONNX's checker refuses it",
}


def test_a_model_of_ours_has_no_refusal(refusals: Refusals, model: bytes) -> None:
    assert refusals(model) == []


@pytest.mark.parametrize("plant", FAULTS, ids=lambda plant: plant.__name__)
def test_a_planted_fault_is_refused(refusals: Refusals, model: bytes, plant: Callable[[onnx.ModelProto], None]) -> None:
    faulty = onnx.load_model_from_string(model)
    plant(faulty)
    found = refusals(faulty.SerializeToString())
    assert any(FAULTS[plant] in refusal for refusal in found), found


def test_a_truncated_file_is_refused_wherever_it_is_cut(refusals: Refusals, model: bytes) -> None:
    cuts = {0, 1, 2, len(model) - 1, *range(3, len(model), len(model) // 60)}
    accepted = [cut for cut in sorted(cuts) if not refusals(model[:cut])]
    assert accepted == []


def test_a_foreign_file_is_refused(refusals: Refusals) -> None:
    assert refusals(b"PK\x03\x04 this is no model") == [
        "not a whole ONNX file: it is truncated, or it is something else"
    ]


def test_a_teacher_is_not_taken_for_a_student(refusals: Refusals, teacher_model: bytes) -> None:
    assert refusals(teacher_model) == ["output names are policy, value: they must be policy"]


def test_refuse_names_the_file_and_every_refusal(refusals: Refusals, model: bytes) -> None:
    faulty = onnx.load_model_from_string(model)
    newer_ir(faulty)
    other_game(faulty)
    with pytest.raises(structure.StructureError, match=r"elite\.onnx: IR version is 10.*; metadata 'game' is"):
        structure.refuse("elite.onnx", refusals(faulty.SerializeToString()))
