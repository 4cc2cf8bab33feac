"""The settings of the whole pipeline: one top-level group a stage, and what they share."""

from dataclasses import dataclass

from pocketzero.settings.base import DoesNotFit
from pocketzero.settings.common import Common
from pocketzero.settings.export import Export
from pocketzero.settings.game import Game
from pocketzero.settings.ladder import INT8, LONE_PLAYERS, Ladder
from pocketzero.settings.linear import Linear
from pocketzero.settings.parity import Parity
from pocketzero.settings.release import Release
from pocketzero.settings.runtime import Runtime
from pocketzero.settings.student import Student
from pocketzero.settings.teacher import Teacher
from pocketzero.settings.teacher_data import TeacherData
from pocketzero.settings.tiers import Tier, blend_order


@dataclass(kw_only=True)
class Settings:
    """The content of params.yaml."""

    checked: bool
    """True in any params.yaml that was composed: the key whose composing checks all others."""

    common: Common
    game: Game
    teacher: Teacher
    teacher_data: TeacherData
    student: Student
    linear: Linear
    tiers: dict[str, Tier]
    export: Export
    parity: Parity
    ladder: Ladder
    release: Release
    runtime: Runtime

    def check(self) -> None:
        try:
            blend_order(self.tiers)
        except DoesNotFit as error:
            raise DoesNotFit(f"tiers.{error.field}", error.wanted) from None
        for board in self.ladder.boards:
            if board not in self.game.boards:
                raise DoesNotFit("ladder.boards", f"among game.boards, {self.game.boards}")
        for player in self.ladder.players:
            if player not in {*self.tiers, *LONE_PLAYERS}:
                raise DoesNotFit("ladder.players", "tiers, or " + ", ".join(LONE_PLAYERS))
        known = {
            *self.tiers,
            *LONE_PLAYERS,
            *(tier + INT8 for tier in self.tiers if self.tiers[tier].kind == "network"),
        }
        for extra in self.ladder.extra:
            if not {extra.a, extra.b} <= known:
                raise DoesNotFit("ladder.extra", "between " + ", ".join(sorted(known)))
        play = self.tiers.get(self.ladder.positions.play)
        if play is None or play.trained or play.kind == "network":
            raise DoesNotFit("ladder.positions.play", "a tier that no training changes")
        for field, names in (("anchors", self.release.anchors), ("players", self.release.players)):
            if not set(names) <= set(self.tiers):
                raise DoesNotFit(f"release.{field}", f"among the tiers, {list(self.tiers)}")
