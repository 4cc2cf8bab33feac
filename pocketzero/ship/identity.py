"""What a model file says about the game it was made for, so that an app can refuse a model of another game.

    game     the game's name
    schema   SHA-256 of the game as seen from outside: name, boards, planes, moves, feature names, denominators
    rules    SHA-256 of how the game behaves: seeded random games on every board, step by step

`schema` is the hash of one line of JSON with sorted keys and no spaces:

    {"boards":[4,5],"denominators":[24,8],"features":["openness","..."],"game":"...","moves":64,"planes":[3,8,8]}

`rules` changes when a rule, the encoding or a feature's value does, and not when a comment in the game's file does.
"""

import hashlib
import json

import numpy as np

from pocketzero.games import PLAYING, Game, opening_seed
from pocketzero.rng import draw, stream

GAMES_PER_BOARD = 4  # the first is the start that an app shows, the others are openings


def metadata(game: Game) -> dict[str, str]:
    """The entries that every shipped model of this game carries."""
    return {"game": game.name, "rules": rules_hash(game), "schema": schema_hash(game)}


def schema_hash(game: Game) -> str:
    """SHA-256 (hexadecimal) of the game's outside, as the module's text says."""
    outside = {
        "boards": game.boards,
        "denominators": game.denominators,
        "features": game.feature_names,
        "game": game.name,
        "moves": game.moves,
        "planes": game.planes,
    }
    return hashlib.sha256(json.dumps(outside, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def rules_hash(game: Game) -> str:
    """SHA-256 (hexadecimal) of the game's behaviour in a few random games on every board."""
    digest = hashlib.sha256()
    for board in game.boards:
        for index in range(GAMES_PER_BOARD):
            start = game.new(board, opening_seed(0, index) if index else 0)
            _play(game, start, stream(0, "rules", board, index), digest)
    return digest.hexdigest()


def _play(game: Game, state: np.ndarray, seed: int, digest: "hashlib._Hash") -> None:
    """Play one random game to its end and feed all that can be seen of it to the digest."""
    for ply in range(1 << 12):
        result = game.result(state)
        digest.update(state.tobytes() + f"{result} {game.margin(state)}".encode())
        if result != PLAYING:
            return
        planes = np.zeros(game.planes, np.float32)
        game.encode(state, planes)
        legal = game.legal_moves(state)
        move = int(legal[draw(seed, ply, len(legal))])
        values = np.zeros(len(game.feature_names))
        game.features(state, move, values)
        digest.update(planes.astype("<f4").tobytes() + legal.astype("<i8").tobytes() + values.astype("<f8").tobytes())
        game.step(state, move)
    raise RuntimeError(f"{game.name}: a random game did not end in {1 << 12} moves")
