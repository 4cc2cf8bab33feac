"""PPO of the linear models: what it learns from, when it stops, and that a run's bytes depend on nothing else."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

from pocketzero import games
from pocketzero.learn.linear import (
    BLOCK,
    Block,
    advantages,
    models_of,
    start,
    temperature,
    to_json,
    train,
    train_block,
    update,
)
from pocketzero.learn.linear_play import Round, play_round
from pocketzero.learn.linear_policy import choose_many
from pocketzero.rng import SplitMix64, stream
from pocketzero.settings.linear import Linear
from pocketzero.work import Work

SETTINGS = Linear(
    seed=0,
    iterations=3,
    games_per_iteration=10,
    learning_rate=0.01,
    clip=0.2,
    epochs=4,
    entropy_bonus=0.05,
    kl_stop=0.03,
    sampled_share=0.75,
    temperature_start=1.0,
    temperature_end=0.05,
    temperature_iterations=100,
    margin_scale=10.0,
)
GAME = games.load("cell_division")
BOARDS = (4, 5)


def but(**changes):
    return dataclasses.replace(SETTINGS, **changes)


def played(number, model=None, share=0.75, boards=(4, 5, 6)):
    model = np.zeros(len(GAME.weighed_features)) if model is None else model
    return play_round(GAME, np.array(boards), model, 0.5, share, 11, number)


# Play


def test_only_the_sampled_first_part_of_a_game_is_learnt_from():
    for share in (0.25, 0.75, 1.0):
        games_played = played(0, share=share)
        counts = np.diff(games_played.starts)
        for game in range(3):
            of_game = counts[games_played.games == game]
            length = of_game[0]  # as many moves as the opening has legal ones
            assert len(of_game) == np.ceil(share * length)
            assert of_game.tolist() == [length - ply for ply in range(len(of_game))]


def test_the_last_moves_are_greedy():
    model = SplitMix64(3).permutation(13) / 4.0
    all_greedy = [played(number, model, share=0.0) for number in range(3)]
    hot = [
        play_round(GAME, np.array((4, 5, 6)), model, temperature, 0.0, 11, number)
        for number in range(3)
        for temperature in (0.05, 50.0)
    ]
    assert all(not len(each.players) for each in all_greedy)
    for number in range(3):
        for each in hot[2 * number : 2 * number + 2]:
            assert each.margins.tolist() == all_greedy[number].margins.tolist()


def test_a_decision_holds_the_features_of_the_moves_that_were_legal():
    games_played = played(0, boards=(5,))
    first_rows = games_played.features[: games_played.starts[1]]
    state = GAME.new(5, games.opening_seed(stream(11, "linear_openings", 0), 0))
    expected = []
    for move in GAME.legal_moves(state):
        expected.append(np.zeros(14))
        GAME.features(state, move, expected[-1])
    assert first_rows.tolist() == [each[:13].tolist() for each in expected]
    assert games_played.progress[0] == expected[0][13]
    assert games_played.players[:4].tolist() == [0, 1, 0, 1]


def test_a_game_comes_out_the_same_beside_any_others():
    alone, beside = played(2, boards=(4,)), played(2, boards=(4, 8, 7))
    assert alone.margins[0] == beside.margins[0]
    assert alone.features.tolist() == beside.features[np.repeat(beside.games == 0, np.diff(beside.starts))].tolist()


def test_rounds_and_seeds_differ():
    assert played(0).features.shape != played(1).features.shape or (played(0).features != played(1).features).any()


# Rewards


def test_advantages_are_normalised_and_know_no_seat_and_no_board():
    games_played = played(0, boards=(4, 5) * 8)
    boards = np.array((4, 5) * 8)
    rewards = (1 - 2 * games_played.players) * np.tanh(games_played.margins / 10)[games_played.games]
    gains = advantages(games_played, boards, rewards)
    assert gains.mean() == pytest.approx(0, abs=1e-12)
    assert gains.std() == pytest.approx(1)
    for board in (4, 5):
        for player in (0, 1):
            case = (boards[games_played.games] == board) & (games_played.players == player)
            assert gains[case].mean() == pytest.approx(0, abs=1e-12)


def test_rewards_that_are_all_alike_teach_nothing():
    games_played = played(0)
    assert not advantages(games_played, np.array((4, 5, 6)), np.ones(len(games_played.players))).any()


# The update


def toy_round(model, number, decisions=64):
    """Every decision has three moves; the reward is the first feature of the move."""
    generator = SplitMix64(stream(5, "toy", number))
    features = np.array([generator.uniform() for _ in range(decisions * 6)]).reshape(decisions, 3, 2)
    uniforms = np.array([generator.uniform() for _ in range(decisions)])
    moves, everywhere = np.zeros(decisions, np.int64), np.ones(decisions, np.bool_)
    choose_many(
        np.ones((decisions, 3), np.bool_), features, np.zeros(decisions), model, 0.5, uniforms, everywhere, moves
    )
    starts = 3 * np.arange(decisions + 1)
    nobody = np.zeros(decisions, np.int64)
    toy = Round(
        features=features.reshape(-1, 2),
        starts=starts,
        chosen=starts[:-1] + moves,
        progress=np.zeros(decisions),
        players=nobody,
        games=nobody,
        margins=np.zeros(1, np.int64),
    )
    return toy, features[np.arange(decisions), moves, 0]


def test_an_obvious_preference_is_learnt():
    training, rewards = start(2), []
    for number in range(60):
        toy, reward = toy_round(training.model, number)
        training, _ = update(training, toy, advantages(toy, np.zeros(1, np.int64), reward), 0.5, SETTINGS)
        rewards.append(reward.mean())
    assert training.model[0] > 1
    assert abs(training.model[1]) < 0.3
    assert np.mean(rewards[-10:]) > np.mean(rewards[:10]) + 0.08


def test_the_passes_stop_where_the_policy_has_moved_too_far():
    toy, reward = toy_round(np.zeros(2), 0)
    gains = advantages(toy, np.zeros(1, np.int64), reward)
    _, calm = update(start(2), toy, gains, 0.5, SETTINGS)
    far, stopped = update(start(2), toy, gains, 0.5, but(learning_rate=1.0))
    assert calm["epochs"] == 4
    assert calm["kl"] < 0.03
    assert stopped["epochs"] == far.steps == 1
    assert stopped["kl"] > 0.03


def test_no_decisions_no_change():
    training, figures = update(start(13), played(0, share=0.0), np.zeros(0), 0.5, SETTINGS)
    assert not training.model.any()
    assert figures["kl"] == 0


def test_the_temperature_falls_to_its_end_and_stays():
    degrees = [temperature(SETTINGS, iteration) for iteration in (0, 50, 99, 100, 5000)]
    assert degrees[0] == 1.0
    assert degrees[0] > degrees[1] > degrees[2]
    assert degrees[2:] == pytest.approx([0.05] * 3)


def test_the_temperature_is_never_under_its_floor():
    cold = but(temperature_start=0.05, temperature_end=0.01)
    assert min(temperature(cold, iteration) for iteration in range(200)) == 0.05


# Whole runs


def run(folder, workers=1, **changes):
    work = Work(Path(folder) / "linear" / "run")
    trainings = train(GAME, BOARDS, [1, 2], but(**changes), 3, work, workers)
    work.close()
    return json.dumps(to_json(GAME, dict(zip([1, 2], trainings, strict=True)), 3)), work.folder


def test_one_worker_or_two_give_the_same_bytes(tmp_path):
    one, folder_of_one = run(tmp_path / "one")
    two, folder_of_two = run(tmp_path / "two", workers=2)
    assert one == two
    files = sorted(path.name for path in folder_of_one.glob("*.json"))
    assert files == ["1-000003.json", "2-000003.json"]
    for name in files:
        assert (folder_of_one / name).read_bytes() == (folder_of_two / name).read_bytes()


def test_more_iterations_continue_a_run_and_end_as_if_never_stopped(tmp_path):
    many = {"iterations": BLOCK + 2, "games_per_iteration": 2}
    at_once, folder = run(tmp_path / "at_once", **many)
    run(tmp_path / "later", **{**many, "iterations": BLOCK})
    kept = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "later").rglob("*.json")}
    later, folder_of_later = run(tmp_path / "later", **many)
    assert later == at_once
    assert all((folder_of_later / name).stat().st_mtime_ns == time for name, time in kept.items())
    assert sorted(kept) == [f"1-{BLOCK:06d}.json", f"2-{BLOCK:06d}.json"]
    assert len(list(folder.glob("*.json"))) == 4


def test_both_models_learn_to_gain_points_and_to_take_them(tmp_path):
    path = tmp_path / "block.json"
    for vectors in (1, 2):
        block = Block(
            game=GAME.name,
            boards=(4, 5),
            vectors=vectors,
            settings=but(games_per_iteration=32, learning_rate=0.03),
            seed=1,
            first=0,
            end=15,
            before=None,
        )
        train_block(path, block)
        model = np.array(json.loads(path.read_text())["model"]).reshape(vectors, 13)
        assert (model[:, GAME.feature_names.index("immediate_ai")] > 0.2).all()
        assert (model[:, GAME.feature_names.index("immediate_opp")] > 0.2).all()


# What is written


def test_linear_json_names_the_features_and_tells_how_long_the_vectors_are():
    trained = {count: dataclasses.replace(start(13 * count), model=np.arange(13.0 * count)) for count in (1, 2)}
    content = to_json(GAME, trained, 3)
    assert content["features"] == list(GAME.feature_names)
    assert content["weights"] == content["early"] == list(range(13))
    assert content["late"] == list(range(13, 26))
    assert content["norm"]["weights"] == pytest.approx(np.linalg.norm(np.arange(13)))


def test_a_game_without_features_has_no_models():
    game = games.load("connect_four")
    assert models_of(game) == []
    content = to_json(game, {}, 3)
    assert content["features"] == content["weights"] == []
    assert "early" not in content
