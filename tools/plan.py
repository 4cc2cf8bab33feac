"""Which stages a `dvc repro` will run, why, and about how long they take: `python -m tools.plan`.

`dvc status` names only the stages whose own inputs changed. What hangs from them runs too unless their new outputs turn
out to have the old bytes, so the closure here is the most that can run.
"""

import sys
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

from dvc.repo import Repo

from pocketzero.processes import processor
from pocketzero.work import read_json
from stages.declared import read_declared
from stages.wrapper import settings_hash, timing_file

ROOT = Path(__file__).resolve().parent.parent
IN_WORDS = {"deleted": "not there", "not in cache": "not there"}  # what DVC calls a file that is still to be made


def changed_stages(repo: Repo) -> dict[str, str]:
    """Name -> the first reason, for each stage whose own inputs, outputs or definition changed."""
    return {_name(address): _reason(entries) for address, entries in repo.status().items()}


def downstream(repo: Repo, names: set[str]) -> list[str]:
    """These stages and all that depend on them, each after those that it depends on."""
    graph = repo.index.graph  # an edge leads from a stage to one that it depends on
    needs = {stage.name: {needed.name for needed in graph.successors(stage)} for stage in graph}
    order = list(TopologicalSorter(needs).static_order())
    run: set[str] = set()
    for name in order:
        if name in names or needs[name] & run:
            run.add(name)
    return [name for name in order if name in run]


def _name(address: str) -> str:
    """The stage's name alone; DVC puts dvc.yaml's path before it where that is not in the current folder."""
    return address.rpartition(":")[2]


def _reason(entries: list[Any]) -> str:
    """What `dvc status` says of a stage, in a line: the first change, and how many there are beside it."""
    changes: list[str] = []
    for entry in entries:
        for paths in entry.values() if isinstance(entry, dict) else [{}]:
            for path, change in paths.items():
                states = change if isinstance(change, dict) else {path: change}
                changes += [f"{what} is {IN_WORDS.get(state, state)}" for what, state in states.items()]
    first = changes[0] if changes else str(entries[0])
    return first + (f", and {len(changes) - 1} more" if len(changes) > 1 else "")


def minutes(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def _duration(name: str) -> tuple[float, str]:
    """Seconds that the stage took last time, 0 where unknown, and how far that can be trusted."""
    file = timing_file(ROOT, name)
    if not file.exists():
        return 0.0, "not timed yet"
    timing = read_json(file)
    seconds = float(timing["seconds"])
    notes = []
    if timing["settings"] != settings_hash(ROOT, read_declared(ROOT)[name]):
        notes.append("with other settings")
    if timing["resumed"]:
        notes.append("finished an interrupted run; longer from nothing")
    if timing["processor"].removesuffix(" cuda") != processor():
        notes.append(f"on {timing['processor']}")
    return seconds, f"about {minutes(seconds)}" + (f" ({', '.join(notes)})" if notes else "")


def main() -> int:
    repo = Repo(str(ROOT))
    changed = changed_stages(repo)
    planned = downstream(repo, set(changed))
    if not planned:
        print("Nothing changed: no stage will run.")
        return 0
    print("Stages that will run, at most (one whose inputs come out with the same bytes is skipped):")
    durations = {name: _duration(name) for name in planned}
    width = max(len(words) for _, words in durations.values())
    for name, (_, words) in durations.items():
        print(f"  {name:<13} {words:<{width}}  {changed.get(name, 'its inputs are built anew')}")
    total = sum(seconds for seconds, _ in durations.values())
    print(f"About {minutes(total)} in all." if total else "How long they take is not known yet.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
