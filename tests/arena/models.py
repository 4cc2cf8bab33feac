"""A folder of small models for tests: networks of random weights, tiers without training."""

from pathlib import Path

import numpy as np

from pocketzero.arena.roster import Roster
from pocketzero.arena.tiers import INT8_MODEL, resolve, to_json
from pocketzero.games import Game
from pocketzero.nets.graph import build_onnx
from pocketzero.nets.weights import Architecture, Network, write_network
from pocketzero.rng import SplitMix64
from pocketzero.settings.tiers import Tier
from pocketzero.ship.quantize import quantize
from pocketzero.work import write_bytes, write_json


def write_models(folder: Path, game: Game, recipes: dict[str, Tier], trained: object = None) -> Roster:
    """Fill the folder as the pipeline would, and return who plays from it."""
    roster = Roster(folder / "release/tiers.json", folder / "release/elite.onnx", folder / "teacher.safetensors", 1.5)
    write_json(roster.tiers, to_json(game, resolve(recipes, trained, game)))
    model = build_onnx(network(game, "student", 0))
    write_bytes(roster.model, model)
    write_bytes(roster.model.with_name(INT8_MODEL), quantize(model, np.ones((1, *game.planes), np.float32)))
    write_network(roster.teacher, network(game, "teacher", 8))
    return roster


def network(game: Game, kind: str, value_hidden: int) -> Network:
    architecture = Architecture(
        game=game.name, kind=kind, planes=game.planes, moves=game.moves, channels=4, blocks=1, value_hidden=value_hidden
    )
    random = SplitMix64(5)
    tensors = {
        name: (random.integers(2001, int(np.prod(shape))).reshape(shape) / 2000).astype(np.float32)
        for name, shape in architecture.shapes().items()
    }
    return Network(architecture, tensors)
