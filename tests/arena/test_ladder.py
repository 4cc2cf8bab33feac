"""The ladder: everybody meets everybody, whoever plays the matches, and settings that do not fit are refused."""

import pytest

from pocketzero import games
from pocketzero.arena.ladder import CONTROL_PAIRS, pairings, play_ladder, report
from pocketzero.settings.base import BadSetting, from_mapping
from pocketzero.settings.ladder import Ladder
from tests.arena.models import write_models
from tests.arena.recipes import FIRST, recipe

GAME = games.load("cell_division")
GATE = {"name": "medium beats random", "measure": "share", "a": "medium", "b": "random", "boards": [4, 5]}
REGRET = {
    "name": "medium gives away less",
    "measure": "regret",
    "a": "medium",
    "b": "random",
    "boards": [5],
    "bound": [1],
}
SETTINGS = {
    "seed": 6,
    "games": 12,
    "boards": [4, 5],
    "players": ["random", "medium", "elite"],
    "extra": [{"a": "elite-int8", "b": "elite", "boards": [4]}],
    "search": {"simulations": [4], "c_puct": 1.5, "opponents": ["medium"], "boards": [5], "games": 24},
    "positions": {"play": "medium", "temperature": 0.3, "compared": 30, "endgames": 30, "moves": 5},
    "gates": [{**GATE, "bound": [0.6, 0.7]}, REGRET],
}
SEED = 1


@pytest.fixture(scope="module")
def roster(tmp_path_factory):
    recipes = {"random": recipe("random"), "medium": recipe(weights=FIRST), "elite": recipe("network")}
    return write_models(tmp_path_factory.mktemp("models"), GAME, recipes)


@pytest.fixture(scope="module")
def ladder():
    return from_mapping(Ladder, SETTINGS, key="ladder")


@pytest.fixture(scope="module")
def figures(roster, ladder):
    return report(roster, play_ladder(roster, ladder, SEED, workers=1), ladder.gates, SEED)


def met(pairs):
    return [(pair["board"], pair["a"], pair["b"]) for pair in pairs]


def test_all_players_meet_on_every_board_and_the_searching_one_its_opponents(figures):
    everybody = [("medium", "random"), ("elite", "random"), ("elite", "medium")]
    on_4, on_5 = ([(board, *pair) for pair in everybody] for board in (4, 5))
    expected = [*on_4, (4, "elite-int8", "elite"), *on_5, (5, "mcts-4", "medium")]
    assert met(figures["pairs"]) == met(figures["empty_board"]) == expected
    assert [pair["games"] for pair in figures["pairs"]] == [12] * 7 + [24]


def test_from_the_empty_board_two_deterministic_players_play_one_pair_without_interval(figures):
    for match in figures["empty_board"]:
        alone = "random" not in (match["a"], match["b"])
        assert match["games"] == (2 if alone else 12)
        assert (match["low"] is None) == alone


def test_players_are_told_with_what_they_see(figures):
    assert figures["players"][:2] == [
        {"player": "random", "sees": "state", "deterministic": False},
        {"player": "medium", "sees": "state", "deterministic": True},
    ]


def test_everybody_is_rated_on_every_board_and_over_all(figures):
    rated = {(rating["board"], rating["player"]) for rating in figures["ratings"]}
    assert {("all", name) for name in ("random", "medium", "elite", "elite-int8", "mcts-4")} <= rated
    assert ("5", "mcts-4") in rated
    assert ("4", "mcts-4") not in rated
    assert figures["strength"]["medium"] > figures["strength"]["random"]


def test_the_figures_do_not_depend_on_the_number_of_workers(roster, ladder, figures):
    again = report(roster, play_ladder(roster, ladder, SEED, workers=2), ladder.gates, SEED)
    assert again == figures


def test_everybody_meets_on_the_same_openings(roster, ladder):
    planned = [pairing for pairing in pairings(roster, ladder, SEED) if not pairing.empty_board]
    assert len({pairing.seed(SEED) for pairing in planned if pairing.board == 5}) == 1
    assert len({pairing.seed(SEED) for pairing in planned}) == 2


def test_the_first_seat_is_measured_board_by_board(figures):
    assert [(row["board"], row["games"]) for row in figures["seats"]] == [(4, 48), (5, 60)]
    assert all(row["low"] <= row["share"] <= row["high"] for row in figures["seats"])


def test_every_player_is_held_against_perfect_play_in_endgames(figures):
    rows = {(row["board"], row["player"]): row for row in figures["endgames"]}
    assert set(rows) == {(board, name) for board in (4, 5) for name in ("random", "medium", "elite")}
    for row in rows.values():
        assert 0 <= row["low"] <= row["regret"] <= row["high"]
        assert 10 <= row["positions"] <= 30
    assert all(rows[board, "medium"]["regret"] < rows[board, "random"]["regret"] for board in (4, 5))


def test_players_are_compared_move_by_move(figures):
    agreement = [(row["board"], row["a"], row["b"]) for row in figures["likeness"]["agreement"]]
    assert agreement[:3] == [(4, "medium", "random"), (4, "elite", "random"), (4, "elite", "medium")]
    entropy = {row["player"]: row["entropy"] for row in figures["likeness"]["entropy"] if row["board"] == 5}
    assert entropy["medium"] == entropy["elite"] == 0.0
    assert 1.0 < entropy["random"] < 3.3


def test_the_gates_come_after_what_the_ladder_says_of_itself(figures):
    gates = {gate["name"]: gate for gate in figures["gates"]}
    assert list(gates) == [
        "players are even with themselves, board 4",
        "players are even with themselves, board 5",
        "the same position and luck, the same move",
        "medium beats random, board 4",
        "medium beats random, board 5",
        "medium gives away less, board 5",
    ]
    assert gates["players are even with themselves, board 4"]["found"] == f"{2 * CONTROL_PAIRS} of {2 * CONTROL_PAIRS}"
    assert all(gate["holds"] for gate in gates.values())
    assert (gates["medium beats random, board 5"]["wanted"], gates["medium beats random, board 5"]["sample"]) == (
        "at least 0.7",
        12,
    )


def test_what_is_known_of_a_board_does_not_hang_on_the_other_boards(roster, figures):
    alone = from_mapping(
        Ladder, {**SETTINGS, "boards": [4], "search": {**SETTINGS["search"], "boards": []}, "gates": []}
    )
    again = report(roster, play_ladder(roster, alone, SEED, workers=1), [], SEED)
    for key in ("pairs", "endgames"):
        assert again[key] == [row for row in figures[key] if row["board"] == 4]


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"games": 7}, "ladder.games"),
        ({"players": ["random", "random"]}, "ladder.players"),
        ({"search": {**SETTINGS["search"], "games": 3}}, "ladder.search.games"),
        ({"search": {**SETTINGS["search"], "boards": [8]}}, "ladder.search.boards"),
        ({"search": {**SETTINGS["search"], "opponents": ["hard"]}}, "ladder.search.opponents"),
        ({"extra": [{"a": "elite", "b": "medium", "boards": [4]}]}, "ladder.extra"),
        ({"extra": [{"a": "elite", "b": "elite", "boards": [4]}]}, "ladder.extra"),
        ({"extra": [{"a": "elite-int8", "b": "elite", "boards": [8]}]}, "ladder.extra[0].boards"),
        ({"gates": [{**GATE, "bound": [0.6, 0.6, 0.6]}]}, "ladder.gates[0].bound"),
        ({"gates": [{**GATE, "bound": [0.6, 60]}]}, "ladder.gates[0].bound[1]"),
        ({"gates": [{**GATE, "bound": [0.6, 0.6], "measure": "luck"}]}, "ladder.gates[0].measure"),
        ({"gates": [{**GATE, "bound": [0.6, 0.6], "b": "medium"}]}, "ladder.gates[0].b"),
        ({"gates": [{**GATE, "bound": [0.6, 0.6], "a": "hard"}]}, "ladder.gates[0]"),
        ({"gates": [{**GATE, "bound": [0.6, 0.6], "boards": [4, 8]}]}, "ladder.gates[0]"),
        ({"gates": [{**GATE, "bound": [0.6, 0.6], "a": "mcts-4", "b": "medium"}]}, "ladder.gates[0]"),
        ({"gates": [{**REGRET, "b": "mcts-4"}]}, "ladder.gates[0]"),
        ({"positions": {**SETTINGS["positions"], "endgames": 0}}, "ladder.gates[1]"),
        ({"positions": {**SETTINGS["positions"], "moves": 20}}, "ladder.positions.moves"),
    ],
)
def test_settings_that_do_not_fit_together_are_refused_by_their_key(change, key):
    with pytest.raises(BadSetting) as refusal:
        from_mapping(Ladder, {**SETTINGS, **change}, key="ladder")
    assert refusal.value.key.startswith(key)
