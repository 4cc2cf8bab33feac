"""Every reader of files: a small good file, how it is read, what it may raise, and what a correct read is."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from pocketzero.arena import tiers
from pocketzero.arena.players import tier_player
from pocketzero.bad_file import BadFile
from pocketzero.game_records import BadGame, GameRecord, read_games, write_games
from pocketzero.games import Game, load
from pocketzero.games.compiled import encode_states
from pocketzero.learn import linear, training
from pocketzero.learn.warm_start import play_recipe
from pocketzero.nets.evaluator import onnx_session
from pocketzero.nets.weights import Network, read_network, write_network, write_tensors
from pocketzero.records import Positions, read_positions, write_positions
from pocketzero.rng import SplitMix64
from pocketzero.settings import base
from pocketzero.settings.base import BadSetting, from_mapping, to_mapping
from pocketzero.settings.common import Common
from pocketzero.settings.export import Export
from pocketzero.settings.game import Game as GameSettings
from pocketzero.settings.runtime import Runtime
from pocketzero.settings.teacher import WarmStart
from pocketzero.settings.tiers import Tier
from pocketzero.ship import identity, integer_pass, structure
from pocketzero.ship.export import Release, build_release
from pocketzero.ship.golden import BadGolden, Golden, read_golden, write_golden
from pocketzero.ship.integer_pass import IntegerPass
from pocketzero.work import read_json, write_json
from tests.arena.models import network
from tests.arena.recipes import FIRST, recipe, trained
from tests.hostile import edits
from tools import attempts, release

GAME = load("cell_division")
PLANES, MOVES = GAME.planes, GAME.moves
ABOUT = (PLANES, MOVES, identity.metadata(GAME))
TRAINED = trained(GAME, [float(i) for i in range(13)], [0.5] * 13)
RECIPES = {
    "easy": recipe(weights=FIRST, choice="sample", temperature=1.5, within=0.5),
    "hard": recipe(trained=True, blend_with="easy", blend_share=0.75),
    "fallback": recipe("switching"),
    "elite": recipe("network"),
}
GROUPS = {"common": Common, "game": GameSettings, "tiers": dict[str, Tier], "runtime": Runtime}
PARAMS = """\
common:
  seed: 2024
  torch_threads: 2
game:
  name: cell_division
  source: pocketzero/games/cell_division
  boards:
  - 4
  - 5
tiers:
  easy:
    kind: linear
    weights:
      openness: 1.0
      own_ring: -0.5
    trained: false
    blend_with: ''
    blend_share: 0.0
    choice: sample
    temperature: 1.5
    within: 0.0
runtime:
  workers: 0
  device: cpu
  log_level: info
"""


@dataclass(frozen=True)
class Reader:
    """One kind of file. `read` gets a file of the name `file`, alone in its folder."""

    file: str
    make: Callable[[Path], object]
    """Write a small good file."""
    read: Callable[[Path], Any]
    refusals: tuple[type[Exception], ...]
    """The types of a clear refusal: these and no class of theirs."""
    check: Callable[[Any, Path], object]
    """Fail unless what was read is what such a file may hold; the folder is there to write to."""
    changed: Callable[[bytes], edits.Contents]
    """Hostile edits of the structure."""
    named: str = ""
    """What a refusal's message holds; left out: the name of the file."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "named", self.named or self.file)


@cache
def built() -> Release:
    settings = Export(seed=5, positions=4, feature_positions=2, calibration_positions=20)
    recorded = {board: recorded_games([board], 2).states for board in GAME.boards}
    student = network(GAME, "student", 0)
    return build_release(
        GAME, student=student, linear=TRAINED, recorded=recorded, recipes=RECIPES, settings=settings, seed=5
    )[0]


def recorded_games(boards: list[int], count: int) -> Positions:
    settings = WarmStart(
        enabled=True,
        weights=[1.0] * 13,
        games_per_board=1,
        temperature=1.0,
        random_share=0.5,
        margin_share=0.5,
        margin_scale=15.0,
        steps=1,
        learning_rate=0.1,
        final_steps=0,
        final_learning_rate=0.1,
    )
    return play_recipe(GAME, range(count), settings, 3, boards)


@cache
def seen() -> tuple[np.ndarray, np.ndarray]:
    """Positions of real games: states, and planes."""
    states = np.ascontiguousarray(recorded_games([4, 8], 2).states[::5])
    return states, encode_states(GAME.addresses, PLANES, states)


def check_positions(found: Positions, scratch: Path) -> None:
    write_positions(scratch / "again.npz", found, GAME.name)
    again = read_positions(scratch / "again.npz", GAME)
    for field in fields(Positions):
        np.testing.assert_array_equal(getattr(found, field.name), getattr(again, field.name))


def check_network(found: Network, scratch: Path) -> None:
    write_network(scratch / "again.safetensors", found)
    assert read_network(scratch / "again.safetensors").architecture == found.architecture


def make_state(file: Path) -> None:
    net = network(GAME, "teacher", 8)
    tensors = {f"network/{name}": array for name, array in net.tensors.items()}
    for name, array in net.tensors.items():
        if ".running_" not in name:
            tensors |= {f"{moment}/{name}": np.full_like(array, 0.25) for moment in training.MOMENTS}
    header = {"architecture": asdict(net.architecture), "steps": 7, "figures": {"curve": [{"step": 7}]}}
    write_tensors(file, training.FORMAT, header, tensors)


def check_state(found: training.Trainer, scratch: Path) -> None:
    training.save_state(scratch / "again.safetensors", found, {})
    assert training.load_state(scratch / "again.safetensors", GAME, 0.0, 1.0, "cpu").steps == found.steps


def read_model(file: Path) -> bytes:
    model = file.read_bytes()
    structure.refuse(file.name, structure.refusals(model, *ABOUT))
    return model


def read_int8_model(file: Path) -> bytes:
    model = file.read_bytes()
    structure.refuse(file.name, integer_pass.refusals(model, *ABOUT))
    return model


def check_model(model: bytes, _scratch: Path) -> None:
    _, planes = seen()
    assert onnx_session(model).run(["policy"], {"board": planes})[0].shape == (len(planes), MOVES)


def check_int8_model(model: bytes, _scratch: Path) -> None:
    """The plain pass and ONNX Runtime must agree on every file that is not refused."""
    _, planes = seen()
    np.testing.assert_array_equal(
        IntegerPass(model).logits(planes), onnx_session(model).run(["policy"], {"board": planes})[0]
    )


def check_tiers(found: tuple[Game, dict[str, tiers.PlayableTier]], _scratch: Path) -> None:
    game, known = found
    assert tiers.from_json(json.loads(json.dumps(tiers.to_json(game, known), allow_nan=False))) == found
    states, _ = seen()
    for tier in known.values():
        if tier.kind != "network":
            moves = tier_player(game, tier).moves(states, np.arange(len(states), dtype=np.uint64))
            assert all(move in game.legal_moves(state) for state, move in zip(states, moves, strict=True))


def read_linear(file: Path) -> dict[str, tiers.PlayableTier]:
    return tiers.resolve(RECIPES, read_json(file), GAME)


def check_linear(found: dict[str, tiers.PlayableTier], _scratch: Path) -> None:
    assert list(found) == list(RECIPES)
    assert all(np.isfinite(vector).all() for tier in found.values() for vector in tier.vectors.values())


def make_block(file: Path) -> None:
    content = {"model": [0.5] * 13, "mean": [0.1] * 13, "square": [0.2] * 13, "steps": 9, "curve": [{"kl": 0.1}]}
    write_json(file, content)


def check_block(found: linear.Training, _scratch: Path) -> None:
    for vector in (found.model, found.mean, found.square):
        assert vector.shape == found.model.shape
        assert np.isfinite(vector).all()
    assert found.steps >= 0
    assert all(isinstance(entry, dict) for entry in found.curve)


def read_goldens(file: Path) -> list[Golden]:
    return read_golden(file, GAME, ["easy", "hard", "fallback"], sampling=True)


def check_golden(found: list[Golden], scratch: Path) -> None:
    (scratch / "again.jsonl").write_bytes(write_golden(found))
    assert write_golden(read_goldens(scratch / "again.jsonl")) == write_golden(found)


def make_games(file: Path) -> None:
    random = SplitMix64(4)
    games = []
    for board in (4, 5):
        state, moves = GAME.new(board), []
        for _ in range(9):
            legal = GAME.legal_moves(state)
            move = int(legal[random.below(len(legal))])
            moves.append(move // 8 * board + move % 8)
            GAME.step(state, move)
        start = {"board": board, "cells": (0,) * board**2, "moves": tuple(moves)}
        games.append(GameRecord(**start, players=("human", "easy"), result=None, seed=2**64 - 1))
    file.write_bytes(write_games(games))


def check_games(found: list[GameRecord], scratch: Path) -> None:
    (scratch / "again.jsonl").write_bytes(write_games(found))
    assert read_games(scratch / "again.jsonl") == found
    for game in found:
        assert len(game.states()) == len(game.moves) + 1


def check_settings(found: dict[str, Any], _scratch: Path) -> None:
    for name, group in found.items():
        if name != "tiers":
            assert from_mapping(GROUPS[name], to_mapping(group)) == group


def make_release(file: Path) -> None:
    described = {name: {"bytes": 5, "sha256": "ab" * 32} for name in ("elite.onnx", "tiers.json")}
    share = {"player": "hard", "anchor": "easy", "board": 4, "games": 10, "share": 0.5, "low": 0.4, "high": 0.6}
    about = {"name": file.stem, "number": 1, "attempt": 1, "candidate": "cd" * 32, "seed": 5, "commit": "ef" * 20}
    content = {**about, "files": described, "game": GAME.name, "rules": "ab" * 32, "shares": [share], "gates": []}
    write_json(file, content)


def check_releases(found: list[dict[str, Any]], _scratch: Path) -> None:
    (content,) = found
    assert content["number"] == 1
    assert all(Path(name).name == name for name in content["files"])
    assert all(isinstance(share["player"], str) for share in content["shares"])
    assert len(content["commit"]) == 40


def make_attempts(file: Path) -> None:
    one = attempts.begin(file.parent, "ab" * 32, "cd" * 20, "v1", 5, "settings")
    attempts.refuse(file.parent, one, ["strength"])
    attempts.begin(file.parent, "ef" * 32, "cd" * 20, "v2", 6, "settings")


def check_attempts(_found: object, scratch: Path) -> None:
    assert attempts.begin(scratch, "0" * 64, "cd" * 20, "v3", 7, "settings").attempt == 1
    (scratch / attempts.FILE).unlink()


READERS = {
    "recorded positions": Reader(
        file="games.npz",
        make=lambda file: write_positions(file, recorded_games([4], 2), GAME.name),
        read=lambda file: read_positions(file, GAME),
        refusals=(BadFile,),
        check=check_positions,
        changed=edits.changed_npz,
    ),
    "a network": Reader(
        file="teacher.safetensors",
        make=lambda file: write_network(file, network(GAME, "teacher", 8)),
        read=lambda file: read_network(file, GAME.name),
        refusals=(BadFile,),
        check=check_network,
        changed=edits.changed_safetensors,
    ),
    "a training state": Reader(
        file="state.safetensors",
        make=make_state,
        read=lambda file: training.load_state(file, GAME, 0.0, 1.0, "cpu"),
        refusals=(BadFile,),
        check=check_state,
        changed=edits.changed_safetensors,
    ),
    "the float model": Reader(
        file="elite.onnx",
        make=lambda file: file.write_bytes(built().model),
        read=read_model,
        refusals=(structure.StructureError,),
        check=check_model,
        changed=edits.changed_onnx,
    ),
    "the int8 model": Reader(
        file="elite.int8.onnx",
        make=lambda file: file.write_bytes(built().int8_model),
        read=read_int8_model,
        refusals=(structure.StructureError,),
        check=check_int8_model,
        changed=edits.changed_onnx,
    ),
    "tiers": Reader(
        file="tiers.json",
        make=lambda file: write_json(file, built().tiers),
        read=tiers.read,
        refusals=(tiers.BadTier, BadFile),
        check=check_tiers,
        changed=edits.changed_json,
    ),
    "trained weights": Reader(
        file="linear.json",
        make=lambda file: write_json(file, TRAINED),
        read=read_linear,
        refusals=(tiers.BadTier, BadFile),
        check=lambda found, _: [
            np.testing.assert_equal(np.isfinite(each), True)
            for tier in found.values()
            for each in tier.vectors.values()
        ],
        changed=edits.changed_json,
    ),
    "a block of training": Reader(
        file="1-000050.json",
        make=make_block,
        read=linear.read_training,
        refusals=(BadFile,),
        check=check_block,
        changed=edits.changed_json,
    ),
    "golden positions": Reader(
        file="golden.jsonl",
        make=lambda file: file.write_bytes(write_golden(built().golden)),
        read=read_goldens,
        refusals=(BadGolden,),
        check=check_golden,
        changed=edits.changed_lines,
    ),
    "games": Reader(
        file="games.jsonl",
        make=make_games,
        read=read_games,
        refusals=(BadGame,),
        check=check_games,
        changed=edits.changed_lines,
    ),
    "settings": Reader(
        file="params.yaml",
        make=lambda file: file.write_text(PARAMS),
        read=lambda file: base.load(file, GROUPS),
        refusals=(BadSetting,),
        check=check_settings,
        changed=edits.changed_yaml,
    ),
    "an earlier release": Reader(
        file="v1.json",
        make=make_release,
        read=lambda file: release.read_releases(file.parent),
        refusals=(release.Refused, BadFile),
        check=check_releases,
        changed=edits.changed_json,
    ),
    "attempts": Reader(
        file="attempts.jsonl",
        make=make_attempts,
        read=lambda file: attempts.read_attempts(file.parent),
        refusals=(BadFile,),
        check=check_attempts,
        changed=edits.changed_lines,
    ),
}
