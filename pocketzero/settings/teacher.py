"""The teacher: an AlphaZero-style loop of self-play and training, with a warm start from a linear recipe's games."""

from dataclasses import dataclass

from pocketzero.settings.base import DoesNotFit, bounded
from pocketzero.settings.search import Search


@dataclass(kw_only=True)
class Tower:
    channels: int = bounded(1, 1024)
    """Width of the residual tower."""

    blocks: int = bounded(0, 64)
    """Residual blocks."""

    value_hidden: int = bounded(1, 4096)
    """Units between the value head's planes and its one number."""


@dataclass(kw_only=True)
class WarmStart:
    enabled: bool
    """Off: the teacher starts from random weights."""

    weights: list[float] = bounded(-1000.0, 1000.0)
    """The linear recipe that plays: a weight for each linear feature of the game, or early ones and then late ones."""

    games_per_board: int = bounded(1, 1_000_000)
    """Games the recipe plays against itself on each board."""

    temperature: float = bounded(0.001, 100.0)
    """Softmax temperature of its scores: the network's first policy target."""

    random_share: float = bounded(0.0, 1.0)
    """Share of moves that are uniformly random, so that the network sees positions off the recipe's path."""

    margin_share: float = bounded(0.0, 1.0)
    """Share of the squashed margin in the value target; the rest is the outcome."""

    margin_scale: float = bounded(0.01, 10_000.0)
    """tanh(margin / scale) squashes the margin."""

    steps: int = bounded(1, 10_000_000)
    """Training steps at learning_rate."""

    learning_rate: float = bounded(1e-8, 1.0)
    """Step width of those steps."""

    final_steps: int = bounded(0, 10_000_000)
    """Further steps at final_learning_rate."""

    final_learning_rate: float = bounded(1e-8, 1.0)
    """Step width of the final steps."""

    def check(self) -> None:
        if self.enabled and not self.weights:
            raise DoesNotFit("weights", "one weight a linear feature where the warm start is enabled")


@dataclass(kw_only=True)
class Teacher:
    seed: int = bounded(0, 2**53)
    """This stage's offset to the common seed."""

    network: Tower
    """Sizes of the network."""

    iterations: int = bounded(0, 100_000)
    """Rounds of self-play and training. Raising it costs only the further rounds."""

    games_per_iteration: int = bounded(1, 1_000_000)
    """Self-play games a round."""

    shard_games: int = bounded(1, 100_000)
    """Games of one unit of work; fixes the seeds, so it is part of the result and the number of workers is not."""

    search: Search
    """The search of self-play."""

    window: int = bounded(1, 100_000)
    """Rounds whose games are trained on."""

    steps_per_iteration: int = bounded(1, 10_000_000)
    """Training steps a round."""

    batch_size: int = bounded(2, 1_000_000)
    """Positions a step; two at least, because batch norm needs a spread."""

    learning_rate: float = bounded(1e-8, 1.0)
    """Step width of the first round."""

    learning_rate_decay: float = bounded(0.01, 1.0)
    """Factor on the step width, each round."""

    weight_decay: float = bounded(0.0, 1.0)
    """AdamW's decoupled weight decay."""

    value_weight: float = bounded(0.0, 100.0)
    """Weight of the value loss beside the policy loss."""

    margin_share: float = bounded(0.0, 1.0)
    """Share of the squashed margin in the value target; the rest is the outcome."""

    margin_scale: float = bounded(0.01, 10_000.0)
    """tanh(margin / scale) squashes the margin."""

    warm_start: WarmStart
    """The imitation before the first round."""
