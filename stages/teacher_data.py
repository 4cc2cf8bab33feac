"""The frozen teacher's games, for the student."""

from pocketzero.games import load
from pocketzero.learn.teacher_data import describe, make_teacher_data
from pocketzero.nets.weights import read_network
from pocketzero.records import write_positions
from pocketzero.settings.common import Common
from pocketzero.settings.game import Game
from pocketzero.settings.teacher_data import TeacherData
from pocketzero.work import write_json
from stages.wrapper import Run, stage


@stage
def teacher_data(common: Common, game: Game, teacher_data: TeacherData, run: Run) -> None:
    positions = make_teacher_data(
        load(game.name),
        game.boards,
        read_network(run.path("models/teacher.safetensors"), game.name, "teacher"),
        teacher_data,
        common.seed + teacher_data.seed,
        run.work(without=("teacher_data.games",)),
        run.runtime.workers,
        run.runtime.device,
    )
    write_positions(run.path("data/teacher_data.npz"), positions, game.name)
    write_json(run.path("metrics/teacher_data.json"), {"processor": run.processor, **describe(positions, game.boards)})


if __name__ == "__main__":
    teacher_data()
