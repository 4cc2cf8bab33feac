"""Matches: two players, one board, seeded openings, each played from both seats.

Games come in pairs. Both games of a pair start from the same opening; in the first, player a moves first, in the
second player b does. So neither the seat nor the luck of the opening is ever mistaken for strength, and the pair, not
the game, is the unit of the interval.

No opening comes twice, and none is the start that an app shows (a case of its own, play_empty_board): two deterministic
players would only repeat a game. In a game with too few openings they play fewer games; players with luck meet again on
the same ones. So on small boards longer matches reach rarer openings, and matches compare with others of their length:
two tiers that shared 0.874 on 4 in 200 games shared 0.845 in 20,000. Each player has random numbers of its own, from
which the other's cannot be told.

A player is told a position and its random numbers, and its move may follow from nothing else. Some positions are put
to it once more after the games, beside other ones: whoever then answers otherwise has seen more than it should.

The interval is that of Agresti and Coull, "Approximate is better than exact" (The American Statistician, 1998), on the
pairs' mean results: two pairs won and two pairs lost are added, and of those n + 4 numbers the mean, plus and minus
1.96 standard errors, is taken. With the imaginary pairs it keeps a width where every pair ended alike. It is then
stretched, where necessary, to hold the share itself.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pocketzero.arena.players import Player
from pocketzero.games import PLAYING, Game, opening_seed
from pocketzero.games.compiled import init_many, legal_many, results_many, step_many
from pocketzero.rng import GOLDEN, MASK, mix_array, stream

CONFIDENCE_FACTOR = 1.959963984540054  # of a 95 % interval
IMAGINARY_PAIRS = 2  # of each kind
SEATS = 2
TRIES = 20  # openings looked at for every one that is wanted
ASKED_AGAIN = 8  # of so many plies, one has a position that is asked again


class IllegalMove(RuntimeError):
    """A player answered with a move that the rules do not allow."""


class RepeatedGame(ValueError):
    """Two deterministic players were to play the same game twice, which tells nothing more."""


Answer = tuple[NDArray[np.int8], np.uint64, np.int64]
"""A position, a seed, and the move that was played."""


@dataclass(frozen=True)
class Games:
    """What happened in a number of pairs of games, P pairs."""

    results: NDArray[np.int64]
    """[P, 2]: 1, 0, -1 for player a; in column 0 a moved first, in column 1 b did."""
    margins: NDArray[np.int64]
    """[P, 2]: the final margin for player a."""
    inconsistent: tuple[int, int] = (0, 0)
    """How often a, and b, answered otherwise when asked again: the move followed from more than position and luck."""

    def pair_shares(self) -> NDArray[np.float64]:
        """[P]: player a's share of each pair's points, a draw being half a point."""
        return (self.results.mean(axis=1) + 1) / 2


@dataclass(frozen=True, kw_only=True)
class Match:
    """A match from player a's side. As JSON: vars(match)."""

    board: int
    a: str
    b: str
    games: int
    win: int
    draw: int
    loss: int
    share: float
    """Win share: a draw counts half."""
    low: float | None
    """Lower end of the share's 95 % interval; None where there is one pair of games and no luck in it."""
    high: float | None
    """Upper end."""
    margin: float
    """Mean final margin."""
    first_seat: float
    """Win share of whoever moved first."""


def play_match(game: Game, a: Player, b: Player, board: int, games: int, seed: int) -> Match:
    """Play `games` games, an even number, from openings of the set `seed`.

    Raises ValueError for an odd number of games or a board that the game does not have; IllegalMove.
    """
    check_match(game, board, games)
    return _play(game, a, b, board, opening_starts(game, a, b, board, games // SEATS, seed), seed)


def play_empty_board(game: Game, a: Player, b: Player, board: int, games: int, seed: int) -> Match:
    """As play_match, from the start that an app shows. Two deterministic players play one pair only."""
    check_match(game, board, games)
    return _play(game, a, b, board, app_starts(game, a, b, board, games // SEATS), seed)


def check_match(game: Game, board: int, games: int) -> None:
    """Raise ValueError, in words for a person, for a match that cannot be played."""
    if board not in game.boards:
        raise ValueError(f"board: {game.name} has no board {board}; it has {', '.join(map(str, game.boards))}")
    if games < SEATS or games % SEATS:
        raise ValueError(
            f"games: {games} cannot be played: each opening is played from both seats, so give 2, 4, 6, ..."
        )


def opening_starts(game: Game, a: Player, b: Player, board: int, pairs: int, seed: int) -> NDArray[np.int8]:
    """The starts of a match's pairs of games, [P, S]: the first different openings of the set `seed`.

    Where there are too few, P is less for two deterministic players, and for others they come round again.
    """
    starts = _openings(game, board, pairs, seed)
    return starts if always_alike(a, b) else starts[np.arange(pairs) % len(starts)]


def app_starts(game: Game, a: Player, b: Player, board: int, pairs: int) -> NDArray[np.int8]:
    """The start that an app shows, for each pair of games: [P, S], P being 1 for two deterministic players."""
    return np.repeat(game.new(board)[None], 1 if always_alike(a, b) else pairs, axis=0)


def always_alike(a: Player, b: Player) -> bool:
    """Whether a and b play the same game whenever they start from the same position."""
    return a.deterministic and b.deterministic


def play_pairs(game: Game, a: Player, b: Player, starts: NDArray[np.int8], seed: int, indexes: Sequence[int]) -> Games:
    """Play every start ([P, S]) from both seats, all games side by side.

    Args: indexes: the number of each start; with `seed` it names the random numbers of its two games, so a pair's games
    are the same whichever others are played along with it.
    Raises IllegalMove; RepeatedGame.
    """
    pairs = len(starts)
    if always_alike(a, b) and len(np.unique(starts, axis=0)) < pairs:
        raise RepeatedGame(f"{a.name} and {b.name} always play alike, and some of {pairs} starts are the same")
    states = np.ascontiguousarray(np.concatenate([starts, starts]))
    first_mover = states[:, 0].astype(np.int64)
    a_moves_first = np.arange(len(states)) < pairs
    a_number = np.where(a_moves_first, first_mover, 1 - first_mover)
    luck = [_streams(seed, player, indexes) for player in range(SEATS)]
    asked: tuple[list[Answer], list[Answer]] = [], []
    results, margins = np.empty(len(states), np.int64), np.empty(len(states), np.int64)
    results_many(game.addresses, states, results, margins)
    ply = 0
    while (results == PLAYING).any():
        ply += 1
        moves = np.full(len(states), -1, np.int64)
        for player, streams, number, answers in zip((a, b), luck, (a_number, 1 - a_number), asked, strict=True):
            rows = np.flatnonzero((results == PLAYING) & (states[:, 0] == number))
            if len(rows):
                seeds = mix_array(streams[rows] + np.uint64(ply * GOLDEN & MASK))
                moves[rows] = _legal_answer(game, player, states[rows], seeds)
                if ply % ASKED_AGAIN in (1, 2):  # of both seats
                    row = ply * GOLDEN % len(rows)
                    answers.append((states[rows[row]].copy(), seeds[row], moves[rows[row]]))
        step_many(game.addresses, states, moves)
        results_many(game.addresses, states, results, margins)
    for_a = 1 - 2 * a_number
    return Games(
        (results * for_a).reshape(SEATS, pairs).T,
        (margins * for_a).reshape(SEATS, pairs).T,
        (_inconsistent(a, asked[0]), _inconsistent(b, asked[1])),
    )


def summary(board: int, a: Player, b: Player, games: Games) -> Match:
    """The figures of a match."""
    results, shares = games.results, games.pair_shares()
    low, high = share_interval(shares) if len(shares) > 1 or not always_alike(a, b) else (None, None)
    return Match(
        board=board,
        a=a.name,
        b=b.name,
        games=results.size,
        win=int((results == 1).sum()),
        draw=int((results == 0).sum()),
        loss=int((results == -1).sum()),
        share=float(shares.mean()),
        low=low,
        high=high,
        margin=float(games.margins.mean()),
        first_seat=float(((results * (1, -1)).mean() + 1) / 2),
    )


def share_interval(pair_shares: NDArray[np.float64]) -> tuple[float, float]:
    """The 95 % interval of the win share behind these pairs' shares ([P], each in 0 .. 1)."""
    imaginary = np.repeat([0.0, 1.0], IMAGINARY_PAIRS)
    values = np.concatenate([pair_shares, imaginary])
    width = CONFIDENCE_FACTOR * float(values.std(ddof=1)) / math.sqrt(len(values))
    centre, share = float(values.mean()), float(pair_shares.mean())
    return max(0.0, min(share, centre - width)), min(1.0, max(share, centre + width))


def mean_interval(values: NDArray[np.float64]) -> tuple[float, float]:
    """The 95 % interval of the mean behind these values ([P], two or more), by the normal approximation."""
    width = CONFIDENCE_FACTOR * float(values.std(ddof=1)) / math.sqrt(len(values))
    return float(values.mean()) - width, float(values.mean()) + width


def _play(game: Game, a: Player, b: Player, board: int, starts: NDArray[np.int8], seed: int) -> Match:
    return summary(board, a, b, play_pairs(game, a, b, starts, seed, range(len(starts))))


def _openings(game: Game, board: int, count: int, seed: int) -> NDArray[np.int8]:
    """Up to `count` different openings, [P, S]; the app's own start only where there is no other."""
    app_start = game.new(board)
    candidates = np.zeros((TRIES * count, game.state_size), np.int8)
    found: dict[bytes, NDArray[np.int8]] = {}
    for first in range(0, len(candidates), count):
        block = candidates[first : first + count]
        seeds = np.array([opening_seed(seed, index) for index in range(first, first + count)], np.int64)
        init_many(game.addresses, block, np.full(count, board, np.int64), seeds)
        found |= {start.tobytes(): start for start in block if (start != app_start).any()}
        if len(found) >= count:
            break
    return np.stack(list(found.values())[:count] or [app_start])


def _streams(seed: int, player: int, indexes: Sequence[int]) -> NDArray[np.uint64]:
    """The luck of player a (0) or b (1), [2 P] SplitMix64 states: of the pairs' first games, then of their second."""
    return np.array(
        [stream(seed, "match", index, seat, player) for seat in range(SEATS) for index in indexes], np.uint64
    )


def _inconsistent(player: Player, answers: Sequence[Answer]) -> int:
    """How many of the answers the player does not give again, all of them asked at once and the last one first."""
    if not answers:
        return 0
    states, seeds, moves = (np.stack(column) for column in zip(*reversed(answers), strict=True))
    return int((np.asarray(player.moves(states, seeds)) != moves).sum())


def _legal_answer(game: Game, player: Player, states: NDArray[np.int8], seeds: NDArray[np.uint64]) -> NDArray[np.int64]:
    moves = np.asarray(player.moves(states, seeds), np.int64)
    masks = np.empty((len(states), game.moves), np.bool_)
    legal_many(game.addresses, states, masks)
    inside = (moves >= 0) & (moves < game.moves)
    for row in np.flatnonzero(~inside | ~masks[np.arange(len(moves)), np.where(inside, moves, 0)]):
        raise IllegalMove(f"{player.name} played {moves[row]} where {np.flatnonzero(masks[row]).tolist()} are legal")
    return moves
