"""Were the committed outputs made by the committed sources? `python -m tools.stale`; for CI, where no data was pulled.

`dvc repro --allow-missing --dry` exits with 0 whatever would run, so this reads its words, and takes words that it does
not know for a fault.
"""

import re
import subprocess
import sys
from pathlib import Path

from stages.declared import read_declared
from stages.verdicts import GREEN, RED, coloured

ROOT = Path(__file__).resolve().parent.parent
UNREADABLE = 2  # exit status
UP_TO_DATE, WOULD_RUN = re.compile(r"^Stage '(\w+)' didn't change, skipping$"), re.compile(r"^Running stage '(\w+)'")


def stale_stages(output: str, stages: list[str]) -> list[str]:
    """Those of the stages that would run, in their order. Raises ValueError where it does not say something of each."""
    lines = output.splitlines()
    up_to_date, would_run = (
        {match[1] for line in lines if (match := pattern.match(line))} for pattern in (UP_TO_DATE, WOULD_RUN)
    )
    unknown = [name for name in stages if (name in up_to_date) == (name in would_run)]
    if unknown:
        raise ValueError(f"it is not clear what would become of {', '.join(unknown)}: DVC said\n{output}")
    return [name for name in stages if name in would_run]


def main(root: Path = ROOT) -> int:
    command = [sys.executable, "-m", "dvc", "repro", "--allow-missing", "--dry"]
    done = subprocess.run(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        if done.returncode:
            raise ValueError(done.stdout)
        stale = stale_stages(done.stdout, list(read_declared(root)))
    except ValueError as error:
        print(coloured(str(error), RED), file=sys.stderr)
        return UNREADABLE
    if stale:
        remedy = "`make models` makes them anew; `make keep` proves that only code changed, and no result"
        print(coloured(f"Not made by these sources: the outputs of {', '.join(stale)}. {remedy}.", RED))
        return 1
    print(coloured("Every committed output was made by these sources.", GREEN))
    return 0


if __name__ == "__main__":
    sys.exit(main())
