"""Networks: the sizes that ship, the file that is checked, the graph that agrees with torch, a seed's weights."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from safetensors.numpy import load_file, save_file

from pocketzero.bad_file import BadFile
from pocketzero.nets.graph import build_onnx
from pocketzero.nets.tower import load_tower, network_of, new_tower
from pocketzero.nets.weights import HEADER, Architecture, Network, read_network, write_network

STUDENT = Architecture(
    game="cell_division", kind="student", planes=(3, 8, 8), moves=64, channels=32, blocks=3, value_hidden=0
)
TEACHER = Architecture(
    game="connect_four", kind="teacher", planes=(2, 6, 7), moves=7, channels=6, blocks=2, value_hidden=5
)


def trained_looking(architecture: Architecture) -> Network:
    """Fresh weights with running statistics and norms that are not the neutral ones."""
    network = network_of(new_tower(architecture, 3))
    draw = np.random.Generator(np.random.PCG64(5))
    for name, array in network.tensors.items():
        if array.ndim == 1:
            array += draw.uniform(0.05, 0.5, array.shape).astype(np.float32)
        assert np.isfinite(array).all(), name
    return network


def test_the_student_that_ships_has_64932_parameters() -> None:
    assert STUDENT.parameters() == 64_932
    assert sum(parameter.numel() for parameter in new_tower(STUDENT, 1).parameters()) == 64_932


@pytest.mark.parametrize("architecture", [STUDENT, TEACHER], ids=["student", "teacher"])
def test_the_tensors_of_a_tower_are_those_of_its_architecture(architecture: Architecture) -> None:
    tensors = network_of(new_tower(architecture, 1)).tensors
    assert {name: tensor.shape for name, tensor in tensors.items()} == architecture.shapes()


def test_fresh_weights_follow_from_the_seed_and_not_from_torch() -> None:
    torch.manual_seed(1)
    first = network_of(new_tower(TEACHER, 7)).tensors
    torch.manual_seed(2)
    state = torch.get_rng_state()
    second, other = network_of(new_tower(TEACHER, 7)).tensors, network_of(new_tower(TEACHER, 8)).tensors
    assert torch.equal(torch.get_rng_state(), state)
    assert all(np.array_equal(first[name], second[name]) for name in first)
    assert not np.array_equal(first["stem.convolution.weight"], other["stem.convolution.weight"])


def test_a_fresh_policy_is_near_uniform_and_a_fresh_value_near_zero() -> None:
    tower = new_tower(replace(TEACHER, channels=32, value_hidden=64), 1).eval()
    logits, values = tower(torch.rand(8, 2, 6, 7, generator=torch.Generator().manual_seed(1)))
    assert torch.softmax(logits, 1).max() < 0.4
    assert values.abs().max() < 0.4


def test_what_is_read_is_what_was_written(tmp_path: Path) -> None:
    network = trained_looking(TEACHER)
    write_network(tmp_path / "a.safetensors", network)
    found = read_network(tmp_path / "a.safetensors", "connect_four", "teacher")
    assert found.architecture == TEACHER
    assert list(found.tensors) == list(TEACHER.shapes())
    for name, tensor in network.tensors.items():
        np.testing.assert_array_equal(found.tensors[name], tensor)
    write_network(tmp_path / "b.safetensors", network_of(load_tower(found)))
    assert (tmp_path / "a.safetensors").read_bytes() == (tmp_path / "b.safetensors").read_bytes()


@pytest.mark.parametrize(
    ("game", "kind", "message"),
    [
        ("tic_tac_toe", "teacher", "game is 'connect_four'; it should be 'tic_tac_toe'"),
        ("connect_four", "student", "kind is 'teacher'; it should be 'student'"),
    ],
)
def test_another_game_or_kind_is_refused(tmp_path: Path, game: str, kind: str, message: str) -> None:
    write_network(tmp_path / "a.safetensors", trained_looking(TEACHER))
    with pytest.raises(BadFile, match=message):
        read_network(tmp_path / "a.safetensors", game, kind)


@pytest.mark.parametrize("share", [0.0, 0.001, 0.5, 0.999])
def test_a_truncated_file_is_refused(tmp_path: Path, share: float) -> None:
    path = tmp_path / "a.safetensors"
    write_network(path, trained_looking(TEACHER))
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    with pytest.raises(BadFile, match=r"a\.safetensors: content is unreadable"):
        read_network(path)


def test_a_foreign_safetensors_file_is_refused(tmp_path: Path) -> None:
    save_file({"weight": np.zeros(3, np.float32)}, tmp_path / "a.safetensors")
    with pytest.raises(BadFile, match="format is None; it should be 'pocketzero network 1'"):
        read_network(tmp_path / "a.safetensors")


def rewrite(path: Path, header: dict[str, object], tensors: dict[str, np.ndarray]) -> None:
    save_file(tensors, path, {HEADER: json.dumps(header)})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"channels": 7}, r"shape of stem\.convolution\.weight is \[6, 2, 3, 3\]; it should be \[7, 2, 3, 3\]"),
        ({"channels": True}, "channels is True; it should be a whole number"),
        ({"blocks": 3}, r"tensors is without blocks\.2\.first"),
        ({"value_hidden": 0}, r"tensors is with value\.hidden\.bias"),
        ({"planes": [2, 6]}, r"planes is \[2, 6\]"),
        ({"kind": "uncle"}, "kind is 'uncle'"),
        ({"colour": 1}, "header is with or without .'colour'"),
    ],
)
def test_a_header_that_does_not_fit_is_refused(tmp_path: Path, change: dict[str, object], message: str) -> None:
    path = tmp_path / "a.safetensors"
    write_network(path, trained_looking(TEACHER))
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(json.loads(content[8 : 8 + length])["__metadata__"][HEADER])
    rewrite(path, header | change, load_file(path))
    with pytest.raises(BadFile, match=message):
        read_network(path)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_network_that_is_not_finite_is_neither_written_nor_graphed(tmp_path: Path, value: float) -> None:
    network = trained_looking(TEACHER)
    network.tensors["policy.dense.bias"][1] = value
    with pytest.raises(BadFile, match=r"policy\.dense\.bias is not finite everywhere"):
        write_network(tmp_path / "a.safetensors", network)
    assert not (tmp_path / "a.safetensors").exists()
    with pytest.raises(BadFile, match=r"policy\.dense\.bias"):
        build_onnx(network)


@pytest.mark.parametrize("architecture", [STUDENT, TEACHER], ids=["student", "teacher"])
def test_the_graph_agrees_with_torch(architecture: Architecture) -> None:
    network = trained_looking(architecture)
    boards = np.random.Generator(np.random.PCG64(1)).random((5, *architecture.planes), np.float32)
    with torch.no_grad():
        logits, values = load_tower(network).eval()(torch.from_numpy(boards))
    session = onnxruntime.InferenceSession(build_onnx(network), providers=["CPUExecutionProvider"])
    found = session.run(None, {"board": boards})
    np.testing.assert_allclose(found[0], logits.numpy(), atol=1e-5)
    assert [output.name for output in session.get_outputs()] == (["policy"] if values is None else ["policy", "value"])
    if values is not None:
        np.testing.assert_allclose(found[1][:, 0], values.numpy(), atol=1e-5)


def test_the_graph_is_what_apps_can_load_and_always_the_same_bytes() -> None:
    network = trained_looking(TEACHER)
    content = build_onnx(network, {"b": "2", "a": "1"})
    shuffled = Network(TEACHER, dict(reversed(network.tensors.items())))
    assert content == build_onnx(shuffled, {"a": "1", "b": "2"})
    model = onnx.load_from_string(content)
    assert (model.ir_version, [(i.domain, i.version) for i in model.opset_import]) == (8, [("", 17)])
    assert {node.op_type for node in model.graph.node} == {"Conv", "Relu", "Add", "Flatten", "Gemm", "Tanh"}
    assert {tensor.data_type for tensor in model.graph.initializer} == {onnx.TensorProto.FLOAT}
    assert [(entry.key, entry.value) for entry in model.metadata_props] == [("a", "1"), ("b", "2")]
