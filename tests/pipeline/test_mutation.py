"""Settings changed one by one, for real: the stages that read them run again, and changed back gives the old bytes."""

import copy
import random
from collections.abc import Iterator
from typing import Any

import pytest
from ruamel.yaml import YAML

from pocketzero.settings.base import BadSetting, from_mapping, leaves, read_yaml
from pocketzero.settings.root import Settings
from stages.declared import read_declared

from .conftest import Project, hanging_from

DOZEN = 12
APART = ("game.", "runtime.", "checked")  # another game is another project, and the runtime group changes no output


def others(value: Any) -> Iterator[Any]:
    """Values of the same type that might be allowed too."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (value + 1, value - 1, value * 2, value // 2)
    elif isinstance(value, float):
        yield from (value * 0.9, value * 1.1, value + 0.1)
    elif isinstance(value, list):
        yield from (value[:-1], value[::-1])


def with_value(content: dict[str, Any], key: str, value: Any) -> dict[str, Any]:
    """The settings with another value of one leaf."""
    changed = copy.deepcopy(content)
    *above, last = key.split(".")
    group = changed
    for name in above:
        group = group[name]
    group[last] = value
    return changed


def allowed(content: dict[str, Any], key: str) -> dict[str, Any] | None:
    """The settings with another allowed value of the leaf; None where no other was found."""
    for value in others(leaves(content)[key]):
        changed = with_value(content, key, value)
        try:
            from_mapping(Settings, changed)
        except BadSetting:
            continue
        if value != leaves(content)[key]:
            return changed
    return None


def write(project: Project, content: dict[str, Any]) -> None:
    with (project.root / "params.yaml").open("w") as file:
        YAML(typ="safe", pure=True).dump(content, file)


def test_a_setting_changed_and_changed_back_ends_with_the_old_bytes(built: Project) -> None:
    first = built.hashes()
    built.set("student.learning_rate", 0.5)
    built.run("dvc", "repro")
    assert built.hashes() != first
    built.run("git", "checkout", "params.yaml")
    built.run("dvc", "repro")
    assert built.hashes() == first
    assert built.run("git", "status", "--porcelain").stdout == ""


@pytest.mark.long
@pytest.mark.xdist_group("smoke")
def test_a_dozen_settings_of_the_whole_pipeline_rerun_what_reads_them_and_come_back(smoke: Project) -> None:
    content, first = read_yaml(smoke.root / "params.yaml"), smoke.hashes()
    stages, chance = read_declared(smoke.root), random.Random(20261207)
    keys = [key for key in leaves(content) if not key.startswith(APART)]
    chance.shuffle(keys)
    changes = ((key, allowed(content, key)) for key in keys)
    dozen = [(key, changed) for key, changed in changes if changed is not None][:DOZEN]
    assert len(dozen) == DOZEN
    for key, changed in dozen:
        direct = {name for name, each in stages.items() if key.split(".")[0] in each.groups}
        write(smoke, changed)
        ran = set(smoke.ran(smoke.run("dvc", "repro").stdout))
        assert direct <= ran <= hanging_from(stages, direct), key
        smoke.run("git", "checkout", "--quiet", "params.yaml")
        smoke.run("dvc", "repro")
        assert smoke.hashes() == first, key
        smoke.run("git", "checkout", "--quiet", ".")
        assert smoke.run("dvc", "status").stdout.strip() == "Data and pipelines are up to date.", key
