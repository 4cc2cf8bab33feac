"""Does this machine agree with the one that made the release? `python -m pocketzero.ship --targets python,onnxruntime`

The parity stage's checks with params.yaml's settings, on files from elsewhere and with runtimes chosen by hand. Prints
every gate; writes nothing.
"""

import argparse
import dataclasses
import sys
from pathlib import Path

from pocketzero.bad_file import BadFile
from pocketzero.games import load
from pocketzero.settings import base
from pocketzero.settings.common import Common
from pocketzero.settings.game import Game
from pocketzero.settings.parity import Parity
from pocketzero.ship.golden import BadGolden
from pocketzero.ship.parity import check_release


def main(arguments: list[str] | None = None) -> int:
    """The command. Returns its exit status: 1 where a gate does not hold, 2 where nothing could be checked."""
    options = _parser().parse_args(arguments)
    try:
        groups = base.load(options.params, {"common": Common, "game": Game, "parity": Parity})
        common, game, settings = groups["common"], groups["game"], groups["parity"]
        changed = {"targets": options.targets and options.targets.split(","), "positions": options.positions}
        settings = dataclasses.replace(settings, **{key: value for key, value in changed.items() if value})
        rules, student = load(game.name), options.models / "student.safetensors"
        seed = common.seed + settings.seed
        threads = common.torch_threads
        report = check_release(rules, game.boards, options.models / "release", student, settings, threads, seed)
    except (base.BadSetting, BadFile, BadGolden, FileNotFoundError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    for gate in report.figures["gates"]:
        print(f"{'holds' if gate['holds'] else 'FAILS'}  {gate['name']}: {gate['found']}")
    for name, milliseconds in report.timing.items():
        if name.endswith("_ms"):
            print(f"{name}: {milliseconds:.3f}")
    return int(not all(gate["holds"] for gate in report.figures["gates"]))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m pocketzero.ship", description=__doc__.partition("\n")[0])
    parser.add_argument("--targets", help="runtimes, with commas; left out: those of the settings")
    parser.add_argument("--positions", type=int, help="golden ones, and fresh ones up to this number")
    parser.add_argument("--models", type=Path, default=Path("models"), help="folder of the models")
    parser.add_argument("--params", type=Path, default=Path("params.yaml"), help="the composed settings")
    return parser


if __name__ == "__main__":
    sys.exit(main())
