"""Who plays whom, and what the ladder must show before a model ships."""

from dataclasses import dataclass

from pocketzero.settings.base import DoesNotFit, at_least, bounded

LONE_PLAYERS = ("perfect",)
"""Players that need neither a tier nor settings."""


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
class SearchMatches:
    simulations: list[int] = bounded(1, 99_999)
    """Simulations a move: each number makes a player of its own, mcts-<simulations> with the teacher."""

    c_puct: float = bounded(0.01, 100.0)
    """How much the prior and few visits count against the value found so far."""

    opponents: list[str]
    """Players whom each searching player meets."""

    boards: list[int] = bounded(1, 64)
    """Boards played on; search is slow."""

    games: int = bounded(2, 1_000_000)
    """Games a pair and board, an even number."""


@dataclass(kw_only=True)
class Ladder:
    seed: int = bounded(0, 2**53)
    """This stage's offset to the common seed."""

    games: int = bounded(2, 1_000_000)
    """Games a pair and board: each seeded opening is played from both seats, so an even number."""

    boards: list[int] = bounded(1, 64, at_least=1)
    """Boards played on."""

    players: list[str] = at_least(2)
    """Names of tiers or of LONE_PLAYERS; all meet each other."""

    search: SearchMatches
    """The matches of the players that search with the teacher."""

    gates: list[Gate]
    """Verdicts; they are written and never stop the pipeline."""

    def check(self) -> None:
        if self.games % 2:
            raise DoesNotFit("games", "even: each opening is played from both seats")
        if self.search.games % 2:
            raise DoesNotFit("search.games", "even: each opening is played from both seats")
        if len(set(self.players)) != len(self.players):
            raise DoesNotFit("players", "a list without a player twice")
        _among("search.boards", self.search.boards, "boards", self.boards)
        _among("search.opponents", self.search.opponents, "players", self.players)
        for index, gate in enumerate(self.gates):
            _among(f"gates[{index}].boards", gate.boards, "boards", self.boards)
            _among(f"gates[{index}] ({gate.name})", [gate.a, gate.b], "players", self.players)
            if gate.a == gate.b:
                raise DoesNotFit(f"gates[{index}] ({gate.name})", "between two different players")


def _among(field: str, values: list, whose: str, known: list) -> None:
    if not set(values) <= set(known):
        raise DoesNotFit(field, f"among {whose}, {known}")
