"""Players by name, and what a person reads where a name or a file is wrong."""

import numpy as np
import pytest

from pocketzero import games
from pocketzero.arena.roster import Roster
from tests.arena.models import write_models
from tests.arena.recipes import FIRST, recipe, trained

GAME = games.load("cell_division")
RECIPES = {
    "easy": recipe(weights={"openness": 1.0}, choice="sample", temperature=1.5),
    "hard": recipe(trained=True),
    "fallback": recipe("switching"),
    "elite": recipe("network"),
    "random": recipe("random"),
}


@pytest.fixture
def roster(tmp_path):
    return write_models(tmp_path, GAME, RECIPES, trained(GAME, [1.0] * 13))


@pytest.mark.parametrize("name", [*RECIPES, "elite-int8", "mcts-6"])
def test_every_tier_and_the_searching_teacher_play_legal_moves_by_their_names(roster, name):
    states = np.stack([GAME.new(5, games.opening_seed(1, index)) for index in range(4)])
    player = roster.player(name)
    moves = player.moves(states, np.arange(4, dtype=np.uint64))
    assert player.name == name
    assert player.sees == "state"
    assert player.deterministic == (name not in ("easy", "random"))
    for state, move in zip(states, moves, strict=True):
        assert move in GAME.legal_moves(state)


def test_int8_plays_from_a_file_of_its_own(roster):
    roster.model.with_name("elite.int8.onnx").unlink()
    assert roster.player("elite").name == "elite"
    with pytest.raises(ValueError, match=r"elite\.int8\.onnx: not there; `dvc repro export` makes it"):
        roster.player("elite-int8")


@pytest.mark.parametrize("name", ["hrad", "easy-int8", "mcts", "mcts-0", "mcts--3", "mcts-1000000", ""])
def test_an_unknown_name_is_refused_with_those_there_are(roster, name):
    with pytest.raises(ValueError, match=r"there is no .*easy, elite, .*, elite-int8, mcts-<simulations>"):
        roster.player(name)


def test_a_missing_file_is_named_with_the_command_that_makes_it(roster, tmp_path):
    roster.model.unlink()
    roster.teacher.unlink()
    with pytest.raises(ValueError, match=r"elite\.onnx: not there; `dvc repro export` makes it"):
        roster.player("elite")
    with pytest.raises(ValueError, match=r"teacher\.safetensors: not there; `dvc repro teacher` makes it"):
        roster.player("mcts-8")
    with pytest.raises(ValueError, match=r"tiers\.json: not there; `dvc repro export` makes it"):
        Roster(tmp_path / "tiers.json", roster.model, roster.teacher, 1.5).game()


def test_a_broken_or_foreign_network_is_refused_with_its_file(roster, tmp_path):
    good = roster.model.read_bytes()
    roster.model.write_bytes(good[: len(good) // 2])
    with pytest.raises(ValueError, match=r"elite\.onnx: not a network that plays cell_division"):
        roster.player("elite")
    other = write_models(tmp_path / "other", games.load("tic_tac_toe"), {"random": recipe("random")})
    roster.model.write_bytes(other.model.read_bytes())
    with pytest.raises(ValueError, match=r"elite\.onnx: not a network that plays cell_division"):
        roster.player("elite")


def test_a_tier_without_training_needs_no_network(tmp_path):
    roster = write_models(tmp_path, GAME, {"medium": recipe(weights=FIRST)})
    roster.model.unlink()
    assert roster.player("medium").name == "medium"
