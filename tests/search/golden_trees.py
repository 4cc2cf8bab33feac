"""The golden search trees: which ones there are. `python -m tests.search.golden_trees` writes them anew."""

import json
from dataclasses import replace
from pathlib import Path

from pocketzero import games
from pocketzero.settings.search import Search
from tests.search.engines import as_json, compiled_engine, grow
from tests.search.synthetic import synthetic_network

FOLDER = Path(__file__).parents[1] / "golden"
PLAIN = Search(
    simulations=24,
    c_puct=1.5,
    considered=0,
    value_scale=0.0,
    noise_alpha=0.5,
    noise_share=0.0,
    temperature=1.0,
    temperature_moves=0,
    reuse=False,
)
NOISY = Search(
    simulations=24,
    c_puct=2.0,
    considered=0,
    value_scale=0.0,
    noise_alpha=0.5,
    noise_share=0.25,
    temperature=0.7,
    temperature_moves=3,
    reuse=True,
)
GUMBEL = replace(PLAIN, considered=8, value_scale=0.3, noise_share=1.0, temperature_moves=2)
# game, board, seed of the opening and of the row, settings, moves made before the tree is written
CASES = {
    "tic_tac_toe": ("tic_tac_toe", 3, 0, PLAIN, 0),
    "tic_tac_toe_last_moves": ("tic_tac_toe", 3, 0, PLAIN, 4),
    "connect_four": ("connect_four", 7, 0, PLAIN, 0),
    "connect_four_noise_and_reuse": ("connect_four", 7, 5, NOISY, 3),
    "connect_four_gumbel": ("connect_four", 7, 5, GUMBEL, 3),
    "cell_division_gumbel": ("cell_division", 4, 9, GUMBEL, 1),
    "cell_division": ("cell_division", 4, 0, PLAIN, 0),
    "cell_division_noise_and_reuse": ("cell_division", 4, 9, NOISY, 4),
}


def path_of(case: str) -> Path:
    return FOLDER / f"search_{case}.json"


def tree_of(case: str, make_engine=compiled_engine) -> list[dict]:
    name, board, seed, search, moves = CASES[case]
    game = games.load(name)
    network = synthetic_network(game.moves)
    return as_json(grow(make_engine(game), game, game.new(board, seed), seed, search, network, moves))


if __name__ == "__main__":
    for case in CASES:
        nodes = ",\n".join(json.dumps(node, sort_keys=True) for node in tree_of(case))
        path_of(case).write_text(f"[\n{nodes}\n]\n", encoding="utf-8")
