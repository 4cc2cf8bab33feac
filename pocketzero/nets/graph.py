"""A network as an ONNX file that an app can load: batch norm folded, IR 8, opset 17, the same bytes every time.

Operators: Conv, Relu, Add, Flatten, Gemm, and Tanh where there is a value head. Self-play runs this graph too, so the
network that learns is the network that ships. NumPy and onnx only: no torch.
"""

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
import onnx
from onnx import TensorProto, helper

from pocketzero.nets.weights import INPUT, NORM_EPSILON, POLICY, VALUE, Network, Tensors, check_tensors

IR_VERSION = 8
OPSET = 17
PRODUCER = "pocketzero"


def build_onnx(network: Network, metadata: Mapping[str, str] | None = None) -> bytes:
    """The network as ONNX bytes: `board` [batch, planes, rows, columns] float32 -> `policy` [batch, moves] and, with a
    value head, `value` [batch, 1] in -1 .. 1, both from the view of the player to move.

    `metadata` (text by name) is written into the model in the order of its names. Raises BadFile where the
    tensors do not fit the architecture.
    """
    architecture = network.architecture
    check_tensors("network", architecture, network.tensors)
    graph = _Graph(network.tensors)
    board = graph.relu(graph.convolution(INPUT, "stem"))
    for block in range(architecture.blocks):
        first = graph.relu(graph.convolution(board, f"blocks.{block}.first"))
        second = graph.convolution(first, f"blocks.{block}.second")
        board = graph.relu(graph.node("Add", f"blocks.{block}.add", board, second))
    graph.dense(graph.flat(graph.relu(graph.convolution(board, "policy.reduce"))), "policy.dense", POLICY)
    outputs = [helper.make_tensor_value_info(POLICY, TensorProto.FLOAT, ["batch", architecture.moves])]
    if architecture.value_hidden:
        flat = graph.flat(graph.relu(graph.convolution(board, "value.reduce")))
        hidden = graph.relu(graph.dense(flat, "value.hidden"))
        graph.node("Tanh", VALUE, graph.dense(hidden, "value.output"))
        outputs.append(helper.make_tensor_value_info(VALUE, TensorProto.FLOAT, ["batch", 1]))
    board_info = helper.make_tensor_value_info(INPUT, TensorProto.FLOAT, ["batch", *architecture.planes])
    body = helper.make_graph(graph.nodes, architecture.kind, [board_info], outputs, graph.constants)
    model = helper.make_model(body, opset_imports=[helper.make_opsetid("", OPSET)], producer_name=PRODUCER)
    model.ir_version = IR_VERSION
    helper.set_model_props(model, dict(sorted((metadata or {}).items())))
    onnx.checker.check_model(model, full_check=True)
    return cast(bytes, model.SerializeToString(deterministic=True))


def fold(tensors: Tensors, name: str) -> tuple[np.ndarray, np.ndarray]:
    """A convolution and its batch norm as one convolution: weight [out, in, k, k], bias [out], both float32.

    Folded in float64, so that the only rounding is the last one.
    """

    def exact(part: str) -> np.ndarray:
        return tensors[f"{name}.{part}"].astype(np.float64)

    scale = exact("norm.weight") / np.sqrt(exact("norm.running_var") + NORM_EPSILON)
    weight = exact("convolution.weight") * scale[:, None, None, None]
    bias = exact("norm.bias") - exact("norm.running_mean") * scale
    return weight.astype(np.float32), bias.astype(np.float32)


class _Graph:
    """Nodes and constants in the order of the computation; every method returns the name of its output."""

    def __init__(self, tensors: Tensors):
        self.tensors = tensors
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def node(self, operator: str, output: str, *inputs: str, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(operator, list(inputs), [output], name=output, **attributes))
        return output

    def constant(self, name: str, array: np.ndarray) -> str:
        raw = np.ascontiguousarray(array, "<f4").tobytes()
        self.constants.append(helper.make_tensor(name, TensorProto.FLOAT, array.shape, raw, raw=True))
        return name

    def convolution(self, board: str, name: str) -> str:
        weight, bias = fold(self.tensors, name)
        kernel = list(weight.shape[2:])
        pads = [kernel[0] // 2, kernel[1] // 2] * 2
        constants = self.constant(f"{name}.weight", weight), self.constant(f"{name}.bias", bias)
        return self.node("Conv", name, board, *constants, kernel_shape=kernel, pads=pads)

    def dense(self, flat: str, name: str, output: str = "") -> str:
        constants = [self.constant(f"{name}.{part}", self.tensors[f"{name}.{part}"]) for part in ("weight", "bias")]
        return self.node("Gemm", output or name, flat, *constants, transB=1)

    def relu(self, name: str) -> str:
        return self.node("Relu", f"{name}.relu", name)

    def flat(self, name: str) -> str:
        return self.node("Flatten", f"{name}.flat", name, axis=1)
