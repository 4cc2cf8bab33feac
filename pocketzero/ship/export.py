"""The release: everything that an app loads, made from what was trained. The same inputs give the same bytes."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pocketzero.arena.tiers import INT8_MODEL, MODEL, resolve, to_json
from pocketzero.games import Game
from pocketzero.games.compiled import encode_states
from pocketzero.nets.evaluator import onnx_evaluator
from pocketzero.nets.graph import build_onnx
from pocketzero.nets.weights import Network
from pocketzero.rng import stream
from pocketzero.settings.export import Export
from pocketzero.settings.tiers import Tier
from pocketzero.ship import identity, integer_pass, structure
from pocketzero.ship.answers import Tiers, compiled_answers
from pocketzero.ship.files import GOLDEN, TIERS
from pocketzero.ship.golden import Golden, write_golden
from pocketzero.ship.integer_pass import IntegerPass
from pocketzero.ship.layout import States, layout_of
from pocketzero.ship.quantize import quantize
from pocketzero.ship.selection import Selection, choose
from pocketzero.work import write_bytes, write_json


@dataclass(frozen=True)
class Release:
    """The four files, before they are written."""

    model: bytes
    int8_model: bytes
    tiers: dict[str, Any]
    golden: list[Golden]

    def write(self, folder: Path) -> None:
        """Write all four, each in one atomic step."""
        write_bytes(folder / MODEL, self.model)
        write_bytes(folder / INT8_MODEL, self.int8_model)
        write_json(folder / TIERS, self.tiers)
        write_bytes(folder / GOLDEN, write_golden(self.golden))


def build_release(
    game: Game,
    *,
    student: Network,
    linear: object,
    recorded: Mapping[int, States],
    recipes: Mapping[str, Tier],
    settings: Export,
    seed: int,
) -> tuple[Release, dict[str, Any]]:
    """The release, and the figures that tell what is in it.

    Args:
      linear: the content of linear.json.
      recorded: for every board that ships [N, S] int8, positions of the teacher's games.
      recipes: the tiers' settings.
      seed: of the golden positions, and of those that the int8 model is calibrated on.

    Raises structure.StructureError for a model that apps could not load, arena.tiers.BadTier, and ValueError where the
    game has fewer positions than the settings ask for.
    """
    metadata = identity.metadata(game)
    model = build_onnx(student, metadata)
    structure.refuse(MODEL, structure.refusals(model, game.planes, game.moves, metadata))
    calibration = choose(game, recorded, settings.calibration_positions, stream(seed, "calibration"))
    int8_model = quantize(model, encode_states(game.addresses, game.planes, calibration.states))
    structure.refuse(INT8_MODEL, integer_pass.refusals(int8_model, game.planes, game.moves, metadata))
    tiers = resolve(recipes, linear, game)
    selection = choose(game, recorded, settings.positions, seed)
    golden = golden_positions(game, tiers, model, int8_model, selection, settings.feature_positions, seed)
    figures = {
        "metadata": metadata,
        "parameters": student.architecture.parameters(),
        "positions": len(golden),
        "positions_from_recorded_games": selection.recorded,
        "positions_with_features": sum(position.features is not None for position in golden),
    }
    return Release(model, int8_model, to_json(game, tiers), golden), figures


def golden_positions(
    game: Game,
    tiers: Tiers,
    model: bytes,
    int8_model: bytes,
    selection: Selection,
    feature_positions: int,
    seed: int,
) -> list[Golden]:
    """The selected positions with every answer; the first `feature_positions` carry their features."""
    layout, states = layout_of(game), selection.states
    seeds = [stream(seed, "golden_sample", index) for index in range(len(states))]
    answers = compiled_answers(game, tiers, states, [[each] for each in seeds])
    planes = encode_states(game.addresses, game.planes, states)
    logits, _ = onnx_evaluator(model, without_value=True)(planes)
    int8_logits = IntegerPass(int8_model).logits(planes)
    positions = []
    for index, (state, board) in enumerate(zip(states, selection.boards, strict=True)):
        positions.append(
            Golden(
                board=board,
                cells=layout.cells(state),
                to_move=int(state[0]),
                moves=[layout.app_move(board, int(move)) for move in game.legal_moves(state)],
                scores=answers.scores[index] if answers.scores else {},
                seed=seeds[index] if answers.sampled else None,
                sampled=layout.app_move(board, answers.sampled[index][0]) if answers.sampled else None,
                logits=logits[index],
                int8_logits=int8_logits[index],
                features=answers.features[index] if answers.features and index < feature_positions else None,
            )
        )
    return positions
