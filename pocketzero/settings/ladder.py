"""Who plays whom, on which positions players are compared, and what the ladder must show before a model ships."""

from collections.abc import Iterator
from dataclasses import dataclass

from pocketzero.settings.base import DoesNotFit, at_least, bounded, one_of

LONE_PLAYERS = ("perfect",)
"""Players that need neither a tier nor settings."""

INT8 = "-int8"
"""Ends the name of a network tier that plays with its int8 model."""


@dataclass(kw_only=True)
class Gate:
    name: str
    """What it is called in the verdict."""

    measure: str = one_of("share", "low", "regret")
    """share: a's win share against b, which must be `bound` or more. low: the lower end of its interval, which must be
    above `bound`. regret: what a gives away in endgames, over what b does, which must be below `bound`."""

    a: str
    """Player who is judged."""

    b: str
    """Whom it is held against."""

    boards: list[int] = bounded(1, 64, at_least=1)
    """Boards on each of which it must hold."""

    bound: list[float] = bounded(0.0, 1.0)
    """One number for all of the boards, or one for each."""

    def bounds(self) -> list[float]:
        """A number for each of the boards."""
        return self.bound * len(self.boards) if len(self.bound) == 1 else self.bound

    def check(self) -> None:
        if len(self.bound) not in (1, len(self.boards)):
            raise DoesNotFit("bound", f"a list of one number, or of one for each of the boards {self.boards}")
        if self.a == self.b:
            raise DoesNotFit("b", "another player than a")


@dataclass(kw_only=True)
class Extra:
    a: str
    """A tier, <network tier>-int8, or one of LONE_PLAYERS."""

    b: str
    """Its opponent."""

    boards: list[int] = bounded(1, 64, at_least=1)
    """Boards on which they meet."""


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
class Positions:
    play: str
    """Tier that plays the games from which the positions come, its moves drawn; not a trained one, so that positions
    stay the same from model to model."""

    temperature: float = bounded(0.01, 100.0)
    """Softmax temperature of its draws."""

    compared: int = bounded(0, 100_000)
    """Positions a board, one of each game, at which the players' choices are compared."""

    endgames: int = bounded(0, 100_000)
    """Positions a board whose moves are valued exactly, one of each game."""

    moves: int = bounded(1, 14)
    """Legal moves that an endgame has at most. Each more makes its search about two and a half times as long: 12 take
    0.1 seconds."""


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

    extra: list[Extra]
    """Pairs that meet beside them."""

    search: SearchMatches
    """The matches of the players that search with the teacher."""

    positions: Positions
    """On what players are compared move by move."""

    gates: list[Gate]
    """Verdicts; they are written and never stop the pipeline."""

    def meetings(self) -> Iterator[tuple[int, str, str, bool]]:
        """Who meets whom, as (board, a, b, whether a searches). Of two `players` the later one is a."""
        for board in self.boards:
            for place, a in enumerate(self.players):
                yield from ((board, a, b, False) for b in self.players[:place])
            yield from ((board, extra.a, extra.b, False) for extra in self.extra if board in extra.boards)
        for board in self.search.boards:
            for simulations in self.search.simulations:
                yield from ((board, f"mcts-{simulations}", b, True) for b in self.search.opponents)

    def check(self) -> None:
        if self.games % 2:
            raise DoesNotFit("games", "even: each opening is played from both seats")
        if self.search.games % 2:
            raise DoesNotFit("search.games", "even: each opening is played from both seats")
        if len(set(self.players)) != len(self.players):
            raise DoesNotFit("players", "a list without a player twice")
        _among("search.boards", self.search.boards, "boards", self.boards)
        _among("search.opponents", self.search.opponents, "players", self.players)
        for index, extra in enumerate(self.extra):
            _among(f"extra[{index}].boards", extra.boards, "boards", self.boards)
        met: set[tuple[int, frozenset[str]]] = set()
        for board, a, b, _ in self.meetings():
            if a == b or (board, frozenset((a, b))) in met:
                raise DoesNotFit("extra", f"without pairs that meet anyway: {a} and {b} on board {board}")
            met.add((board, frozenset((a, b))))
        for index, gate in enumerate(self.gates):
            for board in gate.boards:
                self._check_gate(f"gates[{index}] ({gate.name})", gate, board, met)

    def _check_gate(self, field: str, gate: Gate, board: int, met: set[tuple[int, frozenset[str]]]) -> None:
        if gate.measure == "regret":
            _among(field, [gate.a, gate.b], "players", self.players)
            _among(field, [board], "boards", self.boards)
            if not self.positions.endgames:
                raise DoesNotFit(field, "of another measure: positions.endgames is 0")
        elif (board, frozenset((gate.a, gate.b))) not in met:
            raise DoesNotFit(field, f"between players who meet on board {board}: {gate.a} and {gate.b} do not")


def _among(field: str, values: list, whose: str, known: list) -> None:
    if not set(values) <= set(known):
        raise DoesNotFit(field, f"among {whose}, {known}")
