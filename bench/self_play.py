"""Self-play against the bare network, the search alone, and a worker's memory. All in CPU time of one core."""

import multiprocessing
from collections.abc import Iterator
from pathlib import Path
from time import thread_time
from typing import NamedTuple

import numpy as np

from bench.subject import Subject
from pocketzero.games.loader import load, opening_seed
from pocketzero.learn.self_play import play_games
from pocketzero.nets.evaluator import onnx_evaluator, onnx_session
from pocketzero.nets.weights import INPUT
from pocketzero.search.answers import Evaluate
from pocketzero.search.lockstep import ROWS, Lockstep
from pocketzero.settings.search import Search


class Round(NamedTuple):
    """One shard of self-play, and the bare network on the very same batches."""

    evaluations: int
    games: int
    positions: int
    seconds: float
    """Of self-play, its network included."""
    network_seconds: float
    """Of the network within self-play."""
    bare_seconds: float
    """Of the network by itself on each of those batches, right after self-play used it: its caches are warm."""

    @property
    def of_bare(self) -> float:
        """Evaluations a CPU second, as a share of the bare network's at the same batch."""
        return self.bare_seconds / self.seconds

    @property
    def tree_microseconds(self) -> float:
        """All that is not the network, per evaluation."""
        return (self.seconds - self.network_seconds) / self.evaluations * 1e6


class Watched:
    """A network in self-play that is timed on every batch, and then run once more on it, bare.

    Both are measured batch by batch in turn, so that a machine that changes its speed changes it for both.
    """

    def __init__(self, model: bytes) -> None:
        self._evaluate, self._session = onnx_evaluator(model, for_search=True), onnx_session(model)
        self.evaluations, self.seconds, self.bare_seconds = 0, 0.0, 0.0

    def __call__(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        began = thread_time()
        answers = self._evaluate(planes)
        answered = thread_time()
        self._session.run(None, {INPUT: planes})
        self.bare_seconds += thread_time() - answered
        self.seconds += answered - began
        self.evaluations += len(planes)
        return answers


def self_play_rounds(subject: Subject, model: bytes, rounds: int, games: int) -> Iterator[Round]:
    """A shard of `games` games a round, after one that warms up."""
    for number in range(rounds + 1):
        network = Watched(model)
        began = thread_time()
        positions = play_games(subject.game, network, range(games), subject.search, seed=number, boards=subject.boards)
        seconds = thread_time() - began - network.bare_seconds
        if number > 0:
            yield Round(
                evaluations=network.evaluations,
                games=games,
                positions=len(positions),
                seconds=seconds,
                network_seconds=network.seconds,
                bare_seconds=network.bare_seconds,
            )


def tree_rounds(subject: Subject, rounds: int) -> Iterator[float]:
    """Microseconds of the search per simulation, with answers that cost nothing: the first move of ROWS openings."""
    game, board = subject.game, max(subject.boards)
    search = Search(**(vars(subject.search) | {"reuse": False}))
    draws = np.random.Generator(np.random.PCG64(1))  # decides no result: only how the trees look that are timed
    logits = draws.normal(size=(ROWS, game.moves)).astype(np.float32)
    values = draws.uniform(-0.1, 0.1, ROWS).astype(np.float32)
    free: Evaluate = lambda planes: (logits[: len(planes)], values[: len(planes)])  # noqa: E731 - a stand-in
    starts = [game.new(board, opening_seed(1, row)) for row in range(ROWS)]
    for number in range(rounds + 1):
        lockstep = Lockstep(game, ROWS, search)
        for row, start in enumerate(starts):
            lockstep.place(row, start, random=row)
        began = thread_time()
        for turn in lockstep.play(free):
            lockstep.rest(turn.row)
        if number > 0:
            yield (thread_time() - began) / (ROWS * search.simulations) * 1e6


def peak_memory(subject: Subject, model: bytes, games: int) -> float:
    """MiB at most in a fresh process that plays a shard, as a worker does: libraries, network and trees."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        arguments = subject.game.name, model, subject.search, subject.boards, games
        return pool.apply(_play_and_weigh, arguments)


def _play_and_weigh(game: str, model: bytes, search: Search, boards: list[int], games: int) -> float:
    play_games(load(game), onnx_evaluator(model, for_search=True), range(games), search, seed=0, boards=boards)
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines())
    return int(status["VmHWM"].split()[0]) / 1024
