"""Loading games: what is refused, and that compiled code is never stale."""

import inspect
import types
from pathlib import Path

import numba
import pytest

from pocketzero import compile_cache, games
from pocketzero.games import compiled
from pocketzero.games.loader import Game


def test_an_unknown_game_is_refused_with_the_names_of_those_there_are() -> None:
    with pytest.raises(ValueError, match="no 'chess'; the games are cell_division, connect_four, tic_tac_toe"):
        games.load("chess")


def test_a_game_file_that_lacks_a_function_is_refused_by_what_it_lacks() -> None:
    half = types.ModuleType("half")
    half.__file__ = "games/half.py"
    half.BOARDS, half.STATE, half.MOVES = (1,), 2, 1  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match=r"games/half\.py: a game needs PLANES, init, legal, step, result, encode"):
        Game("half", half)


def test_the_compiled_code_folder_is_named_after_every_source_that_compiled_code_reads() -> None:
    """Every constant and function that a compiled function finds in its module must lie in a hashed file."""
    hashed = {path.resolve() for path in compile_cache.compiled_sources()}
    dispatchers = [value for value in vars(compiled).values() if isinstance(value, numba.core.dispatcher.Dispatcher)]
    assert dispatchers
    for dispatcher in dispatchers:
        assert Path(inspect.getfile(dispatcher.py_func)).resolve() in hashed


def test_a_changed_source_changes_the_folder(tmp_path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "games").mkdir()
    rules = tmp_path / "games" / "rules.py"
    rules.write_text("SIDE = 3\n")
    monkeypatch.setattr(compile_cache, "PACKAGE", tmp_path)
    before = compile_cache.sources_hash()
    rules.write_text("SIDE = 4\n")
    assert compile_cache.sources_hash() != before
