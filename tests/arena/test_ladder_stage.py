"""The stage writes the figures and the charts, and refuses tiers of another game."""

from types import SimpleNamespace

import pytest

from pocketzero import games
from pocketzero.arena.tiers import BadTier
from pocketzero.settings.base import from_mapping
from pocketzero.settings.common import Common
from pocketzero.settings.game import Game
from pocketzero.settings.ladder import Ladder
from pocketzero.work import read_json
from stages.ladder import ladder as stage
from tests.arena.models import write_models
from tests.arena.recipes import recipe

SETTINGS = {
    "seed": 6,
    "games": 60,
    "boards": [3],
    "players": ["random", "elite", "perfect"],
    "search": {"simulations": [4], "c_puct": 1.5, "opponents": ["perfect"], "boards": [3], "games": 4},
    "extra": [],
    "positions": {"play": "random", "temperature": 1.0, "compared": 20, "endgames": 40, "moves": 6},
    "gates": [
        {
            "name": "perfect beats random",
            "measure": "low",
            "a": "perfect",
            "b": "random",
            "boards": [3],
            "bound": [0.5],
        },
        {
            "name": "random beats perfect",
            "measure": "share",
            "a": "random",
            "b": "perfect",
            "boards": [3],
            "bound": [0.6],
        },
        {
            "name": "perfect errs never",
            "measure": "regret",
            "a": "perfect",
            "b": "elite",
            "boards": [3],
            "bound": [0.01],
        },
    ],
}


def run_stage(folder, name: str) -> None:
    run = SimpleNamespace(
        path=lambda path: folder / path, runtime=SimpleNamespace(workers=1), processor="a kind of processor"
    )
    game = Game(name=name, source=f"pocketzero/games/{name}.py", boards=[3])
    ladder = from_mapping(Ladder, SETTINGS, key="ladder")
    stage.__wrapped__(Common(seed=1, torch_threads=1), game, ladder, run)


@pytest.fixture
def checkout(tmp_path):
    recipes = {"random": recipe("random"), "elite": recipe("network")}
    write_models(tmp_path / "models", games.load("tic_tac_toe"), recipes)
    return tmp_path


def test_the_stage_writes_figures_and_charts_and_ends_well_though_a_gate_fails(checkout):
    run_stage(checkout, "tic_tac_toe")
    figures = read_json(checkout / "metrics/ladder.json")
    assert [gate["holds"] for gate in figures["gates"]] == [True, True, True, False, True]
    assert figures["processor"] == "a kind of processor"
    charts = {f"{name}.{end}" for name in ("share", "margin", "ratings", "endgames") for end in ("json", "png")}
    assert {path.name for path in (checkout / "plots/ladder").iterdir()} == charts


def test_tiers_of_another_game_than_the_settings_are_refused_before_anything_is_written(checkout):
    with pytest.raises(BadTier, match="game is tic_tac_toe; it should be 'connect_four'"):
        run_stage(checkout, "connect_four")
    assert not (checkout / "metrics").exists()
