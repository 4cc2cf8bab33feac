"""Random numbers that every runtime draws alike: SplitMix64.

Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (OOPSLA 2014), with the constants of the
reference implementation. The generator's n-th number is mix(state + n * GOLDEN), so a stream has no hidden state: it
can be stepped (SplitMix64) or read at an index (draw), and gives the same bits in Python, in compiled code and an app.

Nothing in this project draws from a global generator. A stream is named by what it is for.
"""

import hashlib

import numpy as np
from numba.extending import overload

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
FIRST, SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


def mix(state: int) -> int:
    """SplitMix64's output function: 64 bits to 64 bits, one to one. Callable from compiled code on np.uint64."""
    z = (state ^ (state >> 30)) * FIRST & MASK
    z = (z ^ (z >> 27)) * SECOND & MASK
    return z ^ (z >> 31)


def stream(seed: int, purpose: str, *numbers: int) -> int:
    """The 64-bit state at which the stream named (seed, purpose, numbers) begins, such as (7, "self_play", 3, 120)."""
    name = "/".join([str(int(seed)), purpose, *(str(int(number)) for number in numbers)])
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "little")


def draw(seed: int, index: int, bound: int) -> int:
    """Number `index` (0, 1, ...) of the stream `seed`, as an integer in 0 .. bound - 1. Callable from compiled code.

    For bound up to 1,000 the bias of the remainder is under 2**-43.
    """
    return (mix((seed + (index + 1) * GOLDEN) & MASK) >> 11) % bound


class SplitMix64:
    """A stream, one number after the other."""

    def __init__(self, state: int) -> None:
        self.state = state & MASK

    def next(self) -> int:
        """64 random bits as an integer."""
        self.state = (self.state + GOLDEN) & MASK
        return mix(self.state)

    def uniform(self) -> float:
        """A double in [0, 1), a multiple of 2**-53."""
        return (self.next() >> 11) * 2.0**-53

    def below(self, bound: int) -> int:
        """An integer in 0 .. bound - 1."""
        return (self.next() >> 11) % bound

    def permutation(self, count: int) -> np.ndarray:
        """The numbers 0 .. count - 1 in random order, [count] int64: by sorting `count` draws of 64 bits."""
        steps = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(GOLDEN)
        keys = mix_array(np.uint64(self.state) + steps)
        self.state = (self.state + count * GOLDEN) & MASK
        return np.argsort(keys, kind="stable")

    def integers(self, bound: int, count: int) -> np.ndarray:
        """`count` integers in 0 .. bound - 1, [count] int64: the numbers that `below` would give one by one."""
        steps = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(GOLDEN)
        bits = mix_array(np.uint64(self.state) + steps)
        self.state = (self.state + count * GOLDEN) & MASK
        return ((bits >> np.uint64(11)) % np.uint64(bound)).astype(np.int64)


def mix_array(states: np.ndarray) -> np.ndarray:
    """mix of every element: [...] uint64 to [...] uint64."""
    z = (states ^ (states >> np.uint64(30))) * np.uint64(FIRST)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(SECOND)
    return z ^ (z >> np.uint64(31))


# Python's integers never overflow and compiled ones wrap by themselves, so compiled code gets its own wording.


@overload(mix)
def _compiled_mix(state):  # type: ignore[no-untyped-def]
    def compiled(state):  # type: ignore[no-untyped-def]
        z = np.uint64(state)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(FIRST)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(SECOND)
        return z ^ (z >> np.uint64(31))

    return compiled


@overload(draw)
def _compiled_draw(seed, index, bound):  # type: ignore[no-untyped-def]
    def compiled(seed, index, bound):  # type: ignore[no-untyped-def]
        bits = mix(np.uint64(seed) + np.uint64(index + 1) * np.uint64(GOLDEN))  # type: ignore[arg-type]
        return np.int64((bits >> np.uint64(11)) % np.uint64(bound))

    return compiled
