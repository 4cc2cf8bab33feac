"""The release is a function of its inputs, down to the bytes, and says which game it is for."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from pocketzero.arena.tiers import read as read_tiers
from pocketzero.games import Game, load
from pocketzero.nets.weights import Network
from pocketzero.settings.parity import Parity
from pocketzero.settings.tiers import Tier
from pocketzero.ship import identity
from pocketzero.ship.export import build_release
from pocketzero.ship.files import describe
from pocketzero.ship.parity import check_release
from tests.ship.conftest import SETTINGS


def test_the_same_inputs_give_the_same_bytes(
    game: Game,
    built: Path,
    tmp_path: Path,
    student: Network,
    linear: dict[str, Any],
    recipes: dict[str, Tier],
    recorded: dict[int, np.ndarray],
) -> None:
    release, _ = build_release(
        game,
        student=student,
        linear=linear,
        recorded={board: states[::-1] for board, states in recorded.items()},
        recipes=recipes,
        settings=SETTINGS,
        seed=5,
    )
    release.write(tmp_path)
    names = ["elite.onnx", "elite.int8.onnx", "tiers.json", "golden.jsonl"]
    assert describe([tmp_path / name for name in names]) == describe([built / "release" / name for name in names])


def test_the_model_names_its_game(built: Path, game: Game) -> None:
    for name in ("elite.onnx", "elite.int8.onnx"):
        model = onnx.load(built / "release" / name)
        assert {entry.key: entry.value for entry in model.metadata_props} == identity.metadata(game)


def test_the_tiers_of_the_release_can_be_read(built: Path, game: Game) -> None:
    found, tiers = read_tiers(built / "release" / "tiers.json")
    assert found.name == game.name
    assert set(tiers) == {"easy", "medium", "hard", "fallback", "elite"}


def test_games_differ_in_every_hash() -> None:
    one, other = identity.metadata(load("tic_tac_toe")), identity.metadata(load("connect_four"))
    assert all(one[key] != other[key] for key in ("game", "rules", "schema"))


def test_the_schema_hash_is_that_of_the_documented_line(game: Game) -> None:
    line = {
        "boards": list(game.boards),
        "denominators": list(game.denominators),
        "features": list(game.feature_names),
        "game": "cell_division",
        "moves": 64,
        "planes": [3, 8, 8],
    }
    text = json.dumps(line, sort_keys=True).replace(", ", ",").replace(": ", ":")
    assert identity.schema_hash(game) == hashlib.sha256(text.encode()).hexdigest()


def test_a_change_of_the_rules_changes_the_rules_hash(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    before = identity.rules_hash(game)
    monkeypatch.setattr(game, "margin", lambda state: -game.__class__.margin(game, state))
    assert identity.rules_hash(game) != before


def test_a_game_without_features_ships_as_well(
    tmp_path: Path, make_student: Callable[[Game], Network], recipes: dict[str, Tier]
) -> None:
    game = load("connect_four")
    release, _ = build_release(
        game,
        student=make_student(game),
        linear={},
        recorded={7: np.zeros((0, game.state_size), np.int8)},
        recipes={"elite": recipes["elite"]},
        settings=SETTINGS,
        seed=5,
    )
    release.write(tmp_path)
    targets = ["python", "compiled", "onnxruntime", "plain"]
    settings = Parity(seed=6, targets=targets, positions=60, tolerance=1e-5, clear_gap=1e-4)
    report = check_release(game, [7], tmp_path, tmp_path / "none", settings, torch_threads=1, seed=6)
    failed = [gate["name"] for gate in report.figures["gates"] if not gate["holds"]]
    assert failed == ["golden.jsonl: positions"]
