"""Tree search, as the stages that search use it."""

from dataclasses import dataclass

from pocketzero.settings.base import bounded


@dataclass(kw_only=True)
class Search:
    simulations: int = bounded(1, 100_000)
    """Simulations a move."""

    c_puct: float = bounded(0.01, 100.0)
    """How much the prior and few visits count against the value found so far."""

    noise_alpha: float = bounded(0.01, 100.0)
    """Concentration of the Dirichlet noise at the root."""

    noise_share: float = bounded(0.0, 1.0)
    """Share of that noise in the root's prior; 0 for play."""

    temperature: float = bounded(0.0, 10.0)
    """Temperature of the visit counts from which the first moves are drawn."""

    temperature_moves: int = bounded(0, 10_000)
    """Moves drawn at that temperature; later ones take the most visited move."""

    reuse: bool
    """Whether the chosen move's subtree is kept for the next move."""
