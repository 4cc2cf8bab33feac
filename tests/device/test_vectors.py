"""device/tests/vectors.json, which the TypeScript package is tested against, is what Python computes.

To write it anew: python -m tests.device.test_vectors
"""

import json
import math
from pathlib import Path
from typing import Any

from pocketzero.exact import exp_shared
from pocketzero.games import Game, load, opening_seed
from pocketzero.rng import SplitMix64, stream
from pocketzero.ship.layout import layout_of

FILE = Path(__file__).parents[2] / "device/tests/vectors.json"
EXPONENTS, SEEDS, GAMES_PER_BOARD = 400, (0, 1, 1234567, 2**63, 2**64 - 1), 8


def vectors() -> dict[str, Any]:
    """Inputs and right answers of the shared arithmetic, the generator and the rules."""
    numbers = SplitMix64(stream(4, "vectors"))
    exponents = [0.0, -0.0, -1.0, -1e-300, -math.log(2) / 2, -708.0, -708.0000001, -800.0]
    exponents += [-numbers.uniform() * (1.0 if i % 2 else 709.0) for i in range(EXPONENTS)]
    game = load("cell_division")
    return {
        "exp": [[x, exp_shared(x)] for x in exponents],
        "splitmix64": [_numbers_of(seed) for seed in SEEDS],
        "games": [_played(game, board, index) for board in game.boards for index in range(GAMES_PER_BOARD)],
    }


def _numbers_of(seed: int) -> dict[str, Any]:
    integers, doubles = SplitMix64(seed), SplitMix64(seed)
    return {
        "seed": str(seed),
        "next": [str(integers.next()) for _ in range(20)],
        "uniform": [doubles.uniform() for _ in range(20)],
    }


def _played(game: Game, board: int, index: int) -> dict[str, Any]:
    """A random game from an opening (the first on a board: from its empty start), the points after every move."""
    layout, numbers = layout_of(game), SplitMix64(stream(5, "vectors", board, index))
    state = game.new(board, opening_seed(4, index) if index else 0)
    cells, moves, scores = layout.cells(state), [], []
    while len(legal := game.legal_moves(state)):
        move = int(legal[numbers.below(len(legal))])
        game.step(state, move)
        moves.append(layout.app_move(board, move))
        scores.append([game.module.rules.score(memoryview(state), stone) for stone in (1, 2)])
    return {"board": board, "cells": cells, "moves": moves, "scores": scores}


def test_the_vectors_of_the_typescript_tests_are_what_python_computes() -> None:
    assert json.loads(FILE.read_text()) == vectors()


if __name__ == "__main__":
    FILE.write_text(json.dumps(vectors(), sort_keys=True) + "\n")
