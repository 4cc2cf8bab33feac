"""Self-play: a game depends on its number alone, and its record tells what happened."""

from dataclasses import fields

import numpy as np
import pytest
from joblib import Parallel, delayed

from pocketzero import games
from pocketzero.learn.self_play import play_games, weak_side
from pocketzero.learn.shards import SelfPlay
from pocketzero.nets.tower import network_of, new_tower
from pocketzero.nets.weights import Architecture
from pocketzero.records import concatenate, read_positions, write_positions
from pocketzero.search.trees import NONE
from pocketzero.settings.search import Search
from tests.search.synthetic import synthetic_network

SEARCH = Search(
    simulations=12,
    c_puct=1.5,
    considered=0,
    value_scale=0.0,
    noise_alpha=0.3,
    noise_share=0.25,
    temperature=1.0,
    temperature_moves=6,
    reuse=True,
)
BOARDS = [4, 5, 6]


def play(numbers, game="cell_division", boards=BOARDS, seed=7, **more):
    rules = games.load(game)
    return play_games(rules, synthetic_network(rules.moves), numbers, SEARCH, seed, boards, **more)


def same(ours, theirs):
    return all(np.array_equal(getattr(ours, field.name), getattr(theirs, field.name)) for field in fields(ours))


@pytest.mark.parametrize("rows", [1, 3, 64])
def test_the_number_of_rows_changes_nothing(rows):
    assert same(play(range(9), rows=rows), play(range(9), rows=5))


def test_neighbours_change_nothing():
    together = play(range(9))
    for number in (0, 4, 8):
        assert same(play([number]), together.select(together.games == number))
    backwards = play(list(reversed(range(9))))
    assert same(concatenate([backwards.select(backwards.games == number) for number in range(9)]), together)


def test_workers_change_nothing(tmp_path):
    game = games.load("cell_division")
    architecture = Architecture(
        game=game.name, kind="teacher", planes=game.planes, moves=game.moves, channels=8, blocks=1, value_hidden=8
    )
    network = network_of(new_tower(architecture, 5))
    play_shard = SelfPlay(game=game.name, network=network, search=SEARCH, seed=2, boards=BOARDS, weak_share=0.5)
    shards = {tmp_path / "first": [0, 1, 2], tmp_path / "second": [3, 4, 5]}
    Parallel(n_jobs=2, backend="loky")(delayed(play_shard)(path, numbers) for path, numbers in shards.items())
    play_shard(tmp_path / "all", range(6))
    assert same(concatenate([read_positions(path, game) for path in shards]), read_positions(tmp_path / "all", game))


@pytest.mark.parametrize(
    ("game", "boards"), [("tic_tac_toe", [3]), ("connect_four", [7]), ("cell_division", [4, 5, 6, 7, 8])]
)
def test_records_are_whole_and_follow_the_rules(game, boards, tmp_path):
    positions = play(range(5), game, boards, weak_share=0.5, weak_move_share=0.5)
    write_positions(tmp_path / "games.npz", positions, game)
    assert same(read_positions(tmp_path / "games.npz", games.load(game)), positions)
    assert set(positions.games) == set(range(5))
    assert (np.abs(positions.values) <= 1).all()


def test_seed_iteration_and_number_make_the_game():
    plain = play([3])
    assert not same(plain, play([3], seed=8))
    assert not same(plain, play([3], iteration=1))
    assert plain.states[0].tolist() != play([6]).states[0].tolist()  # the same board, another opening
    assert play([3]).states[0].tolist() != play([3], iteration=1).states[0].tolist()


def test_games_go_through_the_boards():
    sizes = [play([number]).states[0, 2] for number in range(4)]
    assert sizes == [4, 5, 6, 4]


def test_weak_sides_take_turns_on_every_board_at_the_wanted_share():
    sides = np.array([weak_side(1, 0, number, 5, 0.4) for number in range(5000)])
    assert (sides != NONE).mean() == pytest.approx(0.4, abs=0.03)
    for board in range(5):
        on_board = sides[board::5]
        assert (on_board == 0).sum() == pytest.approx((on_board == 1).sum(), abs=80)
    assert all(weak_side(1, 0, number, 5, 0.0) == NONE for number in range(50))
    assert all(weak_side(1, 0, number, 5, 1.0) == number // 5 % 2 for number in range(50))


def test_only_the_weak_side_plays_at_random_and_its_policy_is_still_the_search_s():
    """On one board game 0 has player 0 weak; at share 1 it never looks at its search, which is recorded anyway."""
    quiet = Search(
        simulations=12,
        c_puct=1.5,
        considered=0,
        value_scale=0.0,
        noise_alpha=0.3,
        noise_share=0.0,
        temperature=0.0,
        temperature_moves=0,
        reuse=True,
    )
    rules = games.load("connect_four")
    agreed = {0: [], 1: []}
    for seed in range(12):
        positions = play_games(
            rules, synthetic_network(rules.moves), [0], quiet, seed, [7], weak_share=1.0, weak_move_share=1.0
        )
        best = positions.policies.max(axis=1) == positions.policies[np.arange(len(positions)), positions.moves]
        for player in (0, 1):
            agreed[player] += best[positions.states[:, 0] == player].tolist()
        assert (positions.policies.sum(axis=1) > 0.999).all()
    assert np.mean(agreed[1]) == 1
    assert np.mean(agreed[0]) < 0.6


def test_outcomes_and_margins_are_the_mover_s():
    positions = play([1, 2])
    for number in (1, 2):
        of_game = positions.select(positions.games == number)
        first = of_game.states[:, 0] == 0
        for array in (of_game.outcomes, of_game.margins):
            assert len(set(array[first])) == 1
            assert set(array[~first]) == {-array[first][0]}
        assert np.sign(of_game.margins[0]) == of_game.outcomes[0]


@pytest.mark.parametrize("numbers", [[], [1, 2, 1]])
def test_numbers_must_be_there_once(numbers):
    with pytest.raises(ValueError, match="each number once"):
        play(numbers)
