"""Tree search, as the stages that search use it."""

from dataclasses import dataclass

from pocketzero.settings.base import DoesNotFit, bounded


@dataclass(kw_only=True)
class Search:
    simulations: int = bounded(1, 100_000)
    """Simulations a move."""

    c_puct: float = bounded(0.01, 100.0)
    """How much the prior and few visits count against the value found so far."""

    considered: int = bounded(0, 10_000)
    """Moves that a Gumbel root considers at first; 0: the root follows PUCT, as all below it does."""

    value_scale: float = bounded(0.0, 1000.0)
    """How much values count against logits at a Gumbel root."""

    noise_alpha: float = bounded(0.01, 100.0)
    """Concentration of the Dirichlet noise at a PUCT root."""

    noise_share: float = bounded(0.0, 1.0)
    """Share of the noise at the root, Dirichlet or Gumbel; 0 for play."""

    temperature: float = bounded(0.0, 10.0)
    """Temperature of the visit counts from which the first moves are drawn; a Gumbel root's noise draws instead."""

    temperature_moves: int = bounded(0, 10_000)
    """Moves that are drawn; later ones take the best move."""

    reuse: bool
    """Whether the chosen move's subtree is kept for the next move; not with a Gumbel root, which shares its simulations
    among fresh moves."""

    def check(self) -> None:
        if self.considered and self.reuse:
            raise DoesNotFit("reuse", "false where considered is not 0")
