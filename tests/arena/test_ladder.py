"""The ladder: everybody meets everybody, whoever plays the matches, and gates tell what was found."""

import pytest

from pocketzero import games
from pocketzero.arena.charts import draw_charts, labels, table
from pocketzero.arena.ladder import judge, pairings, play_ladder, report
from pocketzero.arena.match import Match
from pocketzero.settings.base import BadSetting, from_mapping
from pocketzero.settings.ladder import Gate, Ladder
from tests.arena.models import write_models
from tests.arena.recipes import FIRST, recipe

GAME = games.load("cell_division")
SETTINGS = {
    "seed": 6,
    "games": 12,
    "boards": [4, 5],
    "players": ["random", "medium", "elite"],
    "search": {"simulations": [4], "c_puct": 1.5, "opponents": ["medium"], "boards": [5], "games": 24},
    "gates": [{"name": "medium beats random", "a": "medium", "b": "random", "boards": [4, 5], "share": 0.6}],
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
    expected = [(board, *pair) for board in (4, 5) for pair in everybody] + [(5, "mcts-4", "medium")]
    assert met(figures["pairs"]) == met(figures["empty_board"]) == expected
    assert [pair["games"] for pair in figures["pairs"]] == [12] * 6 + [24]


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
    assert {("all", name) for name in ("random", "medium", "elite", "mcts-4")} <= rated
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


def test_the_gates_tell_what_was_wanted_and_found_board_by_board(figures):
    gates = figures["gates"]
    assert [gate["name"] for gate in gates] == ["medium beats random, board 4", "medium beats random, board 5"]
    assert all(gate["wanted"] == 0.6 and gate["holds"] == (gate["found"] > 0.6) for gate in gates)


def one_match(share: float) -> Match:
    return Match(
        board=6,
        a="a",
        b="b",
        games=4,
        win=0,
        draw=0,
        loss=0,
        share=share,
        low=0.0,
        high=1.0,
        margin=0.0,
        first_seat=0.5,
    )


@pytest.mark.parametrize(("share", "holds"), [(0.75, False), (0.7501, True), (0.2, False)])
def test_a_gate_holds_only_above_its_share(share, holds):
    gate = Gate(name="g", a="a", b="b", boards=[6], share=0.75)
    assert [verdict["holds"] for verdict in judge(gate, [one_match(share)])] == [holds]


def test_a_gate_may_look_at_a_match_from_the_other_side():
    gate = Gate(name="g", a="b", b="a", boards=[6], share=0.75)
    (verdict,) = judge(gate, [one_match(0.2)])
    assert (verdict["found"], verdict["holds"]) == (0.8, True)


def test_a_gate_on_a_match_that_was_not_played_is_an_error():
    with pytest.raises(ValueError, match="a and b did not meet on board 8"):
        judge(Gate(name="g", a="a", b="b", boards=[8], share=0.5), [one_match(0.5)])


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"games": 7}, "ladder.games"),
        ({"players": ["random", "random"]}, "ladder.players"),
        ({"search": {**SETTINGS["search"], "games": 3}}, "ladder.search.games"),
        ({"search": {**SETTINGS["search"], "boards": [8]}}, "ladder.search.boards"),
        ({"search": {**SETTINGS["search"], "opponents": ["hard"]}}, "ladder.search.opponents"),
        ({"gates": [{**SETTINGS["gates"][0], "a": "hard"}]}, "ladder.gates[0]"),
        ({"gates": [{**SETTINGS["gates"][0], "boards": [8]}]}, "ladder.gates[0].boards"),
    ],
)
def test_settings_that_do_not_fit_together_are_refused_by_their_key(change, key):
    with pytest.raises(BadSetting) as refusal:
        from_mapping(Ladder, {**SETTINGS, **change}, key="ladder")
    assert refusal.value.key.startswith(key)


def test_charts_are_the_same_bytes_for_the_same_figures(tmp_path, figures):
    for folder in ("one", "two"):
        draw_charts(tmp_path / folder, figures)
    for name in ("share.png", "margin.png"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_a_chart_shows_a_pair_from_both_sides():
    pairs = [{"board": 6, "a": "x", "b": "y", "share": 0.75, "margin": 4.0}]
    assert table(["x", "y"], pairs, 6, "share")[0, 1] == 0.75
    assert table(["x", "y"], pairs, 6, "share")[1, 0] == 0.25
    assert table(["x", "y"], pairs, 6, "margin")[1, 0] == -4.0


def test_a_player_that_sees_too_much_is_named_oracle():
    assert labels([{"player": "x", "sees": "state"}, {"player": "y", "sees": "oracle"}]) == ["x", "y (oracle)"]
