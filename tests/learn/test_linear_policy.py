"""The softmax-linear policy's choices, and the gradient of PPO's objective."""

import numpy as np
import pytest

from pocketzero.learn.linear_policy import FIGURES, choose_many, log_policy_many, objective_gradient
from pocketzero.rng import SplitMix64, stream

COUNTS = (3, 1, 5, 4, 2)  # legal moves of each decision
FEATURES = 4


def numbers(name, *shape):
    generator = SplitMix64(stream(1, name))
    return np.array([generator.uniform() for _ in range(int(np.prod(shape)))]).reshape(shape)


@pytest.fixture(params=[1, 2], ids=["one vector", "early and late"])
def case(request):
    """Decisions with everything that the objective needs, at weights some way from those of play."""
    starts = np.concatenate([[0], np.cumsum(COUNTS)]).astype(np.int64)
    decisions = {
        "features": numbers("features", starts[-1], FEATURES),
        "progress": numbers("progress", len(COUNTS)),
        "starts": starts,
        "chosen": starts[:-1] + np.array([1, 0, 4, 2, 0]),
        "advantages": 2 * numbers("advantages", len(COUNTS)) - 1,
    }
    played = numbers("played", request.param * FEATURES)
    old = np.zeros(starts[-1])
    log_policy_many(decisions["features"], decisions["progress"], starts, played, 0.5, old)
    return decisions, played, old


def objective(decisions, old, model, clip=0.2, bonus=0.05):
    gradient, figures = np.zeros(len(model)), np.zeros(len(FIGURES))
    objective_gradient(*decisions.values(), old, model, 0.5, clip, bonus, gradient, figures)
    return dict(zip(FIGURES, figures, strict=True)), gradient


@pytest.mark.parametrize("bonus", [0.0, 0.05, 3.0])
@pytest.mark.parametrize("clip", [0.02, 0.2, 0.9])
def test_the_gradient_is_that_of_the_objective_by_finite_differences(case, clip, bonus):
    decisions, played, old = case
    model = played + 0.4 * (numbers("moved", len(played)) - 0.5)
    _, gradient = objective(decisions, old, model, clip, bonus)
    for k in range(len(model)):
        step = np.zeros(len(model))
        step[k] = 1e-6
        up = objective(decisions, old, model + step, clip, bonus)[0]["objective"]
        down = objective(decisions, old, model - step, clip, bonus)[0]["objective"]
        assert gradient[k] == pytest.approx((up - down) / 2e-6, abs=1e-8)


def test_where_nothing_has_moved_kl_is_zero_and_nothing_is_clipped(case):
    decisions, played, old = case
    figures, _ = objective(decisions, old, played)
    assert figures["kl"] == 0
    assert figures["clip_share"] == 0
    assert figures["objective"] == pytest.approx(decisions["advantages"].mean() + 0.05 * figures["entropy"])


def test_kl_and_entropy_are_those_of_the_distributions(case):
    decisions, played, old = case
    model = played + 1
    model[0] += 1
    now = np.zeros(len(old))
    log_policy_many(decisions["features"], decisions["progress"], decisions["starts"], model, 0.5, now)
    figures, _ = objective(decisions, old, model)
    assert np.exp(now).sum() == pytest.approx(len(COUNTS))
    assert figures["kl"] == pytest.approx((np.exp(old) * (old - now)).sum() / len(COUNTS))
    assert figures["kl"] > 0
    assert figures["entropy"] == pytest.approx(-(np.exp(now) * now).sum() / len(COUNTS))


def test_a_move_that_is_clipped_pulls_no_more(case):
    decisions, played, old = case
    gains = np.zeros(len(COUNTS))
    gains[0] = 1.0  # the first decision's move should become likelier, but already is
    move, other = decisions["chosen"][0], decisions["starts"][0]
    likelier = decisions["features"][move] - decisions["features"][other]
    model = played + 5 * np.tile(likelier, len(played) // FEATURES)
    figures, gradient = objective({**decisions, "advantages": gains}, old, model, bonus=0.0)
    assert figures["clip_share"] > 0
    assert not gradient.any()


def choose(sampled, model=(1.0, 0.0), progress=0.0, temperature=1.0):
    """Moves over 200 uniform numbers in a position with three legal moves of five, the scores 0.2, 0.7 and 0.7."""
    masks = np.tile([True, False, True, True, False], (200, 1))
    features = np.zeros((200, 5, 2))
    features[:, :, 0] = 0.2, 9.0, 0.7, 0.7, 9.0
    features[:, :, 1] = 0.9, 9.0, 0.0, 0.0, 9.0
    moves = np.zeros(200, np.int64)
    choose_many(
        masks,
        features,
        np.full(200, progress),
        np.array(model),
        temperature,
        (np.arange(200) + 0.5) / 200,
        np.full(200, sampled),
        moves,
    )
    return np.bincount(moves, minlength=5)


def test_the_greedy_choice_is_the_best_legal_move_and_the_lowest_of_equals():
    assert choose(sampled=False).tolist() == [0, 0, 200, 0, 0]


def test_sampled_choices_follow_the_softmax():
    weights = np.exp(np.array([0.2, 0.7, 0.7]) / 0.5)
    expected = 200 * weights / weights.sum()
    assert choose(sampled=True, temperature=0.5)[[0, 2, 3]] == pytest.approx(expected, abs=1)


def test_the_switching_model_goes_from_the_early_weights_to_the_late_ones():
    early_then_late = (1.0, 0.0, 0.0, 1.0)
    assert choose(sampled=False, model=early_then_late, progress=0.0)[2] == 200
    assert choose(sampled=False, model=early_then_late, progress=1.0)[0] == 200
