"""The evaluator: ONNX Runtime's answers do not depend on the batch, and nonsense is refused."""

import os
import subprocess
import sys

import numpy as np
import pytest

from pocketzero import games
from pocketzero.nets.evaluator import onnx_evaluator, onnx_session, torch_evaluator
from pocketzero.nets.graph import build_onnx
from pocketzero.nets.tower import load_tower, network_of, new_tower
from pocketzero.nets.weights import Architecture, Network


def network(value_hidden=16, channels=16, seed=3):
    game = games.load("cell_division")
    kind = "teacher" if value_hidden else "student"
    architecture = Architecture(
        game=game.name,
        kind=kind,
        planes=game.planes,
        moves=game.moves,
        channels=channels,
        blocks=2,
        value_hidden=value_hidden,
    )
    return network_of(new_tower(architecture, seed))


def positions(count):
    game = games.load("cell_division")
    planes = np.zeros((count, *game.planes), np.float32)
    for i in range(count):
        game.encode(game.new((4, 5, 6, 7, 8)[i % 5], i), planes[i])
    return planes


@pytest.mark.parametrize("channels", [8, 32, 64])
def test_every_batch_size_gives_the_same_bits(channels):
    evaluate, planes = onnx_evaluator(build_onnx(network(channels=channels))), positions(70)
    logits, values = evaluate(planes)
    for batch in [*range(1, 34), 63, 64, 65]:
        for first in (0, 70 - batch):
            some_logits, some_values = evaluate(planes[first : first + batch])
            assert some_logits.tobytes() == logits[first : first + batch].tobytes(), batch
            assert some_values.tobytes() == values[first : first + batch].tobytes(), batch


def test_torch_agrees_with_onnx_runtime():
    net, planes = network(), positions(20)
    ours, theirs = onnx_evaluator(build_onnx(net))(planes), torch_evaluator(load_tower(net), "cpu")(planes)
    np.testing.assert_allclose(ours[0], theirs[0], atol=1e-5)
    np.testing.assert_allclose(ours[1], theirs[1], atol=1e-5)


def test_a_network_that_answers_nan_aborts():
    net = network()
    tensors = dict(net.tensors) | {"policy.dense.bias": np.full(64, 3e38, np.float32)}
    tensors["policy.dense.weight"] = np.full_like(tensors["policy.dense.weight"], 3e38)
    evaluate = onnx_evaluator(build_onnx(Network(net.architecture, tensors)))
    with pytest.raises(FloatingPointError, match="finite logits would be right"):
        evaluate(positions(3))


def test_a_model_without_a_value_must_be_asked_for():
    model = build_onnx(network(value_hidden=0))
    with pytest.raises(ValueError, match=r"outputs \['policy'\]; \['board'\] and \['policy', 'value'\] would be right"):
        onnx_evaluator(model)
    logits, values = onnx_evaluator(model, without_value=True)(positions(2))
    assert logits.shape == (2, 64)
    assert (values == 0).all()
    with pytest.raises(ValueError, match="value_hidden is 0"):
        torch_evaluator(load_tower(network(value_hidden=0)), "cpu")


def test_a_gpu_that_is_not_there_is_an_error():
    import torch

    if torch.cuda.is_available():
        pytest.skip("this machine has one")
    with pytest.raises(RuntimeError, match="finds no cuda here; cpu would be right"):
        torch_evaluator(load_tower(network()), "cuda")


def test_one_thread_no_spinning_no_telemetry():
    options = onnx_session(build_onnx(network())).get_session_options()
    assert (options.intra_op_num_threads, options.inter_op_num_threads) == (1, 1)
    assert options.get_session_config_entry("session.intra_op.allow_spinning") == "0"
    code = "import pocketzero.nets.evaluator, os; print(os.environ['ORT_DISABLE_TELEMETRY'])"
    environment = {key: value for key, value in os.environ.items() if key != "ORT_DISABLE_TELEMETRY"}
    out = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "1"
