"""The arithmetic that an app must reproduce to the last bit."""

import math

import numba
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pocketzero.exact import dot_in_order, exp_shared, softmax_sample


@numba.njit
def compiled_exp(x):  # type: ignore[no-untyped-def]
    return exp_shared(x)


@given(st.floats(-700, 0))
def test_exp_is_within_two_units_in_the_last_place(x: float) -> None:
    assert abs(exp_shared(x) - math.exp(x)) <= 2 * math.ulp(math.exp(x))


@given(st.floats(-800, 0))
def test_compiled_exp_gives_the_same_bits(x: float) -> None:
    assert compiled_exp(x) == exp_shared(x)


def test_exp_at_its_ends() -> None:
    assert exp_shared(0.0) == 1.0
    assert exp_shared(-708.5) == 0.0
    assert exp_shared(-1.0).hex() == "0x1.78b56362cef38p-2"


def test_dot_adds_in_index_order() -> None:
    left, right = [1e16, 1.0, -1e16], [1.0, 1.0, 1.0]
    assert dot_in_order(left, right, 3) == 0.0


def test_sample_walks_in_ascending_order_past_u_times_the_total() -> None:
    scores = [0.0, 0.0, 0.0, 0.0]
    assert [softmax_sample(scores, 4, 1.0, u) for u in (0.0, 0.2499, 0.25, 0.5, 0.9999)] == [0, 0, 1, 2, 3]


def test_sample_keeps_to_the_softmax() -> None:
    scores, temperature = np.array([0.5, -1.0, 2.0]), 1.5
    shares = np.bincount([softmax_sample(scores, 3, temperature, (i + 0.5) / 10_000) for i in range(10_000)]) / 10_000
    expected = np.exp(scores / temperature) / np.exp(scores / temperature).sum()
    assert np.abs(shares - expected).max() < 1e-3
