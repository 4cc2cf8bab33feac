"""Golden positions are real, different, varied, and a function of data and seed alone."""

import numpy as np
import pytest

from pocketzero.games import PLAYING, Game, load, names
from pocketzero.ship.layout import BadPosition, layout_of
from pocketzero.ship.selection import choose

Recorded = dict[int, np.ndarray]


def nothing(game: Game, *boards: int) -> Recorded:
    return {board: np.zeros((0, game.state_size), np.int8) for board in boards or game.boards}


def test_boards_share_equally_and_no_position_comes_twice(game: Game, recorded: Recorded) -> None:
    selection = choose(game, recorded, 200, seed=1)
    assert selection.boards == [4, 5, 6, 7, 8] * 40
    assert selection.boards == selection.states[:, game.module.rules.SIDE].tolist()
    assert len(np.unique(selection.states, axis=0)) == 200
    assert all(game.result(state) == PLAYING for state in selection.states)


def test_recorded_positions_are_used_before_random_ones(game: Game, recorded: Recorded) -> None:
    known = {state.tobytes() for states in recorded.values() for state in states}
    selection = choose(game, recorded, 50, seed=1)
    assert sum(state.tobytes() in known for state in selection.states) == selection.recorded == 45


def test_blocked_cells_and_every_part_of_the_game_are_there(game: Game) -> None:
    kinds = layout_of(game).kinds(choose(game, nothing(game, 6), 150, seed=1).states)
    blocked, eighth, to_move = kinds // 16, kinds // 2 % 8, kinds % 2
    assert set(blocked) == {0, 1, 2, 3}
    assert set(eighth) == set(range(8))
    assert set(to_move) == {0, 1}


def test_order_and_repetition_of_the_records_do_not_matter(game: Game, recorded: Recorded) -> None:
    twice = {board: np.concatenate([states[::-1], states]) for board, states in recorded.items()}
    one = choose(game, recorded, 60, seed=1).states
    assert (one == choose(game, twice, 60, seed=1).states).all()
    assert (one != choose(game, recorded, 60, seed=2).states).any()


def test_too_many_positions_for_the_game_are_refused() -> None:
    game = load("tic_tac_toe")
    with pytest.raises(ValueError, match=r"export\.positions is 9000; \d+ different positions of tic_tac_toe"):
        choose(game, nothing(game), 9000, seed=1)


@pytest.mark.parametrize("name", names())
def test_what_an_app_keeps_gives_the_state_back(name: str) -> None:
    game = load(name)
    layout = layout_of(game)
    selection = choose(game, nothing(game), 100, seed=3)
    for state, board in zip(selection.states, selection.boards, strict=True):
        assert (layout.state(board, layout.cells(state), int(state[0])) == state).all()


def test_an_app_numbers_the_cells_of_its_own_board(game: Game) -> None:
    layout = layout_of(game)
    legal = game.legal_moves(game.new(5))
    assert [layout.app_move(5, int(move)) for move in legal] == list(range(25))


def test_a_flat_state_of_the_wrong_length_is_refused() -> None:
    with pytest.raises(BadPosition, match="cells is 3 numbers; it should be 9 numbers"):
        layout_of(load("tic_tac_toe")).state(3, [0, 0, 0], 0)
