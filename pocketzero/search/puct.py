"""One tree: walk down, grow, back up, choose, keep a part. Compiled by numba into the entry points of mcts.py.

The walk follows PUCT (Rosin 2011) as AlphaZero uses it (Silver et al. 2018). Arithmetic is in doubles, in a fixed
order, so that a tree is the same with and without the compiler.
"""

import math

from pocketzero.games import PLAYING
from pocketzero.games.compiled import part, rules
from pocketzero.search.noise import uniform
from pocketzero.search.trees import NONE


@part
def copy(source, target):  # type: ignore[no-untyped-def]
    for i in range(target.size):
        target[i] = source[i]


@part
def plant(row, node, state, todo):  # type: ignore[no-untyped-def]
    """Start a new tree from the state at the root."""
    root = node[0]
    root.first, root.parent, root.visits, root.count, root.tried = 0, NONE, 0, 0, 0
    root.result, root.player = PLAYING, state[0, 0]
    row.nodes, row.edges, row.todo, row.leaf, row.depth, row.noisy = 1, 0, todo, NONE, 0, 0


@part
def best_edge(node, edge, c_puct):  # type: ignore[no-untyped-def]
    """The edge with the highest value plus c_puct * prior * sqrt(1 + visits of the node) / (1 + visits of the edge).

    Untried edges of a node all have the same value, so only the one that stands first can be the best.
    """
    scale = c_puct * math.sqrt(float(node.visits + 1))
    best, top = node.first, -math.inf
    for e in range(node.first, node.first + min(node.tried + 1, node.count)):
        a = edge[e]
        score = float(a.value) + scale * float(a.prior) / float(1 + a.visits)
        if score > top:
            best, top = e, score
    return best


@part
def swap_untried(a, b):  # type: ignore[no-untyped-def]
    """Let two untried edges of a node change places: they differ in nothing but prior and move."""
    prior, move = a.prior, a.move
    a.prior, a.move = b.prior, b.move
    b.prior, b.move = prior, move


@part
def bring_forward(node, edge):  # type: ignore[no-untyped-def]
    """Of the node's untried edges, put the one with the highest prior, or of those the lowest move, in front."""
    front, last = node.first + node.tried, node.first + node.count
    best = front
    for e in range(front + 1, last):
        a, b = edge[e], edge[best]
        if a.prior > b.prior or (a.prior == b.prior and a.move < b.move):
            best = e
    if best != front:
        swap_untried(edge[front], edge[best])


@part
def descend(game, row, node, edge, state, path, c_puct, first):  # type: ignore[no-untyped-def]
    """Walk down the tree to a new position, or to a finished one. Returns its node.

    first: the root's edge to begin with, tried or the foremost untried one; NONE: as PUCT says.
    """
    _, _, step, result, _, _, _, _, _ = rules(game)
    at, depth = 0, 0
    while node[at].count > 0:
        e = first if at == 0 and first != NONE else best_edge(node[at], edge, c_puct)
        path[depth] = e
        depth += 1
        if edge[e].child == NONE:
            child = row.nodes
            row.nodes += 1
            edge[e].child = child
            node[at].tried += 1
            bring_forward(node[at], edge)
            s = state[child]
            copy(state[at], s)
            step(s, edge[e].move)
            new = node[child]
            new.first, new.parent, new.visits, new.count, new.tried = 0, at, 0, 0, 0
            new.result, new.player = result(s), s[0]
        at = edge[e].child
    row.depth = depth
    return at


@part
def expand(game, row, node, edge, state, mask, at, logits, value):  # type: ignore[no-untyped-def]
    """Give the node an edge for each legal move; its prior is the softmax of the legal moves' logits.

    Returns whether all logits, illegal moves' too, are finite.
    """
    _, legal, _, _, _, _, _, _, _ = rules(game)
    for move in range(mask.size):
        mask[move] = False
    legal(state[at], mask)
    first, last, top, total = row.edges, row.edges, -math.inf, 0.0
    sound = True
    for move in range(mask.size):
        sound &= abs(logits[move]) < math.inf  # NaN is not
        if mask[move]:
            edge[last].move = move
            top = max(top, float(logits[move]))
            last += 1
    for e in range(first, last):
        a = edge[e]
        weight = math.exp(float(logits[a.move]) - top)
        total += weight
        a.prior, a.value, a.visits, a.child = weight, value, 0, NONE
    share = 1 / total
    for e in range(first, last):
        edge[e].prior = float(edge[e].prior) * share
    node[at].first, node[at].count, row.edges = first, last - first, last
    bring_forward(node[at], edge)
    return sound


@part
def backup(row, node, edge, path, outcome):  # type: ignore[no-untyped-def]
    """Tell every edge on the path the outcome for player 0."""
    for d in range(row.depth):
        a = edge[path[d]]
        parent = node[node[a.child].parent]
        parent.visits += 1
        a.visits += 1
        mine = outcome if parent.player == 0 else -outcome
        if a.visits == 1:
            a.value = mine
        else:
            a.value = float(a.value) + (mine - float(a.value)) / float(a.visits)
    row.todo -= 1


@part
def root_value(root, edge):  # type: ignore[no-untyped-def]
    """What the search found the root worth to the player to move there: the mean outcome of its simulations."""
    total = 0.0
    for e in range(root.first, root.first + root.count):
        total += float(edge[e].value) * float(edge[e].visits)
    return total / float(root.visits)


@part
def choose(row, root, edge, temperature):  # type: ignore[no-untyped-def]
    """An edge of the root: drawn by visits ** (1 / temperature), or the first of the most visited at temperature 0."""
    best, total, top = root.first, 0.0, 0
    for e in range(root.first, root.first + root.count):
        if edge[e].visits > top:
            best, top = e, edge[e].visits
    if temperature == 0:
        return best
    for e in range(root.first, root.first + root.count):
        total += (float(edge[e].visits) / float(top)) ** (1 / temperature)
    mark, sum_so_far = uniform(row) * total, 0.0
    for e in range(root.first, root.first + root.count):
        sum_so_far += (float(edge[e].visits) / float(top)) ** (1 / temperature)
        if sum_so_far > mark:
            return e
    return best


@part
def keep_subtree(row, node, edge, state, keep, where):  # type: ignore[no-untyped-def]
    """Make the node the root and move what hangs under it to the front.

    Parents stand before their children and edges in the order of their nodes, so it is done in place.
    where: int32 [nodes], room for each node's new place.
    """
    for n in range(row.nodes):
        where[n] = NONE
    where[keep] = 0
    nodes, edges = 1, 0
    for n in range(keep, row.nodes):
        if n != keep:
            if where[node[n].parent] == NONE:
                continue
            where[n] = nodes
            nodes += 1
        new, old = node[where[n]], node[n]
        first, count = old.first, old.count
        new.parent = NONE if n == keep else where[old.parent]
        new.first, new.visits, new.count, new.tried = edges, old.visits, count, old.tried
        new.result, new.player = old.result, old.player
        copy(state[n], state[where[n]])
        for e in range(first, first + count):
            edge[edges] = edge[e]
            edges += 1
    for e in range(edges):
        if edge[e].child != NONE:
            edge[e].child = where[edge[e].child]
    row.nodes, row.edges, row.noisy = nodes, edges, 0
