"""The linear models: PPO over the hand-made features, for the 13-weight and the 26-weight switching model alike."""

from dataclasses import dataclass

from pocketzero.settings.base import DoesNotFit, bounded


@dataclass(kw_only=True)
class Linear:
    seed: int = bounded(0, 2**53)
    """This stage's offset to the common seed."""

    iterations: int = bounded(1, 100_000)
    """Rounds of play and update."""

    games_per_iteration: int = bounded(1, 1_000_000)
    """Games a round, the boards in turn, from seeded openings."""

    learning_rate: float = bounded(1e-8, 10.0)
    """Step width."""

    clip: float = bounded(0.001, 1.0)
    """PPO's clip of the probability ratio."""

    epochs: int = bounded(1, 1000)
    """Passes over a round's moves."""

    entropy_bonus: float = bounded(0.0, 10.0)
    """Weight of the entropy in the objective."""

    kl_stop: float = bounded(0.0001, 100.0)
    """The passes end early where the policy has moved this far, in nats."""

    sampled_share: float = bounded(0.0, 1.0)
    """Share of a game's moves that are drawn from the softmax; later ones are greedy and not trained on."""

    temperature_start: float = bounded(0.05, 100.0)
    """Softmax temperature of the first round."""

    temperature_end: float = bounded(0.05, 100.0)
    """Softmax temperature that it falls to, by the same factor every round."""

    temperature_iterations: int = bounded(1, 100_000)
    """Rounds until it has fallen; it then stays, so that more iterations continue a run."""

    margin_scale: float = bounded(0.01, 10_000.0)
    """The reward of every move is tanh(final margin / scale)."""

    def check(self) -> None:
        if self.temperature_end > self.temperature_start:
            raise DoesNotFit("temperature_end", f"at most temperature_start, which is {self.temperature_start}")
