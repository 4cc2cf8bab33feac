"""Who beats whom, what each gives away, how alike they play; and whether the gates hold."""

from pocketzero.arena.charts import draw_charts
from pocketzero.arena.ladder import play_ladder, report
from pocketzero.arena.roster import Roster
from pocketzero.arena.tiers import BadTier
from pocketzero.settings.common import Common
from pocketzero.settings.game import Game
from pocketzero.settings.ladder import Ladder
from pocketzero.work import write_json
from stages.wrapper import Run, stage


@stage
def ladder(common: Common, game: Game, ladder: Ladder, run: Run) -> None:
    elite, tiers = run.path("models/release/elite.onnx"), run.path("models/release/tiers.json")
    run.path("models/release/elite.int8.onnx")  # the roster finds it beside elite.onnx
    roster = Roster(tiers, elite, run.path("models/teacher.safetensors"), ladder.search.c_puct)
    if roster.game().name != game.name:
        raise BadTier(tiers, "game", roster.game().name, f"{game.name!r}, which game.name says")
    seed = common.seed + ladder.seed
    figures = report(roster, play_ladder(roster, ladder, seed, run.runtime.workers), ladder.gates, seed)
    draw_charts(run.path("plots/ladder"), figures)
    write_json(run.path("metrics/ladder.json"), {"processor": run.processor, **figures})


if __name__ == "__main__":
    ladder()
