"""Monte Carlo tree search in many games at once, whatever the game. Compiled once by numba, kept on disk.

One step of all rows is one call of `advance`: it takes in what the network said, grows the trees, walks each row's tree
to a new position and draws it into a compact batch. A finished position ends its simulation without the network. `turn`
moves where the simulations are used up. What happens in a row depends on its own state, its own random numbers and the
network's answers, not on which rows are beside it or where in the batch it stands. `game` is Game.addresses.
"""

from typing import NamedTuple

import numba
import numpy as np
from numba.types import UniTuple, boolean, float32, float64, int8, int32, int64, uint64, void

from pocketzero.games import PLAYING
from pocketzero.games.compiled import GAME, entry, part, rules
from pocketzero.search.gumbel import draw_gumbel, gumbel_edge, improved_policy, most_visits
from pocketzero.search.noise import add_noise, uniform
from pocketzero.search.puct import (
    backup,
    bring_forward,
    choose,
    copy,
    descend,
    expand,
    keep_subtree,
    plant,
    root_value,
)
from pocketzero.search.trees import NONE, TREES
from pocketzero.settings.search import Search

UNSOUND = -1


class Habits(NamedTuple):
    """How the rows search and choose: settings.Search as compiled code reads it."""

    simulations: int
    c_puct: float
    considered: int
    value_scale: float
    noise_alpha: float
    noise_share: float
    temperature: float
    temperature_moves: int
    reuse: bool


def habits_of(search: Search) -> Habits:
    """The settings with exactly the types that compiled code wants."""
    return Habits(*(kind(getattr(search, name)) for name, kind in Habits.__annotations__.items()))


HABITS = numba.types.NamedTuple([int64, float64, int64, float64, float64, float64, float64, int64, boolean], Habits)

# result: of the game after the move, for player 0, or PLAYING. margin: player 0's at the end of the game, else 0.
# value: the search's, for the player who moved.
TURN = np.dtype(
    (np.record, [("row", "i4"), ("move", "i4"), ("value", "f4"), ("result", "i4"), ("margin", "i4"), ("ply", "i4")])
)


class Turns(NamedTuple):
    """The moves that `turn` made, one entry a row that moved."""

    turn: np.ndarray
    """TURN [rows]"""
    state: np.ndarray
    """int8 [rows, state]: the position before the move"""
    policy: np.ndarray
    """float32 [rows, moves]: each move's share of the root's visits, or a Gumbel root's improved policy"""


TURNS = numba.types.NamedTuple(
    [numba.types.Array(numba.from_dtype(TURN), 1, "C"), int8[:, ::1], float32[:, ::1]], Turns
)


@entry(void(TREES, int64, int8[::1], uint64, int64, int64, float64))
def place(trees, r, start, random, simulations, weak, weak_share):  # type: ignore[no-untyped-def]
    """Put a game into row r: it begins at `start` and draws its random numbers from the stream `random`.

    weak: the side that plays a uniformly random legal move with probability weak_share, or NONE. With 0 simulations
    the row rests.
    """
    row, node, state = trees.row[r], trees.node[r], trees.state[r]
    row.random, row.weak, row.weak_share, row.plies = random, weak, weak_share, 0
    copy(start, state[0])
    plant(row, node, state, simulations)


@part
def ask(game, trees, habits, schedule, batch, asking, asked):  # type: ignore[no-untyped-def]
    """Search on in every row until it has a question or no simulations left. Returns the number of questions.

    schedule: gumbel.schedule of the habits.
    A question is drawn into the next free place of batch ([rows, *planes]), whose row is noted in asking ([rows]);
    `asked` places are taken already.
    """
    _, _, _, _, encode, _, _, _, _ = rules(game)
    for r in range(len(trees.row)):
        row, node, edge, state, path = trees.row[r], trees.node[r], trees.edge[r], trees.state[r], trees.path[r]
        while row.todo > 0 and row.leaf == NONE:
            if row.noisy == 0 and node[0].count > 0:
                row.noisy = 1
                if habits.considered > 0:
                    draw_gumbel(row, trees.gumbel[r], habits.noise_share)
                elif habits.noise_share > 0:
                    add_noise(row, node[0], edge, habits.noise_alpha, habits.noise_share)
                    bring_forward(node[0], edge)
            first = NONE
            if habits.considered > 0 and node[0].count > 0:
                visits = schedule[min(habits.considered, node[0].count), habits.simulations - row.todo]
                first = gumbel_edge(node[0], edge, trees.gumbel[r], visits, habits.value_scale)
            leaf = descend(game, row, node, edge, state, path, habits.c_puct, first)
            if node[leaf].result == PLAYING:
                row.leaf = leaf
                planes = batch[asked].reshape(batch[asked].size)
                for i in range(planes.size):
                    planes[i] = 0
                encode(state[leaf], batch[asked])
                asking[asked] = r
                asked += 1
            else:
                backup(row, node, edge, path, float(node[leaf].result))
    return asked


@part
def answer(game, trees, asking, asked, logits, values):  # type: ignore[no-untyped-def]
    """Take in the network's answers: logits ([asked, moves]) and values ([asked], the mover's view).

    Returns the first place with a value outside [-1, 1] or a logit that is not finite, else -1. The trees are of no
    more use after that.
    """
    for place_in_batch in range(asked):
        r = asking[place_in_batch]
        row, node, edge, state, path = trees.row[r], trees.node[r], trees.edge[r], trees.state[r], trees.path[r]
        leaf, value = row.leaf, float(values[place_in_batch])
        row.leaf = NONE
        sound = expand(game, row, node, edge, state, trees.mask[r], leaf, logits[place_in_batch], value)
        if not sound or not abs(value) <= 1:
            return place_in_batch
        if leaf != 0:  # the root's own answer comes before the simulations
            backup(row, node, edge, path, value if node[leaf].player == 0 else -value)
    return -1


@entry(
    UniTuple(int64, 2)(
        GAME, TREES, HABITS, int32[:, ::1], float32[:, :, :, ::1], int32[::1], int64, float32[:, ::1], float32[::1]
    )
)
def advance(  # type: ignore[no-untyped-def]
    game, trees, habits, schedule, batch, asking, asked, logits, values
):
    """Search on in every row until it has a question, is due to move, or rests.

    batch ([rows, *planes]) holds the questions, asking ([rows] int32) their rows, asked says how many there are. logits
    and values: the network's answers to all of them, or empty where it has not been asked yet. Returns how many
    questions there are now, and how many rows are due to move; for an unsound answer, UNSOUND and its place.
    """
    if len(values) > 0:
        bad = answer(game, trees, asking, asked, logits, values)
        if bad >= 0:
            return UNSOUND, bad
        asked = 0
    asked = ask(game, trees, habits, schedule, batch, asking, asked)
    due = 0
    for r in range(len(trees.row)):
        if trees.row[r].todo == 0 and trees.node[r, 0].count > 0:
            due += 1
    return asked, due


@entry(int64(GAME, TREES, HABITS, TURNS))
def turn(game, trees, habits, turns):  # type: ignore[no-untyped-def]
    """Move in every row that has used up its simulations. Returns how many moved; their moves stand first in turns.

    A row whose game is over rests.
    """
    _, _, step, result, _, margin, _, _, _ = rules(game)
    moved = 0
    for r in range(len(trees.row)):
        row, node, edge, state = trees.row[r], trees.node[r], trees.edge[r], trees.state[r]
        root = node[0]
        if row.todo > 0 or root.count == 0:
            continue
        done, policy = turns.turn[moved], turns.policy[moved]
        copy(state[0], turns.state[moved])
        for move in range(policy.size):
            policy[move] = 0
        if habits.considered > 0:
            improved_policy(root, edge, habits.value_scale, policy)
        else:
            for e in range(root.first, root.first + root.count):
                policy[edge[e].move] = float(edge[e].visits) / float(root.visits)
        done.value = root_value(root, edge)

        if row.weak == root.player and uniform(row) < row.weak_share:
            e = root.first + int(uniform(row) * root.count)
        elif habits.considered > 0:
            if row.plies >= habits.temperature_moves:
                for move in range(trees.gumbel.shape[1]):
                    trees.gumbel[r, move] = 0.0
            e = gumbel_edge(root, edge, trees.gumbel[r], most_visits(root, edge), habits.value_scale)
        else:
            e = choose(row, root, edge, habits.temperature if row.plies < habits.temperature_moves else 0.0)
        done.row, done.move, done.ply = r, edge[e].move, row.plies
        row.plies += 1
        child = edge[e].child
        if habits.reuse and child != NONE and node[child].count > 0:
            keep_subtree(row, node, edge, state, child, trees.path[r])
            row.todo = habits.simulations - node[0].visits
        else:
            step(state[0], done.move)
            plant(row, node, state, habits.simulations)
        done.result, done.margin = result(state[0]), 0
        if done.result != PLAYING:
            done.margin = margin(state[0])
            plant(row, node, state, 0)
        moved += 1
    return moved


def direct(function):  # type: ignore[no-untyped-def]
    """An entry point without numba's look at its arguments, which must have the very types of its signature.

    That look takes as long as the search itself where a batch is small.
    """
    (compiled,) = function.overloads.values()
    return compiled.entry_point


advance_directly, turn_directly = direct(advance), direct(turn)
