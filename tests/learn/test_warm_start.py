"""The recipe's games: what plain Python would play, whatever plays beside them, and true records."""

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from pocketzero.exact import dot_in_order
from pocketzero.games import load
from pocketzero.learn.warm_start import play_recipe
from pocketzero.records import Positions, board_of, read_positions, write_positions
from tests.learn.small import BOARDS, GAME, recipe_games, warm_start_settings


def test_a_game_is_the_same_beside_any_others() -> None:
    together, alone = recipe_games(range(10)), recipe_games(range(6, 7))
    seventh = together.select(together.games == 6)
    for field in fields(Positions):
        np.testing.assert_array_equal(getattr(seventh, field.name), getattr(alone, field.name))


def test_the_games_are_true_records_on_every_board(tmp_path: Path) -> None:
    positions = recipe_games(range(10))
    write_positions(tmp_path / "games.npz", positions, GAME.name)
    assert len(read_positions(tmp_path / "games.npz", GAME)) == len(positions)
    np.testing.assert_array_equal(positions.states[:, 2], board_of(positions.games, BOARDS))


def test_the_policy_is_the_softmax_of_the_recipes_scores() -> None:
    positions, settings = recipe_games(range(4)), warm_start_settings()
    for state, policy in zip(positions.states[::5], positions.policies[::5], strict=True):
        legal, features = GAME.legal_moves(state), np.zeros(len(GAME.feature_names))
        scores = []
        for move in legal:
            features[:] = 0
            GAME.features(state, int(move), features)
            scores.append(dot_in_order(features, settings.weights, len(settings.weights)))
        shares = np.exp((np.array(scores) - max(scores)) / settings.temperature)
        np.testing.assert_allclose(policy[legal], shares / shares.sum(), rtol=1e-5)
        assert policy.sum() == pytest.approx(1, abs=1e-5)


def test_moves_follow_the_policy_but_for_the_random_share() -> None:
    settings = warm_start_settings(temperature=0.001, random_share=0.0)
    greedy = play_recipe(GAME, range(20), settings, 1, BOARDS)
    best = greedy.policies.max(1)
    assert (greedy.policies[np.arange(len(greedy)), greedy.moves] > 0.01 * best).all()
    wild = play_recipe(GAME, range(20), warm_start_settings(temperature=0.001, random_share=1.0), 1, BOARDS)
    assert (wild.policies[np.arange(len(wild)), wild.moves] < 0.01).mean() > 0.5


def test_seeds_change_the_games() -> None:
    assert not np.array_equal(recipe_games(range(2), 1).moves, recipe_games(range(2), 2).moves)


@pytest.mark.parametrize("game", ["tic_tac_toe", "connect_four"])
def test_a_game_without_linear_features_is_refused(game: str) -> None:
    rules = load(game)
    if rules.feature_names:
        pytest.skip(f"{game} has linear features")
    with pytest.raises(ValueError, match=r"warm_start\.weights: 13 weights; .* switch warm_start\.enabled off"):
        play_recipe(rules, range(2), warm_start_settings(), 1, rules.boards)


def test_a_recipe_may_change_its_weights_with_the_games_progress() -> None:
    early, late = [1.0] * 13, [0.0, 0.0, -2.0, *[0.0] * 10]
    settings = warm_start_settings(weights=early + late)
    positions = play_recipe(GAME, range(4), settings, 1, BOARDS)
    for state, policy in zip(positions.states[::5], positions.policies[::5], strict=True):
        legal, features = GAME.legal_moves(state), np.zeros(len(GAME.feature_names))
        scores = []
        for move in legal:
            features[:] = 0
            GAME.features(state, int(move), features)
            weights = [a * (1 - features[-1]) + b * features[-1] for a, b in zip(early, late, strict=True)]
            scores.append(dot_in_order(features, weights, len(weights)))
        shares = np.exp((np.array(scores) - max(scores)) / settings.temperature)
        np.testing.assert_allclose(policy[legal], shares / shares.sum(), rtol=1e-5)


@pytest.mark.parametrize("count", [3, 14, 40])
def test_a_number_of_weights_that_fits_no_model_is_refused(count: int) -> None:
    with pytest.raises(ValueError, match=rf"weights: {count} weights; right for cell_division would be 13 or 26 \(imm"):
        play_recipe(GAME, range(2), warm_start_settings(weights=[0.1] * count), 1, BOARDS)
