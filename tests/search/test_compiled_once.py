"""The search is compiled once for all games, and renewed when any of its sources changes."""

import numpy as np

from pocketzero import compile_cache, games
from pocketzero.search import mcts
from pocketzero.search.lockstep import search_moves
from pocketzero.settings.search import Search
from tests.search.synthetic import flat_network

SEARCH = Search(
    simulations=4,
    c_puct=1.5,
    considered=0,
    value_scale=0.0,
    noise_alpha=0.3,
    noise_share=0.0,
    temperature=1.0,
    temperature_moves=0,
    reuse=False,
)


def test_every_game_runs_the_same_compiled_search():
    for name in games.names():
        game = games.load(name)
        search_moves(game, flat_network(game.moves), game.new(game.boards[0])[None], SEARCH, np.zeros(1, np.uint64))
    for function in (mcts.place, mcts.advance, mcts.turn):
        assert len(function.signatures) == 1


def test_every_source_of_the_search_names_its_compiled_code():
    sources = compile_cache.compiled_sources()
    for name in ("trees", "noise", "puct", "mcts", "answers"):
        assert compile_cache.PACKAGE / "search" / f"{name}.py" in sources
