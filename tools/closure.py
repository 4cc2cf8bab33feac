"""Which files of this repository each stage can import: `python -m tools.closure [--write]`.

Found by reading the code, function-level imports included, from stages/<name>.py and from the games, whose own files
dvc.yaml names as ${game.source}. Without --write it compares with dvc.yaml and fails where they differ.
"""

import argparse
import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from ruamel.yaml import YAML

from pocketzero import work
from pocketzero.settings.base import read_yaml

ROOT = Path(__file__).resolve().parent.parent
OURS = ("pocketzero", "stages")
GAME_SOURCE = "${game.source}"
MODULE_NAME = re.compile(rf"({'|'.join(OURS)})(\.\w+)+")


def closure(root: Path, start: list[str]) -> set[str]:
    """Paths, relative to root, of every file of ours that importing the files of `start` can read, and of these."""
    found: set[str] = set()
    left = list(start)
    while left:
        path = left.pop()
        if path not in found:
            found.add(path)
            tree = ast.parse((root / path).read_text(encoding="utf-8"), path)
            own_package = ".".join(Path(path).parent.parts)
            left.extend(file for name in _module_names(tree, own_package) for file in _files_of(root, name))
    return found


def game_files(root: Path) -> list[str]:
    """Every file of every game that conf/game/ names."""
    files: list[str] = []
    for config in sorted((root / "conf" / "game").glob("*.yaml")):
        content = read_yaml(config)
        source = root / content.get("game", content)["source"]
        files += [str(file.relative_to(root)) for file in ([source] if source.is_file() else source.rglob("*.py"))]
    return files


def stage_code(root: Path, name: str) -> list[str]:
    """The code that the stage's deps must name: its closure, with the games' own files replaced by their template."""
    games = game_files(root)
    stage = closure(root, [f"stages/{name}.py", "stages/__init__.py"])
    if "pocketzero/games/loader.py" in stage:
        return [*sorted((stage | closure(root, games)) - set(games)), GAME_SOURCE]
    return sorted(stage - set(games))


def declared_code(entry: dict[str, list[str]]) -> list[str]:
    """The part of a stage's deps that is code."""
    return [dep for dep in entry.get("deps", []) if dep.split("/")[0] in OURS or dep == GAME_SOURCE]


def _module_names(tree: ast.AST, own_package: str) -> Iterator[str]:
    """Dotted names that the code may import: modules, members that may be modules, and texts that name a module."""
    for node in _runtime_nodes(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = own_package.rsplit(".", node.level - 1)[0] if node.level else ""
            module = ".".join(part for part in (above, node.module) if part)
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and MODULE_NAME.fullmatch(node.value):
            yield node.value


def _runtime_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Every node but those under `if TYPE_CHECKING:`."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not (isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)):
            yield from _runtime_nodes(child)


def _files_of(root: Path, name: str) -> Iterator[str]:
    """The module's file, and the __init__.py of each package on the way to it; nothing where the module is not ours."""
    parts = name.split(".")
    if parts[0] not in OURS:
        return
    for length in range(1, len(parts) + 1):
        path = Path(*parts[:length])
        for candidate in (path / "__init__.py", path.with_suffix(".py")):
            if (root / candidate).is_file():
                yield candidate.as_posix()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="put the code's deps into dvc.yaml")
    write = parser.parse_args().write
    yaml = YAML()
    yaml.width = 120
    yaml.indent(mapping=2, sequence=4, offset=2)
    file = ROOT / "dvc.yaml"
    content = yaml.load(file)
    differ = False
    for name, entry in content["stages"].items():
        if not (ROOT / "stages" / f"{name}.py").is_file():
            print(f"{name}: stages/{name}.py is missing", file=sys.stderr)
            differ = True
            continue
        computed, declared = stage_code(ROOT, name), declared_code(entry)
        if computed != declared:
            differ = True
            for path in sorted({*computed, *declared}):
                if (path in computed) != (path in declared):
                    print(f"{name}: {'+' if path in computed else '-'} {path}")
            if write:
                entry["deps"][:] = [dep for dep in entry["deps"] if dep not in declared] + computed
    if write:
        with work.atomic(file) as partial:
            yaml.dump(content, partial)
        return 0
    if differ:
        print("dvc.yaml does not name what the code imports: `python -m tools.closure --write`", file=sys.stderr)
    return int(differ)


if __name__ == "__main__":
    sys.exit(main())
