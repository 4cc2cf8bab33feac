"""conf/ -> params.yaml, with DVC's own composer: `python -m tools.params [--check] [profile=smoke ...]`.

--check writes nothing and fails, with the difference, where params.yaml is not what conf/ composes to.
"""

import argparse
import difflib
import sys
import tempfile
from pathlib import Path

from dvc.utils.hydra import compose_and_dump
from hydra.errors import HydraException
from omegaconf.errors import OmegaConfBaseException

from pocketzero import work

ROOT = Path(__file__).resolve().parent.parent
DOES_NOT_COMPOSE = (HydraException, OmegaConfBaseException)


def compose(overrides: list[str], root: Path = ROOT) -> str:
    """The text of params.yaml that `root`/conf composes to. Raises one of DOES_NOT_COMPOSE."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "params.yaml"
        compose_and_dump(str(file), str(root / "conf"), None, "config", str(root / "conf"), overrides)
        return file.read_text(encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare only")
    parser.add_argument("overrides", nargs="*", help="as in `dvc exp run -S`")
    arguments = parser.parse_args()
    try:
        new = compose(arguments.overrides)
    except DOES_NOT_COMPOSE as error:
        print(f"conf/ does not compose: {error}", file=sys.stderr)
        return 1
    file = ROOT / "params.yaml"
    old = file.read_text(encoding="utf-8") if file.exists() else ""
    if old == new:
        return 0
    if arguments.check:
        lines = difflib.unified_diff(old.splitlines(True), new.splitlines(True), "params.yaml", "conf/, composed")
        sys.stdout.writelines(lines)
        print("params.yaml is not what conf/ composes to: change conf/, and `make params` writes it.", file=sys.stderr)
        return 1
    work.write_text(file, new)
    return 0


if __name__ == "__main__":
    sys.exit(main())
