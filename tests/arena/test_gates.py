"""Gates: how each measure is held against its bound, and what is written of it."""

import pytest

from pocketzero.arena.gates import judge
from pocketzero.settings.base import DoesNotFit
from pocketzero.settings.ladder import Gate


def gate(measure: str, bound: float, a: str = "a", b: str = "b") -> Gate:
    return Gate(name="g", measure=measure, a=a, b=b, boards=[6], bound=[bound])


def verdict(gate: Gate, share: float = 0.75, low: float | None = 0.7, high: float | None = 0.8, oracles=()):
    pair = {"board": 6, "a": "a", "b": "b", "games": 800, "share": share, "low": low, "high": high}
    (found,) = judge(gate, [pair], [], oracles)
    return found


@pytest.mark.parametrize(("share", "holds"), [(0.7499, False), (0.75, True), (0.7501, True)])
def test_a_share_must_be_the_bound_or_more(share, holds):
    assert verdict(gate("share", 0.75), share) == {
        "name": "g, board 6",
        "wanted": "at least 0.75",
        "found": share,
        "sample": 800,
        "holds": holds,
    }


@pytest.mark.parametrize(("low", "holds"), [(0.4999, False), (0.5, False), (0.5001, True)])
def test_the_lower_end_of_the_interval_must_be_above_the_bound(low, holds):
    found = verdict(gate("low", 0.5), low=low)
    assert (found["wanted"], found["found"], found["holds"]) == ("above 0.5", low, holds)


def test_a_gate_may_look_at_a_match_from_the_other_side():
    assert verdict(gate("share", 0.2, a="b", b="a"))["found"] == 0.25
    assert verdict(gate("low", 0.2, a="b", b="a"))["found"] == pytest.approx(0.2)


def test_a_match_without_an_interval_proves_nothing():
    assert not verdict(gate("low", 0.1), low=None, high=None)["holds"]
    assert not verdict(gate("low", 0.1, a="b", b="a"), low=None, high=None)["holds"]


@pytest.mark.parametrize(
    ("ours", "theirs", "ratio", "holds"),
    [(0.2, 0.5, 0.4, True), (0.25, 0.5, 0.5, False), (0.0, 0.5, 0.0, True), (0.0, 0.0, 1.0, False)],
)
def test_regret_must_be_below_its_bound_of_the_others(ours, theirs, ratio, holds):
    rows = [
        {"board": board, "player": name, "positions": 200, "regret": regret}
        for board in (5, 6)
        for name, regret in (("a", ours if board == 6 else 9.0), ("b", theirs))
    ]
    (found,) = judge(gate("regret", 0.5), [], rows)
    assert found == {"name": "g, board 6", "wanted": "below 0.5", "found": ratio, "sample": 200, "holds": holds}


def test_one_bound_holds_on_every_board():
    assert Gate(name="g", measure="share", a="a", b="b", boards=[6, 8], bound=[0.5]).bounds() == [0.5, 0.5]


def test_bounds_that_fit_no_board_are_refused():
    with pytest.raises(DoesNotFit, match="one for each of the boards"):
        Gate(name="g", measure="share", a="a", b="b", boards=[6, 7, 8], bound=[0.5, 0.9]).check()


def test_each_board_has_a_bound_of_its_own():
    both = Gate(name="g", measure="share", a="a", b="b", boards=[6, 8], bound=[0.5, 0.9])
    pairs = [{"board": board, "a": "a", "b": "b", "games": 8, "share": 0.7} for board in (8, 6)]
    assert [(each["name"], each["holds"]) for each in judge(both, pairs, [])] == [
        ("g, board 6", True),
        ("g, board 8", False),
    ]


@pytest.mark.parametrize("oracle", ["a", "b"])
def test_no_gate_of_an_oracle_holds(oracle):
    found = verdict(gate("share", 0.5), oracles=(oracle,))
    assert found["name"] == f"g, board 6 ({oracle} is an oracle)"
    assert not found["holds"]


def test_a_gate_on_what_was_not_played_is_an_error():
    with pytest.raises(ValueError, match="g: a and c did not meet on board 6"):
        verdict(gate("share", 0.5, b="c"))
    with pytest.raises(ValueError, match="g: no endgames of a and b on board 6"):
        verdict(gate("regret", 0.5))
