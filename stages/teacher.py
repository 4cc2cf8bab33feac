"""The teacher: warm start, self-play and training; the network, its figures and its learning curve."""

from pocketzero.games import load
from pocketzero.learn.teacher import TeacherRun, summary
from pocketzero.learn.training import Figures
from pocketzero.nets.weights import write_network
from pocketzero.settings.common import Common
from pocketzero.settings.game import Game
from pocketzero.settings.teacher import Teacher
from pocketzero.work import write_json
from stages.curves import curves
from stages.wrapper import Run, stage


@stage
def teacher(common: Common, game: Game, teacher: Teacher, run: Run) -> None:
    making = TeacherRun(
        game=load(game.name),
        boards=game.boards,
        settings=teacher,
        seed=common.seed + teacher.seed,
        threads=common.torch_threads,
        work=run.work(without=("teacher.iterations",)),
        workers=run.runtime.workers,
        device=run.runtime.device,
    )
    steps: list[Figures] = []
    with curves(run.path("plots/teacher")) as draw:

        def report(figures: Figures) -> None:
            steps.append(figures)
            draw(figures)

        network = making.run(report)
    write_network(run.path("models/teacher.safetensors"), network)
    figures = {"processor": run.processor, "parameters": network.architecture.parameters(), **summary(steps)}
    write_json(run.path("metrics/teacher.json"), figures)


if __name__ == "__main__":
    teacher()
