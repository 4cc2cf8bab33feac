"""The plain pass: elite.int8.onnx computed in whole numbers, node by node. All other runtimes are measured against it.

A tensor is held as whole numbers and scales; its values are numbers * scale. R rounds to the nearest, halves to even:

    DequantizeLinear  numbers - zero point, with the node's scale
    Conv, Gemm        bias + sum of input * weight, with the input's scale times that of the weight's output channel
    Add               both brought to the smaller scale, then added
    Relu              max(numbers, 0)
    QuantizeLinear    R(numbers * scale / node's scale) + zero point, clamped to 0 .. 255

Scales are powers of two and no sum can reach 2**24, which is checked when the file is read: so all of this is exact in
float32 too, and a runtime need not work in whole numbers, nor add in some order, to get the same bits.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
import onnx
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from onnx import helper, numpy_helper

from pocketzero.nets.weights import INPUT, POLICY
from pocketzero.ship import structure

LARGEST = 255  # of a quantised number
LARGEST_WEIGHT = 64  # two products with a quantised number fit into the 16 bits of AVX2's multiply-add
EXACT = 2**24  # float32 holds all whole numbers up to here
BATCH = 256  # positions at a time, for memory

Numbers = NDArray[np.float64]  # whole ones, which doubles hold exactly


@dataclass(frozen=True)
class Scaled:
    """[N, channels, ...] whole numbers, and scales: [1], or one a channel."""

    numbers: Numbers
    scales: Numbers

    def in_units(self, scale: Numbers) -> Numbers:
        """The values as multiples of `scale`."""
        ratio = self.scales / scale
        return self.numbers * ratio.reshape(1, -1, *[1] * (self.numbers.ndim - 2))


class IntegerPass:
    """A network of elite.int8.onnx, as quantize.quantize writes it. The model is one without structure.refusals.

    Raises StructureError, naming the node, for a model whose answers could differ between runtimes.
    """

    def __init__(self, model: bytes) -> None:
        graph = onnx.load_model_from_string(model).graph
        self._nodes = list(graph.node)
        self._arrays = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
        for node in self._nodes:
            self._check_node(node)
        self._constants = {
            node.output[0]: Scaled(self._arrays[node.input[0]].astype(np.float64), self._scales(node))
            for node in self._nodes
            if self._is_constant(node)
        }
        self._check_sums()

    def logits(self, planes: NDArray[np.float32]) -> NDArray[np.float32]:
        """The answers to encoded positions: [N, *planes] float32 to [N, moves] float32."""
        batches = [planes[first : first + BATCH].astype(np.float64) for first in range(0, len(planes), BATCH)]
        return np.concatenate([self._run(batch) for batch in batches]).astype(np.float32)

    def _run(self, planes: Numbers) -> Numbers:
        held = {**self._constants, INPUT: Scaled(planes, np.ones(1))}
        for node in self._nodes:
            if node.output[0] not in held:
                held[node.output[0]] = self._compute(node, held)
        return held[POLICY].in_units(np.ones(1))

    def _compute(self, node: onnx.NodeProto, held: Mapping[str, Scaled]) -> Scaled:
        first = held[node.input[0]]
        match node.op_type:
            case "QuantizeLinear":
                numbers = np.rint(first.in_units(self._scales(node))) + self._zero(node)
                return Scaled(np.clip(numbers, 0, LARGEST), np.ones(1))
            case "DequantizeLinear":
                return Scaled(first.numbers - self._zero(node), self._scales(node))
            case "Relu":
                return Scaled(np.maximum(first.numbers, 0), first.scales)
            case "Flatten":
                return Scaled(first.numbers.reshape(len(first.numbers), -1), first.scales)
            case "Add":
                return _add(first, held[node.input[1]])
        weight, bias = (held[name] for name in node.input[1:])
        by_output = weight.numbers.reshape(len(weight.numbers), -1).T
        if node.op_type == "Gemm":
            return Scaled(first.numbers @ by_output + bias.numbers, bias.scales)
        kernel, edge = weight.numbers.shape[2:], weight.numbers.shape[2] // 2
        padded = np.pad(first.numbers, [(0, 0), (0, 0), (edge, edge), (edge, edge)])
        windows = sliding_window_view(padded, kernel, axis=(2, 3)).transpose(0, 2, 3, 1, 4, 5)
        sums = windows.reshape(*windows.shape[:3], -1) @ by_output + bias.numbers
        return Scaled(sums.transpose(0, 3, 1, 2), bias.scales)

    def _check_node(self, node: onnx.NodeProto) -> None:
        """Refuse what neither this pass nor an app's computes."""
        given = {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
        side = given.get("kernel_shape", [0])[0]
        known: dict[str, dict[str, object]] = {
            "Conv": {"kernel_shape": [side, side], "pads": [side // 2] * 4},
            "Gemm": {"transB": 1},
            "Flatten": {"axis": 1},
            "DequantizeLinear": {"axis": 0} if self._is_constant(node) else {},
        }
        wanted = known.get(node.op_type, {})
        if given != wanted or (node.op_type == "Conv" and side % 2 == 0):
            self._refuse(node, f"has the attributes {given}; they should be {wanted}")
        if node.op_type == "Tanh":
            self._refuse(node, "is a Tanh, which has no whole numbers")
        if not node.op_type.endswith("Linear"):
            return
        if len(node.input) != 3 or not set(node.input[1:]) <= self._arrays.keys():
            self._refuse(node, "needs a scale and a zero point that stand in the file")
        kinds = {self._arrays[name].dtype.name for name in node.input if name in self._arrays} - {"float32"}
        if not self._is_constant(node):
            if kinds != {"uint8"} or self._scales(node).size != 1:
                self._refuse(node, f"is quantised by channel or to {', '.join(kinds)}; one scale and uint8 are exact")
            return
        numbers = self._arrays[node.input[0]]
        if self._zero(node).any():
            self._refuse(node, "has a zero point; constants have none")
        if kinds != {"int8" if numbers.ndim > 1 else "int32"}:
            self._refuse(node, f"is of {', '.join(kinds)}; weights are int8, biases int32")
        if numbers.ndim > 1 and np.abs(numbers.astype(np.int32)).max() > LARGEST_WEIGHT:
            self._refuse(node, f"has weights outside -{LARGEST_WEIGHT} .. {LARGEST_WEIGHT}")

    def _check_sums(self) -> None:
        """Refuse a model in which some input could make a sum that float32 does not hold, or that is rounded."""
        largest: dict[str, Scaled] = {}
        added: set[str] = set()
        for node in self._nodes:
            if node.op_type == "QuantizeLinear" and node.input[0] in added:
                self._check_rounding(node, float(largest[node.input[0]].scales.min()))
            if node.op_type == "QuantizeLinear" or self._is_constant(node):
                continue
            if node.op_type == "Add" or (node.op_type in ("Relu", "Flatten") and node.input[0] in added):
                added.add(node.output[0])
            if node.op_type == "DequantizeLinear":
                zero = float(self._zero(node))
                largest[node.output[0]] = Scaled(np.full((1, 1), max(zero, LARGEST - zero)), self._scales(node))
                continue
            sources = node.input[:1] if node.op_type in ("Conv", "Gemm") else node.input
            if any(name not in largest or largest[name].scales.size > 1 for name in sources):
                self._refuse(node, f"reads {', '.join(sources)}, which must come from DequantizeLinear")
            found = self._largest(node, *(largest[name] for name in sources))
            if found.numbers.max() >= EXACT:
                self._refuse(node, f"can reach {found.numbers.max():.0f}; float32 is exact below {EXACT}")
            largest[node.output[0]] = found

    def _check_rounding(self, node: onnx.NodeProto, finest: float) -> None:
        """Refuse to round what an Add gives: ONNX Runtime's Add rounds halves otherwise on arm64 than on x86."""
        if (scale := float(self._scales(node).max())) > finest:
            self._refuse(
                node, f"rounds a sum of steps of {finest:g} to steps of {scale:g}; runtimes round it differently"
            )

    def _largest(self, node: onnx.NodeProto, *sources: Scaled) -> Scaled:
        """The largest magnitude that a node's sums can have, with their scales."""
        if node.op_type == "Add":
            return _add(*sources)
        if node.op_type not in ("Conv", "Gemm"):
            return sources[0]
        if len(node.input) != 3 or not set(node.input[1:]) <= self._constants.keys():
            self._refuse(node, "needs int8 weights and an int32 bias that stand in the file")
        weight, bias = (self._constants[name] for name in node.input[1:])
        if not np.array_equal(bias.scales, weight.scales * sources[0].scales):
            self._refuse(node, "has a bias in other units than its sums: input scale times weight scale")
        sums = np.abs(weight.numbers).reshape(len(weight.numbers), -1).sum(axis=1) * sources[0].numbers
        return Scaled(sums + np.abs(bias.numbers), bias.scales)

    def _is_constant(self, node: onnx.NodeProto) -> bool:
        return node.op_type == "DequantizeLinear" and node.input[0] in self._arrays

    def _scales(self, node: onnx.NodeProto) -> Numbers:
        scales = self._arrays[node.input[1]].astype(np.float64).reshape(-1)
        if (np.frexp(scales)[0] != 0.5).any():
            self._refuse(node, f"has scales that are not powers of two: {scales.tolist()}")
        return scales

    def _zero(self, node: onnx.NodeProto) -> Numbers:
        return self._arrays[node.input[2]].astype(np.float64)

    def _refuse(self, node: onnx.NodeProto, what: str) -> NoReturn:
        raise structure.StructureError(f"node {node.name!r} {what}")


def refusals(model: bytes, planes: Sequence[int], moves: int, metadata: Mapping[str, str]) -> list[str]:
    """Every reason not to ship this file as int8: those of structure.refusals, or else the first of the plain pass."""
    found = structure.refusals(model, planes, moves, metadata)
    if not found:
        try:
            IntegerPass(model)
        except structure.StructureError as fault:
            return [str(fault)]
    return found


def _add(first: Scaled, second: Scaled) -> Scaled:
    scales = np.minimum(first.scales, second.scales)
    return Scaled(first.in_units(scales) + second.in_units(scales), scales)
