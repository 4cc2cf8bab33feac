"""The shared generator: its published numbers, and the same ones in compiled code."""

import numba
import numpy as np

from pocketzero.rng import SplitMix64, draw, stream


def test_the_reference_sequence() -> None:
    # The first outputs of the reference implementation (S. Vigna, splitmix64.c) for seed 1234567.
    generator = SplitMix64(1234567)
    assert [generator.next() for _ in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_uniform_is_53_bits_of_the_next_number() -> None:
    bits = SplitMix64(7).next()
    assert SplitMix64(7).uniform() == (bits >> 11) / 2**53


def test_draw_reads_the_stream_at_an_index() -> None:
    generator = SplitMix64(99)
    assert [draw(99, index, 10) for index in range(20)] == [generator.below(10) for _ in range(20)]


@numba.njit
def compiled_draw(seed, index, bound):  # type: ignore[no-untyped-def]
    return draw(seed, index, bound)


def test_compiled_draw_is_the_plain_one() -> None:
    for seed in (1, 2**62 + 12345, 2**63 - 1):
        for index in range(50):
            assert compiled_draw(seed, index, 7) == draw(seed, index, 7)


def test_many_numbers_at_once_are_the_ones_drawn_one_by_one() -> None:
    one, many = SplitMix64(5), SplitMix64(5)
    assert many.integers(13, 100).tolist() == [one.below(13) for _ in range(100)]
    assert many.next() == one.next()


def test_a_permutation_holds_every_number_once_and_differs_from_the_next() -> None:
    generator = SplitMix64(5)
    first, second = generator.permutation(50), generator.permutation(50)
    assert sorted(first.tolist()) == list(range(50)) and first.tolist() != second.tolist()


def test_streams_are_told_apart_by_seed_purpose_and_numbers() -> None:
    names = [(1, "a"), (2, "a"), (1, "b"), (1, "a", 0), (1, "a", 1), (1, "a", 1, 1), (1, "a", 11)]
    states = [stream(*name) for name in names]
    assert len(set(states)) == len(names)
    assert stream(1, "a", np.int64(1)) == stream(1, "a", 1)
