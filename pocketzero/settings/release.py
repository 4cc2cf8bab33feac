"""What a release is judged by, beside the gates. `make release` reads this; no stage does."""

from dataclasses import dataclass

from pocketzero.settings.base import DoesNotFit, bounded


@dataclass(kw_only=True)
class Release:
    seed: int = bounded(0, 2**53)
    """Offset to the common seed. The openings follow from it and from the candidate's own bytes."""

    games: int = bounded(4, 1_000_000)
    """Games of each player against each anchor on every board: each opening from both seats, so an even number."""

    anchors: list[str]
    """Tiers that do not change with training: the yardstick that all releases are held against."""

    players: list[str]
    """Tiers that change with training: none of them may become weaker."""

    def check(self) -> None:
        if self.games % 2:
            raise DoesNotFit("games", "even: each opening is played from both seats")
        for field, names in (("anchors", self.anchors), ("players", self.players)):
            if not names or len(set(names)) != len(names):
                raise DoesNotFit(field, "one tier or more, none of them twice")
        if set(self.anchors) & set(self.players):
            raise DoesNotFit("players", f"other tiers than the anchors, {self.anchors}")
