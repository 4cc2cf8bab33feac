"""Batches: right targets, symmetries that keep position and policy together, draws that depend on the step alone."""

import numpy as np
import pytest

from pocketzero.learn.replay import Replay, value_targets
from tests.learn.small import GAME, recipe_games


@pytest.fixture(scope="module")
def replay() -> Replay:
    positions = recipe_games(range(6))
    return Replay(GAME, positions, value_targets(positions, 0.5, 15.0), seed=4)


def test_the_value_target_mixes_outcome_and_squashed_margin(replay: Replay) -> None:
    positions = replay.positions
    np.testing.assert_array_equal(value_targets(positions, 0.0, 15.0), positions.outcomes)
    wanted = np.tanh(positions.margins / 15.0)
    np.testing.assert_allclose(value_targets(positions, 1.0, 15.0), wanted, atol=1e-7)
    np.testing.assert_allclose(
        value_targets(positions, 0.25, 15.0), 0.75 * positions.outcomes + 0.25 * wanted, atol=1e-7
    )


def test_every_symmetry_turns_planes_legal_moves_and_policy_alike(replay: Replay) -> None:
    rows = np.arange(len(replay.positions))[::7]
    for index in range(GAME.symmetries):
        batch = replay.batch(rows, np.full(len(rows), index))
        for row, planes, legal, policy in zip(rows, batch.planes, batch.legal, batch.policies, strict=True):
            state = np.zeros(GAME.state_size, np.int8)
            GAME.mirror(replay.positions.states[row], index, state)
            wanted_planes, wanted_policy = np.zeros(GAME.planes, np.float32), np.zeros(GAME.moves, np.float32)
            GAME.encode(state, wanted_planes)
            for move in GAME.legal_moves(replay.positions.states[row]):
                target = GAME.mirror_move(replay.positions.states[row], int(move), index)
                wanted_policy[target] = replay.positions.policies[row, move]
            np.testing.assert_array_equal(planes, wanted_planes)
            np.testing.assert_array_equal(np.flatnonzero(legal), GAME.legal_moves(state))
            np.testing.assert_array_equal(policy, wanted_policy)
            assert policy.sum() == pytest.approx(1, abs=1e-5)


def test_a_batch_depends_on_seed_and_step_alone(replay: Replay) -> None:
    first, again, next_step = replay.drawn(3, 16), replay.drawn(3, 16), replay.drawn(4, 16)
    other_seed = Replay(GAME, replay.positions, replay.values, seed=5).drawn(3, 16)
    np.testing.assert_array_equal(first.planes, again.planes)
    assert not np.array_equal(first.planes, next_step.planes)
    assert not np.array_equal(first.planes, other_seed.planes)


def test_an_epoch_visits_every_position_once_in_an_order_of_its_own(replay: Replay) -> None:
    rows, symmetries = replay.epoch(0)
    np.testing.assert_array_equal(np.sort(rows), np.arange(len(replay.positions)))
    assert set(symmetries) == set(range(GAME.symmetries))
    assert not np.array_equal(rows, replay.epoch(1)[0])
