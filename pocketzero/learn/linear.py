"""PPO for the linear models: one loop for one vector of weights and for the two of the switching model.

Schulman et al., "Proximal Policy Optimization Algorithms" (2017). A model starts at zero, plays rounds of games against
itself and learns from the moves that it drew; the reward of every move is tanh(final margin / scale), from the mover's
view. There is no value function: of a reward, the mean of the same seat on the same board is taken away.

The work goes in blocks of iterations, each one file per model, and a block is a function of the one before: a run that
was killed continues, and more iterations cost only the difference.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketzero.bad_file import BadFile
from pocketzero.games import Game, load
from pocketzero.learn.linear_play import Round, play_round
from pocketzero.learn.linear_policy import FIGURES, log_policy_many, objective_gradient
from pocketzero.settings.linear import Linear
from pocketzero.work import Work, read_json, write_json

Vector = NDArray[np.float64]

BLOCK = 50  # iterations between two files
LARGEST_STEPS = 2**53
COLDEST = 0.05
ADAM_MEMORY = (0.9, 0.999)
ADAM_EPSILON = 1e-8


@dataclass(frozen=True, kw_only=True)
class Training:
    """A model in training; K is the number of its weights."""

    model: Vector
    """[K] the weights."""
    mean: Vector
    """[K] Adam's running mean of the gradient."""
    square: Vector
    """[K] Adam's running mean of its square."""
    steps: int
    """Adam steps so far."""
    curve: list[dict[str, float]]
    """One entry an iteration: temperature, margin (mean size of the final one), first_player (mean reward of the
    player who moves first), entropy, kl, clip_share, epochs."""


@dataclass(frozen=True, kw_only=True)
class Block:
    """What decides the content of one file: iterations first .. end - 1 of one model."""

    game: str
    boards: tuple[int, ...]
    vectors: int
    """1, or 2 for the switching model."""
    settings: Linear
    seed: int
    first: int
    end: int
    before: Path | None
    """The file of the block before."""


def train(
    game: Game, boards: Sequence[int], vectors: Sequence[int], settings: Linear, seed: int, work: Work, workers: int
) -> list[Training]:
    """Train one model for each entry of vectors (1: one weight a feature; 2: early and late), side by side.

    Args: work: a folder for these settings without `iterations`, this seed and these boards.
    """
    before: list[Path | None] = [None] * len(vectors)
    for first in range(0, settings.iterations, BLOCK):
        end = min(first + BLOCK, settings.iterations)
        blocks = [
            Block(
                game=game.name,
                boards=tuple(boards),
                vectors=count,
                settings=settings,
                seed=seed,
                first=first,
                end=end,
                before=path,
            )
            for count, path in zip(vectors, before, strict=True)
        ]
        names = [f"{count}-{end:06d}.json" for count in vectors]
        before = [*work.map_steps(names, train_block, blocks, workers, f"Iterations {first + 1} to {end}")]
    return [read_training(path) for path in before if path is not None]


def train_block(path: Path, block: Block) -> None:
    """Write the training as it stands at the block's end."""
    game = load(block.game)
    training = read_training(block.before) if block.before else start(block.vectors * len(game.weighed_features))
    for iteration in range(block.first, block.end):
        training = iterate(training, game, block.boards, block.settings, block.seed, iteration)
    write_json(path, {key: _plain(value) for key, value in asdict(training).items()})


def start(count: int) -> Training:
    """All `count` weights at zero."""
    return Training(model=np.zeros(count), mean=np.zeros(count), square=np.zeros(count), steps=0, curve=[])


def iterate(
    training: Training, game: Game, boards: Sequence[int], settings: Linear, seed: int, iteration: int
) -> Training:
    """One round of games, the boards in turn, and the update from it."""
    degrees = temperature(settings, iteration)
    numbers = iteration * settings.games_per_iteration + np.arange(settings.games_per_iteration)
    on_boards = np.asarray(boards, np.int64)[numbers % len(boards)]
    played = play_round(game, on_boards, training.model, degrees, settings.sampled_share, seed, iteration)
    rewards = np.tanh(_for_mover(played, played.margins) / settings.margin_scale)
    updated, figures = update(training, played, advantages(played, on_boards, rewards), degrees, settings)
    entry = {
        "temperature": degrees,
        "margin": float(np.abs(played.margins).mean()),
        "first_player": float(np.tanh(played.margins / settings.margin_scale).mean()),
        **figures,
    }
    return Training(**{**vars(updated), "curve": [*training.curve, entry]})


def temperature(settings: Linear, iteration: int) -> float:
    """Falls by the same factor every iteration for temperature_iterations, then stays; never under 0.05."""
    share = min(1.0, iteration / max(1, settings.temperature_iterations - 1))
    ratio = settings.temperature_end / settings.temperature_start
    return max(COLDEST, settings.temperature_start * ratio**share)


def advantages(played: Round, boards: NDArray[np.int64], rewards: Vector) -> Vector:
    """[D] rewards ([D]) less the mean of the same seat on the same board (boards: [G]), normalised over the round."""
    cases = boards[played.games] * 2 + played.players
    sums, counts = np.bincount(cases, rewards), np.bincount(cases)
    centred = rewards - sums[cases] / counts[cases]
    spread = centred.std() if len(centred) else 0.0
    return (centred - centred.mean()) / spread if spread > 0 else np.zeros(len(centred))


def update(
    training: Training, played: Round, gains: Vector, degrees: float, settings: Linear
) -> tuple[Training, dict[str, float]]:
    """At most `epochs` Adam steps up the clipped objective, over all decisions at once.

    Stops where KL(policy of play || policy now) exceeds kl_stop. Returns also entropy, kl and clip_share as last
    measured, and the number of steps taken (epochs).
    """
    model, mean, square, steps = training.model, training.mean, training.square, training.steps
    moves = (played.features, played.progress, played.starts)
    old = np.zeros(len(played.features))
    log_policy_many(*moves, model, degrees, old)
    gradient, figures = np.zeros(len(model)), np.zeros(len(FIGURES))
    for _ in range(settings.epochs):
        objective_gradient(
            *moves,
            played.chosen,
            gains,
            old,
            model,
            degrees,
            settings.clip,
            settings.entropy_bonus,
            gradient,
            figures,
        )
        if figures[FIGURES.index("kl")] > settings.kl_stop:
            break
        steps += 1
        mean = ADAM_MEMORY[0] * mean + (1 - ADAM_MEMORY[0]) * gradient
        square = ADAM_MEMORY[1] * square + (1 - ADAM_MEMORY[1]) * gradient * gradient
        size = np.sqrt(square / (1 - ADAM_MEMORY[1] ** steps)) + ADAM_EPSILON
        model = model + settings.learning_rate * (mean / (1 - ADAM_MEMORY[0] ** steps)) / size
    measured = dict(zip(FIGURES, figures.tolist(), strict=True))
    taken = {key: measured[key] for key in ("entropy", "kl", "clip_share")} | {"epochs": steps - training.steps}
    return Training(model=model, mean=mean, square=square, steps=steps, curve=training.curve), taken


def to_json(game: Game, models: dict[int, Training], seed: int) -> dict[str, Any]:
    """The content of models/linear.json.

    features: every feature of the game. weights: one for each but game_progress; early and late: likewise, mixed as
    early * (1 - game_progress) + late * game_progress. All as trained: their length, in `norm`, is part of a blend.
    A game without features has empty lists, one that does not tell its progress no early and late.
    """
    count = len(game.weighed_features)
    vectors = {"weights": models[1].model if 1 in models else np.zeros(0)}
    if 2 in models:
        vectors |= {"early": models[2].model[:count], "late": models[2].model[count:]}
    return {
        "game": game.name,
        "features": list(game.feature_names),
        **{name: vector.tolist() for name, vector in vectors.items()},
        "norm": {name: float(np.sqrt(np.square(vector).sum())) for name, vector in vectors.items()},
        "iterations": max((len(training.curve) for training in models.values()), default=0),
        "seed": seed,
    }


def models_of(game: Game) -> list[int]:
    """The models that the game can have, by their number of vectors."""
    if not game.weighed_features:
        return []
    return [1, 2] if game.has_progress else [1]


def _for_mover(played: Round, margins: NDArray[np.int64]) -> NDArray[np.int64]:
    """[D] the margins ([G], for player 0) from the view of who moved."""
    return (1 - 2 * played.players) * margins[played.games]


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


def read_training(path: Path) -> Training:
    """The training of a block's file. Raises BadFile for anything that train_block would not write."""
    content = read_json(path)
    if not isinstance(content, dict) or set(content) != {"model", "mean", "square", "steps", "curve"}:
        raise BadFile(path, "content", content, "an object of model, mean, square, steps and curve")
    vectors = {key: content[key] for key in ("model", "mean", "square")}
    for key, vector in vectors.items():
        if not isinstance(vector, list) or any(type(number) is not float for number in vector):
            raise BadFile(path, key, vector, "a list of numbers with a decimal point")
        if len(vector) != len(content["model"]):
            raise BadFile(path, key, f"{len(vector)} numbers", f"{len(content['model'])}, as many as model has")
    if type(content["steps"]) is not int or not 0 <= content["steps"] <= LARGEST_STEPS:
        raise BadFile(path, "steps", content["steps"], f"a whole number from 0 to {LARGEST_STEPS}")
    if not isinstance(content["curve"], list) or not all(isinstance(entry, dict) for entry in content["curve"]):
        raise BadFile(path, "curve", content["curve"], "a list of one object an iteration")
    arrays = {key: np.array(vector, np.float64) for key, vector in vectors.items()}
    return Training(**arrays, steps=content["steps"], curve=content["curve"])
