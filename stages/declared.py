"""What dvc.yaml declares for a stage, and what of it is on disk."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pocketzero.settings.base import BadSetting, read_yaml

PARAMS = "params.yaml"
TEMPLATE = re.compile(r"\$\{([a-z_.]+)\}")


@dataclass(frozen=True, kw_only=True)
class Declared:
    """One stage of dvc.yaml, templates filled in: settings groups, dependencies and outputs, each in order."""

    groups: tuple[str, ...]
    deps: tuple[str, ...]
    outs: tuple[str, ...]


def read_declared(root: Path) -> dict[str, Declared]:
    """All stages of root/dvc.yaml by name. Raises BadSetting for a file that is not there or a template of no key."""
    params = read_yaml(root / PARAMS)
    stages = read_yaml(root / "dvc.yaml").get("stages", {})
    return {name: _declared(entry, params) for name, entry in stages.items()}


def _declared(entry: Mapping[str, Any], params: Mapping[str, Any]) -> Declared:
    def paths(*kinds: str) -> tuple[str, ...]:
        entries = [path for kind in kinds for path in entry.get(kind, [])]
        return tuple(_fill(next(iter(path)) if isinstance(path, Mapping) else path, params) for path in entries)

    return Declared(groups=tuple(entry.get("params", [])), deps=paths("deps"), outs=paths("outs", "metrics", "plots"))


def _fill(text: str, params: Mapping[str, Any]) -> str:
    def value(match: re.Match[str]) -> str:
        found: Any = params
        for name in match[1].split("."):
            if not isinstance(found, Mapping) or name not in found:
                raise BadSetting("dvc.yaml", text, match[0], f"a key of {PARAMS}")
            found = found[name]
        return str(found)

    return TEMPLATE.sub(value, text)


def files_under(path: Path) -> Iterator[Path]:
    """The file itself, or every file of the folder in order, without what .dvcignore leaves out."""
    if path.is_file():
        yield path
    for file in sorted(path.rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts and file.suffix != ".pyc":
            yield file


def content_hash(path: Path) -> str:
    """SHA-256 of the file, or over names and contents in the folder; 'missing' where there is neither."""
    if not path.exists():
        return "missing"
    if path.is_file():
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    digest = hashlib.sha256()
    for file in files_under(path):
        digest.update(f"{file.relative_to(path).as_posix()}\0{content_hash(file)}\0".encode())
    return digest.hexdigest()


def snapshot(root: Path, name: str) -> dict[str, str]:
    """Everything that the stage's result may depend on, as text: its declaration, its settings, its dependencies."""
    declared = read_declared(root)[name]
    params = read_yaml(root / PARAMS)
    state = {f"{PARAMS}: {group}": json.dumps(params.get(group), sort_keys=True) for group in declared.groups}
    state["dvc.yaml"] = repr(declared)
    return state | {dep: content_hash(root / dep) for dep in declared.deps}
