"""Golden positions are real, different, varied, and a function of data and seed alone."""

import numpy as np
import pytest

from pocketzero.games import PLAYING, Game, load, names
from pocketzero.ship.layout import BadPosition, layout_of
from pocketzero.ship.selection import choose


def test_boards_share_equally_and_no_position_comes_twice(game: Game, recorded: np.ndarray) -> None:
    selection = choose(game, game.boards, recorded, 200, seed=1)
    boards = layout_of(game).boards(selection.states)
    assert np.bincount(boards)[4:].tolist() == [40, 40, 40, 40, 40]
    assert len(np.unique(selection.states, axis=0)) == 200
    assert all(game.result(state) == PLAYING for state in selection.states)


def test_recorded_positions_are_used_before_random_ones(game: Game, recorded: np.ndarray) -> None:
    known = {state.tobytes() for state in recorded}
    selection = choose(game, game.boards, recorded, 50, seed=1)
    assert sum(state.tobytes() in known for state in selection.states) == selection.recorded == 45


def test_blocked_cells_and_every_part_of_the_game_are_there(game: Game, recorded: np.ndarray) -> None:
    layout = layout_of(game)
    kinds = layout.kinds(choose(game, [6], recorded[:0], 150, seed=1).states)
    blocked, eighth, to_move = kinds // 16, kinds // 2 % 8, kinds % 2
    assert set(blocked) == {0, 1, 2, 3}
    assert set(eighth) == set(range(8))
    assert set(to_move) == {0, 1}


def test_order_and_repetition_of_the_records_do_not_matter(game: Game, recorded: np.ndarray) -> None:
    one = choose(game, game.boards, recorded, 60, seed=1).states
    other = choose(game, game.boards, np.concatenate([recorded[::-1], recorded]), 60, seed=1).states
    assert (one == other).all()
    assert (one != choose(game, game.boards, recorded, 60, seed=2).states).any()


def test_too_many_positions_for_the_game_are_refused() -> None:
    game = load("tic_tac_toe")
    with pytest.raises(ValueError, match=r"export\.positions is 9000; \d+ different positions of tic_tac_toe"):
        choose(game, game.boards, np.zeros((0, game.state_size), np.int8), 9000, seed=1)


@pytest.mark.parametrize("name", names())
def test_what_an_app_keeps_gives_the_state_back(name: str) -> None:
    game = load(name)
    layout = layout_of(game)
    states = choose(game, game.boards, np.zeros((0, game.state_size), np.int8), 100, seed=3).states
    for state, board in zip(states, layout.boards(states), strict=True):
        assert (layout.state(int(board), layout.cells(state), int(state[0])) == state).all()


def test_an_app_numbers_the_cells_of_its_own_board(game: Game) -> None:
    layout = layout_of(game)
    legal = game.legal_moves(game.new(5))
    assert [layout.app_move(5, int(move)) for move in legal] == list(range(25))


def test_a_flat_state_of_the_wrong_length_is_refused() -> None:
    with pytest.raises(BadPosition, match="cells is 3 numbers; it should be 9 numbers"):
        layout_of(load("tic_tac_toe")).state(3, [0, 0, 0], 0)
