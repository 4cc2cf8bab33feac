"""Gates: what the ladder must show. They are written with what was found; `make release` is who refuses."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pocketzero.settings.ladder import Gate

DIGITS = 6
BOUNDS = {"share": "at least", "low": "above", "regret": "below"}
"""Measure -> how it must lie to its bound."""


def judge(
    gate: Gate,
    pairs: Iterable[Mapping[str, Any]],
    endgames: Iterable[Mapping[str, Any]],
    oracles: Sequence[str] = (),
) -> list[dict[str, Any]]:
    """The gate's verdict on each of its boards: name, wanted, found, sample (games or positions), holds.

    Args: pairs, endgames: the rows of metrics/ladder.json. oracles: players that see more than a real one would; no
    gate of theirs holds.
    Raises ValueError where the players did not meet on a board, or its endgames were not played.
    """
    return [
        _verdict(gate, board, bound, pairs, endgames, oracles)
        for board, bound in zip(gate.boards, gate.bounds(), strict=True)
    ]


def _verdict(
    gate: Gate,
    board: int,
    bound: float,
    pairs: Iterable[Mapping[str, Any]],
    endgames: Iterable[Mapping[str, Any]],
    oracles: Sequence[str],
) -> dict[str, Any]:
    if gate.measure == "regret":
        found, sample = _regret(gate, board, endgames)
    else:
        found, sample = _share(gate, board, pairs)
    found = round(found, DIGITS)
    holds = {"share": found >= bound, "low": found > bound, "regret": found < bound}[gate.measure]
    cheats = [name for name in (gate.a, gate.b) if name in oracles]
    return {
        "name": f"{gate.name}, board {board}" + "".join(f" ({name} is an oracle)" for name in cheats),
        "wanted": f"{BOUNDS[gate.measure]} {bound:.4g}",
        "found": found,
        "sample": sample,
        "holds": holds and not cheats,
    }


def _share(gate: Gate, board: int, pairs: Iterable[Mapping[str, Any]]) -> tuple[float, int]:
    """What `share` or `low` is for a, and from how many games."""
    for pair in pairs:
        if pair["board"] == board and (pair["a"], pair["b"]) == (gate.a, gate.b):
            return _known(pair[gate.measure], 0.0), pair["games"]
        if pair["board"] == board and (pair["a"], pair["b"]) == (gate.b, gate.a):
            return 1 - _known(pair["share" if gate.measure == "share" else "high"], 1.0), pair["games"]
    raise ValueError(f"ladder.gates: {gate.name}: {gate.a} and {gate.b} did not meet on board {board}")


def _known(value: float | None, otherwise: float) -> float:
    """A single pair of games has no interval, and so tells nothing of the share behind it."""
    return otherwise if value is None else value


def _regret(gate: Gate, board: int, endgames: Iterable[Mapping[str, Any]]) -> tuple[float, int]:
    """What a gives away over what b does, and in how many positions. Where both give away nothing: 1."""
    rows = {row["player"]: row for row in endgames if row["board"] == board}
    if gate.a not in rows or gate.b not in rows:
        raise ValueError(f"ladder.gates: {gate.name}: no endgames of {gate.a} and {gate.b} on board {board}")
    ours, theirs = rows[gate.a]["regret"], rows[gate.b]["regret"]
    return (ours / theirs if theirs > 0 else 1.0 + ours), rows[gate.a]["positions"]
