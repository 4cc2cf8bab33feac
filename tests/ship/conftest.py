"""A small student with random weights, and what goes with it: the tests need no trained model."""

import numpy as np
import pytest

from pocketzero.games import Game, load
from pocketzero.nets.graph import build_onnx
from pocketzero.nets.weights import Architecture, Network
from pocketzero.rng import mix_array, stream
from pocketzero.ship import identity


@pytest.fixture(scope="session")
def game() -> Game:
    return load("cell_division")


@pytest.fixture(scope="session")
def metadata(game: Game) -> dict[str, str]:
    return identity.metadata(game)


@pytest.fixture(scope="session")
def student(game: Game) -> Network:
    return random_network(game, "student", value_hidden=0)


@pytest.fixture(scope="session")
def model(student: Network, metadata: dict[str, str]) -> bytes:
    return build_onnx(student, metadata)


@pytest.fixture(scope="session")
def teacher_model(game: Game, metadata: dict[str, str]) -> bytes:
    return build_onnx(random_network(game, "teacher", value_hidden=8), metadata)


def random_network(game: Game, kind: str, value_hidden: int) -> Network:
    architecture = Architecture(
        game=game.name, kind=kind, planes=game.planes, moves=game.moves, channels=4, blocks=1, value_hidden=value_hidden
    )
    return Network(architecture, {name: _tensor(name, shape) for name, shape in architecture.shapes().items()})


def _tensor(name: str, shape: tuple[int, ...]) -> np.ndarray:
    count = int(np.prod(shape))
    bits = mix_array(np.arange(count, dtype=np.uint64) + np.uint64(stream(1, name)))
    values = (bits >> np.uint64(11)).astype(np.float64) * 2.0**-53  # uniform in 0 .. 1
    fan_in = int(np.prod(shape[1:])) if len(shape) > 1 else 1
    if name.endswith(("norm.weight", "running_var")):
        values += 0.5
    else:
        values = (values - 0.5) * 4 / np.sqrt(fan_in)
    return values.reshape(shape).astype(np.float32)
