"""Two runs of the commit's smoke profile from nothing, with 1 and with 2 workers: are all outputs the same bytes?

    python -m tools.check_repro [--save FILE] [--against FILE]

--save keeps the hashes, and --against compares with such a file from another day or machine. Hashes from another kind
of processor are not comparable, and are said to be so.
"""

import argparse
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from pocketzero.processes import processor
from pocketzero.work import read_json, write_json
from stages.verdicts import GREEN, RED, coloured
from tools import copies

NOT_COMPARABLE = 3  # exit status


def differences(one: Mapping[str, str], other: Mapping[str, str]) -> list[str]:
    """A line for each output that is not the same in both."""
    return [
        f"{name}: {one.get(name, 'missing')[:16]} and {other.get(name, 'missing')[:16]}"
        for name in sorted({*one, *other})
        if one.get(name) != other.get(name)
    ]


def run_smoke(target: Path, revision: str, workers: int) -> dict[str, str]:
    """Build the commit's smoke profile in `target` with an empty cache; returns the outputs' hashes."""
    copies.copy_commit(target, revision)
    copies.compose(target, ["profile=smoke", f"runtime.workers={workers}"])
    copies.reproduce(target, cache=target / ".cache")
    return copies.output_hashes(target)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--save", type=Path, help="write processor and hashes to this file")
    parser.add_argument("--against", type=Path, help="compare with a file that --save wrote")
    arguments = parser.parse_args()
    if _uncommitted():
        print("The working tree has changes that are not committed; the commit is what is checked.", file=sys.stderr)
    try:
        one, two = (run_smoke(copies.COPIES / f"repro-{workers}", "HEAD", workers) for workers in (1, 2))
    except subprocess.CalledProcessError as error:
        return error.returncode
    different = differences(one, two)
    if different:
        print(coloured("With 1 and with 2 workers these outputs differ:", RED), *different, sep="\n  ")
        return 1
    print(coloured(f"All {len(one)} outputs are the same with 1 and with 2 workers, on {processor()}.", GREEN))
    if arguments.save:
        write_json(arguments.save, {"processor": processor(), "outputs": one})
    return _compare_with(arguments.against, one) if arguments.against else 0


def _compare_with(file: Path, outputs: Mapping[str, str]) -> int:
    saved = read_json(file)
    if saved["processor"] != processor():
        print(f"Not comparable: {file} is from {saved['processor']}, this is {processor()}.")
        return NOT_COMPARABLE
    different = differences(saved["outputs"], outputs)
    if different:
        print(coloured(f"These outputs are not those of {file}:", RED), *different, sep="\n  ")
        return 1
    print(coloured(f"All {len(outputs)} outputs are those of {file}.", GREEN))
    return 0


def _uncommitted() -> bool:
    status = subprocess.run(["git", "status", "--porcelain"], cwd=copies.ROOT, check=True, capture_output=True)
    return bool(status.stdout.strip())


if __name__ == "__main__":
    sys.exit(main())
