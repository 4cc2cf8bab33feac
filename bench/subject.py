"""What is measured: the ship profile's game, search and network, as params.yaml and models/ hold them."""

from dataclasses import dataclass
from pathlib import Path

from pocketzero.games import Game, load
from pocketzero.nets.weights import Architecture, Network, read_network
from pocketzero.settings import base
from pocketzero.settings.game import Game as GameSettings
from pocketzero.settings.search import Search
from pocketzero.settings.teacher import Teacher

ROOT = Path(__file__).resolve().parent.parent
TEACHER = ROOT / "models" / "teacher.safetensors"


@dataclass(frozen=True, kw_only=True)
class Subject:
    game: Game
    boards: list[int]
    search: Search
    network: Network
    network_is: str
    """Where the network comes from, in words."""
    shard_games: int
    batch_size: int
    """Of a training step."""


def subject() -> Subject:
    """The committed teacher; where there is none yet, one of the same size with random weights."""
    settings = base.load(ROOT / "params.yaml", {"game": GameSettings, "teacher": Teacher})
    game, teacher = load(settings["game"].name), settings["teacher"]
    if TEACHER.exists():
        network, network_is = read_network(TEACHER, game=game.name, kind="teacher"), "models/teacher.safetensors"
    else:
        network, network_is = _random(game, teacher), "random weights"
    return Subject(
        game=game,
        boards=settings["game"].boards,
        search=teacher.search,
        network=network,
        network_is=network_is,
        shard_games=teacher.shard_games,
        batch_size=teacher.batch_size,
    )


def _random(game: Game, teacher: Teacher) -> Network:
    from pocketzero.nets.tower import network_of, new_tower

    sizes = teacher.network
    architecture = Architecture(
        game=game.name,
        kind="teacher",
        planes=game.planes,
        moves=game.moves,
        channels=sizes.channels,
        blocks=sizes.blocks,
        value_hidden=sizes.value_hidden,
    )
    return network_of(new_tower(architecture, seed=1))
