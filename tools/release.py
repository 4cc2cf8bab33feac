"""Judge the models, and record them as a release if they pass: `python -m tools.release NAME`.

    before any game   git's tree is clean, params.yaml is what conf/ composes to, nothing is stale, and the gates of
                      metrics/ladder.json and metrics/parity.json hold
    the release seed  opened once for each candidate (tools/attempts.py): the whole ladder once more, its gates, and the
                      candidate against every earlier release (pocketzero/arena/no_weaker.py)

It ends with a table of the gates, and either writes releases/NAME.json or says what does not hold, with status 1.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dvc.repo import Repo

from pocketzero import work
from pocketzero.arena.ladder import play_ladder, report
from pocketzero.arena.match import share_interval
from pocketzero.arena.no_weaker import ALL, Difference, Result, compare, meet_anchors
from pocketzero.arena.roster import INT8, Roster
from pocketzero.arena.tiers import MODEL
from pocketzero.bad_file import shown
from pocketzero.games import load as load_game
from pocketzero.processes import processor
from pocketzero.settings.base import BadSetting, load, read_yaml, to_mapping
from pocketzero.settings.common import Common
from pocketzero.settings.game import Game
from pocketzero.settings.ladder import Ladder
from pocketzero.settings.release import Release
from pocketzero.settings.runtime import Runtime
from pocketzero.ship.files import GOLDEN, TIERS, describe
from pocketzero.ship.identity import rules_hash
from stages.declared import PARAMS
from stages.verdicts import GREEN, RED, coloured, in_words
from tools import attempts, params, plan

ROOT = Path(__file__).resolve().parent.parent
RELEASES, CANDIDATE = "releases", "models/release"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
GROUPS = {"common": Common, "game": Game, "ladder": Ladder, "release": Release, "runtime": Runtime}
PLAYS = ("common", "game", "ladder", "release")  # the groups that decide the games of a judgement
DIGITS = 6

Gate = dict[str, Any]
"""name, wanted, found, holds."""


def _matches(pattern: str) -> Callable[[object], bool]:
    return lambda value: isinstance(value, str) and re.fullmatch(pattern, value) is not None


def _are_files(value: object) -> bool:
    return isinstance(value, dict) and all(NAME.fullmatch(name) for name in value)


def _are_shares(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, dict) and type(each.get("player")) is str for each in value)


RELEASED = {
    "name": _matches(NAME.pattern),
    "number": lambda value: type(value) is int and value > 0,
    "candidate": _matches("[0-9a-f]{64}"),
    "commit": _matches("[0-9a-f]{40,64}"),  # git takes a commit that begins with a dash for an option
    "files": _are_files,  # and a name may not lead out of the folder that it is written to
    "game": _matches("[a-z0-9_]+"),
    "rules": _matches(".*"),
    "shares": _are_shares,
}
"""What an earlier release must tell: key -> whether a value can be right."""


class Refused(Exception):
    """Why nothing can be judged, in words for a person."""


@dataclass(frozen=True)
class Table:
    """The players of a release, whose files lie in a folder, and how they play."""

    settings: Mapping[str, Any]
    """GROUPS, read."""
    teacher: Path

    def roster(self, folder: Path) -> Roster:
        return Roster(folder / TIERS, folder / MODEL, self.teacher, self.settings["ladder"].search.c_puct)

    def ladder(self, folder: Path, seed: int) -> dict[str, Any]:
        """The figures of the whole ladder, as in metrics/ladder.json."""
        ladder, workers = self.settings["ladder"], self.settings["runtime"].workers
        roster = self.roster(folder)
        return report(roster, play_ladder(roster, ladder, seed, workers), ladder.gates, seed)

    def anchors(self, folder: Path, players: Sequence[str], anchors: Path, seed: int) -> list[Result]:
        """What the players took from the anchors of the other folder."""
        release, boards = self.settings["release"], self.settings["game"].boards
        workers = self.settings["runtime"].workers
        sides = self.roster(folder), players, self.roster(anchors), release.anchors
        return meet_anchors(*sides, boards, release.games, seed, workers)

    def players(self, folder: Path) -> list[str]:
        """The folder's tiers, network tiers also as they play with their int8 model."""
        tiers = work.read_json(folder / TIERS)["tiers"]
        return [*tiers, *(name + INT8 for name in tiers if tiers[name]["kind"] == "network")]


def release(root: Path, name: str, table: type[Table] = Table) -> int:
    """Judge the models of `root` as a release of that name; the exit status. Raises Refused, BadSetting, ValueError."""
    folder = root / RELEASES
    _refuse_name(folder, name)
    earlier = read_releases(folder)
    gates = [*standing(root), *tuned(root)]
    if not _tell(gates):
        print("No game was played, and no attempt counted.")
        return 1
    settings = load(root / PARAMS, GROUPS)
    files = describe(sorted(file for file in (root / CANDIDATE).iterdir() if file.is_file()))
    candidate = attempts.candidate_of(files)
    for each in earlier:
        if each["candidate"] == candidate:
            raise attempts.AlreadyJudged(f"This candidate, {candidate[:12]}, is released already, as {each['name']}")
    seed = attempts.seed_of(candidate, settings["common"].seed + settings["release"].seed)
    decides = work.hash_of({group: to_mapping(settings[group]) for group in PLAYS})
    commit = _git(root, "rev-parse", "HEAD").decode().strip()
    attempt = attempts.begin(folder, candidate, commit, name, seed, decides)
    not_run = work.read_json(root / "metrics/parity.json").get("not_run", [])
    if not_run:
        print(coloured(f"Not checked on {', '.join(not_run)}: parity.targets does not name them.", RED))
    print(f"\nAttempt {attempt.attempt}: candidate {candidate[:12]}, on openings that nobody has seen.", flush=True)
    judged = judge(root, table(settings, root / "models/teacher.safetensors"), earlier, seed)
    if not _tell(judged["gates"]):
        attempts.refuse(folder, attempt, [gate["name"] for gate in judged["gates"] if not gate["holds"]])
        print(f"Commit {RELEASES}/{attempts.FILE}: this candidate's seed is spent; another candidate gets its own.")
        return 1
    content = {
        "name": name,
        "number": len(earlier) + 1,
        "attempt": attempt.attempt,
        "candidate": candidate,
        "seed": seed,
        "commit": commit,
        "settings": work.hash_of({key: value for key, value in read_yaml(root / PARAMS).items() if key != "runtime"}),
        "processor": processor(),
        "files": files,
        "not_checked_on": not_run,
        **identity(settings),
        **judged,
        "gates": [*gates, *judged["gates"]],
    }
    _refuse_name(folder, name)
    work.write_json(folder / f"{name}.json", content)
    print(coloured(f"Released: {RELEASES}/{name}.json. Commit it, with {RELEASES}/{attempts.FILE}.", GREEN))
    return 0


def standing(root: Path) -> list[Gate]:
    """Do the models belong to this commit?"""
    changed = _git(root, "status", "--porcelain").decode().splitlines()
    stale = plan.changed_stages(Repo(str(root)))
    same = (root / PARAMS).read_text(encoding="utf-8") == params.compose([], root)
    return [
        _gate("git: nothing uncommitted", "none", [line[3:] for line in changed]),
        _gate(f"{PARAMS}: what conf/ composes to", "equal", [] if same else ["different: `make params`"], "equal"),
        _gate("dvc status: no stage to run", "none", [f"{stage} ({why})" for stage, why in stale.items()]),
    ]


def tuned(root: Path) -> list[Gate]:
    """The verdicts that the stages wrote."""
    gates = []
    for stage in ("ladder", "parity"):
        file = root / "metrics" / f"{stage}.json"
        written = work.read_json(file).get("gates", []) if file.exists() else []
        if not written:
            gates.append(_gate(f"{stage}: gates", "some", ["none"]))
        gates += [{**gate, "name": f"{stage}: {gate['name']}"} for gate in written]
    return gates


def judge(root: Path, table: Table, earlier: Sequence[Mapping[str, Any]], seed: int) -> dict[str, Any]:
    """Play the release's games: strength, shares against the anchors, endgames, no_weaker, gates."""
    figures = table.ladder(root / CANDIDATE, seed)
    same = identity(table.settings)
    comparable = [each for each in earlier if {key: each[key] for key in same} == same]
    with tempfile.TemporaryDirectory() as temporary:
        folders = {each["name"]: take_out(root, each, Path(temporary) / each["name"]) for each in comparable}
        anchors = next(iter(folders.values()), root / CANDIDATE)  # those of the first release, for good
        tiers = table.players(root / CANDIDATE)
        names = [player for player in tiers if player in _judged(table.settings["release"], comparable)]
        ours = table.anchors(root / CANDIDATE, names, anchors, seed)
        differences: list[Difference] = []
        for name, folder in folders.items():
            both = [player for player in table.players(folder) if player in names]
            theirs = table.anchors(folder, both, anchors, seed)
            differences += compare(name, ours, theirs, len(names) * len(table.settings["game"].boards))
    gates = [{**gate, "name": f"release seed: {gate['name']}"} for gate in figures["gates"]]
    return {
        "strength": figures["strength"],
        "endgames": figures.get("endgames", []),
        "shares": [_share(result) for result in ours],
        "no_weaker": [vars(difference) for difference in differences],
        "gates": [*gates, *(_no_weaker(difference) for difference in differences)],
    }


def read_releases(folder: Path) -> list[dict[str, Any]]:
    """The earlier releases, in order. Raises Refused for a file that is not one, or a number that is missing."""
    found = []
    for file in sorted(folder.glob("*.json")):
        content = work.read_json(file)
        if not isinstance(content, dict):
            raise Refused(f"{file}: not an object, as `make release` writes it")
        for key, right in RELEASED.items():
            if key not in content or not right(content[key]) or (key == "name" and content[key] != file.stem):
                raise Refused(f"{file}: {key} is {shown(content.get(key))}, which `make release` would not write")
        found.append(content)
    found.sort(key=lambda content: content["number"])
    if [content["number"] for content in found] != list(range(1, len(found) + 1)):
        names = ", ".join(f"{content['number']} ({content['name']}.json)" for content in found)
        raise Refused(f"{folder}: releases are numbered {names}; one file for each number from 1 was here once")
    return found


def take_out(root: Path, release: Mapping[str, Any], folder: Path) -> Path:
    """Write the files with which an earlier release plays, as git has them, and return their folder."""
    for name, described in release["files"].items():
        if name != GOLDEN:
            where = f"{release['commit']}:{CANDIDATE}/{name}"
            try:
                work.write_bytes(folder / name, _git(root, "show", where))
            except subprocess.CalledProcessError:
                raise Refused(
                    f"release {release['name']}: git has no {where}; `git fetch --unshallow` gets the whole history"
                ) from None
            found = describe([folder / name])[name]
            if found != described:
                raise Refused(f"release {release['name']}: {where} is {found}, but {described} was released")
    return folder


def table_lines(gates: Iterable[Gate]) -> list[str]:
    """Gate, wanted, found; what fails comes last, in red."""
    rows = [(gate["name"], _wanted(gate["wanted"]), in_words(gate["found"]), gate["holds"]) for gate in gates]
    rows.sort(key=lambda row: not row[3])
    widths = [max(len(row[column]) for row in [("gate", "wanted"), *rows]) for column in (0, 1)]
    lines = [f"{'gate':<{widths[0]}}  {'wanted':<{widths[1]}}  found"]
    for name, wanted, found, holds in rows:
        line = f"{name:<{widths[0]}}  {wanted:<{widths[1]}}  {found}"
        lines.append(line if holds else coloured(line, RED))
    return lines


def _tell(gates: Sequence[Gate]) -> bool:
    """Print the table; whether all of them hold."""
    print("\n".join(table_lines(gates)))
    failed = sum(not gate["holds"] for gate in gates)
    if failed:
        print(coloured(f"Refused: {failed} of {len(gates)} gates do not hold.", RED))
    return not failed


def _gate(name: str, wanted: str, against: Sequence[str], found: str = "none") -> Gate:
    shown = ", ".join(against[:3]) + (f" and {len(against) - 3} more" if len(against) > 3 else "")
    return {"name": name, "wanted": wanted, "found": shown or found, "holds": not against}


def _wanted(value: object) -> str:
    return f"above {in_words(value)}" if isinstance(value, int | float) else str(value)


def _no_weaker(found: Difference) -> Gate:
    together = found.board == ALL
    where = "all boards together" if together else f"board {found.board}"
    return {
        "name": f"{found.player} against the anchors, less {found.release}'s, {where}",
        "wanted": "0 or more" if together else "not shown to be weaker",
        "found": f"{found.difference:+.4f}" + ("" if together else f" ({found.low:+.4f} to {found.high:+.4f})"),
        "holds": found.holds,
    }


def _share(result: Result) -> dict[str, Any]:
    low, high = share_interval(result.shares)
    figures = {"share": float(result.shares.mean()), "low": low, "high": high}
    who = {"player": result.player, "anchor": result.anchor, "board": result.board, "games": result.games}
    return who | {key: round(value, DIGITS) for key, value in figures.items()}


def _judged(settings: Release, earlier: Iterable[Mapping[str, Any]]) -> set[str]:
    """The players of the settings, and all who were judged before: leaving one out of the settings spares nobody."""
    return {*settings.players, *(share["player"] for each in earlier for share in each["shares"])}


def identity(settings: Mapping[str, Any]) -> dict[str, str]:
    """What two releases must have in common to be compared."""
    return {"game": settings["game"].name, "rules": rules_hash(load_game(settings["game"].name))}


def _refuse_name(folder: Path, name: str) -> None:
    if not NAME.fullmatch(name):
        raise Refused(f"NAME={name!r}: letters, digits, '.', '_' and '-' make a name, such as v1.2")
    if (folder / f"{name}.json").exists():
        raise Refused(f"{RELEASES}/{name}.json is there already; a release is never overwritten, choose another name")


def _git(root: Path, *arguments: str) -> bytes:
    return subprocess.run(["git", "-C", root, *arguments], check=True, capture_output=True).stdout


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", help="of the release: releases/NAME.json")
    try:
        return release(ROOT, parser.parse_args().name)
    except (Refused, attempts.AlreadyJudged, BadSetting, ValueError) as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
