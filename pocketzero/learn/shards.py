"""Self-play in units of work: a shard is a fixed set of game numbers, played anywhere, kept as one file of records."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pocketzero.games import Game, load
from pocketzero.learn.self_play import play_games
from pocketzero.nets.evaluator import onnx_evaluator, torch_evaluator
from pocketzero.nets.graph import build_onnx
from pocketzero.nets.weights import Network
from pocketzero.records import Positions, concatenate, read_positions, write_positions
from pocketzero.search.answers import Evaluate
from pocketzero.settings.search import Search
from pocketzero.work import Work


def shards_of(games: int, shard_games: int) -> list[list[int]]:
    """The numbers 0 .. games - 1 in runs of shard_games; the last run may be shorter."""
    return [list(range(start, min(start + shard_games, games))) for start in range(0, games, shard_games)]


def shard_name(folder: str, number: int) -> str:
    """The file of one shard in a work folder."""
    return f"{folder}/games-{number:05}.npz"


@dataclass(frozen=True, kw_only=True)
class SelfPlay:
    """One round of self-play: everything that decides its games but their numbers. Called in a worker process."""

    game: str
    network: Network
    search: Search
    seed: int
    boards: Sequence[int]
    iteration: int = 0
    weak_share: float = 0.0
    weak_move_share: float = 0.0
    device: str = "cpu"

    def __call__(self, path: Path, numbers: Sequence[int]) -> None:
        """Play the games with these numbers and write their records to path."""
        weak = self.weak_share, self.weak_move_share
        evaluate = self._evaluator()
        play = load(self.game), evaluate, numbers, self.search, self.seed, self.boards, self.iteration
        write_positions(path, play_games(*play, *weak), self.game)

    def _evaluator(self) -> Evaluate:
        if self.device == "cpu":
            return onnx_evaluator(build_onnx(self.network), for_search=True)
        from pocketzero.nets.tower import load_tower

        return torch_evaluator(load_tower(self.network), self.device)


def play_shards(
    work: Work, folder: str, play: SelfPlay, games: int, shard_games: int, workers: int, description: str
) -> list[Path]:
    """Play the games 0 .. games - 1; those whose files are there already are not played again.

    Returns the files in order. On a GPU the shards run one after the other in this process: there is one device.
    """
    shards = shards_of(games, shard_games)
    names = [shard_name(folder, number) for number in range(len(shards))]
    return work.map_steps(names, play, shards, workers if play.device == "cpu" else 1, description)


def read_shards(paths: Sequence[Path], game: Game) -> Positions:
    """All positions of the files, checked, in order."""
    return concatenate([read_positions(path, game) for path in paths])
