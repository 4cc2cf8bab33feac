"""elite.int8.onnx from elite.onnx: the same network in whole numbers, with the same answer on every runtime.

Every scale is a power of two and every sum stays below 2**24, so no sum and no product ever needs rounding in float32.
A runtime that fuses the nodes into integer kernels, one that fuses them otherwise, and one that computes them one by
one in float32, in any order, get the same bits. The only rounding is QuantizeLinear's: to the nearest, halves to even.
onnxruntime.quantization has no such scales (and quantises the logits, so that moves tie): hence the graph by hand.

Activations are U8, weights S8 within -64 .. 64: kernels that add two products in 16 bits (AVX2's) would saturate with
more. A Relu whose result is quantised with zero point 0 is left out: U8 cannot hold a number below zero.

What an Add adds has a scale no finer than what it gives, so that no sum lies halfway between two numbers: there ONNX
Runtime's Add for arm64 rounds otherwise than the one for x86.
"""

from collections.abc import Mapping
from typing import cast

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from pocketzero.nets.evaluator import onnx_session
from pocketzero.nets.weights import INPUT

ACTIVATION_MOST = 255
SIGNED_ZERO = 128  # zero point of activations that may be negative
WEIGHT_MOST = 64
BIAS_MOST = 2**22  # a channel of tiny weights takes a coarser scale, so that its bias leaves room for the sum

Floats = NDArray[np.float32]


def quantize(model: bytes, planes: Floats) -> bytes:
    """The int8 network of a float32 one; the same model and planes give the same bytes.

    Args:
      model: elite.onnx, as nets.graph.build_onnx writes it without a value head.
      planes: [N, *planes] float32, encoded positions of real games, from which the activations' scales come.

    Raises ValueError for a node that it does not know.
    """
    parsed = onnx.load_model_from_string(model)
    return _Quantizer(parsed, _activations(parsed, planes)).model()


def _activations(model: onnx.ModelProto, planes: Floats) -> dict[str, Floats]:
    """What every node computes, by the name of its output; and the input."""
    names = [name for node in model.graph.node for name in node.output]
    watched = onnx.ModelProto()
    watched.CopyFrom(model)
    del watched.graph.output[:]
    watched.graph.output.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names)
    found = onnx_session(watched.SerializeToString()).run(None, {INPUT: planes})
    return {INPUT: planes, **dict(zip(names, found, strict=True))}


class _Quantizer:
    """Walks the nodes in order and writes each again between QuantizeLinear and DequantizeLinear."""

    def __init__(self, model: onnx.ModelProto, activations: Mapping[str, Floats]) -> None:
        self.source = model
        self.activations = activations
        self.weights = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self.names: dict[str, str] = {}
        """Float tensor of the source -> what stands for it here."""
        self.scales: dict[str, float] = {}
        """Float tensor of the source -> scale of its whole numbers."""

    def model(self) -> bytes:
        graph = self.source.graph
        self.quantized(INPUT, INPUT, signed=bool(self.activations[INPUT].min() < 0))
        for node in graph.node:
            self.node(node)
        body = helper.make_graph(self.nodes, graph.name, list(graph.input), list(graph.output), self.constants)
        made = helper.make_model(body, opset_imports=list(self.source.opset_import))
        made.ir_version, made.producer_name = self.source.ir_version, self.source.producer_name
        made.metadata_props.extend(self.source.metadata_props)
        onnx.checker.check_model(made, full_check=True)
        return cast(bytes, made.SerializeToString(deterministic=True))

    def node(self, node: onnx.NodeProto) -> None:
        output = node.output[0]
        if node.op_type in ("Conv", "Gemm"):
            self.weighed(node)
        elif node.op_type in ("Add", "Flatten"):
            self.again(node, [self.names[name] for name in node.input])
        elif node.op_type != "Relu":
            raise ValueError(f"{node.name}: {node.op_type} cannot be quantised here; known are Conv, Gemm, Add, Relu")
        if output in {port.name for port in self.source.graph.output}:
            return
        if node.op_type == "Flatten":
            self.quantized(output, output, signed=False, scale=self.scales[node.input[0]])
        elif (relu := self.relu_of(output)) is not None:
            self.quantized(relu, output, signed=False)
        elif node.op_type != "Relu":
            self.quantized(output, output, signed=True)

    def relu_of(self, name: str) -> str | None:
        """The output of the Relu that alone reads this tensor."""
        readers = [node for node in self.source.graph.node if name in node.input]
        return readers[0].output[0] if [reader.op_type for reader in readers] == ["Relu"] else None

    def again(self, node: onnx.NodeProto, inputs: list[str]) -> None:
        copy = onnx.NodeProto()
        copy.CopyFrom(node)
        copy.input[:] = inputs
        self.nodes.append(copy)

    def weighed(self, node: onnx.NodeProto) -> None:
        """A Conv or Gemm: weights by output channel, bias in units of the sum."""
        source, weight, bias = node.input
        biases = np.abs(self.weights[bias].astype(np.float64)) / self.scales[source]
        largest = np.abs(_exact(self.weights[weight])).max(axis=1)
        scales = _scales(np.maximum(largest, biases * (WEIGHT_MOST / BIAS_MOST)), WEIGHT_MOST)
        numbers = np.rint(self.weights[weight] / _by_channel(scales, self.weights[weight])).astype(np.int8)
        units = self.scales[source] * scales
        whole = np.rint(self.weights[bias] / units).astype(np.int32)
        inputs = [self.dequantized(weight, numbers, scales), self.dequantized(bias, whole, units)]
        self.again(node, [self.names[source], *inputs])

    def dequantized(self, name: str, numbers: np.ndarray, scales: NDArray[np.float64]) -> str:
        """A constant of whole numbers by output channel; returns the name of its float value."""
        zeros = np.zeros(len(scales), numbers.dtype)
        inputs = [self.constant(f"{name}.{part}", array) for part, array in (("numbers", numbers), ("scale", scales))]
        inputs.append(self.constant(f"{name}.zero", zeros))
        self.nodes.append(helper.make_node("DequantizeLinear", inputs, [name], name=name, axis=0))
        return name

    def quantized(self, stands_for: str, name: str, signed: bool, scale: float | None = None) -> None:
        """Quantise the tensor `name` of this graph, which from here on stands for `stands_for` of the source's."""
        zero = SIGNED_ZERO if signed else 0
        scale = scale or self.scale_of(stands_for, signed)
        about = [self.constant(f"{name}.scale", np.array(scale)), self.constant(f"{name}.zero", np.uint8(zero))]
        whole, shown = f"{name}.q", f"{name}.dq"
        self.nodes.append(helper.make_node("QuantizeLinear", [name, *about], [whole], name=whole))
        self.nodes.append(helper.make_node("DequantizeLinear", [whole, *about], [shown], name=shown))
        self.names[stands_for], self.scales[stands_for] = shown, scale

    def scale_of(self, name: str, signed: bool) -> float:
        """The finest scale for a tensor of the source, but no finer than that of a sum that it becomes a part of."""
        most = ACTIVATION_MOST - (SIGNED_ZERO if signed else 0)
        own = float(_scales(np.abs(_exact(self.activations[name])).max(), most))
        sums = [node.output[0] for node in self.source.graph.node if node.op_type == "Add" and name in node.input]
        relus = [(self.relu_of(found), found) for found in sums]
        return max([own, *(self.scale_of(relu or found, relu is None) for relu, found in relus)])

    def constant(self, name: str, array: np.ndarray | np.uint8) -> str:
        array = np.asarray(array)
        kind = np.dtype(np.float32) if array.dtype == np.float64 else array.dtype
        self.constants.append(numpy_helper.from_array(array.astype(kind.newbyteorder("<")), name))
        return name


def _scales(largest: NDArray[np.float64], most: int) -> NDArray[np.float64]:
    """The smallest powers of two by which `most` holds what is largest; 1 where that is 0, which any scale shows.

    Nothing that was seen is cut off. Finer scales that cut outliers off had the smaller squared error on the positions
    they were chosen on, and four times the divergence from float32 on others.
    """
    exponents: NDArray[np.float64] = np.ceil(np.log2(np.where(largest > 0, largest, most) / most))
    return 2.0**exponents


def _exact(values: Floats) -> NDArray[np.float64]:
    """[N, ...] as [N, numbers] in doubles."""
    return values.astype(np.float64).reshape(len(values), -1)


def _by_channel(scales: NDArray[np.float64], weight: Floats) -> NDArray[np.float64]:
    return scales.reshape(-1, *[1] * (weight.ndim - 1))
