"""Agreement: ties count as right, contested positions are those where the choice matters, KL is over legal moves."""

import numpy as np
import pytest

from pocketzero.learn.agreement import agreement, per_board
from tests.learn.small import BOARDS, recipe_games

LEGAL = np.array([[True, True, True, False]])


def found(
    logits: list[float], target: list[float], legal: np.ndarray = LEGAL, gap: float = 0.2
) -> dict[str, np.ndarray]:
    return agreement(np.array([logits], np.float32), legal, np.array([target], np.float32), gap)


def test_an_illegal_move_is_never_the_choice() -> None:
    assert found([0, 1, 0, 99], [0.1, 0.8, 0.1, 0])["top1"].tolist() == [True]


def test_any_of_the_targets_best_moves_is_right() -> None:
    assert found([1, 0, 0, 0], [0.4, 0.4, 0.2, 0])["top1"].tolist() == [True]
    assert found([0, 0, 1, 0], [0.4, 0.4, 0.2, 0])["top1"].tolist() == [False]


@pytest.mark.parametrize(("target", "contested"), [([0.6, 0.3, 0.1, 0], True), ([0.4, 0.35, 0.25, 0], False)])
def test_contested_is_where_the_best_leads_by_the_gap(target: list[float], contested: bool) -> None:
    assert found([0, 0, 0, 0], target)["contested"].tolist() == [contested]


def test_a_forced_move_is_not_contested() -> None:
    forced = np.array([[False, True, False, False]])
    assert found([0, 0, 0, 0], [0, 1, 0, 0], forced)["contested"].tolist() == [False]


def test_kl_is_over_legal_moves_and_zero_for_the_target_itself() -> None:
    target = [0.5, 0.25, 0.25, 0]
    assert found([np.log(0.5), np.log(0.25), np.log(0.25), 50.0], target)["kl"][0] == pytest.approx(0, abs=1e-6)
    uniform = sum(p * np.log(p / (1 / 3)) for p in target if p)
    assert found([0, 0, 0, 50.0], target)["kl"][0] == pytest.approx(uniform, abs=1e-6)


def test_every_figure_stands_beside_its_sample_size() -> None:
    positions = recipe_games(range(6))
    rows = per_board(agreement(positions.policies, positions.policies > 0, positions.policies, 0.2), positions, BOARDS)
    assert set(rows) == {"board_4", "board_5", "all"}
    assert rows["board_4"]["positions"] + rows["board_5"]["positions"] == rows["all"]["positions"] == len(positions)
    assert (rows["board_4"]["games"], rows["all"]["games"]) == (3, 6)
    assert rows["all"]["top1"] == rows["all"]["contested_agreement"] == 1
    assert 0 < rows["all"]["contested_positions"] < len(positions)


def test_a_figure_of_no_positions_is_none() -> None:
    positions = recipe_games(range(1))
    rows = per_board(agreement(positions.policies, positions.policies > 0, positions.policies, 0.2), positions, BOARDS)
    assert rows["board_5"] == {
        "positions": 0, "games": 0, "top1": None, "kl": None, "contested_positions": 0, "contested_agreement": None
    }  # fmt: skip
