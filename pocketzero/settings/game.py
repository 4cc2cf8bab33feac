"""Which game this checkout ships: rules only, so that a change of strength or of tiers never touches it."""

from dataclasses import dataclass

from pocketzero.settings.base import DoesNotFit, bounded


@dataclass(kw_only=True)
class Game:
    name: str
    """Name of the game's module under pocketzero/games."""

    source: str
    """The game's file or folder, on which every stage of dvc.yaml depends."""

    boards: list[int] = bounded(1, 64, at_least=1)
    """Board sizes that are trained and shipped, a subset of the game's BOARDS."""

    def check(self) -> None:
        if len(set(self.boards)) != len(self.boards):
            raise DoesNotFit("boards", "a list without a board twice")
        if self.source not in (f"pocketzero/games/{self.name}", f"pocketzero/games/{self.name}.py"):
            raise DoesNotFit("source", f"pocketzero/games/{self.name} or pocketzero/games/{self.name}.py")
