"""conf/ composes, whole and in every choice, and refuses what must not reach a stage."""

from pathlib import Path

import pytest
from hydra.errors import HydraException
from omegaconf.errors import OmegaConfBaseException
from ruamel.yaml import YAML

from pocketzero.settings.base import from_mapping, read_yaml
from pocketzero.settings.root import Settings
from tools.params import compose

ROOT = Path(__file__).resolve().parents[2]
CHOICES = sorted(
    f"{file.parent.name}={file.stem}" for file in (ROOT / "conf").glob("*/*.yaml") if file.stem not in ("plain",)
)


def composed(*overrides: str) -> Settings:
    return from_mapping(Settings, YAML(typ="safe", pure=True).load(compose(list(overrides))))


def test_params_yaml_is_what_conf_composes_to() -> None:
    assert (ROOT / "params.yaml").read_text() == compose([]), "`make params` writes it anew"


@pytest.mark.parametrize("choice", CHOICES)
def test_every_file_of_conf_composes(choice: str) -> None:
    composed(choice)


@pytest.mark.parametrize("game", ["cell_division", "tic_tac_toe", "connect_four"])
@pytest.mark.parametrize("profile", ["smoke", "ship", "studio"])
def test_every_game_composes_in_every_profile(game: str, profile: str) -> None:
    settings = composed(f"game={game}", f"profile={profile}")
    assert settings.game.name == game
    assert (ROOT / settings.game.source).exists()


def test_a_game_overrides_the_tiers_that_another_game_needs() -> None:
    assert "medium" in composed().tiers
    assert "medium" not in composed("game=connect_four").tiers


def test_the_ship_profile_is_the_committed_default() -> None:
    assert compose(["profile=ship"]) == compose([])


@pytest.mark.parametrize(
    ("override", "named"),
    [
        ("teacher.search.simulations=-5", "teacher.search.simulations is -5, but must be a whole number from 1"),
        ("teacher.search.simulations=abc", "teacher.search.simulations"),
        ("student.epochs=1.0", "student.epochs"),
        ("student.epochs=true", "student.epochs"),
        ("student.learning_rate=nan", "student.learning_rate is nan"),
        ("student.learning_rate=inf", "student.learning_rate is inf"),
        ("student.learning_rate=???", "student.learning_rate is '???', but must be filled in"),
        ("student.epoch=3", "student.epoch"),
        ("+student.epoch=3", "student.epoch"),
        ("+student.size=3", "student.size"),
        ("+nothing.like_this=3", "nothing"),
        ("game.boards=[4,0]", "game.boards[1] is 0"),
        ("runtime.device=tpu", "runtime.device is 'tpu', but must be one of cpu, cuda"),
        ("game.name=${oc.env:USER}", "game.name is '${oc.env:USER}', but must be a value or a reference"),
        ("tiers=nobody_wrote_this", "nobody_wrote_this"),
        ("tiers.hard.blend_with=nobody", "tiers.hard.blend_with is 'nobody'"),
    ],
)
def test_what_must_not_reach_a_stage_does_not_compose(override: str, named: str) -> None:
    with pytest.raises((HydraException, OmegaConfBaseException)) as refusal:
        compose([override])
    told = f"{refusal.value} {refusal.value.__cause__}"
    assert named in told


def test_checked_stands_first_so_that_it_sees_the_others_as_written() -> None:
    assert next(iter(read_yaml(ROOT / "params.yaml"))) == "checked"
