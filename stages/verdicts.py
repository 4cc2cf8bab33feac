"""Gates, as stages write them (name, wanted, found, holds), told to a person."""

import sys
from collections.abc import Iterable, Mapping
from typing import Any, TextIO

RED, GREEN, PLAIN = "\033[31m", "\033[32m", "\033[0m"


def coloured(text: str, colour: str, stream: TextIO = sys.stdout) -> str:
    """The text in that colour where the stream is a terminal."""
    return f"{colour}{text}{PLAIN}" if stream.isatty() else text


def in_words(value: object) -> str:
    """Numbers short, everything else as it is."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _wanted(value: object) -> str:
    """A number is a bound that must be passed."""
    return f"above {in_words(value)}" if isinstance(value, int | float) else in_words(value)


def verdict_lines(gates: Iterable[Mapping[str, Any]]) -> list[str]:
    """One line a gate, failures in red."""
    return [
        coloured("holds ", GREEN) + f"  {gate['name']}: {in_words(gate['found'])} (wanted {_wanted(gate['wanted'])})"
        if gate["holds"]
        else coloured(f"FAILS   {gate['name']}: {in_words(gate['found'])} (wanted {_wanted(gate['wanted'])})", RED)
        for gate in gates
    ]
