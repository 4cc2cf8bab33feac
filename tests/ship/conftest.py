"""A small student with random weights, and what goes with it: the tests need no trained model."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pocketzero.games import Game, load
from pocketzero.nets.graph import build_onnx
from pocketzero.nets.weights import Architecture, Network, write_network
from pocketzero.rng import SplitMix64, mix_array, stream
from pocketzero.settings.export import Export
from pocketzero.settings.tiers import Tier
from pocketzero.ship import identity
from pocketzero.ship.export import build_release

SETTINGS = Export(seed=5, positions=40, feature_positions=20, calibration_positions=60)


@pytest.fixture(scope="session")
def game() -> Game:
    return load("cell_division")


@pytest.fixture(scope="session")
def metadata(game: Game) -> dict[str, str]:
    return identity.metadata(game)


@pytest.fixture(scope="session")
def make_student() -> Callable[[Game], Network]:
    return lambda game: random_network(game, "student", value_hidden=0)


@pytest.fixture(scope="session")
def student(game: Game, make_student: Callable[[Game], Network]) -> Network:
    return make_student(game)


@pytest.fixture(scope="session")
def model(student: Network, metadata: dict[str, str]) -> bytes:
    return build_onnx(student, metadata)


@pytest.fixture(scope="session")
def teacher_model(game: Game, metadata: dict[str, str]) -> bytes:
    return build_onnx(random_network(game, "teacher", value_hidden=8), metadata)


@pytest.fixture(scope="session")
def linear(game: Game) -> dict[str, Any]:
    numbers = SplitMix64(stream(2, "linear"))
    vectors = {name: [numbers.uniform() * 4 - 2 for _ in range(13)] for name in ("weights", "early", "late")}
    return {"features": list(game.feature_names), **vectors}


@pytest.fixture(scope="session")
def recipes() -> dict[str, Tier]:
    plain: dict[str, Any] = {
        "kind": "linear",
        "weights": {},
        "trained": False,
        "blend_with": "",
        "blend_share": 0.0,
        "choice": "argmax",
        "temperature": 0.0,
        "within": 0.0,
    }
    easy = {"weights": {"openness": 1.0, "boundary_neighbors": -0.3}, "choice": "sample", "temperature": 1.5}
    medium = {"weights": {"immediate_ai": 1.0, "immediate_opp": 1.0, "openness": 0.3}}
    hard = {"trained": True, "blend_with": "medium", "blend_share": 0.75, "choice": "sample", "temperature": 0.2}
    return {
        "easy": Tier(**{**plain, **easy}),
        "medium": Tier(**{**plain, **medium}),
        "hard": Tier(**{**plain, **hard, "within": 0.3}),
        "fallback": Tier(**{**plain, "kind": "switching", "trained": True}),
        "elite": Tier(**{**plain, "kind": "network"}),
    }


@pytest.fixture(scope="session")
def recorded(game: Game) -> dict[int, np.ndarray]:
    """States of two random games on every board, [N, S] int8."""
    recorded = {}
    for board in game.boards:
        states = []
        for number in (1, 2):
            numbers = SplitMix64(stream(3, "recorded", board, number))
            state = game.new(board, number)
            while len(legal := game.legal_moves(state)):
                states.append(state.copy())
                game.step(state, legal[numbers.below(len(legal))])
        recorded[board] = np.stack(states)
    return recorded


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory, game, student, linear, recipes, recorded) -> Path:
    """models/ as the export stage leaves it. Tests that change a file take `models`, a copy."""
    release, _ = build_release(
        game,
        student=student,
        linear=linear,
        recorded=recorded,
        recipes=recipes,
        settings=SETTINGS,
        seed=5,
    )
    folder = tmp_path_factory.mktemp("models")
    release.write(folder / "release")
    write_network(folder / "student.safetensors", student)
    return folder


@pytest.fixture
def models(built: Path, tmp_path: Path) -> Path:
    shutil.copytree(built, tmp_path / "models")
    return tmp_path / "models"


def random_network(game: Game, kind: str, value_hidden: int) -> Network:
    architecture = Architecture(
        game=game.name, kind=kind, planes=game.planes, moves=game.moves, channels=4, blocks=1, value_hidden=value_hidden
    )
    return Network(architecture, {name: _tensor(name, shape) for name, shape in architecture.shapes().items()})


def _tensor(name: str, shape: tuple[int, ...]) -> np.ndarray:
    count = int(np.prod(shape))
    bits = mix_array(np.arange(count, dtype=np.uint64) + np.uint64(stream(1, name)))
    values = (bits >> np.uint64(11)).astype(np.float64) * 2.0**-53  # uniform in 0 .. 1
    if name.endswith(("norm.weight", "running_var")):
        values += 0.5
    elif len(shape) > 1:
        values = (values - 0.5) * np.sqrt(24 / np.prod(shape[1:]))  # He's: signals keep their strength
    else:
        values = (values - 0.5) * 0.2
    return values.reshape(shape).astype(np.float32)
