"""What the student learns from: the frozen teacher at many simulations, from seeded openings on every board.

A person plays moves that the teacher would not. So the first moves of a game are drawn from the visits, and in some of
the games one side, in turn, plays a uniformly random legal move now and then; the search's opinion is recorded at every
position all the same.
"""

from collections.abc import Sequence

import numpy as np

from pocketzero.games import Game
from pocketzero.learn.shards import SelfPlay, play_shards, read_shards
from pocketzero.nets.weights import Network
from pocketzero.records import Positions, board_of
from pocketzero.settings.teacher_data import TeacherData
from pocketzero.work import Work


def make_teacher_data(
    game: Game,
    boards: Sequence[int],
    teacher: Network,
    settings: TeacherData,
    seed: int,
    work: Work,
    workers: int = 1,
    device: str = "cpu",
) -> Positions:
    """All games of the settings, in order. Finished shards in `work` are not played again; workers change nothing."""
    play = SelfPlay(
        game=game.name,
        network=teacher,
        search=settings.search,
        seed=seed,
        boards=boards,
        weak_share=settings.weak_share,
        weak_move_share=settings.weak_move_share,
        device=device,
    )
    paths = play_shards(work, "games", play, settings.games, settings.shard_games, workers, "teacher's games")
    return read_shards(paths, game)


def describe(positions: Positions, boards: Sequence[int]) -> dict[str, dict[str, float]]:
    """Figures of each board that has games, and of all of them.

    off_path: the share of the moves that were not among the teacher's most visited. target_entropy: of the policy
    targets, in nats. first_player: how often player 0 won, draws half.
    """
    board = board_of(positions.games, boards)
    groups = {f"board_{b}": board == b for b in boards} | {"all": np.ones(len(board), np.bool_)}
    return {name: _figures(positions.select(chosen)) for name, chosen in groups.items() if chosen.any()}


def _figures(positions: Positions) -> dict[str, float]:
    policies = positions.policies.astype(np.float64)
    best = policies.max(1) == policies[np.arange(len(policies)), positions.moves]
    entropy = -(policies * np.log(np.where(policies > 0, policies, 1.0))).sum(1)
    openings = positions.select(positions.plies == 0)
    first = np.where(openings.states[:, 0] == 0, openings.outcomes, -openings.outcomes)
    return {
        "games": len(openings),
        "positions": len(positions),
        "off_path": float(1 - best.mean()),
        "target_entropy": float(entropy.mean()),
        "first_player": float((first.mean() + 1) / 2),
        "mean_absolute_margin": float(np.abs(openings.margins.astype(np.float64)).mean()),
    }
