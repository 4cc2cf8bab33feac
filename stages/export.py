"""The files that an app loads: models/release/."""

from pocketzero.games import load
from pocketzero.nets.weights import read_network
from pocketzero.records import board_of, read_positions
from pocketzero.settings.common import Common
from pocketzero.settings.export import Export
from pocketzero.settings.game import Game
from pocketzero.settings.tiers import Tier
from pocketzero.ship.export import build_release
from pocketzero.ship.files import describe
from pocketzero.work import read_json, write_json
from stages.wrapper import Run, stage


@stage
def export(common: Common, game: Game, tiers: dict[str, Tier], export: Export, run: Run) -> None:
    rules = load(game.name)
    positions = read_positions(run.path("data/teacher_data.npz"), rules)
    boards = board_of(positions.games, game.boards)
    release, figures = build_release(
        rules,
        student=read_network(run.path("models/student.safetensors"), rules.name, "student"),
        linear=read_json(run.path("models/linear.json")),
        recorded={board: positions.states[boards == board] for board in game.boards},
        recipes=tiers,
        settings=export,
        seed=common.seed + export.seed,
    )
    files = [
        run.path(f"models/release/{name}") for name in ("elite.onnx", "elite.int8.onnx", "tiers.json", "golden.jsonl")
    ]
    release.write(files[0].parent)
    write_json(run.path("metrics/export.json"), {**figures, "files": describe(files), "processor": run.processor})


if __name__ == "__main__":
    export()
