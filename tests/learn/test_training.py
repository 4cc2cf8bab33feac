"""Training: the loss masks what is illegal, a NaN ends the run, and a saved state goes on bit for bit."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from pocketzero.bad_file import BadFile
from pocketzero.games import load
from pocketzero.learn.replay import Batch, Replay, value_targets
from pocketzero.learn.training import (
    NotFinite,
    Trainer,
    deterministic,
    load_state,
    masked_log_softmax,
    policy_loss,
    predict,
    read_state,
    save_state,
    train,
)
from pocketzero.nets.tower import network_of, new_tower
from pocketzero.nets.weights import Architecture
from tests.learn.small import GAME, recipe_games

ARCHITECTURE = Architecture(
    game=GAME.name, kind="teacher", planes=GAME.planes, moves=GAME.moves, channels=8, blocks=1, value_hidden=8
)


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    with deterministic(1):
        yield


@pytest.fixture(scope="module")
def replay() -> Replay:
    positions = recipe_games(range(8))
    return Replay(GAME, positions, value_targets(positions, 0.5, 15.0), seed=4)


def new_trainer() -> Trainer:
    return Trainer(new_tower(ARCHITECTURE, 1), weight_decay=1e-4)


def steps(replay: Replay, first: int, last: int) -> list[tuple[Batch, float]]:
    return [(replay.drawn(number, 32), 0.001) for number in range(first, last)]


def same_weights(left: Trainer, right: Trainer) -> bool:
    a, b = network_of(left.tower).tensors, network_of(right.tower).tensors
    return all(np.array_equal(a[name], b[name]) for name in a)


def test_illegal_moves_have_no_part_in_the_loss_or_its_gradient() -> None:
    logits = torch.tensor([[1.0, 2.0, 50.0]], requires_grad=True)
    legal, target = torch.tensor([[True, True, False]]), torch.tensor([[0.25, 0.75, 0.0]])
    loss = policy_loss(logits, legal, target)
    wanted = -(0.25 * 1 + 0.75 * 2) + np.log(np.exp(1) + np.exp(2))
    assert loss.item() == pytest.approx(wanted)
    loss.backward()
    assert torch.isfinite(logits.grad).all()
    assert logits.grad[0, 2] == 0
    assert masked_log_softmax(logits, legal)[0, 2] == 0


def test_training_lowers_both_losses(replay: Replay) -> None:
    trainer = new_trainer()
    first, last = train(trainer, steps(replay, 0, 10)), train(trainer, steps(replay, 10, 60))
    assert last["policy_loss"] < first["policy_loss"]
    assert last["value_loss"] < first["value_loss"]
    assert last["step"] == 60


def test_the_same_batches_give_the_same_bits(replay: Replay) -> None:
    one, other = new_trainer(), new_trainer()
    train(one, steps(replay, 0, 5))
    train(other, steps(replay, 0, 5))
    assert same_weights(one, other)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_saved_state_goes_on_bit_for_bit(replay: Replay, tmp_path: Path, threads: int) -> None:
    with deterministic(threads):
        whole = new_trainer()
        train(whole, steps(replay, 0, 8))
        part = new_trainer()
        for first in range(0, 8, 2):
            train(part, steps(replay, first, first + 2))
            save_state(tmp_path / "state.safetensors", part, {"curve": []})
            part = load_state(tmp_path / "state.safetensors", GAME, 1e-4, 1.0, "cpu")
        assert part.steps == 8
        assert same_weights(whole, part)
        save_state(tmp_path / "whole.safetensors", whole, {"curve": []})
        save_state(tmp_path / "part.safetensors", part, {"curve": []})
    assert (tmp_path / "whole.safetensors").read_bytes() == (tmp_path / "part.safetensors").read_bytes()


def test_prediction_leaves_training_as_it_was(replay: Replay) -> None:
    one, other = new_trainer(), new_trainer()
    train(one, steps(replay, 0, 4))
    train(other, steps(replay, 0, 2))
    predict(other.tower, replay.drawn(0, 16))
    train(other, steps(replay, 2, 4))
    assert same_weights(one, other)


@pytest.mark.parametrize("poison", ["planes", "values", "policies"])
def test_a_nan_ends_training_and_changes_no_weight(replay: Replay, poison: str) -> None:
    trainer, before = new_trainer(), new_trainer()
    batch = replay.drawn(0, 32)
    array = getattr(batch, poison).copy()
    array[0] = np.nan
    with pytest.raises(NotFinite, match=r"training step 1: policy loss .* at learning rate 0\.001"):
        trainer.step(replace(batch, **{poison: array}), 0.001)
    parameters = dict(before.tower.named_parameters())
    assert all(torch.equal(parameter, parameters[name]) for name, parameter in trainer.tower.named_parameters())


def test_a_learning_rate_that_blows_up_ends_training(replay: Replay) -> None:
    with pytest.raises(NotFinite, match="A lower learning rate may help"):
        train(new_trainer(), [(replay.drawn(number, 32), 1e30) for number in range(5)])


def test_a_state_that_is_not_finite_is_not_saved(tmp_path: Path) -> None:
    trainer = new_trainer()
    with torch.no_grad():
        next(trainer.tower.parameters())[0] = torch.nan
    with pytest.raises(BadFile, match="training state after step 0"):
        save_state(tmp_path / "state.safetensors", trainer, {"curve": []})
    assert not (tmp_path / "state.safetensors").exists()


def test_a_truncated_or_foreign_state_is_refused(replay: Replay, tmp_path: Path) -> None:
    path, trainer = tmp_path / "state.safetensors", new_trainer()
    train(trainer, steps(replay, 0, 1))
    save_state(path, trainer, {"curve": [{"step": 1}]})
    assert read_state(path, GAME)[3] == {"curve": [{"step": 1}]}
    with pytest.raises(BadFile, match="game is 'cell_division'; it should be 'tic_tac_toe'"):
        read_state(path, load("tic_tac_toe"))
    path.write_bytes(path.read_bytes()[:-7])
    with pytest.raises(BadFile, match="content is unreadable"):
        read_state(path, GAME)


def test_determinism_is_switched_back() -> None:
    before = torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
    with deterministic(before[0] + 1):
        assert (torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()) == (before[0] + 1, True)
    assert (torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()) == before
