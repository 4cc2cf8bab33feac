"""Matches: neither the seat nor the luck of the opening is taken for strength, and the interval holds what it says."""

import numpy as np
import pytest

from pocketzero import games
from pocketzero.arena.match import (
    Games,
    IllegalMove,
    opening_starts,
    play_empty_board,
    play_match,
    play_pairs,
    share_interval,
    summary,
)
from pocketzero.arena.perfect import PerfectPlayer
from pocketzero.arena.players import STATE
from pocketzero.rng import SplitMix64, stream
from tests.arena.recipes import FIRST, PUBLISHED, player

GAME = games.load("cell_division")
SMALL = games.load("tic_tac_toe")
RANDOM = player(GAME, "random")
MEDIUM = player(GAME, weights=FIRST)


def starts_of(board, count, seed):
    return opening_starts(GAME, RANDOM, MEDIUM, board, count, seed)


class SeatPlayer:
    """Plays well as the first mover and badly as the second, by the stones on the board: strength that is all seat."""

    sees = STATE
    deterministic = True

    def __init__(self, name):
        self.name = name

    def moves(self, states, seeds):
        good = MEDIUM.moves(states, seeds)
        bad = player(GAME, weights={name: -weight for name, weight in FIRST.items()}).moves(states, seeds)
        return np.where(states[:, 0] == 0, good, bad)


def test_two_players_that_win_whenever_they_move_first_share_evenly():
    match = play_match(GAME, SeatPlayer("x"), SeatPlayer("y"), 6, 40, 1)
    assert match.share == 0.5
    assert match.margin == 0.0
    assert match.first_seat > 0.9


def test_a_player_against_itself_has_exactly_half():
    match = play_match(GAME, MEDIUM, MEDIUM, 5, 60, 2)
    assert (match.share, match.margin) == (0.5, 0.0)
    assert match.win == match.loss


def test_both_games_of_a_pair_start_from_one_opening_and_the_other_player_moves_first():
    seen = []

    class Recorder:
        name, sees, deterministic = "recorder", STATE, True

        def moves(self, states, seeds):
            seen.append(states.copy())
            return MEDIUM.moves(states, seeds)

    starts = starts_of(4, 3, 9)
    play_pairs(GAME, Recorder(), RANDOM, starts, 9, range(3))
    assert (seen[0] == starts).all()  # as first mover, before anyone has moved
    assert (seen[1][:, 3:] != starts[:, 3:]).sum(axis=1).tolist() == [1, 1, 1]  # as second, after one stone


def test_openings_are_those_of_the_seed_in_order_but_for_repeats_and_the_empty_board():
    starts = starts_of(4, 300, 5)
    drawn = [GAME.new(4, games.opening_seed(5, index)).tobytes() for index in range(1000)]
    empty = GAME.new(4).tobytes()
    assert empty in drawn[:300]
    assert len(set(drawn[:300])) < 299
    wanted = [start for start in dict.fromkeys(drawn) if start != empty][:300]
    assert [start.tobytes() for start in starts] == wanted


def test_in_a_game_with_few_openings_only_players_with_luck_meet_on_them_again():
    perfect, chance = PerfectPlayer(SMALL), player(SMALL, "random")
    alike = opening_starts(SMALL, perfect, perfect, 3, 400, 1)
    assert len(alike) == 9 + 72  # one or two plies; the empty board is left out
    again = opening_starts(SMALL, perfect, chance, 3, 400, 1)
    assert len(again) == 400
    assert (again[81:162] == alike).all()
    assert play_match(SMALL, perfect, perfect, 3, 400, 1).games == 2 * 81


def test_swapping_the_players_mirrors_the_match():
    open_player = player(GAME, weights={"openness": 1.0})
    there, back = play_match(GAME, MEDIUM, open_player, 5, 40, 3), play_match(GAME, open_player, MEDIUM, 5, 40, 3)
    assert (there.win, there.draw, there.margin) == (back.loss, back.draw, -back.margin)
    assert there.share > 0.5


def test_the_same_match_gives_the_same_figures_and_another_seed_gives_others():
    assert play_match(GAME, RANDOM, MEDIUM, 4, 40, 5) == play_match(GAME, RANDOM, MEDIUM, 4, 40, 5)
    assert play_match(GAME, RANDOM, MEDIUM, 4, 40, 5).margin != play_match(GAME, RANDOM, MEDIUM, 4, 40, 6).margin


def test_a_pair_of_games_is_the_same_whichever_pairs_are_played_along():
    whole = play_pairs(GAME, RANDOM, MEDIUM, starts_of(4, 6, 1), 1, range(6))
    part = play_pairs(GAME, RANDOM, MEDIUM, starts_of(4, 6, 1)[2:4], 1, range(2, 4))
    assert (whole.margins[2:4] == part.margins).all()


def test_the_margin_is_player_as_final_lead():
    state = starts_of(4, 1, 1)[0]
    while GAME.result(state) == games.PLAYING:
        GAME.step(state, int(MEDIUM.moves(state[None], np.zeros(1, np.uint64))[0]))
    found = play_pairs(GAME, MEDIUM, MEDIUM, starts_of(4, 1, 1), 1, range(1))
    assert found.margins.tolist() == [[GAME.margin(state), -GAME.margin(state)]]
    assert found.results.tolist() == [[GAME.result(state), -GAME.result(state)]]


def test_in_an_opening_where_player_1_moves_first_the_first_seat_is_player_1s():
    starts = np.stack([SMALL.new(3), SMALL.new(3)])
    SMALL.step(starts[1], 4)
    seen = []
    perfect = PerfectPlayer(SMALL)

    class Watching:
        name, sees, deterministic = "watching", STATE, True

        def moves(self, states, seeds):
            seen.append(states[:, 0].tolist())
            return perfect.moves(states, seeds)

    play_pairs(SMALL, Watching(), player(SMALL, "random"), starts, 1, range(2))
    assert seen[0] == [0, 1]


def test_two_deterministic_players_meet_once_from_the_empty_board_and_that_has_no_interval():
    match = play_empty_board(GAME, MEDIUM, player(GAME, weights={"openness": 1.0}), 6, 400, 1)
    assert (match.games, match.low, match.high) == (2, None, None)
    sampled = play_empty_board(GAME, MEDIUM, RANDOM, 4, 40, 1)
    assert sampled.games == 40
    assert sampled.low is not None


@pytest.mark.parametrize("number", [0, 1, 7, -2])
def test_an_odd_number_of_games_is_refused(number):
    with pytest.raises(ValueError, match=rf"games: {number} .* both seats"):
        play_match(GAME, MEDIUM, RANDOM, 6, number, 1)


def test_a_board_that_the_game_does_not_have_is_refused_with_those_it_has():
    with pytest.raises(ValueError, match="no board 9; it has 4, 5, 6, 7, 8"):
        play_match(GAME, MEDIUM, RANDOM, 9, 2, 1)


@pytest.mark.parametrize("move", [63, -1, 64, 1000])
def test_an_illegal_move_ends_the_match_with_the_players_name(move):
    class Cheat:
        name, sees, deterministic = "cheat", STATE, True

        def moves(self, states, seeds):  # noqa: ARG002 - every player is given seeds
            return np.full(len(states), move)

    with pytest.raises(IllegalMove, match=f"cheat played {move} "):
        play_match(GAME, Cheat(), RANDOM, 4, 2, 1)


def test_draws_count_half_and_the_first_seat_is_counted_from_whoever_moved_first():
    played = Games(np.array([[1, -1], [1, 0], [0, 0]]), np.array([[3, -3], [5, 0], [0, 0]]))
    match = summary(6, RANDOM, MEDIUM, played)
    assert (match.games, match.win, match.draw, match.loss) == (6, 2, 3, 1)
    assert match.share == pytest.approx(3.5 / 6)
    assert match.margin == pytest.approx(5 / 6)
    assert match.first_seat == pytest.approx((1 + 1 + 1 + 0.5 + 0.5 + 0.5) / 6)


def test_where_every_pair_ends_one_to_one_the_interval_is_narrower_than_for_unpaired_games():
    even = np.full(200, 0.5)
    mixed = np.repeat([0.0, 1.0], 100)
    width = [high - low for low, high in (share_interval(even), share_interval(mixed))]
    assert width[0] < 0.25 * width[1]


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_the_interval_keeps_a_width_where_all_games_end_alike_and_stays_within_0_and_1(share):
    low, high = share_interval(np.full(100, share))
    assert 0.0 <= low <= share <= high <= 1.0
    assert 0.01 < high - low < 0.06


@pytest.mark.parametrize("pairs", [20, 200])
@pytest.mark.parametrize(("win", "draw"), [(0.5, 0.0), (0.6, 0.2), (0.9, 0.05), (0.98, 0.0)])
def test_the_interval_holds_the_true_share_about_95_times_in_100(pairs, win, draw):
    truth, trials, held = win + draw / 2, 1000, 0
    random = SplitMix64(stream(11, "test", pairs, int(1000 * win)))
    for _ in range(trials):
        u = random.integers(1000, 2 * pairs).reshape(pairs, 2) / 1000
        shares = np.where(u < win, 1.0, np.where(u < win + draw, 0.5, 0.0)).mean(axis=1)
        low, high = share_interval(shares)
        held += low <= truth <= high
    assert 0.93 <= held / trials <= 1.0


@pytest.mark.parametrize(("board", "low"), [(4, 0.5), (5, 0.6), (6, 0.7), (7, 0.82), (8, 0.88)])
def test_the_published_blend_beats_medium(board, low):
    """The games page: about 0.61, 0.72, 0.76, 0.93, 0.97 on boards 4 to 8."""
    weights = dict(zip(GAME.feature_names, PUBLISHED, strict=False))
    blend = {name: 0.75 * FIRST.get(name, 0.0) + 0.25 * weight for name, weight in weights.items()}
    assert play_match(GAME, player(GAME, weights=blend), MEDIUM, board, 400, 1).share > low
