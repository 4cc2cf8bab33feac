"""Plain mappings become typed settings, or are refused with file, key, value and what would be right."""

import dataclasses
import math
import typing
from pathlib import Path
from typing import Any

import pytest

from pocketzero.settings import base
from pocketzero.settings.base import BadSetting, from_mapping, leaves, load, to_mapping
from pocketzero.settings.root import Settings
from pocketzero.settings.search import Search
from pocketzero.settings.student import Student

ROOT = Path(__file__).resolve().parents[2]
SEARCH = {
    "simulations": 64,
    "c_puct": 1.5,
    "considered": 0,
    "value_scale": 0.0,
    "noise_alpha": 0.3,
    "noise_share": 0.25,
    "temperature": 1.0,
    "temperature_moves": 12,
    "reuse": True,
}


def committed() -> dict[str, Any]:
    return base.read_yaml(ROOT / "params.yaml")


def test_the_committed_settings_are_read_and_come_back_as_they_were() -> None:
    assert to_mapping(from_mapping(Settings, committed())) == committed()


def test_a_whole_number_is_taken_where_a_number_is_wanted_and_becomes_that_number() -> None:
    search = from_mapping(Search, {**SEARCH, "c_puct": 2})
    assert type(search.c_puct) is float


@pytest.mark.parametrize(
    ("key", "value", "wanted"),
    [
        ("simulations", 64.0, "a whole number from 1 to 100000"),
        ("simulations", True, "a whole number from 1 to 100000"),
        ("simulations", "64", "a whole number from 1 to 100000"),
        ("simulations", None, "a whole number from 1 to 100000"),
        ("simulations", [64], "a whole number from 1 to 100000"),
        ("simulations", -5, "a whole number from 1 to 100000"),
        ("simulations", 0, "a whole number from 1 to 100000"),
        ("simulations", "???", "filled in"),
        ("c_puct", "???", "filled in"),
        ("c_puct", math.nan, "a number from 0.01 to 100.0"),
        ("c_puct", math.inf, "a number from 0.01 to 100.0"),
        ("c_puct", True, "a number from 0.01 to 100.0"),
        ("c_puct", "1.5", "a number from 0.01 to 100.0"),
        ("reuse", 1, "true or false"),
        ("reuse", "yes", "true or false"),
    ],
)
def test_a_wrong_value_is_refused_by_name(key: str, value: object, wanted: str) -> None:
    with pytest.raises(BadSetting) as refusal:
        from_mapping(Search, {**SEARCH, key: value}, key="teacher.search", file="params.yaml")
    assert refusal.value.file == "params.yaml"
    assert refusal.value.key == f"teacher.search.{key}"
    assert refusal.value.wanted.startswith(wanted)
    assert repr(value) in str(refusal.value)


def test_an_unknown_key_is_refused_with_the_known_ones() -> None:
    with pytest.raises(BadSetting, match=r"teacher.search.simulatons is 64, but must be left out: .*simulations"):
        from_mapping(Search, {**SEARCH, "simulatons": 64}, key="teacher.search")


def test_a_missing_key_is_refused() -> None:
    with pytest.raises(BadSetting, match="c_puct is None, but must be set: the key is missing"):
        from_mapping(Search, {name: value for name, value in SEARCH.items() if name != "c_puct"})


@pytest.mark.parametrize("name", ["size", "nfiles", "two words", "1st"])
def test_a_tier_may_not_have_a_name_that_dvc_or_hydra_cannot_keep(name: str) -> None:
    settings = committed()
    settings["tiers"][name] = settings["tiers"]["random"]
    with pytest.raises(BadSetting, match=f"tiers.{name}"):
        from_mapping(Settings, settings)


def test_an_entry_of_a_list_is_named_by_its_place() -> None:
    settings = committed()
    settings["game"]["boards"] = [4, 5, 0]
    with pytest.raises(BadSetting, match=r"game.boards\[2\] is 0, but must be a whole number from 1 to 64"):
        from_mapping(Settings, settings)


def test_a_number_where_a_group_belongs_is_refused() -> None:
    with pytest.raises(BadSetting, match="student is 3, but must be a group of settings"):
        from_mapping(Student, 3, key="student")


def test_fields_that_do_not_fit_together_are_refused_by_the_one_that_is_wrong() -> None:
    settings = committed()
    settings["tiers"]["hard"]["blend_with"] = "nobody"
    with pytest.raises(BadSetting, match=r"tiers.hard.blend_with is 'nobody', but must be empty or a tier"):
        from_mapping(Settings, settings)


def test_a_file_that_is_missing_or_no_yaml_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match="make params"):
        load(tmp_path / "params.yaml", {"student": Student})
    (tmp_path / "params.yaml").write_text("student: [1, 2")
    with pytest.raises(BadSetting, match="readable YAML"):
        load(tmp_path / "params.yaml", {"student": Student})


def test_numbers_are_read_as_dvc_reads_them(tmp_path: Path) -> None:
    """YAML 1.1 takes 1e-3 for a text; DVC, and so the library, reads YAML 1.2."""
    (tmp_path / "params.yaml").write_text("student: {learning_rate: 1e-3}")
    assert base.read_yaml(tmp_path / "params.yaml")["student"]["learning_rate"] == 0.001


def groups(kind: Any, key: str = "") -> list[tuple[str, Any]]:
    """Every dataclass of the settings, nested ones too."""
    found = []
    for name, hint in typing.get_type_hints(kind).items():
        for part in (hint, *typing.get_args(hint)):
            if dataclasses.is_dataclass(part):
                found += [(f"{key}.{name}", part), *groups(part, f"{key}.{name}")]
    return found


@pytest.mark.parametrize(("key", "group"), groups(Settings), ids=lambda part: part if isinstance(part, str) else "")
def test_every_number_has_bounds_and_no_field_a_default_or_a_name_that_dvc_drops(key: str, group: Any) -> None:
    hints = typing.get_type_hints(group)
    for field in dataclasses.fields(group):
        assert field.name not in base.FORBIDDEN_KEYS, f"{key}.{field.name}"
        assert field.default is dataclasses.MISSING, f"{key}.{field.name} has a default outside conf/"
        if {hints[field.name], *typing.get_args(hints[field.name])} & {int, float}:
            assert {"low", "high"} <= set(field.metadata), f"{key}.{field.name} has no bounds"


def test_leaves_are_dotted_and_a_list_is_one_leaf() -> None:
    assert leaves({"a": {"b": 1, "c": [1, 2]}, "d": {}}) == {"a.b": 1, "a.c": [1, 2], "d": {}}
