"""The games that the frozen teacher plays for the student."""

from dataclasses import dataclass

from pocketzero.settings.base import bounded
from pocketzero.settings.search import Search


@dataclass(kw_only=True)
class TeacherData:
    seed: int = bounded(0, 2**53)
    """This stage's offset to the common seed."""

    games: int = bounded(1, 10_000_000)
    """Games in all, the boards in turn."""

    shard_games: int = bounded(1, 100_000)
    """Games of one unit of work."""

    search: Search
    """The teacher's search; more simulations than in self-play make better targets."""

    weak_share: float = bounded(0.0, 1.0)
    """Share of the games in which one side, in turn, is weakened: a person's mistakes must be in the data."""

    weak_move_share: float = bounded(0.0, 1.0)
    """Probability that the weakened side plays a uniformly random legal move."""
