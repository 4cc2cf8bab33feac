"""One test over every game file: what a game must keep so that search, learning and the arena can trust it.

To run it for one game alone: pytest tests/games/test_conformance.py -k tic_tac_toe
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest

from pocketzero import games
from pocketzero.games import PLAYING, Game, compiled
from pocketzero.rng import SplitMix64, stream

SEEDS = range(6)


@pytest.fixture(params=games.names())
def game(request: pytest.FixtureRequest) -> Game:
    return games.load(request.param)


def random_game(game: Game, board: int, seed: int) -> Iterator[tuple[np.ndarray, int]]:
    """The states of a random game with the moves played in them, and the last state with move -1."""
    dice = SplitMix64(stream(seed, "conformance", board))
    state = game.new(board, games.opening_seed(1, seed) if seed else 0)
    while game.result(state) == PLAYING:
        move = int(game.legal_moves(state)[dice.below(len(game.legal_moves(state)))])
        yield state.copy(), move
        game.step(state, move)
    yield state, -1


def positions(game: Game) -> list[tuple[np.ndarray, int]]:
    return [pair for board in game.boards for seed in SEEDS for pair in random_game(game, board, seed)]


def test_a_game_ends_and_until_then_has_a_legal_move(game: Game) -> None:
    for board in game.boards:
        for seed in SEEDS:
            *played, (last, _) = random_game(game, board, seed)
            assert all(len(game.legal_moves(state)) > 0 for state, _ in played)
            assert game.result(last) in (-1, 0, 1)
            assert len(played) <= 1000


def test_the_first_number_is_the_player_to_move_and_players_take_turns(game: Game) -> None:
    for board in game.boards:
        for seed in SEEDS:
            to_move = [int(state[0]) for state, _ in random_game(game, board, seed)]
            assert set(to_move) <= {0, 1}
            assert all(a != b for a, b in pairwise(to_move))


def test_looking_at_a_state_does_not_change_it(game: Game) -> None:
    for state, move in positions(game)[:: 7 if len(game.boards) > 1 else 1]:
        before = state.copy()
        game.legal_moves(state)
        game.result(state)
        game.margin(state)
        game.encode(state, np.zeros(game.planes, np.float32))
        if move >= 0:
            game.features(state, move, np.zeros(len(game.feature_names)))
        game.mirror(state, game.symmetries - 1, np.zeros(game.state_size, np.int8))
        np.testing.assert_array_equal(state, before)


def test_planes_are_between_0_and_1(game: Game) -> None:
    for state, _ in positions(game):
        planes = np.zeros(game.planes, np.float32)
        game.encode(state, planes)
        assert np.isfinite(planes).all() and planes.min() >= 0 and planes.max() <= 1


def test_planes_show_whose_turn_it_is(game: Game) -> None:
    for board in game.boards:
        state = game.new(board)
        game.step(state, int(game.legal_moves(state)[0]))
        seen = []
        for player in (0, 1):
            state[0] = player
            planes = np.zeros(game.planes, np.float32)
            game.encode(state, planes)
            seen.append(planes)
        assert not np.array_equal(*seen), "the network could not tell its own pieces from the opponent's"


def test_an_opening_is_the_same_every_time_and_openings_differ(game: Game) -> None:
    for board in game.boards:
        seeds = [games.opening_seed(3, index) for index in range(20)]
        openings = [game.new(board, seed) for seed in seeds]
        for seed, opening in zip(seeds, openings, strict=True):
            np.testing.assert_array_equal(game.new(board, seed), opening)
            assert game.result(opening) == PLAYING
        assert len({opening.tobytes() for opening in openings}) > 5


def test_a_board_the_game_does_not_have_is_refused_by_number(game: Game) -> None:
    with pytest.raises(ValueError, match="no board 99; it has"):
        game.new(99)


def test_the_compiled_rules_say_what_the_plain_ones_say(game: Game) -> None:
    pairs = positions(game)
    states = np.array([state for state, _ in pairs])
    moves = np.array([move for _, move in pairs], np.int64)
    count, width = len(states), len(game.feature_names)
    masks, features = np.zeros((count, game.moves), np.bool_), np.zeros((count, game.moves, width))
    planes = np.zeros((count, *game.planes), np.float32)
    results, margins = np.zeros(count, np.int64), np.zeros(count, np.int64)
    after = states.copy()
    compiled.features_many(game.addresses, states, masks, features)
    compiled.encode_many(game.addresses, states, planes)
    compiled.results_many(game.addresses, states, results, margins)
    compiled.step_many(game.addresses, after, moves)
    for i, (state, move) in enumerate(pairs):
        mask, drawn = np.zeros(game.moves, np.bool_), np.zeros(game.planes, np.float32)
        game.legal(state, mask)
        game.encode(state, drawn)
        np.testing.assert_array_equal(masks[i], mask)
        np.testing.assert_array_equal(planes[i], drawn)
        assert (results[i], margins[i]) == (game.result(state), game.margin(state))
        if move >= 0:
            measured = np.zeros(width)
            game.features(state, move, measured)
            assert features[i, move].tobytes() == measured.tobytes(), "to the last bit"
            game.step(state, move)
            np.testing.assert_array_equal(after[i], state)


def test_compiled_starts_are_the_plain_ones(game: Game) -> None:
    boards = np.array([board for board in game.boards for _ in range(40)], np.int64)
    seeds = np.array(
        [games.opening_seed(5, index) if index else 0 for _ in game.boards for index in range(40)], np.int64
    )
    states = np.ones((len(boards), game.state_size), np.int8)
    compiled.init_many(game.addresses, states, boards, seeds)
    for state, board, seed in zip(states, boards, seeds, strict=True):
        np.testing.assert_array_equal(state, game.new(int(board), int(seed)))


def test_symmetries_commute_with_the_rules(game: Game) -> None:
    for state, move in positions(game)[:: 11 if len(game.boards) > 1 else 1]:
        for index in range(game.symmetries):
            mirrored = np.zeros(game.state_size, np.int8)
            game.mirror(state, index, mirrored)
            if index == 0:
                np.testing.assert_array_equal(mirrored, state)
            images = sorted(game.mirror_move(state, legal, index) for legal in game.legal_moves(state))
            assert images == list(game.legal_moves(mirrored))
            assert (game.result(mirrored), game.margin(mirrored)) == (game.result(state), game.margin(state))
            if move >= 0:
                game.step(mirrored, game.mirror_move(state, move, index))
                after = state.copy()
                game.step(after, move)
                expected = np.zeros(game.state_size, np.int8)
                game.mirror(after, index, expected)
                np.testing.assert_array_equal(mirrored, expected)


def test_symmetries_differ_from_one_another(game: Game) -> None:
    state = positions(game)[3][0]
    images = [
        tuple(game.mirror_move(state, move, index) for move in range(game.moves)) for index in range(game.symmetries)
    ]
    if game.symmetries > 1:
        board_cells = [tuple(image) for image in images]
        assert len(set(board_cells)) == game.symmetries


def test_features_are_between_0_and_1_and_integers_over_their_denominators(game: Game) -> None:
    assert len(game.denominators) == len(game.feature_names)
    for state, move in positions(game):
        if move < 0:
            continue
        measured = np.zeros(len(game.feature_names))
        game.features(state, move, measured)
        assert ((measured >= 0) & (measured <= 1)).all()
        for value, denominator in zip(measured, game.denominators, strict=True):
            if denominator:
                assert value == round(value * denominator) / denominator


def test_features_do_not_change_with_the_symmetry(game: Game) -> None:
    for state, move in positions(game)[::13]:
        if move < 0:
            continue
        plain = np.zeros(len(game.feature_names))
        game.features(state, move, plain)
        for index in range(game.symmetries):
            mirrored, seen = np.zeros(game.state_size, np.int8), np.zeros(len(game.feature_names))
            game.mirror(state, index, mirrored)
            game.features(mirrored, game.mirror_move(state, move, index), seen)
            assert seen.tobytes() == plain.tobytes()


def test_mirrored_policies_follow_their_moves(game: Game) -> None:
    pairs = [pair for pair in positions(game) if pair[1] >= 0]
    states = np.array([state for state, _ in pairs])
    policies = np.zeros((len(pairs), game.moves), np.float32)
    for i, (state, _) in enumerate(pairs):
        legal = game.legal_moves(state)
        policies[i, legal] = (np.arange(len(legal)) + 1) / (len(legal) * (len(legal) + 1) / 2)
    indexes = np.arange(len(pairs), dtype=np.int64) % game.symmetries
    mirrored, moved = np.zeros_like(states), np.zeros_like(policies)
    compiled.mirror_many(game.addresses, states, policies, indexes, mirrored, moved)
    for i, (state, move) in enumerate(pairs):
        assert moved[i, game.mirror_move(state, move, int(indexes[i]))] == policies[i, move]
        assert set(np.flatnonzero(moved[i])) == set(game.legal_moves(mirrored[i]))
