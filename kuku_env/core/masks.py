"""What is done with the action masks of many games: check actions against them, draw from them."""

from __future__ import annotations

from typing import Any

import numpy as np

from kuku_env.core.chance import next_state
from kuku_env.core.jit import njit

_HALF = np.uint64(32)


@njit
def first_illegal(action_mask: Any, actions: Any, may_wait: bool, start: int, stop: int) -> int:
    """The first of rows start..stop-1 whose action its mask forbids; -1 if there is none.

    ``action_mask`` int8 (n, A), ``actions`` int64 (n,) of any value. ``may_wait``: the action -1,
    which leaves a game as it is, is allowed.
    """
    for i in range(start, stop):
        a = actions[i]
        if not ((0 <= a < action_mask.shape[1] and action_mask[i, a]) or (may_wait and a == -1)):
            return i
    return -1


@njit
def keep(action_mask: Any, legal: Any, start: int, stop: int) -> None:
    """Copy rows start..stop-1 of ``action_mask`` (``rows``) to ``legal``, int8 (n, A)."""
    for i in range(start, stop):
        for a in range(legal.shape[1]):
            legal[i, a] = action_mask[i].cells[a]


@njit
def sample_legal(action_mask: Any, generators: Any, actions: Any, start: int, stop: int) -> None:
    """For rows start..stop-1 draw a uniformly random legal action.

    ``action_mask`` int8 (n, A), ``generators`` uint64 (n,) advanced in place, ``actions`` int64
    (n,) written. A row without a legal action gets -1.
    """
    size = action_mask.shape[1]
    for i in range(start, stop):
        legal = 0
        for a in range(size):
            legal += action_mask[i, a]
        actions[i] = -1
        if legal == 0:
            continue
        x = next_state(generators[i])
        generators[i] = x
        left = np.int64(((x >> _HALF) * np.uint64(legal)) >> _HALF)
        a = 0
        while a + 8 <= size:  # whole blocks first: most of a mask lies before the chosen action
            block = 0
            for k in range(8):
                block += action_mask[i, a + k]
            if left < block:
                break
            left -= block
            a += 8
        left -= action_mask[i, a]
        while left >= 0:
            a += 1
            left -= action_mask[i, a]
        actions[i] = a
