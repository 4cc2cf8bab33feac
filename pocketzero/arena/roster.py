"""Players by name, as people and settings call them.

easy, medium, hard, ...   a tier of tiers.json
mcts-64                   the teacher, searching with that many simulations a move
perfect                   exhaustive search, in a small game
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from pocketzero.arena.perfect import PerfectPlayer
from pocketzero.arena.players import Player, tier_player
from pocketzero.arena.search_player import SearchPlayer
from pocketzero.arena.tiers import PlayableTier, read
from pocketzero.games import Game
from pocketzero.nets.evaluator import onnx_evaluator
from pocketzero.nets.graph import build_onnx
from pocketzero.nets.weights import read_network
from pocketzero.search.answers import Evaluate

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
    """The network tiers' network."""
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


def check_name(name: str, tiers: Collection[str]) -> None:
    """Raise ValueError, naming who there is, unless `name` is one of the tiers or another player's."""
    if name not in tiers and name != PerfectPlayer.name and not SEARCHING.fullmatch(name):
        others = f"mcts-<simulations>, such as mcts-64, and {PerfectPlayer.name}"
        raise ValueError(f"player: there is no {name!r}; there are {', '.join(tiers)}, {others}")


@lru_cache
def _player(roster: Roster, name: str) -> Player:
    game, tiers = _tiers(roster.tiers)
    check_name(name, tiers)
    if name in tiers:
        evaluate = _student(roster.model, game) if tiers[name].kind == "network" else None
        return tier_player(game, tiers[name], evaluate)
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
