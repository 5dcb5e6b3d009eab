"""Chance: a generator that lives in a game's record, and choices made with it.

The generator is a 64-bit xorshift (Marsaglia 2003, "Xorshift RNGs", shifts 13, 7, 17). Shifts and
exclusive-ors cannot overflow, so compiled and plain Python give the same numbers.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kuku_env.core.jit import njit

_A, _B, _C, _HALF = np.uint64(13), np.uint64(7), np.uint64(17), np.uint64(32)


def generator_states(seed: int | None, count: int) -> NDArray[np.uint64]:
    """Well separated, non-zero generator states, shape (count,), from one seed.

    ``None`` takes entropy from the operating system. Raises ValueError for any other seed.
    """
    is_int = isinstance(seed, int | np.integer) and not isinstance(seed, bool)
    if seed is not None and not (is_int and seed >= 0):
        raise ValueError(f"seed must be None or an integer of at least 0, given {seed!r}")
    if seed is None:
        states = np.frombuffer(bytearray(os.urandom(8 * count)), np.uint64)
    else:
        states = np.random.SeedSequence(seed).generate_state(count, np.uint64).astype(np.uint64)
    states[states == 0] = 1
    return states


@njit
def next_state(x: Any) -> Any:
    """The generator state after ``x`` (uint64, never zero)."""
    x ^= x << _A
    x ^= x >> _B
    x ^= x << _C
    return x


@njit
def below(s: Any, n: int) -> int:
    """Draw an integer from 0 to n - 1 with the generator of record ``s``."""
    s.rng = next_state(s.rng)
    return int(np.int64(((s.rng >> _HALF) * np.uint64(n)) >> _HALF))


@njit
def pick(s: Any, weights: Any, total: int) -> int:
    """Draw an index with probability ``weights[index] / total`` (small non-negative integers)."""
    aim = below(s, total)
    index, passed = 0, 0
    for k in range(len(weights)):  # no early exit: a branch that cannot be foreseen costs more
        passed += int(weights[k])
        index += aim >= passed
    return index


def choose(probabilities: NDArray[Any], rolls: NDArray[np.float64]) -> NDArray[np.int64]:
    """Actions int64 (n,) drawn from probabilities (n, A) by rolls float64 (n,) in [0, 1)."""
    edges = np.cumsum(probabilities, axis=1, dtype=np.float64)
    return np.argmax(edges > (rolls * edges[:, -1])[:, None], axis=1)
