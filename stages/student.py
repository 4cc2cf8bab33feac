"""The student, distilled from the teacher's games and scored on games that it did not see."""

from pocketzero.games import load
from pocketzero.learn.student import StudentRun
from pocketzero.nets.weights import read_network, write_network
from pocketzero.records import read_positions
from pocketzero.settings.common import Common
from pocketzero.settings.game import Game
from pocketzero.settings.student import Student
from pocketzero.work import write_json
from stages.curves import curves
from stages.wrapper import Run, stage


@stage
def student(common: Common, game: Game, student: Student, run: Run) -> None:
    rules = load(game.name)
    teacher = read_network(run.path("models/teacher.safetensors"), game.name, "teacher")
    making = StudentRun(
        game=rules,
        boards=game.boards,
        settings=student,
        seed=common.seed + student.seed,
        threads=common.torch_threads,
        positions=read_positions(run.path("data/teacher_data.npz"), rules),
        work=run.work(),
        device=run.runtime.device,
    )
    with curves(run.path("plots/student")) as draw:
        network = making.run(draw)
    write_network(run.path("models/student.safetensors"), network)
    figures = {
        "processor": run.processor,
        "parameters": network.architecture.parameters(),
        "contested_gap": student.contested_gap,
        "held_out": making.score(network),
        "held_out_teacher_without_search": making.score(teacher),
        "training": making.training_size(),
    }
    write_json(run.path("metrics/student.json"), figures)


if __name__ == "__main__":
    student()
