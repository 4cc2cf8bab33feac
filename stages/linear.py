"""The linear models: PPO in self-play over the game's features."""

from pocketzero.games import load
from pocketzero.learn.linear import models_of, to_json, train
from pocketzero.learn.linear_report import draw_curve, draw_weights, figures, write_curve
from pocketzero.settings.common import Common
from pocketzero.settings.game import Game
from pocketzero.settings.linear import Linear
from pocketzero.work import write_json
from stages.wrapper import Run, stage


@stage
def linear(common: Common, game: Game, linear: Linear, run: Run) -> None:
    rules, seed = load(game.name), common.seed + linear.seed
    counts = models_of(rules)
    work = run.work(without=("linear.iterations",))
    trainings = train(rules, game.boards, counts, linear, seed, work, run.runtime.workers)
    models = dict(zip(counts, trainings, strict=True))
    content = to_json(rules, models, seed)
    write_curve(run.path("plots/linear/learning.tsv"), models)
    draw_curve(run.path("plots/linear/learning.png"), models)
    draw_weights(run.path("plots/linear/weights.png"), content)
    write_json(run.path("metrics/linear.json"), {**figures(models, content["norm"]), "processor": run.processor})
    write_json(run.path("models/linear.json"), content)


if __name__ == "__main__":
    linear()
