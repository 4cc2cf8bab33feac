"""From plain mappings to typed, bounded settings, or a refusal that names the file, the key and the value.

The groups are keyword-only dataclasses without defaults: values are written in conf/, nowhere else. A field may be an
int, a float, a bool, a str, another group, or a list or dict of these; `bounded` and `one_of` narrow it further, and a
group with a `check` method has the last word on how its fields fit together.
"""

import copy
import dataclasses
import functools
import sys
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from ruamel.yaml import YAML

from pocketzero.bad_file import cut, shown

Group = TypeVar("Group")

# DVC leaves these two names out of a parameter's key in its run cache, so a change would restore a stale output.
FORBIDDEN_KEYS = frozenset({"size", "nfiles"})

_KIND_NAMES = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}


class BadSetting(ValueError):
    """A refused setting.

    Attributes: file the settings came from; key, dotted from the top; value found (None where a key is missing);
    wanted, in words.
    """

    def __init__(self, file: str, key: str, value: object, wanted: str) -> None:
        super().__init__(f"{file}: {cut(key)} is {shown(value)}, but must be {wanted}")
        self.file, self.key, self.value, self.wanted = file, key, value, wanted


class DoesNotFit(ValueError):
    """Raised by a group's own `check`: one of its fields does not fit the others."""

    def __init__(self, field: str, wanted: str) -> None:
        super().__init__(f"{field} must be {wanted}")
        self.field, self.wanted = field, wanted


def bounded(low: float, high: float, *, at_least: int = 0) -> Any:
    """A field whose number, or each number of whose list or dict, lies in low..high, both included.

    Args: at_least: the least number of entries where the field is a list or a dict.
    """
    return dataclasses.field(metadata={"low": low, "high": high, "at_least": at_least})


def one_of(*choices: str) -> Any:
    """A field whose text, or each text of whose list, is one of `choices`."""
    return dataclasses.field(metadata={"choices": choices})


def at_least(entries: int) -> Any:
    """A list or dict field with at least so many entries."""
    return dataclasses.field(metadata={"at_least": entries})


def from_mapping(kind: type[Group], mapping: object, *, key: str = "", file: str = "params.yaml") -> Group:
    """Build the group `kind` from plain mappings.

    Args: kind: a dataclass of this package. mapping: as read from YAML. key: where it stands in the file. file: its
    name, for refusals.
    Raises BadSetting: an unknown or missing key, a wrong type (1, 1.0 and true are three different things; only a whole
    number where a number is wanted is taken, as that number), a value out of bounds, NaN or infinity, a '???'.
    """
    return _read(kind, mapping, {}, key, file)


def load(file: Path, groups: Mapping[str, Any]) -> dict[str, Any]:
    """Read the named top-level groups of a YAML file; others are left alone.

    Args: groups: name of the group -> its type (a dataclass, or a dict of them).
    Raises BadSetting: as `from_mapping`, and for a file that is missing or is not YAML.
    """
    content = read_yaml(file)
    return {
        name: _read(kind, _member(content, name, "", file.name), {}, name, file.name) for name, kind in groups.items()
    }


def read_yaml(file: Path) -> dict[str, Any]:
    """The file's top-level mapping, read as DVC reads it (YAML 1.2). Raises BadSetting where it is not one."""
    try:
        content = copy.deepcopy(_parse_yaml(file.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise BadSetting(str(file), "the file", None, "there: `make params` composes it from conf/") from None
    except OSError:
        raise
    except Exception as error:  # besides its own errors, the YAML reader lets pass those of int, float, chr and date
        raise BadSetting(str(file), "the file", " ".join(str(error).split()), "readable YAML") from error
    if not isinstance(content, dict):
        raise BadSetting(str(file), "the file", content, "a mapping of groups")
    return content


@functools.lru_cache(maxsize=8)  # a tenth of a second each time, and a stage asks for the same texts again and again
def _parse_yaml(text: str) -> Any:
    content = YAML(typ="safe", pure=True).load(text)
    _check_written_out(content, set())
    return content


def _check_written_out(value: Any, seen: set[int]) -> None:
    """Raise ValueError for an alias of a list or mapping: a few lines of them can stand for thousands of millions."""
    if isinstance(value, (list, dict)):
        if id(value) in seen:
            raise ValueError("a list or mapping is named by an alias (*): it must be written out where it belongs")
        seen.add(id(value))
        for each in value.values() if isinstance(value, dict) else value:
            _check_written_out(each, seen)


def to_mapping(settings: object) -> Any:
    """The reverse of `from_mapping`: plain dicts, lists and numbers."""
    return dataclasses.asdict(typing.cast(Any, settings)) if dataclasses.is_dataclass(settings) else settings


def leaves(settings: object, key: str = "") -> dict[str, Any]:
    """Dotted key -> value for every leaf of nested mappings; a list is one leaf, as in DVC."""
    if isinstance(settings, Mapping) and settings:
        prefix = f"{key}." if key else ""
        return {k: v for name, part in settings.items() for k, v in leaves(part, f"{prefix}{name}").items()}
    return {key: settings}


def _member(mapping: Mapping[str, Any], name: str, key: str, file: str) -> Any:
    if name not in mapping:
        raise BadSetting(file, f"{key}.{name}".lstrip("."), None, "set: the key is missing")
    return mapping[name]


def _read(kind: Any, value: Any, limits: Mapping[str, Any], key: str, file: str) -> Any:
    """One value of any supported kind, checked."""
    if value == "???":
        raise BadSetting(file, key, value, "filled in: '???' marks a value that is still missing")
    if dataclasses.is_dataclass(kind):
        return _read_group(kind, value, key, file)
    origin = typing.get_origin(kind)
    if origin in (list, dict):
        return _read_many(origin, typing.get_args(kind)[-1], value, limits, key, file)
    return _read_plain(kind, value, limits, key, file)


def _read_group(kind: Any, value: Any, key: str, file: str) -> Any:
    if not isinstance(value, Mapping):
        raise BadSetting(file, key, value, "a group of settings (a mapping)")
    fields = {field.name: field for field in dataclasses.fields(kind)}
    for name in value:
        if name not in fields:
            known = f"left out: {key or 'the file'} knows only " + ", ".join(fields)
            raise BadSetting(file, f"{key}.{name}".lstrip("."), value[name], known)
    hints = typing.get_type_hints(kind)
    found = {
        name: _read(hints[name], _member(value, name, key, file), field.metadata, f"{key}.{name}".lstrip("."), file)
        for name, field in fields.items()
    }
    settings = kind(**found)
    if hasattr(settings, "check"):
        try:
            settings.check()
        except DoesNotFit as error:
            name = f"{key}.{error.field}".lstrip(".")
            raise BadSetting(file, name, _dig(value, error.field), error.wanted) from None
    return settings


def _read_many(origin: type, kind: Any, value: object, limits: Mapping[str, Any], key: str, file: str) -> Any:
    if not isinstance(value, (list, Mapping)) or isinstance(value, list) != (origin is list):
        raise BadSetting(file, key, value, "a mapping" if origin is dict else "a list")
    if len(value) < limits.get("at_least", 0):
        raise BadSetting(file, key, value, f"at least {limits['at_least']} entries long")
    if isinstance(value, list):
        return [_read(kind, entry, limits, f"{key}[{index}]", file) for index, entry in enumerate(value)]
    for name in value:
        if not isinstance(name, str) or not name.isidentifier() or name in FORBIDDEN_KEYS:
            raise BadSetting(file, f"{key}.{name}", value[name], "named by a plain word other than size and nfiles")
    return {name: _read(kind, entry, limits, f"{key}.{name}", file) for name, entry in value.items()}


def _read_plain(kind: Any, value: Any, limits: Mapping[str, Any], key: str, file: str) -> Any:
    if kind is float and type(value) is int and abs(value) <= sys.float_info.max:
        value = float(value)
    if type(value) is not kind:
        raise BadSetting(file, key, value, _in_words(kind, limits))
    if kind in (int, float) and not limits["low"] <= value <= limits["high"]:  # nor is NaN
        raise BadSetting(file, key, value, _in_words(kind, limits))
    if "choices" in limits and value not in limits["choices"]:
        raise BadSetting(file, key, value, _in_words(kind, limits))
    return value


def _in_words(kind: Any, limits: Mapping[str, Any]) -> str:
    if "choices" in limits:
        return "one of " + ", ".join(limits["choices"])
    if "low" in limits and kind in (int, float):
        return f"{_KIND_NAMES[kind]} from {limits['low']} to {limits['high']}"
    return _KIND_NAMES[kind]


def _dig(value: Any, field: str) -> Any:
    for name in field.split("."):
        value = value[name] if isinstance(value, Mapping) and name in value else None
    return value
