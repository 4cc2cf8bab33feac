"""What was built and how strong it is: `python -m stages.summary`."""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pocketzero.work import read_json
from stages.declared import content_hash, read_declared
from stages.verdicts import coloured, in_words, verdict_lines

ROOT = Path(__file__).resolve().parent.parent
RED = "\033[31m"


def tell(root: Path = ROOT) -> None:
    """Print the built files, each stage's figures, and the verdicts last, failures in red."""
    declared = read_declared(root)
    outs = [out for stage in declared.values() for out in stage.outs]
    print("\nBuilt:")
    for out in outs:
        if out.startswith(("models/", "data/")):
            print(f"  {_file_line(root / out, out)}")
    gates: list[dict[str, Any]] = []
    print("\nFigures:")
    for name, stage in declared.items():
        for out in stage.outs:
            if out.startswith("metrics/") and (root / out).is_file():
                metrics = read_json(root / out)
                gates += metrics.pop("gates", [])
                for line in _figure_lines(metrics):
                    print(f"  {name:<13} {line}")
    print("\nVerdicts:")
    print("\n".join(f"  {line}" for line in verdict_lines(gates)) or "  none")
    failed = sum(not gate["holds"] for gate in gates)
    if failed:
        print(coloured(f"{failed} of {len(gates)} gates fail.", RED))


def _file_line(path: Path, name: str) -> str:
    if not path.exists():
        return f"{name:<32} missing"
    return f"{name:<32} {path.stat().st_size:>11,} bytes   SHA-256 {content_hash(path)[:16]}"


def _figure_lines(metrics: Mapping[str, Any], key: str = "") -> Iterator[str]:
    """One line for each level of nesting: its plain numbers side by side."""
    plain = {name: value for name, value in metrics.items() if isinstance(value, int | float | str)}
    if plain:
        yield f"{key}{': ' if key else ''}" + ", ".join(f"{name} {in_words(value)}" for name, value in plain.items())
    for name, value in metrics.items():
        if isinstance(value, Mapping):
            yield from _figure_lines(value, f"{key} {name}".strip())


if __name__ == "__main__":
    tell()
    sys.exit(0)
