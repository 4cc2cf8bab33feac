"""What the search finds, on positions that can be checked by hand, and how the rows share one network."""

import numpy as np
import pytest

from pocketzero import games
from pocketzero.arena.perfect import PerfectPlayer
from pocketzero.games import PLAYING
from pocketzero.rng import SplitMix64
from pocketzero.search.lockstep import Lockstep, search_moves
from pocketzero.settings.search import Search
from tests.search.synthetic import flat_network, synthetic_network

BOARDS = {"tic_tac_toe": 3, "connect_four": 7, "cell_division": 5}


def settings(simulations=32, noise_share=0.0, temperature_moves=0, reuse=False, temperature=1.0):
    return Search(
        simulations=simulations,
        c_puct=1.5,
        considered=0,
        value_scale=0.0,
        noise_alpha=0.3,
        noise_share=noise_share,
        temperature=temperature,
        temperature_moves=temperature_moves,
        reuse=reuse,
    )


def after(name, moves):
    """The position after these moves from the app's start."""
    game = games.load(name)
    state = game.new(BOARDS[name])
    for move in moves:
        game.step(state, move)
    return game, state


def search_one(game, state, search, network=None, seed=1):
    network = network or flat_network(game.moves)
    moves, policies, values = search_moves(game, network, state[None], search, np.array([seed], np.uint64))
    return moves[0], policies[0], values[0]


@pytest.mark.parametrize(
    ("name", "moves", "win"),
    [
        ("tic_tac_toe", [0, 3, 1, 4], 2),  # player 0 completes the top row
        ("tic_tac_toe", [0, 3, 1, 4, 8], 5),  # player 1 completes the middle row
        ("connect_four", [0, 6, 1, 6, 2, 6], 3),  # player 0 completes the bottom row
        ("connect_four", [0, 6, 1, 6, 0, 6, 1], 6),  # player 1 completes a column
    ],
)
def test_a_win_in_one_is_found(name, moves, win):
    game, state = after(name, moves)
    move, policy, value = search_one(game, state, settings(100))
    assert move == win
    assert policy[win] == policy.max()
    assert value > 0.5  # the mover's view, whoever moves


@pytest.mark.parametrize(
    ("name", "moves", "block"),
    [("tic_tac_toe", [4, 0, 1], 7), ("connect_four", [0, 6, 0, 6, 0], 0)],
)
def test_a_loss_in_one_is_blocked(name, moves, block):
    game, state = after(name, moves)
    assert search_one(game, state, settings(400))[0] == block


def test_tic_tac_toe_is_perfect_with_many_simulations():
    """From 60 positions of random play the chosen move keeps the outcome of perfect play."""
    game = games.load("tic_tac_toe")
    perfect, random, states = PerfectPlayer(game), SplitMix64(5), []
    while len(states) < 60:
        state = game.new(3)
        for _ in range(random.below(6)):
            legal = game.legal_moves(state)
            game.step(state, legal[random.below(len(legal))])
            if game.result(state) != PLAYING:
                break
        if game.result(state) == PLAYING:
            states.append(state)
    seeds = np.arange(len(states), dtype=np.uint64)
    moves, _, _ = search_moves(game, flat_network(9), np.array(states), settings(3000), seeds)
    for state, values, move in zip(states, perfect.values(np.array(states)), moves, strict=True):
        assert values[move] == values.max(), state


@pytest.mark.parametrize("name", sorted(BOARDS))
def test_only_legal_moves_are_visited_and_chosen(name):
    game, random, states = games.load(name), SplitMix64(11), []
    for opening in range(40):
        state = game.new(BOARDS[name], opening)
        for _ in range(random.below(6)):
            legal = game.legal_moves(state)
            behind = state.copy()
            game.step(behind, legal[random.below(len(legal))])
            if game.result(behind) == PLAYING:
                state = behind
        states.append(state)
    search = settings(20, noise_share=0.5, temperature_moves=1)
    seeds = np.arange(len(states), dtype=np.uint64)
    moves, policies, values = search_moves(game, synthetic_network(game.moves), np.array(states), search, seeds)
    for state, move, policy in zip(states, moves, policies, strict=True):
        legal = game.legal_moves(state)
        assert move in legal
        assert set(np.flatnonzero(policy)) <= set(legal)
        assert policy.sum() == pytest.approx(1, abs=1e-6)
        np.testing.assert_allclose(policy * 20, np.round(policy * 20), atol=1e-4)  # of 20 visits: nothing is pruned
    assert (np.abs(values) <= 1).all()


def test_one_legal_move_is_taken_and_its_outcome_seen():
    game, state = after("tic_tac_toe", [0, 1, 2, 4, 3, 5, 7, 6])  # only 8 is left: player 0 draws
    move, policy, value = search_one(game, state, settings(10))
    assert move == 8
    assert policy[8] == 1
    assert value == 0


def test_finished_positions_cost_no_evaluation():
    """With one cell left the network sees the root alone, however many simulations there are."""
    game, state = after("tic_tac_toe", [0, 1, 2, 4, 3, 5, 7, 6])
    batches = []

    def counting(planes):
        batches.append(len(planes))
        return flat_network(9)(planes)

    search_one(game, state, settings(500), counting)
    assert batches == [1]


def test_rows_without_a_question_are_not_in_the_batch():
    """One game near its end beside one at its start: the batch shrinks to the one that still asks."""
    game, end = after("tic_tac_toe", [0, 1, 2, 4, 3, 5, 7, 6])
    batches = []

    def counting(planes):
        batches.append(len(planes))
        return flat_network(9)(planes)

    states = np.array([end, game.new(3), game.new(3)])
    search_moves(game, counting, states, settings(8), np.arange(3, dtype=np.uint64))
    assert batches == [3] + [2] * 8


@pytest.mark.parametrize("rows", [1, 2, 7, 64])
def test_positions_are_searched_alike_in_any_number_of_rows(rows):
    game = games.load("cell_division")
    states = np.array([game.new((4, 5, 6, 7, 8)[i % 5], i) for i in range(9)])  # boards of all sizes side by side
    seeds = np.arange(9, dtype=np.uint64) * 77
    search = settings(16, noise_share=0.25, temperature_moves=1)
    network = synthetic_network(game.moves)
    together = search_moves(game, network, states, search, seeds, rows=rows)
    for i in range(9):
        alone = search_moves(game, network, states[i : i + 1], search, seeds[i : i + 1])
        for ours, theirs in zip(together, alone, strict=True):
            np.testing.assert_array_equal(ours[i], theirs[0])


def test_noise_and_temperature_follow_the_seed():
    game = games.load("cell_division")
    states = np.array([game.new(6)] * 30)
    search = settings(16, noise_share=0.25, temperature_moves=1)
    seeds = np.arange(30, dtype=np.uint64)
    moves, policies, _ = search_moves(game, flat_network(64), states, search, seeds)
    again, _, _ = search_moves(game, flat_network(64), states, search, seeds)
    np.testing.assert_array_equal(moves, again)
    assert len(set(moves.tolist())) > 5
    assert len({policy.tobytes() for policy in policies}) == 30


def test_temperature_draws_by_visits_and_its_absence_takes_the_most_visited():
    game = games.load("tic_tac_toe")
    states, seeds = np.array([game.new(3)] * 400), np.arange(400, dtype=np.uint64)
    network = synthetic_network(9)
    drawn, policies, _ = search_moves(game, network, states, settings(40, temperature_moves=1), seeds)
    found = np.bincount(drawn, minlength=9) / 400
    assert np.abs(found - policies[0]).max() < 0.1  # four standard errors
    greedy, _, _ = search_moves(game, network, states[:5], settings(40), seeds[:5])
    assert (policies[0][greedy] == policies[0].max()).all()


def test_a_reused_tree_counts_its_visits():
    """Every move's search ends with the wanted number of visits, but a kept subtree saves evaluations."""
    game = games.load("tic_tac_toe")
    asked = {}
    for reuse in (False, True):
        count = 0

        def counting(planes):
            nonlocal count
            count += len(planes)
            return flat_network(9)(planes)

        lockstep = Lockstep(game, 1, settings(50, reuse=reuse))
        lockstep.place(0, game.new(3), 1)
        for turn in lockstep.play(counting):
            np.testing.assert_allclose(turn.policy * 50, np.round(turn.policy * 50), atol=1e-4)
            if turn.ply == 3:
                break
        asked[reuse] = count
    assert asked[True] < asked[False]


def test_a_finished_game_cannot_be_placed():
    game, over = after("tic_tac_toe", [0, 3, 1, 4, 2])
    with pytest.raises(ValueError, match="that is over"):
        Lockstep(game, 1, settings()).place(0, over, 1)


def test_no_positions_give_no_moves():
    game = games.load("tic_tac_toe")
    nothing = np.zeros((0, game.state_size), np.int8)
    moves, policies, values = search_moves(game, flat_network(9), nothing, settings(), np.zeros(0, np.uint64))
    assert (len(moves), policies.shape, len(values)) == (0, (0, 9), 0)
