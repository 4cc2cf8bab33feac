"""A network that answers nonsense ends the run."""

import numpy as np
import pytest

from pocketzero import games
from pocketzero.search.answers import checked
from pocketzero.search.lockstep import search_moves
from pocketzero.settings.search import Search
from tests.search.synthetic import flat_network

SEARCH = Search(
    simulations=20,
    c_puct=1.5,
    considered=0,
    value_scale=0.0,
    noise_alpha=0.3,
    noise_share=0.0,
    temperature=1.0,
    temperature_moves=0,
    reuse=False,
)


def search_with(spoil):
    game, seen = games.load("tic_tac_toe"), []

    def network(planes):
        seen.append(len(planes))
        logits, values = flat_network(9)(planes)
        return spoil(logits, values) if len(seen) == 3 else (logits, values)

    search_moves(game, network, np.array([game.new(3)] * 2), SEARCH, np.arange(2, dtype=np.uint64))


def put(array, index, value):
    array[index] = value
    return array


@pytest.mark.parametrize(
    "spoil",
    [
        lambda logits, values: (put(logits, (1, 5), np.nan), values),
        lambda logits, values: (put(logits, (1, 5), np.inf), values),
        lambda logits, values: (logits, put(values, 1, np.nan)),
        lambda logits, values: (logits, put(values, 1, 1.5)),
    ],
)
def test_an_unsound_answer_aborts_the_search_and_says_where(spoil):
    with pytest.raises(FloatingPointError, match="at place 1 of the batch"):
        search_with(spoil)


@pytest.mark.parametrize("move", range(9))
def test_an_unsound_logit_of_any_move_aborts_even_an_illegal_one(move):
    with pytest.raises(FloatingPointError, match="at place 0 of the batch"):
        search_with(lambda logits, values: (put(logits, (0, move), np.nan), values))


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda logits, values: (logits[:, :8], values), r"logits are float32 \(2, 8\); float32 \(2, 9\) would"),
        (lambda logits, values: (logits, values[:, None]), r"values are float32 \(2, 1\); float32 \(2,\) would"),
        (lambda logits, values: (logits.astype(np.float64), values), "logits are float64"),
    ],
)
def test_an_answer_of_another_shape_or_type_is_refused(spoil, message):
    with pytest.raises(ValueError, match=message):
        search_with(spoil)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_every_logit_must_be_finite(value):
    logits, values = np.zeros((4, 9), np.float32), np.zeros(4, np.float32)
    checked((logits, values), 4, 9)
    logits[2, 8] = value
    with pytest.raises(FloatingPointError, match="at place 2"):
        checked((logits, values), 4, 9)
