"""How a game ends when both sides play perfectly: the exact value of every move, where few moves are left.

Principal variation search (Marsland and Campbell, "Parallel search of strongly ordered game trees", 1982), fail-soft,
with a transposition table, over any game of the library whose players see everything. A value is the final margin for
the player to move; in a game without points, its result. Moves are tried in this order: the one that the table
remembers, then, where many are legal, by the points that each leads to at once, then the lowest.

The table's keys are Zobrist's ("A new hashing method with application for game playing", 1970), 64 bits of every number
of the state. Two positions with the same key would be taken for one: among a million positions, by odds of one in 37
million.
"""

import numba
import numpy as np
from numba.types import Array, int8, int64, void
from numpy.typing import NDArray

from pocketzero.games import PLAYING, Game
from pocketzero.games.compiled import GAME, entry, part, rules
from pocketzero.rng import GOLDEN, mix
from pocketzero.search.puct import copy

ILLEGAL = -32_768
"""Stands for the value of an illegal move."""

TABLE = 2**20  # positions remembered: 16 MB
NODES = 20_000_000  # looked at for one state; about ten seconds
DEPTH = 100  # moves that a game may still last
BEYOND = 32_000  # no margin is as high
SORTED_FROM = 8  # legal moves; below, looking at the points costs more than a bad order

UNKNOWN, EXACT, AT_LEAST, AT_MOST = 0, 1, 2, 3  # what a remembered value says about the position

# A position that was looked at. move: the best that was found.
POSITION = np.dtype((np.record, [("key", "u8"), ("value", "i2"), ("move", "i2"), ("bound", "i2"), ("_", "i2")]))

# A position on the line from the root to where the search is. low: alpha when the search came here. best, best_move:
# of the moves tried so far. tried: how many; count: of how many. narrow: 1 while the child is only asked whether its
# move beats alpha.
FRAME = np.dtype(
    (
        np.record,
        [
            ("key", "u8"),
            ("low", "i4"),
            ("alpha", "i4"),
            ("beta", "i4"),
            ("best", "i4"),
            ("best_move", "i4"),
            ("tried", "i4"),
            ("count", "i4"),
            ("narrow", "i4"),
        ],
    )
)


class TooLarge(ValueError):
    """A position with too many moves left to be searched to the end."""


class Solver:
    """Exact values of moves. What was found is kept for the next positions."""

    def __init__(self, game: Game, table: int = TABLE, nodes: int = NODES) -> None:
        """Args: table: positions remembered, a power of 2, or 0 for none. nodes: looked at before giving a state up."""
        if table & (table - 1):
            raise ValueError(f"table: {table} is not a power of 2")
        self._game = game
        self._table = np.zeros(table, POSITION)
        self._nodes = nodes

    def move_values(self, states: NDArray[np.int8]) -> NDArray[np.int64]:
        """What each legal move leads to, for the player to move: [B, S] to [B, M], ILLEGAL for the others.

        Raises TooLarge where a state would take more than `nodes` positions, or lasts for more than DEPTH moves.
        """
        values = np.full((len(states), self._game.moves), ILLEGAL, np.int64)
        looked_at = np.zeros(len(states), np.int64)
        solve_many(self._game.addresses, np.ascontiguousarray(states), self._table, self._nodes, values, looked_at)
        if (looked_at > self._nodes).any():
            row = int(np.argmax(looked_at))
            raise TooLarge(
                f"{self._game.name}: state {row} is too far from the end: it was given up after {self._nodes} positions"
            )
        return values


@part
def number_key(place, number):  # type: ignore[no-untyped-def]
    """What the state's number at that place adds to the key."""
    return mix(np.uint64(256 * place + np.int64(number) + 128) * np.uint64(GOLDEN))  # type: ignore[arg-type]


@part
def state_key(state):  # type: ignore[no-untyped-def]
    key = np.uint64(0)
    for i in range(state.size):
        key ^= number_key(i, state[i])
    return key


@part
def changed_key(key, before, after):  # type: ignore[no-untyped-def]
    """The key of `after`, from that of `before`."""
    for i in range(before.size):
        if before[i] != after[i]:
            key ^= number_key(i, before[i]) ^ number_key(i, after[i])
    return key


@part
def put_at(moves, ranks, count, move, rank):  # type: ignore[no-untyped-def]
    """Add a move to those sorted by rank, behind equal ones."""
    at = count
    while at > 0 and ranks[at - 1] < rank:
        moves[at], ranks[at] = moves[at - 1], ranks[at - 1]
        at -= 1
    moves[at], ranks[at] = move, rank


@part
def list_moves(game, state, room, mask, moves, ranks, remembered):  # type: ignore[no-untyped-def]
    """The legal moves into `moves`, in the order in which to try them; returns how many. room: a state to work in."""
    _, legal, step, _, _, margin, _, _, _ = rules(game)
    legal_moves = 0
    for move in range(mask.size):
        mask[move] = False
    legal(state, mask)
    for move in range(mask.size):
        legal_moves += mask[move]
    count = 0
    for move in range(mask.size):
        if mask[move]:
            rank = 0
            if move == remembered:
                rank = BEYOND
            elif legal_moves >= SORTED_FROM:
                copy(state, room)
                step(room, move)
                rank = margin(room) if state[0] == 0 else -margin(room)
            put_at(moves, ranks, count, move, rank)
            count += 1
    return count


@part
def look_up(table, frame):  # type: ignore[no-untyped-def]
    """The position's place in the table, whether what stands there answers the frame's question, and its best move."""
    if table.size == 0:
        return -1, False, -1
    place = np.int64(frame.key & np.uint64(table.size - 1))
    position = table[place]
    if position.key != frame.key or position.bound == UNKNOWN:
        return place, False, -1
    bound, value = position.bound, position.value
    answers = (
        bound == EXACT or (bound == AT_LEAST and value >= frame.beta) or (bound == AT_MOST and value <= frame.alpha)
    )
    return place, answers, np.int64(position.move)


@part
def remember(table, frame):  # type: ignore[no-untyped-def]
    if table.size > 0:
        position = table[np.int64(frame.key & np.uint64(table.size - 1))]
        position.key, position.value, position.move = frame.key, frame.best, frame.best_move
        position.bound = AT_LEAST if frame.best >= frame.beta else EXACT if frame.best > frame.low else AT_MOST


@part
def ask(frames, line, depth, alpha, beta):  # type: ignore[no-untyped-def]
    """Give the child at depth + 1 its window: the parent's, turned round where the other player is to move."""
    child = frames[depth + 1]
    if line[depth + 1, 0] != line[depth, 0]:
        child.alpha, child.beta = -beta, -alpha
    else:
        child.alpha, child.beta = alpha, beta


@part
def value_of(game, table, nodes, line, frames, moves, ranks, mask):  # type: ignore[no-untyped-def]
    """The value of line[0] for its player to move, and how many positions were looked at (above `nodes`: given up).

    line ([DEPTH, S] int8) holds the states from the root on, frames, moves and ranks what belongs to each. A loop that
    goes down to a child (`arriving`) and comes back with its value takes the place of recursion.
    """
    _, _, step, result, _, margin, _, _, _ = rules(game)
    frames[0].key, frames[0].alpha, frames[0].beta = state_key(line[0]), -BEYOND, BEYOND
    depth, looked_at, value, arriving = 0, 0, np.int64(0), True
    while True:
        frame, state = frames[depth], line[depth]
        answered = False
        if arriving:
            looked_at += 1
            if depth + 1 == len(frames):
                looked_at = nodes + 1
            if looked_at > nodes:
                return value, looked_at
            if result(state) != PLAYING:
                value = margin(state) if state[0] == 0 else -margin(state)
                answered = True
            else:
                place, answered, remembered = look_up(table, frame)
                if answered:
                    value = np.int64(table[place].value)
                else:
                    frame.low, frame.best, frame.best_move, frame.tried = frame.alpha, -BEYOND, -1, 0
                    frame.count = list_moves(game, state, line[depth + 1], mask, moves[depth], ranks[depth], remembered)
        else:
            if line[depth + 1, 0] != state[0]:
                value = -value
            if frame.narrow == 1 and frame.alpha < value < frame.beta:  # it beats alpha: by how much?
                frame.narrow = 0
                ask(frames, line, depth, value, frame.beta)
                depth, arriving = depth + 1, True
                continue
            if value > frame.best:
                frame.best, frame.best_move = value, moves[depth, frame.tried]
            frame.alpha = max(frame.alpha, value)
            frame.tried += 1
        if not answered and frame.tried < frame.count and frame.best < frame.beta:
            copy(state, line[depth + 1])
            step(line[depth + 1], np.int64(moves[depth, frame.tried]))
            frames[depth + 1].key = changed_key(frame.key, state, line[depth + 1])
            frame.narrow = 1 if frame.tried > 0 and frame.beta - frame.alpha > 1 else 0
            ask(frames, line, depth, frame.alpha, frame.alpha + 1 if frame.narrow == 1 else frame.beta)
            depth, arriving = depth + 1, True
            continue
        if not answered:
            value = np.int64(frame.best)
            remember(table, frame)
        if depth == 0:
            return value, looked_at
        depth, arriving = depth - 1, False


@entry(void(GAME, int8[:, ::1], Array(numba.from_dtype(POSITION), 1, "C"), int64, int64[:, ::1], int64[::1]))
def solve_many(game, states, table, nodes, values, looked_at):  # type: ignore[no-untyped-def]
    """The value of every legal move of every state into values ([B, M] int64); others are left alone.

    looked_at ([B] int64): the positions looked at; above `nodes` where the state, and so all behind it, was given up.
    """
    _, legal, step, _, _, _, _, _, _ = rules(game)
    size, count = states.shape[1], values.shape[1]
    frames = np.zeros(DEPTH, FRAME)
    line = np.zeros((DEPTH, size), np.int8)
    moves, ranks = np.zeros((DEPTH, count), np.int32), np.zeros((DEPTH, count), np.int32)
    mask, root = np.zeros(count, np.bool_), np.zeros(count, np.bool_)
    for b in range(len(states)):
        for move in range(count):
            root[move] = False
        legal(states[b], root)
        for move in range(count):
            if root[move]:
                copy(states[b], line[0])
                step(line[0], move)
                value, more = value_of(game, table, nodes - looked_at[b], line, frames, moves, ranks, mask)
                looked_at[b] += more
                values[b, move] = value if line[0, 0] == states[b, 0] else -value
                if looked_at[b] > nodes:
                    return
