"""The teacher: AlphaZero's loop (Silver et al. 2018, arXiv:1712.01815) of self-play and training, with a warm start.

Every finished shard of games, every chunk of imitation and every iteration is one file in a work folder, and the next
step is a function of those files alone. So a run that is killed goes on where it stopped and ends with the same bytes,
and so does a run whose number of iterations was raised: schedules depend on the number of the iteration, never on how
many there will be.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import numpy as np

from pocketzero.games import Game, load
from pocketzero.learn.agreement import Row, agreement, per_board
from pocketzero.learn.replay import Replay, value_targets
from pocketzero.learn.shards import SelfPlay, play_shards, read_shards, shard_name, shards_of
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
from pocketzero.learn.warm_start import play_recipe
from pocketzero.nets.tower import Tower, new_tower
from pocketzero.nets.weights import Architecture, Network
from pocketzero.records import Positions, write_positions
from pocketzero.rng import stream
from pocketzero.settings.teacher import Teacher, WarmStart
from pocketzero.work import Work

START = "start.safetensors"
CHUNK_STEPS = 50  # of imitation: about ten seconds of work that a kill can lose
RECIPE_SHARD_GAMES = 250
CONTESTED_GAP = 0.2  # only for the curve that shows whether self-play still teaches

Report = Callable[[Figures], None]


@dataclass(frozen=True, kw_only=True)
class TeacherRun:
    """One teacher in the making.

    Contract: two runs with equal game, boards, settings (iterations aside), seed, threads and device write equal files,
    whatever the number of workers and however often they were killed.
    """

    game: Game
    boards: Sequence[int]
    settings: Teacher
    seed: int
    """Of this stage: every random number follows from it."""
    threads: int
    """Of torch."""
    work: Work
    workers: int = 1
    device: str = "cpu"

    def run(self, report: Report) -> Network:
        """Do what is not done yet. `report` is given every step's figures, in order, also of steps found done."""
        with deterministic(self.threads):
            last = self.work.step(START, self._start)
            for state in self._states(last):
                report(read_state(state, self.game)[3])
                last = state
            return read_state(last, self.game)[0]

    def _states(self, state: Path) -> Iterator[Path]:
        """The state after every chunk of imitation and every iteration."""
        if self.settings.warm_start.enabled:
            for first, last in self._chunks():
                state = self.work.step(_chunk(last), partial(self._imitate, state, first, last))
                yield state
        for iteration in range(1, self.settings.iterations + 1):
            state = self.work.step(_state(iteration), partial(self._iterate, state, iteration))
            yield state

    def _start(self, path: Path) -> None:
        network = self.settings.network
        architecture = Architecture(
            game=self.game.name,
            kind="teacher",
            planes=self.game.planes,
            moves=self.game.moves,
            channels=network.channels,
            blocks=network.blocks,
            value_hidden=network.value_hidden,
        )
        tower = new_tower(architecture, stream(self.seed, "teacher_weights"))
        save_state(path, self._trainer(tower), {"curve": []})

    # The warm start

    def _chunks(self) -> list[tuple[int, int]]:
        """The imitation steps in chunks: first (from 0) and one past the last step of each."""
        steps = self.settings.warm_start.steps + self.settings.warm_start.final_steps
        return [(first, min(first + CHUNK_STEPS, steps)) for first in range(0, steps, CHUNK_STEPS)]

    def _imitate(self, previous: Path, first: int, last: int, path: Path) -> None:
        settings = self.settings.warm_start
        rates = [settings.learning_rate] * settings.steps + [settings.final_learning_rate] * settings.final_steps
        trainer = self._load(previous)
        point = self._train(trainer, self._recipe_games, rates[first:last])
        point |= self._sizes(self._recipe_games.positions)
        save_state(path, trainer, {"part": "warm_start", "curve": [point]})

    @cached_property
    def _recipe_games(self) -> Replay:
        settings = self.settings.warm_start
        shards = shards_of(settings.games_per_board * len(self.boards), RECIPE_SHARD_GAMES)
        names = [shard_name("warm_start", number) for number in range(len(shards))]
        play = RecipePlay(self.game.name, settings, self.seed, self.boards)
        positions = read_shards(self.work.map_steps(names, play, shards, self.workers, "recipe games"), self.game)
        values = value_targets(positions, settings.margin_share, settings.margin_scale)
        return Replay(self.game, positions, values, stream(self.seed, "imitation"))

    # Iterations

    def _iterate(self, previous: Path, iteration: int, path: Path) -> None:
        settings = self.settings
        new = read_shards(self._play(read_state(previous, self.game)[0], iteration), self.game)
        trainer = self._load(previous)
        fresh = self._measure(trainer, new)
        rate = settings.learning_rate * settings.learning_rate_decay ** (iteration - 1)
        point = self._train(trainer, self._window(iteration), [rate] * settings.steps_per_iteration)
        point |= {"iteration": iteration, **self._sizes(new)}
        point |= {f"fresh_{name}": fresh["all"][name] for name in ("top1", "kl", "contested_agreement", "value_error")}
        save_state(path, trainer, {"part": "self_play", "curve": [point], "fresh": fresh})

    def _play(self, network: Network, iteration: int) -> list[Path]:
        """The files of this iteration's games."""
        settings = self.settings
        play = SelfPlay(
            game=self.game.name,
            network=network,
            search=settings.search,
            seed=self.seed,
            boards=self.boards,
            iteration=iteration,
            device=self.device,
        )
        games, shard_games = settings.games_per_iteration, settings.shard_games
        title = f"self-play {iteration}/{settings.iterations}"
        return play_shards(self.work, _folder(iteration), play, games, shard_games, self.workers, title)

    def _network_before(self, iteration: int) -> Network:
        """The network that plays this iteration's games."""
        chunks = self._chunks() if self.settings.warm_start.enabled else []
        untrained = _chunk(chunks[-1][1]) if chunks else START
        name = _state(iteration - 1) if iteration > 1 else untrained
        return read_state(self.work.path(name), self.game)[0]

    def _window(self, iteration: int) -> Replay:
        """The games of the last iterations, this one included, to draw from."""
        settings = self.settings
        rounds = range(max(1, iteration - settings.window + 1), iteration + 1)
        paths = [path for number in rounds for path in self._play(self._network_before(number), number)]
        positions = read_shards(paths, self.game)
        values = value_targets(positions, settings.margin_share, settings.margin_scale)
        return Replay(self.game, positions, values, stream(self.seed, "replay", iteration))

    def _measure(self, trainer: Trainer, new: Positions) -> dict[str, Row]:
        """What the network thinks of games that it has not trained on: how far its own search still improves on it."""
        values = value_targets(new, self.settings.margin_share, self.settings.margin_scale)
        batch = Replay(self.game, new, values, seed=0).batch(np.arange(len(new)), np.zeros(len(new), np.int64))
        logits, predicted = predict(trainer.tower, batch)
        found = agreement(logits, batch.legal, batch.policies, CONTESTED_GAP)
        found["value_error"] = (predicted.astype(np.float64) - values) ** 2
        return per_board(found, new, self.boards)

    # Shared

    def _trainer(self, tower: Tower) -> Trainer:
        return Trainer(tower, self.settings.weight_decay, self.settings.value_weight, self.device)

    def _load(self, state: Path) -> Trainer:
        return load_state(state, self.game, self.settings.weight_decay, self.settings.value_weight, self.device)

    def _train(self, trainer: Trainer, replay: Replay, rates: Sequence[float]) -> dict[str, float]:
        first, batch_size = trainer.steps, self.settings.batch_size
        return train(trainer, ((replay.drawn(first + n, batch_size), rate) for n, rate in enumerate(rates)))

    @staticmethod
    def _sizes(positions: Positions) -> dict[str, float]:
        return {"games": len(np.unique(positions.games)), "positions": len(positions)}


@dataclass(frozen=True)
class RecipePlay:
    """The recipe's games of one shard, written to a file; called in a worker process."""

    game: str
    settings: WarmStart
    seed: int
    boards: Sequence[int]

    def __call__(self, path: Path, numbers: Sequence[int]) -> None:
        write_positions(path, play_recipe(load(self.game), numbers, self.settings, self.seed, self.boards), self.game)


def _folder(iteration: int) -> str:
    return f"iteration-{iteration:05}"


def _state(iteration: int) -> str:
    """The name of the state after the iteration."""
    return f"{_folder(iteration)}/state.safetensors"


def _chunk(last: int) -> str:
    """The name of the state after so many steps of imitation."""
    return f"warm_start/step-{last:06}.safetensors"


def summary(steps: Sequence[Figures]) -> Figures:
    """All steps' figures in short: how much was learned from, the last losses, and the fresh games' verdict.

    The fresh games are those of the last iteration, and the verdict that of the network before it trained on them.
    """
    found: Figures = {}
    for part in ("warm_start", "self_play"):
        own = [figures for figures in steps if figures["part"] == part]
        if not own:
            continue
        last = own[-1]["curve"][-1]
        found[part] = {name: last[name] for name in ("step", "policy_loss", "value_loss")}
        # The recipe's games are the same at every step of the warm start; each iteration plays its own.
        counted = own if part == "self_play" else own[-1:]
        for name in ("games", "positions"):
            found[part][name] = sum(figures["curve"][-1][name] for figures in counted)
        if part == "self_play":
            found[part] |= {"iterations": len(own), "fresh_games_before_training": own[-1]["fresh"]}
    return found
