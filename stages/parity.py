"""Do all copies of what ships agree? metrics/parity.json says so, gate by gate."""

from pocketzero.games import load
from pocketzero.settings.common import Common
from pocketzero.settings.game import Game
from pocketzero.settings.parity import Parity
from pocketzero.ship.parity import check_release
from pocketzero.work import write_json
from stages.wrapper import Run, stage


@stage
def parity(common: Common, game: Game, parity: Parity, run: Run) -> None:
    release = run.path("models/release/elite.onnx").parent
    student = run.path("models/student.safetensors")
    seed = common.seed + parity.seed
    report = check_release(load(game.name), game.boards, release, student, parity, common.torch_threads, seed)
    run.measure(**report.timing)
    write_json(run.path("metrics/parity.json"), {**report.figures, "processor": run.processor})


if __name__ == "__main__":
    parity()
