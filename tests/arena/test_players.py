"""What the players play: values worked by hand, ties, masks, and the sampling that an app must be able to repeat."""

import numpy as np
import pytest

from pocketzero import games
from pocketzero.arena.players import STATE, choose, judge, tier_player
from pocketzero.arena.scoring import best_moves, sample_moves
from pocketzero.exact import dot_in_order, softmax_sample
from pocketzero.rng import SplitMix64
from tests.arena.recipes import FIRST, PUBLISHED, player, tier, trained

GAME = games.load("cell_division")
EASY = {"openness": 1.0, "boundary_neighbors": -0.3}


def after(board: int, *moves: int) -> np.ndarray:
    state = GAME.new(board)
    for move in moves:
        GAME.step(state, move)
    return state


def openings(count: int) -> np.ndarray:
    return np.stack([GAME.new(4 + i % 5, games.opening_seed(3, i)) for i in range(count)])


def seeds(count: int) -> np.ndarray:
    return np.arange(count, dtype=np.uint64) * np.uint64(7919)


def test_medium_judges_as_worked_by_hand_and_breaks_the_tie_downwards():
    state = after(4, 9, 0)  # player 0 at (1, 1), player 1 in the corner
    masks, scores = judge(GAME, tier(GAME, weights=FIRST))(state[None])
    beside = 3 / 24 + 1 / 24 + 0.3 * 7 / 8  # the stone scores 2 and its neighbour 1 more; one alone scores 1; 7 open
    assert [scores[0, cell] for cell in (10, 17, 18)] == pytest.approx([beside] * 3)
    assert scores[0, 1] == pytest.approx(3 / 24 + 3 / 24 + 0.3 * 3 / 8)
    assert scores[0, 27] == pytest.approx(1 / 24 + 1 / 24 + 0.3 * 3 / 8)
    assert not masks[0, 9]
    assert not masks[0, 4]  # off the board
    assert player(GAME, weights=FIRST).moves(state[None], seeds(1)).tolist() == [10]


def test_scores_are_the_sums_in_the_order_of_the_features_to_the_last_bit():
    weights = dict(zip(GAME.weighed_features, PUBLISHED, strict=True))
    states = openings(10)
    masks, scores = judge(GAME, tier(GAME, weights=weights))(states)
    features = np.zeros(14)
    for row, state in enumerate(states):
        for move in GAME.legal_moves(state):
            GAME.features(state, move, features)
            assert scores[row, move] == dot_in_order(features.tolist(), PUBLISHED, 13)
        assert np.flatnonzero(masks[row]).tolist() == GAME.legal_moves(state).tolist()


def test_a_switching_tier_mixes_its_vectors_by_game_progress():
    late = [-value for value in PUBLISHED]
    states = openings(10)
    _, scores = judge(GAME, tier(GAME, "switching", trained=trained(GAME, list(PUBLISHED), late)))(states)
    features = np.zeros(14)
    for row, state in enumerate(states):
        for move in GAME.legal_moves(state):
            GAME.features(state, move, features)
            gp = float(features[13])
            mixed = [e * (1 - gp) + b * gp for e, b in zip(PUBLISHED, late, strict=True)]
            assert scores[row, move] == dot_in_order(features.tolist(), mixed, 13)


def test_a_network_tier_never_plays_an_illegal_cell_however_high_its_logit():
    states = openings(12)

    def evaluate(planes):
        logits = np.full((len(planes), GAME.moves), -5.0, np.float32)
        logits[planes[:, 2].reshape(len(planes), -1) == 0] = 100.0  # wherever a cell is not empty
        logits[:, 9] = 1.0
        return logits, np.zeros(len(planes), np.float32)

    moves = tier_player(GAME, tier(GAME, "network"), evaluate).moves(states, seeds(12))
    for state, move in zip(states, moves, strict=True):
        legal = GAME.legal_moves(state)
        assert move == (9 if 9 in legal else legal[0])


def test_a_network_tier_needs_a_network():
    with pytest.raises(ValueError, match="tier it plays with a network"):
        tier_player(GAME, tier(GAME, "network"))


def test_of_equal_scores_the_lowest_legal_move_is_best():
    masks = np.array([[False, True, True, False], [True, True, True, True], [False, False, False, False]])
    scores = np.array([[9.0, -1.0, -1.0, 9.0], [0.0, 2.0, 2.0, 2.0], [0.0, 0.0, 0.0, 0.0]])
    moves = np.zeros(3, np.int64)
    best_moves(masks, scores, moves)
    assert moves.tolist() == [1, 1, -1]


# u is the first number of SplitMix64, so seed 0 gives 0xE220A8397B1DCDAF >> 11 over 2**53 = 0.8833...
@pytest.mark.parametrize(
    ("legal", "scores", "temperature", "move"),
    [
        ((0, 1, 2, 3), (1.0, 1.0, 1.0, 1.0), 1.0, 3),  # four quarters: 0.8833 is in the last
        ((0, 1, 3), (1.0, 1.0, 1.0, 1.0), 1.0, 3),
        ((0, 2), (0.0, 0.0, -2.1, 0.0), 1.0, 0),  # e**-2.1 = 0.1225: the first holds 0.8909 of the sum
        ((0, 2), (0.0, 0.0, -2.0, 0.0), 1.0, 2),  # e**-2 = 0.1353: the first holds 0.8808
        ((0, 2), (0.0, 0.0, -4.0, 0.0), 2.0, 2),  # the same, twice as warm
    ],
)
def test_sampling_takes_the_first_move_whose_running_sum_exceeds_u(legal, scores, temperature, move):
    masks = np.zeros((1, 4), np.bool_)
    masks[0, list(legal)] = True
    moves = np.zeros(1, np.int64)
    sample_moves(masks, np.array([scores]), temperature, 0.0, np.zeros(1, np.uint64), moves)
    assert moves.tolist() == [move]


def test_sampling_in_compiled_code_is_the_plain_algorithm_to_the_last_draw():
    easy = tier(GAME, weights=EASY, choice="sample", temperature=1.5)
    states = openings(200)
    masks, scores = judge(GAME, easy)(states)
    drawn = choose(easy, masks, scores, seeds(200))
    for row in range(200):
        legal = np.flatnonzero(masks[row])
        u = SplitMix64(int(seeds(200)[row])).uniform()
        assert drawn[row] == legal[softmax_sample(scores[row, legal].tolist(), len(legal), 1.5, u)]


def test_golden_draws_of_easy():
    easy = player(GAME, weights=EASY, choice="sample", temperature=1.5)
    states = np.repeat(after(4, 9, 0)[None], 8, axis=0)
    assert easy.moves(states, seeds(8)).tolist() == [26, 10, 10, 24, 1, 2, 26, 17]


def test_within_keeps_only_moves_near_the_best():
    masks = np.array([[True, True, True, False, True]] * 300)
    scores = np.array([[1.0, 0.9, 0.74, 9.0, 0.76]] * 300)
    moves = np.zeros(300, np.int64)
    sample_moves(masks, scores, 5.0, 0.25, seeds(300), moves)
    assert set(moves.tolist()) == {0, 1, 4}
    sample_moves(masks, scores, 5.0, 0.0, seeds(300), moves)
    assert set(moves.tolist()) == {0, 1, 2, 4}


def test_random_plays_every_legal_move_alike():
    state = after(4, *(r * 8 + c for r in range(3) for c in range(4)))  # four cells left
    moves = player(GAME, "random").moves(np.repeat(state[None], 4000, axis=0), seeds(4000))
    counts = np.bincount(moves, minlength=64)
    assert counts[24:28].sum() == 4000
    assert counts[24:28].min() > 900


@pytest.mark.parametrize("kind", ["argmax", "sample"])
def test_a_move_does_not_depend_on_the_positions_beside_it(kind):
    temperature = 1.5 if kind == "sample" else 0.0
    easy = player(GAME, weights=EASY, choice=kind, temperature=temperature)
    states = openings(20)
    together = easy.moves(states, seeds(20))
    alone = [easy.moves(states[i : i + 1], seeds(20)[i : i + 1])[0] for i in range(20)]
    assert together.tolist() == alone


def test_players_say_what_they_see_and_whether_they_always_play_alike():
    medium, chance = player(GAME, weights=FIRST), player(GAME, "random")
    assert (medium.sees, medium.deterministic) == (STATE, True)
    assert (chance.sees, chance.deterministic) == (STATE, False)
