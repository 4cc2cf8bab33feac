"""The student: a small network that learns the teacher's search by heart.

Soft targets as in Hinton et al. 2015 (arXiv:1503.02531), with the legal mask in the loss. The student is scored on
games that it never saw, never on other positions of a game that it did see: positions of one game are nearly the
same, and would make any network look good.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from pocketzero.games import Game
from pocketzero.learn.agreement import Row, agreement, per_board
from pocketzero.learn.replay import Batch, Replay
from pocketzero.learn.training import (
    Figures,
    Trainer,
    deterministic,
    load_state,
    predict,
    read_state,
    save_state,
    train,
)
from pocketzero.nets.tower import Tower, load_tower, new_tower
from pocketzero.nets.weights import Architecture, Network
from pocketzero.records import Positions, board_of
from pocketzero.rng import SplitMix64, stream
from pocketzero.settings.student import Student
from pocketzero.work import Work


def held_out_games(games: np.ndarray, boards: Sequence[int], share: float, seed: int) -> np.ndarray:
    """The game numbers ([n], sorted) that are kept from training: `share` of the games of every board, at least one.

    games: [N] the game of every position. Raises ValueError for a board with fewer than two games: one side of the
    split would be empty.
    """
    numbers = np.unique(games)
    board = board_of(numbers, boards)
    kept = []
    for b in boards:
        own = numbers[board == b]
        if len(own) < 2:
            raise ValueError(f"student: {len(own)} games on board {b}; two are needed, one of them to hold out")
        count = min(max(1, round(share * len(own))), len(own) - 1)
        kept.append(own[SplitMix64(stream(seed, "held_out", b)).permutation(len(own))[:count]])
    return np.sort(np.concatenate(kept))


@dataclass(frozen=True, kw_only=True)
class StudentRun:
    """One student in the making; the contract of teacher.TeacherRun holds here too."""

    game: Game
    boards: Sequence[int]
    settings: Student
    seed: int
    """Of this stage: every random number follows from it."""
    threads: int
    """Of torch."""
    positions: Positions
    """The teacher's games."""
    work: Work
    device: str = "cpu"

    def run(self, report: Callable[[Figures], None]) -> Network:
        """Train what is not trained yet. `report` is given every epoch's figures in order, also of those found done."""
        held = np.isin(self.positions.games, self.held_out())
        training, held_out = self._replay(self.positions.select(~held)), self._replay(self.positions.select(held))
        with deterministic(self.threads):
            last = self.work.step("start.safetensors", self._start)
            for epoch in range(self.settings.epochs):
                make = partial(self._epoch, last, epoch, training, held_out)
                last = self.work.step(f"epoch-{epoch + 1:05}.safetensors", make)
                report(read_state(last, self.game)[3])
            return read_state(last, self.game)[0]

    def held_out(self) -> np.ndarray:
        """Numbers of the games that are scored, [n]."""
        return held_out_games(self.positions.games, self.boards, self.settings.held_out_share, self.seed)

    def score(self, network: Network) -> dict[str, Row]:
        """A network's agreement with the teacher's search on the held-out games, per board.

        Also for the teacher itself: its bare policy shows what only the search knows.
        """
        held_out = self._replay(self.positions.select(np.isin(self.positions.games, self.held_out())))
        with deterministic(self.threads):
            return self._score(load_tower(network), held_out)

    def training_size(self) -> dict[str, int]:
        """How many games and positions are trained on."""
        games = self.positions.games[~np.isin(self.positions.games, self.held_out())]
        return {"games": len(np.unique(games)), "positions": len(games)}

    def _replay(self, positions: Positions) -> Replay:
        return Replay(self.game, positions, np.zeros(len(positions), np.float32), stream(self.seed, "student"))

    def _start(self, path: Path) -> None:
        architecture = Architecture(
            game=self.game.name,
            kind="student",
            planes=self.game.planes,
            moves=self.game.moves,
            channels=self.settings.channels,
            blocks=self.settings.blocks,
            value_hidden=0,
        )
        tower = new_tower(architecture, stream(self.seed, "student_weights"))
        save_state(path, Trainer(tower, self.settings.weight_decay, device=self.device), {"curve": []})

    def _epoch(self, previous: Path, epoch: int, training: Replay, held_out: Replay, path: Path) -> None:
        trainer = load_state(previous, self.game, self.settings.weight_decay, 0.0, self.device)
        point = train(trainer, self._batches(epoch, training))
        rows = self._score(trainer.tower, held_out)
        names = ("top1", "contested_agreement", "kl")
        point = {"epoch": epoch + 1, **point, **{f"held_out_{name}": rows["all"][name] for name in names}}
        del point["value_loss"]
        save_state(path, trainer, {"curve": [point], "held_out": rows})

    def _batches(self, epoch: int, training: Replay) -> Iterator[tuple[Batch, float]]:
        """One epoch in random order; what does not fill a batch is left for another epoch's order."""
        rows, symmetries = training.epoch(epoch)
        batch_size = min(self.settings.batch_size, len(rows))
        batches = len(rows) // batch_size
        for number in range(batches):
            part = slice(number * batch_size, (number + 1) * batch_size)
            done = (epoch * batches + number) / (self.settings.epochs * batches)
            rate = self.settings.learning_rate * 0.5 * (1 + math.cos(math.pi * done))
            yield training.batch(rows[part], symmetries[part]), rate

    def _score(self, tower: Tower, held_out: Replay) -> dict[str, Row]:
        every = np.arange(len(held_out.positions))
        batch = held_out.batch(every, np.zeros_like(every))
        logits, _ = predict(tower, batch)
        found = agreement(logits, batch.legal, batch.policies, self.settings.contested_gap)
        return per_board(found, held_out.positions, self.boards)
