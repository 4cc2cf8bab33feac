"""The README and the pages of docs/ are true: their commands exist and run, their links lead somewhere."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tools import copies

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "device/README.md", *sorted((ROOT / "docs").glob("*.md"))]


def commands(page: Path) -> list[str]:
    """The lines of the page's bash blocks, without comments."""
    blocks = re.findall(r"```bash\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    return [line.split("  #")[0].strip() for block in blocks for line in block.splitlines() if line.strip()]


def block(page: str, language: str) -> str:
    """The first block of that language on a page of docs/."""
    match = re.search(rf"```{language}\n(.*?)```", (ROOT / "docs" / page).read_text(encoding="utf-8"), re.DOTALL)
    assert match is not None
    return match.group(1)


def test_every_make_target_that_a_page_names_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    lines = [shlex.split(line) for page in PAGES for line in commands(page) if line.startswith("make")]
    named = {word for line in lines for word in line[1:] if "=" not in word}
    assert named and named <= targets


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_to_a_file(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8"))
    missing = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_file_that_a_page_names_in_code_exists(page: Path) -> None:
    named = re.findall(r"`((?:pocketzero|stages|conf|tools|tests|models|bench)/[\w/.]+\.\w+)`", page.read_text("utf-8"))
    expected_by_reader = {"pocketzero/games/domineering.py", "conf/game/domineering.yaml"}
    assert [name for name in named if name not in expected_by_reader and not (ROOT / name).exists()] == []


def test_every_test_that_keeps_a_promise_exists() -> None:
    page = (ROOT / "docs/promises.md").read_text(encoding="utf-8")
    named = re.findall(r"`(tests/[\w/.]+|device/[\w/.]+)::([^`]+)`", page)
    assert len(named) > 30
    missing = [f"{file}::{name}" for file, name in named if not defines(ROOT / file, name)]
    assert not missing
    rows = [line for line in page.splitlines() if line.startswith("| ") and not line.startswith(("| ---", "| promise"))]
    assert [row for row in rows if "::" not in row] == [], "a promise without a test"


def defines(file: Path, name: str) -> bool:
    """Whether the file has a test of that name, in Python or, as a text, in TypeScript."""
    words = f"def {name}(" if file.suffix == ".py" else f'"{name}"'
    return file.exists() and words in file.read_text(encoding="utf-8")


def test_the_arena_command_of_the_readme_answers() -> None:
    (line,) = [line for line in commands(ROOT / "README.md") if "pocketzero.arena" in line]
    words = shlex.split(line)[1:]
    done = subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "200 games, 100 from each seat" in done.stdout


def test_every_setting_that_the_readme_overrides_composes() -> None:
    lines = [shlex.split(line) for line in commands(ROOT / "README.md") if line.startswith("dvc exp run")]
    overrides = [words[i + 1] for words in lines for i, word in enumerate(words) if word == "-S"]
    assert len(overrides) >= 2
    for override in overrides:
        key, values = override.split("=")
        done = [sys.executable, "-m", "tools.params", "--check", f"{key}={values.split(',')[0]}"]
        told = subprocess.run(done, cwd=ROOT, capture_output=True, text=True, check=False)
        assert "does not compose" not in told.stderr, told.stderr


def test_the_game_of_the_walk_through_passes_conformance_and_composes(tmp_path: Path) -> None:
    target = tmp_path / "copy"
    copies.copy_working_tree(target)
    (target / "pocketzero/games/domineering.py").write_text(block("add-your-game.md", "python"), encoding="utf-8")
    (target / "conf/game/domineering.yaml").write_text(block("add-your-game.md", "yaml"), encoding="utf-8")
    conformance = ["pytest", "-q", "-p", "no:cacheprovider", "tests/games/test_conformance.py", "-k", "domineering"]
    for module in (conformance, ["tools.params", "game=domineering", "profile=smoke"]):
        done = subprocess.run([sys.executable, "-m", *module], cwd=target, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    assert "name: domineering" in (target / "params.yaml").read_text(encoding="utf-8")


def test_the_walk_through_s_game_is_short() -> None:
    assert len(block("add-your-game.md", "python").splitlines()) <= 60
