"""The release seed is opened once for each candidate: releases/attempts.jsonl remembers who was judged.

A line is written before any game is played, and one more where the candidate was refused; a release's own file says
that it passed. The seed follows from the candidate's bytes, so nobody chooses it, and asking again gives the same
games. Lines, keys sorted:

    {"attempt": 3, "candidate": SHA-256, "commit": ..., "name": ..., "seed": ..., "settings": ...}
    {"attempt": 3, "refused": [gates that do not hold]}
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pocketzero.bad_file import BadFile
from pocketzero.rng import stream
from pocketzero.ship.files import GOLDEN
from pocketzero.work import write_text

FILE = "attempts.jsonl"
SEED_BITS = 53  # as settings' seeds


BEGUN = {"attempt": int, "candidate": str, "commit": str, "name": str, "seed": int, "settings": str}
REFUSED = {"attempt": int, "refused": list[str]}


class AlreadyJudged(Exception):
    """A candidate whose release seed has been opened before; says what came of it."""


@dataclass(frozen=True, kw_only=True)
class Attempt:
    attempt: int
    """1, 2, ..."""
    candidate: str
    """The name of what plays: candidate_of."""
    commit: str
    name: str
    """Of the release it wants to be."""
    seed: int
    settings: str
    """Hash of the settings that decide the games and their judgement."""


def candidate_of(files: Mapping[str, Mapping[str, Any]]) -> str:
    """SHA-256 over names and SHA-256 of the files that decide a move: all but the golden positions, which only test."""
    lines = [f"{name} {files[name]['sha256']}\n" for name in sorted(files) if name != GOLDEN]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def seed_of(candidate: str, seed: int) -> int:
    """The candidate's release seed, which its bytes and the settings' seed decide."""
    return stream(seed, "release", int(candidate, 16)) >> (64 - SEED_BITS)


def begin(folder: Path, candidate: str, commit: str, name: str, seed: int, settings: str) -> Attempt:
    """Record that the candidate is about to be judged, before it is.

    One that was interrupted before its judgement goes on with the same seed. Raises AlreadyJudged for one that was
    refused before, or that was begun with other settings.
    """
    lines = read_attempts(folder)
    refused = {line["attempt"]: line["refused"] for line in lines if "refused" in line}
    begun = [Attempt(**line) for line in lines if "candidate" in line]
    for attempt in begun:
        if attempt.candidate == candidate:
            said = f"This candidate, {candidate[:12]}, was judged before: attempt {attempt.attempt}, as {attempt.name}"
            if attempt.attempt in refused:
                raise AlreadyJudged(f"{said}, was refused ({'; '.join(refused[attempt.attempt])})")
            if (attempt.seed, attempt.settings) != (seed, settings):
                raise AlreadyJudged(f"{said}, began with other settings, at commit {attempt.commit[:12]}")
            return attempt
    attempt = Attempt(
        attempt=len(begun) + 1, candidate=candidate, commit=commit, name=name, seed=seed, settings=settings
    )
    _append(folder, lines, asdict(attempt))
    return attempt


def refuse(folder: Path, attempt: Attempt, gates: list[str]) -> None:
    """Record that it was judged and refused, by these gates."""
    _append(folder, read_attempts(folder), {"attempt": attempt.attempt, "refused": gates})


def read_attempts(folder: Path) -> list[dict[str, Any]]:
    """The lines so far. Raises BadFile for a line that is none."""
    file = folder / FILE
    if not file.exists():
        return []
    lines = []
    for number, text in enumerate(file.read_bytes().splitlines(), 1):
        try:
            line = json.loads(text)
        except (ValueError, RecursionError):
            line = None
        if not isinstance(line, dict) or {key: _kind(value) for key, value in line.items()} not in (BEGUN, REFUSED):
            raise BadFile(
                f"{file}, line {number}", "text", repr(text[:80]), "an attempt as tools/attempts.py writes it"
            )
        lines.append(line)
    return lines


def _kind(value: object) -> object:
    return list[str] if isinstance(value, list) and all(isinstance(each, str) for each in value) else type(value)


def _append(folder: Path, lines: list[dict[str, Any]], line: dict[str, Any]) -> None:
    write_text(folder / FILE, "".join(json.dumps(each, sort_keys=True) + "\n" for each in [*lines, line]))
