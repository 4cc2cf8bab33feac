"""Exact values: as brute force finds them, with and without the table, in about a second at twelve empty cells."""

import time

import numpy as np
import pytest

from pocketzero import games
from pocketzero.games import PLAYING
from pocketzero.games.compiled import step_many
from pocketzero.search.endgame import ILLEGAL, Solver, TooLarge, solve_many
from tests.arena.recipes import FIRST, player

GAME = games.load("cell_division")
SMALL = games.load("tic_tac_toe")


def brute_force(game, state) -> int:
    """The value for the player to move, by looking at every game that can follow."""
    if game.result(state) != PLAYING:
        return game.margin(state) if state[0] == 0 else -game.margin(state)
    return max(-brute_force(game, after(game, state, move)) for move in game.legal_moves(state))


def after(game, state, move) -> np.ndarray:
    found = state.copy()
    game.step(found, int(move))
    return found


def brute_values(game, state) -> np.ndarray:
    values = np.full(game.moves, ILLEGAL)
    for move in game.legal_moves(state):
        values[move] = -brute_force(game, after(game, state, move))
    return values


def endings(board: int, empty: int, count: int) -> np.ndarray:
    """Positions with so many empty cells, from games of chance and of medium."""
    states = np.stack([GAME.new(board, games.opening_seed(3, index)) for index in range(3 * count)])
    states = states[states[:, 1] >= empty][:count]
    players, ply = (player(GAME, "random"), player(GAME, weights=FIRST)), 0
    while (states[:, 1] > empty).any():
        moves = players[ply % 2].moves(states, np.arange(len(states), dtype=np.uint64) + np.uint64(ply * 1000))
        moves[states[:, 1] == empty] = -1
        step_many(GAME.addresses, states, moves)
        ply += 1
    return states


@pytest.mark.parametrize(("board", "empty"), [(4, 1), (4, 2), (4, 3), (4, 5), (5, 4), (8, 4)])
def test_values_are_those_of_brute_force(board, empty):
    states = endings(board, empty, 6)
    for state, found in zip(states, Solver(GAME).move_values(states), strict=True):
        assert found.tolist() == brute_values(GAME, state).tolist()


def test_tic_tac_toe_which_has_no_points_is_valued_by_its_result():
    states = [SMALL.new(3)]
    for move in (0, 4, 8, 2):
        states.append(after(SMALL, states[-1], move))
    for state, found in zip(states[2:], Solver(SMALL).move_values(np.stack(states[2:])), strict=True):
        assert found.tolist() == brute_values(SMALL, state).tolist()
    assert Solver(SMALL).move_values(states[0][None])[0].tolist() == [0] * 9
    assert Solver(SMALL).move_values(states[1][None])[0].tolist() == [ILLEGAL, -1, -1, -1, 0, -1, -1, -1, -1]


@pytest.mark.parametrize("table", [0, 2, 64, 2**20])
def test_the_table_changes_no_value(table):
    states = endings(5, 8, 12)
    assert (Solver(GAME, table).move_values(states) == Solver(GAME).move_values(states)).all()


def test_what_was_found_before_changes_no_value():
    states = endings(4, 9, 10)
    used = Solver(GAME)
    used.move_values(states[::-1])
    assert (used.move_values(states) == Solver(GAME).move_values(states)).all()


def test_symmetries_and_colours_change_no_value():
    state = endings(5, 7, 1)[0]
    values = Solver(GAME).move_values(state[None])[0]
    for index in range(GAME.symmetries):
        image = np.zeros_like(state)
        GAME.mirror(state, index, image)
        found = Solver(GAME).move_values(image[None])[0]
        for move in GAME.legal_moves(state):
            assert found[GAME.mirror_move(state, int(move), index)] == values[move]
    swapped = state.copy()
    swapped[0] = 1 - state[0]
    cells = swapped[3:]
    cells[(cells == 1) | (cells == 2)] = 3 - cells[(cells == 1) | (cells == 2)]
    assert (Solver(GAME).move_values(swapped[None])[0] == values).all()


def test_the_best_move_leads_to_a_position_worth_as_much_to_the_other_side():
    states = endings(6, 9, 4)
    values = Solver(GAME).move_values(states)
    moves = values.argmax(axis=1)
    behind = np.stack([after(GAME, state, move) for state, move in zip(states, moves, strict=True)])
    assert (Solver(GAME).move_values(behind).max(axis=1) == -values.max(axis=1)).all()


@pytest.mark.parametrize("board", [4, 6, 8])
def test_twelve_empty_cells_take_about_a_second_at_most(board):
    states, solver = endings(board, 12, 3), Solver(GAME)
    started = time.process_time()
    solver.move_values(states)
    assert time.process_time() - started < 1.5 * len(states)


def test_a_position_that_is_too_large_is_refused_with_its_size():
    with pytest.raises(TooLarge, match="cell_division: state 1 is too far from the end"):
        Solver(GAME, nodes=1000).move_values(np.stack([endings(6, 3, 1)[0], GAME.new(6)]))


def test_a_table_that_is_no_power_of_two_is_refused():
    with pytest.raises(ValueError, match="table: 1000 is not a power of 2"):
        Solver(GAME, table=1000)


def test_the_solver_is_compiled_once_for_all_games():
    for name in games.names():
        game = games.load(name)
        state = game.new(game.boards[0])
        while game.result(state) == PLAYING:
            last = state.copy()
            game.step(state, int(game.legal_moves(state)[0]))
        Solver(game, 64).move_values(last[None])
    assert len(solve_many.signatures) == 1
