"""python -m pocketzero.arena: one line of JSON for programs, plain words for people."""

import json

import pytest

from pocketzero import games
from pocketzero.arena.__main__ import main
from tests.arena.models import write_models
from tests.arena.recipes import FIRST, recipe

GAME = games.load("cell_division")


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    recipes = {
        "easy": recipe(weights={"openness": 1.0, "boundary_neighbors": -0.3}, choice="sample", temperature=1.5),
        "medium": recipe(weights=FIRST),
        "elite": recipe("network"),
    }
    write_models(folder, GAME, recipes)
    return folder


def run(models, text: str) -> int:
    return main([*text.split(), "--models", str(models)])


def test_json_has_the_match_from_as_side(models, capsys):
    assert run(models, "easy medium --board 6 --games 40 --seed 7 --json") == 0
    match = json.loads(capsys.readouterr().out)
    keys = ["board", "a", "b", "games", "win", "draw", "loss", "share", "low", "high", "margin"]
    assert list(match) == keys
    assert (match["board"], match["a"], match["b"], match["games"]) == (6, "easy", "medium", 40)
    assert match["win"] + match["draw"] + match["loss"] == 40
    assert match["low"] <= match["share"] <= match["high"] < 0.5
    assert match["margin"] < 0


def test_the_same_command_prints_the_same_bytes(models, capsys):
    outputs = []
    for _ in range(2):
        run(models, "easy elite --board 4 --games 20 --seed 7 --json")
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]


def test_people_are_told_in_words(models, capsys):
    assert run(models, "medium mcts-4 --board 4 --games 8") == 0
    out = capsys.readouterr().out
    assert "cell_division, board 4: medium (sees the state) against mcts-4 (sees the state)" in out
    assert "8 games, 4 from each seat" in out
    assert "95 % interval" in out


def test_the_empty_board_is_a_case_of_its_own(models, capsys):
    assert run(models, "medium elite --board 5 --empty-board --games 40") == 0
    out = capsys.readouterr().out
    assert "2 games" in out
    assert "both always play alike" in out


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("easy medium --board 6 --games 7", "games: 7 cannot be played"),
        ("easy medium --board 6 --games 0", "games: 0 cannot be played"),
        ("easy medium --board 9", "no board 9; it has 4, 5, 6, 7, 8"),
        ("easy hard --board 6", "there is no 'hard'; there are easy, elite, medium, elite-int8, mcts-<simulations>"),
        ("perfect easy --board 6", "perfect needs positions of 16 moves at most"),
    ],
)
def test_what_cannot_be_played_is_refused_in_words(models, capsys, command, reason):
    assert run(models, command) == 2
    captured = capsys.readouterr()
    assert reason in captured.err
    assert captured.out == ""


def test_without_models_the_command_that_makes_them_is_named(tmp_path, capsys):
    assert run(tmp_path, "easy medium --board 6") == 2
    assert "release/tiers.json: not there; `dvc repro export` makes it" in capsys.readouterr().err
