"""Players by name, as people and settings call them.

easy, medium, hard, ...   a tier of tiers.json
elite-int8                the same tier with its int8 model, as apps play it
mcts-64                   the teacher, searching with that many simulations a move
perfect                   exhaustive search, in a small game
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from pocketzero.arena.perfect import PerfectPlayer
from pocketzero.arena.players import Player, tier_player
from pocketzero.arena.search_player import SearchPlayer
from pocketzero.arena.tiers import INT8_MODEL, PlayableTier, read
from pocketzero.games import Game
from pocketzero.nets.evaluator import onnx_evaluator
from pocketzero.nets.graph import build_onnx
from pocketzero.nets.weights import read_network
from pocketzero.search.answers import Evaluate

INT8 = "-int8"
SEARCHING = re.compile(r"mcts-([1-9][0-9]{0,4})")


class MissingFile(ValueError):
    """A file that a player needs is not there; says which command makes it."""

    def __init__(self, path: Path, stage: str) -> None:
        super().__init__(f"{path}: not there; `dvc repro {stage}` makes it")


@dataclass(frozen=True)
class Roster:
    """Where the players' files are. Small and immutable, so that every worker can be given one."""

    tiers: Path
    """tiers.json."""
    model: Path
    """The network tiers' network; its int8 form stands beside it."""
    teacher: Path
    """The network of the searching players."""
    c_puct: float
    """Their exploration constant."""

    def game(self) -> Game:
        """The game that the tiers play. Raises MissingFile, tiers.BadTier."""
        return _tiers(self.tiers)[0]

    def player(self, name: str) -> Player:
        """The player of that name, made once a process.

        Raises ValueError, in words for a person: a name that nobody has, a file that is missing or bad.
        """
        return _player(self, name)


def check_name(name: str, tiers: Mapping[str, PlayableTier]) -> None:
    """Raise ValueError, naming who there is, unless `name` is one of the tiers or another player's."""
    known = [*tiers, *(tier + INT8 for tier in tiers if tiers[tier].kind == "network")]
    if name not in known and name != PerfectPlayer.name and not SEARCHING.fullmatch(name):
        others = f"mcts-<simulations>, such as mcts-64, and {PerfectPlayer.name}"
        raise ValueError(f"player: there is no {name!r}; there are {', '.join(known)}, {others}")


@lru_cache
def _player(roster: Roster, name: str) -> Player:
    game, tiers = _tiers(roster.tiers)
    check_name(name, tiers)
    tier = tiers.get(name.removesuffix(INT8))
    if tier is not None and tier.kind == "network":
        model = roster.model if name in tiers else roster.model.with_name(INT8_MODEL)
        return tier_player(game, replace(tier, name=name), _student(model, game))
    if tier is not None:
        return tier_player(game, tier)
    if searching := SEARCHING.fullmatch(name):
        return SearchPlayer(name, game, _teacher(roster.teacher, game), int(searching[1]), roster.c_puct)
    return PerfectPlayer(game)


@lru_cache
def _tiers(path: Path) -> tuple[Game, dict[str, PlayableTier]]:
    if not path.is_file():
        raise MissingFile(path, "export")
    return read(path)


@lru_cache
def _student(path: Path, game: Game) -> Evaluate:
    if not path.is_file():
        raise MissingFile(path, "export")
    try:
        evaluate = onnx_evaluator(path.read_bytes(), without_value=True)
        logits, _ = evaluate(np.zeros((1, *game.planes), np.float32))
    except Exception as error:  # ONNX Runtime raises types of its own for a broken or foreign file
        raise ValueError(f"{path}: not a network that plays {game.name}: {error}") from error
    if logits.shape != (1, game.moves):
        raise ValueError(f"{path}: policy has {logits.shape[1]} moves; {game.name} has {game.moves}")
    return evaluate


@lru_cache
def _teacher(path: Path, game: Game) -> Evaluate:
    if not path.is_file():
        raise MissingFile(path, "teacher")
    return onnx_evaluator(build_onnx(read_network(path, game=game.name, kind="teacher")), for_search=True)
