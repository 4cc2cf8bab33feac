"""Who plays whom, and what the ladder must show before a model ships."""

from dataclasses import dataclass

from pocketzero.settings.base import DoesNotFit, at_least, bounded
from pocketzero.settings.search import Search


@dataclass(kw_only=True)
class Gate:
    name: str
    """What it is called in the verdict."""

    a: str
    """Player who must win."""

    b: str
    """Its opponent."""

    boards: list[int] = bounded(1, 64, at_least=1)
    """Boards on each of which it must hold."""

    share: float = bounded(0.0, 1.0)
    """Win share (a draw counts half) that a must exceed."""


@dataclass(kw_only=True)
class Ladder:
    seed: int = bounded(0, 2**53)
    """This stage's offset to the common seed."""

    games: int = bounded(2, 1_000_000)
    """Games a pair and board: each seeded opening is played from both seats, so an even number."""

    boards: list[int] = bounded(1, 64, at_least=1)
    """Boards played on."""

    players: list[str] = at_least(2)
    """Names of tiers, or of the built-in players, that all meet each other."""

    search: Search
    """The search of the players that search."""

    gates: list[Gate]
    """Verdicts; they are written and never stop the pipeline."""

    def check(self) -> None:
        if self.games % 2:
            raise DoesNotFit("games", "even: each opening is played from both seats")
        if len(set(self.players)) != len(self.players):
            raise DoesNotFit("players", "a list without a player twice")
