"""The search's compiled functions and their plain twins, side by side, and one row's search driven by hand."""

from types import FunctionType, SimpleNamespace
from typing import Any

import numpy as np

from pocketzero.games import Game
from pocketzero.games.interface import SIGNATURES
from pocketzero.search import gumbel, mcts, noise, puct
from pocketzero.search.answers import Evaluate
from pocketzero.search.trees import NONE, Trees, new_trees
from pocketzero.settings.search import Search


def compiled_engine(game: Game) -> SimpleNamespace:
    return SimpleNamespace(game=game.addresses, place=mcts.place, advance=mcts.advance, turn=mcts.turn)


def plain_engine(game: Game) -> SimpleNamespace:
    """The same source run as Python: every compiled function is replaced by the function that it was compiled from."""
    scope: dict[str, Any] = {}
    for module in (noise, puct, gumbel, mcts):
        scope.update(vars(module))
    for name, value in list(scope.items()):
        if hasattr(value, "py_func"):
            scope[name] = FunctionType(value.py_func.__code__, scope, name)
    scope["rules"] = lambda _: tuple(getattr(game, name) for name in SIGNATURES)
    return SimpleNamespace(game=None, **{name: scope[name] for name in ("place", "advance", "turn")})


def grow(
    engine: SimpleNamespace, game: Game, start: np.ndarray, random: int, search: Search, network: Evaluate, moves: int
) -> Trees:
    """One row's tree after `moves` moves, when the search for the next move is done."""
    trees, habits = new_trees(game, 1, search.simulations), mcts.habits_of(search)
    turns = mcts.Turns(
        np.zeros(1, mcts.TURN), np.zeros((1, game.state_size), np.int8), np.zeros((1, game.moves), np.float32)
    )
    visits = gumbel.schedule(search.considered, search.simulations)
    batch, asking = np.zeros((1, *game.planes), np.float32), np.zeros(1, np.int32)
    with np.errstate(over="ignore"):  # the plain twin's 64-bit numbers wrap around, as they should
        engine.place(trees, 0, start, np.uint64(random), habits.simulations, NONE, 0.0)
        no_answer = np.zeros((0, game.moves), np.float32), np.zeros(0, np.float32)
        answers, asked, made = no_answer, 0, 0
        while True:
            asked, due = engine.advance(engine.game, trees, habits, visits, batch, asking, asked, *answers)
            answers = no_answer
            if asked:
                answers = network(batch[:asked])
            elif made == moves:
                return trees
            elif due:
                made += engine.turn(engine.game, trees, habits, turns)


def as_json(trees: Trees) -> list[dict]:
    """The nodes of row 0 in their order, their edges in the order of moves: [move, prior, value, visits, child]."""
    nodes = []
    for node in trees.node[0, : trees.row[0].nodes]:
        edges = trees.edge[0, node.first : node.first + node.count]
        nodes.append(
            {
                "parent": int(node.parent),
                "player": int(node.player),
                "result": int(node.result),
                "visits": int(node.visits),
                "edges": [
                    [int(e.move), round(float(e.prior), 7), round(float(e.value), 7), int(e.visits), int(e.child)]
                    for e in sorted(edges, key=lambda e: e.move)
                ],
            }
        )
    return nodes
