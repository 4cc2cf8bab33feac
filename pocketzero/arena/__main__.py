"""Who beats whom: python -m pocketzero.arena easy hard --board 6 --games 200 --seed 7"""

import argparse
import json
import sys
from pathlib import Path

from pocketzero.arena.match import Match, check_match, play_empty_board, play_match
from pocketzero.arena.roster import Roster
from pocketzero.arena.tiers import MODEL

KEYS = ("board", "a", "b", "games", "win", "draw", "loss", "share", "low", "high", "margin")


def main(arguments: list[str] | None = None) -> int:
    """The command. Returns its exit status: 2, with the reason on stderr, for a match that cannot be played."""
    options = _parser().parse_args(arguments)
    release, teacher = options.models / "release", options.models / "teacher.safetensors"
    roster = Roster(release / "tiers.json", release / MODEL, teacher, options.c_puct)
    try:
        game = roster.game()
        check_match(game, options.board, options.games)
        a, b = roster.player(options.a), roster.player(options.b)
        play = play_empty_board if options.empty_board else play_match
        match = play(game, a, b, options.board, options.games, options.seed)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps({key: getattr(match, key) for key in KEYS}, allow_nan=False))
    else:
        print(in_words(game.name, match, a.sees, b.sees, options.games))
    return 0


def in_words(game: str, match: Match, a_sees: str, b_sees: str, asked: int) -> str:
    """The match for a person, who asked for that many games."""
    a, b = (f"{name} (sees the {sees})" for name, sees in ((match.a, a_sees), (match.b, b_sees)))
    interval = "" if match.low is None else f", 95 % interval {match.low:.3f} to {match.high:.3f}"
    lines = [
        f"{game}, board {match.board}: {a} against {b}",
        f"{match.games} games, {match.games // 2} from each seat",
        f"{match.a}: {match.win} won, {match.draw} drawn, {match.loss} lost",
        f"win share {match.share:.3f}{interval}",
        f"mean margin {match.margin:+.2f}; whoever moved first took {match.first_seat:.3f}",
    ]
    if match.games < asked:
        lines.append(f"both always play alike, so more than {match.games} games would only repeat these")
    return "\n".join(lines)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m pocketzero.arena", description=__doc__)
    parser.add_argument("a", help="a tier of tiers.json, elite-int8, mcts-<simulations> with the teacher, or perfect")
    parser.add_argument("b", help="its opponent")
    parser.add_argument("--board", type=int, required=True, help="board of the game, such as 6")
    parser.add_argument("--games", type=int, default=200, help="an even number: each opening is played from both seats")
    parser.add_argument("--seed", type=int, default=0, help="which set of openings (and luck of players that sample)")
    parser.add_argument("--empty-board", action="store_true", help="start from the app's own start, not from openings")
    parser.add_argument("--json", action="store_true", help="print one JSON object, from a's side")
    parser.add_argument("--models", type=Path, default=Path("models"), help="folder of the models")
    parser.add_argument("--c-puct", type=float, default=1.5, help="exploration of mcts players")
    return parser


if __name__ == "__main__":
    sys.exit(main())
