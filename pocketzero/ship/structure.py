"""Structural checks of an ONNX file: everything about a model that is known to break apps in the field.

The checks read the bytes; only a file in which they find nothing is run, once, by ONNX Runtime. What the numbers are
is the business of parity.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy
import onnx
from google.protobuf.message import DecodeError, Message  # type: ignore[import-untyped]
from onnx import TensorProto, numpy_helper

from pocketzero.bad_file import cut
from pocketzero.nets.evaluator import onnx_session
from pocketzero.nets.weights import INPUT, POLICY

NEWEST_IR = 8
OPSET = 17
OPERATORS = frozenset({"Conv", "Relu", "Add", "Flatten", "Gemm", "Tanh", "QuantizeLinear", "DequantizeLinear"})
TENSOR_TYPES = frozenset({TensorProto.FLOAT, TensorProto.INT8, TensorProto.UINT8, TensorProto.INT32})
BATCH = "batch"
MOST = 10  # refusals of one file


class StructureError(ValueError):
    """A model file that apps could not load or would misread; the message lists every refusal."""


def refuse(name: str, found: Sequence[str]) -> None:
    """Raise StructureError naming the file and every refusal that was found, or return where there is none."""
    if found:
        raise StructureError(f"{name}: " + "; ".join(found))


def refusals(model: bytes, planes: Sequence[int], moves: int, metadata: Mapping[str, str]) -> list[str]:
    """Every reason not to ship this file, each a sentence with what was found and what would be right.

    Args:
      model: the bytes of an .onnx file.
      planes: the shape of one encoded position, without the batch.
      moves: how many logits the policy has.
      metadata: the entries that the file must carry, as identity.metadata gives them.

    Returns:
      Sentences in a fixed order, the first ten; an empty list means that the file may ship.
    """
    found = [cut(sentence) for sentence in _all_refusals(model, planes, moves, metadata)]
    return found[:MOST] + ([f"and {len(found) - MOST} more"] if len(found) > MOST else [])


def _all_refusals(model: bytes, planes: Sequence[int], moves: int, metadata: Mapping[str, str]) -> list[str]:
    try:
        parsed = onnx.load_model_from_string(model)
    except DecodeError:
        return ["not a whole ONNX file: it is truncated, or it is something else"]
    if not _is_text(parsed):
        return ["a name or another text in it is not UTF-8: it is damaged"]
    if not parsed.graph.node:
        return ["the file holds no graph: it is empty or truncated"]
    found = [
        *_format_refusals(parsed),
        *_external_refusals(parsed),
        *_operator_refusals(parsed),
        *_name_refusals(parsed),
        *_type_refusals(parsed),
        *_port_refusals("input", parsed.graph.input, {"board": tuple(planes)}),
        *_port_refusals("output", parsed.graph.output, {"policy": (moves,)}),
        *_metadata_refusals(parsed, metadata),
    ]
    return found or _content_refusals(parsed) or _runtime_refusals(model, planes, moves)


def _format_refusals(model: onnx.ModelProto) -> Iterator[str]:
    if model.ir_version > NEWEST_IR:
        yield f"IR version is {model.ir_version}: runtimes in the field read at most {NEWEST_IR}"
    opsets = {entry.domain or "ai.onnx": entry.version for entry in model.opset_import}
    if opsets != {"ai.onnx": OPSET}:
        text = ", ".join(f"{domain} {version}" for domain, version in sorted(opsets.items())) or "none"
        yield f"operator sets are {text}: the only one may be ai.onnx {OPSET}"


def _external_refusals(model: onnx.ModelProto) -> Iterator[str]:
    for tensor in _tensors(model.graph):
        if tensor.data_location == TensorProto.EXTERNAL or tensor.external_data:
            yield f"tensor {tensor.name!r} keeps its data in another file: all data must be inside this one"


def _operator_refusals(model: onnx.ModelProto) -> Iterator[str]:
    used = {f"{node.domain}.{node.op_type}" if node.domain else node.op_type for node in model.graph.node}
    for operator in sorted(used - OPERATORS):
        yield f"operator {operator} is not allowed: use only {', '.join(sorted(OPERATORS))}"
    for function in model.functions:
        yield f"function {function.name!r} is defined in the file: only standard operators are allowed"


def _name_refusals(model: onnx.ModelProto) -> Iterator[str]:
    names = [node.name for node in model.graph.node if node.name]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"{names.count(name)} nodes are called {name!r}: names must be different"


def _type_refusals(model: onnx.ModelProto) -> Iterator[str]:
    graph = model.graph
    types = {tensor.name: tensor.data_type for tensor in _tensors(graph)}
    for value in [*graph.input, *graph.value_info, *graph.output]:
        types[value.name] = value.type.tensor_type.elem_type
    for name, kind in sorted(types.items()):
        if kind not in TENSOR_TYPES:
            allowed = ", ".join(sorted(TensorProto.DataType.Name(each).lower() for each in TENSOR_TYPES))
            yield f"tensor {name!r} is {_type_name(kind)}: allowed are {allowed}"
    for sparse in graph.sparse_initializer:
        yield f"tensor {sparse.values.name!r} is sparse: only dense tensors are allowed"


def _port_refusals(
    kind: str, ports: Sequence[onnx.ValueInfoProto], wanted: Mapping[str, tuple[int, ...]]
) -> Iterator[str]:
    names = [port.name for port in ports]
    if names != list(wanted):
        yield f"{kind} names are {', '.join(names) or 'missing'}: they must be {', '.join(wanted)}"
        return
    for port in ports:
        tensor = port.type.tensor_type
        if tensor.elem_type != TensorProto.FLOAT:
            yield f"{kind} {port.name!r} is {_type_name(tensor.elem_type)}: it must be float"
        shape = [dimension.dim_param or dimension.dim_value for dimension in tensor.shape.dim]
        right: list[int | str] = [BATCH, *wanted[port.name]]
        if shape != right:
            yield f"{kind} {port.name!r} has shape {_shape_text(shape)}: it must be {_shape_text(right)}"


def _metadata_refusals(model: onnx.ModelProto, wanted: Mapping[str, str]) -> Iterator[str]:
    carried = {entry.key: entry.value for entry in model.metadata_props}
    for key, value in wanted.items():
        if key not in carried:
            yield f"metadata {key!r} is missing: it must be {value!r}"
        elif carried[key] != value:
            yield f"metadata {key!r} is {carried[key]!r}: this game's is {value!r}"


def _content_refusals(model: onnx.ModelProto) -> list[str]:
    """Faults inside a file whose outside is right: what ONNX's own checker finds, and weights that are not finite."""
    try:
        onnx.checker.check_model(model, full_check=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError, ValueError) as fault:
        return ["ONNX's checker refuses it: " + str(fault).strip().splitlines()[0]]
    return list(_number_refusals(model))


def _number_refusals(model: onnx.ModelProto) -> Iterator[str]:
    for tensor in model.graph.initializer:
        try:
            numbers = numpy_helper.to_array(tensor)
        except Exception as fault:  # the checker does not compare shapes with the bytes that are there
            yield f"tensor {tensor.name!r} cannot be read: {fault}"
        else:
            if not numpy.isfinite(numbers).all():
                yield f"tensor {tensor.name!r} holds a number that is not finite"


def _runtime_refusals(model: bytes, planes: Sequence[int], moves: int) -> list[str]:
    """Shapes that fit only in part: ONNX's checker does not compare all of them, nor what hangs on the batch."""
    boards = numpy.zeros((2, *planes), numpy.float32)
    try:
        (logits,) = onnx_session(model).run([POLICY], {INPUT: boards})
    except Exception as fault:  # its errors have no common class of their own
        return ["ONNX Runtime cannot run it: " + " ".join(str(fault).split())]
    if logits.shape != (2, moves):
        return [f"it answers 2 boards with {_shape_text(logits.shape)} numbers: they must be {_shape_text((2, moves))}"]
    return []


def _tensors(graph: onnx.GraphProto) -> Iterator[TensorProto]:
    """Every tensor that is stored in the graph: initializers and the tensors inside nodes' attributes."""
    yield from graph.initializer
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.TENSOR:
                yield attribute.t
            yield from attribute.tensors


def _is_text(message: Message) -> bool:
    """Whether all texts are UTF-8; protobuf gives the bytes where one is not."""
    for field, value in message.ListFields():
        values = [value] if isinstance(value, (Message, str, bytes, int, float)) else value
        for each in values:
            if isinstance(each, Message) and not _is_text(each):
                return False
            if field.type == field.TYPE_STRING and isinstance(each, bytes):
                return False
    return True


def _type_name(kind: int) -> str:
    known = kind in TensorProto.DataType.values()
    return TensorProto.DataType.Name(kind).lower() if known else f"of unknown type {kind}"


def _shape_text(shape: Sequence[int | str]) -> str:
    return "[" + ", ".join(str(each) for each in shape) + "]"
