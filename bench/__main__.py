"""Speed on this machine, as medians over rounds of CPU time: `python -m bench [--json FILE] [--rounds N]`.

Self-play and the bare network are measured in one run, batch by batch in turn. Other work on the machine slows both.
"""

import argparse
from pathlib import Path
from statistics import median

from bench.self_play import peak_memory, self_play_rounds, tree_rounds
from bench.subject import Subject, subject
from bench.training import training_rounds
from pocketzero.nets.graph import build_onnx
from pocketzero.processes import processor
from pocketzero.work import write_json

GOAL = 0.90  # evaluations per CPU second in self-play, as a share of the bare network's


def measure(what: Subject, rounds: int, games: int) -> dict[str, float]:
    """Every figure by name; medians."""
    model = build_onnx(what.network)
    played = list(self_play_rounds(what, model, rounds, games))
    layouts = training_rounds(what, rounds)
    figures = {
        "self-play, evaluations per CPU second": median(r.evaluations / r.seconds for r in played),
        "bare network, evaluations per CPU second": median(r.evaluations / r.bare_seconds for r in played),
        "self-play / bare network": median(r.of_bare for r in played),
        "self-play / bare network, lowest round": min(r.of_bare for r in played),
        "all but the network, microseconds per evaluation": median(r.tree_microseconds for r in played),
        "search alone, microseconds per simulation": median(tree_rounds(what, rounds)),
        "games per minute and core": median(60 * r.games / r.seconds for r in played),
        "positions per second and core": median(r.positions / r.seconds for r in played),
        "evaluations per position": median(r.evaluations / r.positions for r in played),
        "peak memory of a self-play worker, MiB": peak_memory(what, model, games),
    }
    steps = {f"training, {name}, steps per CPU second": median(found) for name, found in layouts.items()}
    return figures | steps


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="of each measurement")
    parser.add_argument("--games", type=int, help="of a round of self-play; default: a shard of the settings")
    parser.add_argument("--json", type=Path, help="write the figures to this file as well")
    arguments = parser.parse_args()
    what = subject()
    size, search = what.network.architecture, what.search
    setting = (
        f"{what.game.name}, boards {what.boards}; network {size.channels} x {size.blocks} ({what.network_is}); "
        f"{search.simulations} simulations; training batch {what.batch_size}; {processor()}"
    )
    figures = measure(what, arguments.rounds, arguments.games or what.shard_games)
    print(setting)
    width = max(map(len, figures))
    for name, figure in figures.items():
        print(f"{name:{width}}  {figure:12,.{3 if figure < 100 else 0}f}")
    holds = figures["self-play / bare network"] >= GOAL
    print(f"goal: self-play at {GOAL:.2f} of the bare network or more: {'holds' if holds else 'does not hold'}")
    if arguments.json:
        write_json(arguments.json, {"setting": setting, "goal": GOAL, "holds": holds, "figures": figures})


if __name__ == "__main__":
    main()
