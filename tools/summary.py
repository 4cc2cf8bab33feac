"""What was built and how strong it is, short: `python -m tools.summary`. The whole figures are in metrics/."""

import sys
from pathlib import Path
from typing import Any

from pocketzero.work import read_json
from stages.declared import content_hash, read_declared
from stages.verdicts import RED, coloured, in_words, verdict_lines

ROOT = Path(__file__).resolve().parent.parent


def tell(root: Path = ROOT) -> None:
    """Print the built files, how strong their players are, and the verdicts last, failures in red."""
    outs = [out for stage in read_declared(root).values() for out in stage.outs]
    metrics = {Path(out).stem: read_json(root / out) for out in outs if out.startswith("metrics/")}
    print("\nBuilt")
    for out in outs:
        if out.startswith(("models/", "data/")):
            print(f"  {file_line(root / out, out)}")
    print("\nStrength")
    for line in [*strength_lines(metrics["ladder"]), "", *agreement_lines(metrics["student"])]:
        print(f"  {line}")
    gates = [gate for content in metrics.values() for gate in content.get("gates", [])]
    failed = sum(not gate["holds"] for gate in gates)
    print("\nVerdicts")
    for line in verdict_lines(gate for gate in gates if not gate["holds"]):
        print(f"  {line}")
    print(f"  {len(gates) - failed} of {len(gates)} gates hold" + (coloured(f", {failed} fail", RED) if failed else ""))


def file_line(path: Path, name: str) -> str:
    if not path.exists():
        return f"{name:<28} missing"
    return f"{name:<28} {path.stat().st_size:>12,} bytes   SHA-256 {content_hash(path)[:16]}"


def strength_lines(ladder: dict[str, Any]) -> list[str]:
    """A row a player, strongest first: its rating, and on each board its win share against a reference player."""
    players = sorted(ladder["strength"], key=lambda player: -ladder["strength"][player])
    reference = "medium" if "medium" in players else players[-1]
    shares = {
        **{(pair["a"], pair["board"]): pair["share"] for pair in ladder["pairs"] if pair["b"] == reference},
        **{(pair["b"], pair["board"]): 1.0 - pair["share"] for pair in ladder["pairs"] if pair["a"] == reference},
    }
    boards = sorted({pair["board"] for pair in ladder["pairs"]})
    lines = [f"{'player':<12} rating   win share against {reference}, board {', '.join(map(str, boards))}"]
    for player in players:
        cells = "  ".join(f"{shares[player, board]:.3f}" if (player, board) in shares else "  -  " for board in boards)
        lines.append(f"{player:<12} {ladder['strength'][player]:>6.0f}   {cells}")
    return lines


def agreement_lines(student: dict[str, Any]) -> list[str]:
    """How often the student plays the teacher's move, on games that it was not trained on."""
    found = student["held_out"]["all"]
    names = {"top1": "same move", "contested_agreement": "same move where the choice matters", "kl": "KL divergence"}
    figures = ", ".join(f"{words} {in_words(found[name])}" for name, words in names.items())
    return [f"student and teacher on {found['games']} held-out games: {figures}"]


if __name__ == "__main__":
    tell()
    sys.exit(0)
