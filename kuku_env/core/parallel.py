"""Compiled loops spread over cores: each thread runs one range of games.

Kernels let go of Python's lock, so plain threads do. Unlike numba's own threads they survive
``fork`` and may be used from several threads at once.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from typing import Any

MIN_RANGE = 64  # games; below it waking a thread costs more than it saves


@cache
def _executor(process: int, threads: int) -> ThreadPoolExecutor:
    """Keyed by process: threads do not live on in a forked child."""
    return ThreadPoolExecutor(threads, thread_name_prefix="kuku-env")


def run_ranges(call: Callable[[int, int], Any], count: int, threads: int) -> list[Any]:
    """``call(start, stop)`` over ranges that together make 0..count; results in their order.

    The calling thread does the first range itself.
    """
    parts = max(1, min(threads, count // MIN_RANGE))
    if parts == 1:
        return [call(0, count)]
    edges = [count * k // parts for k in range(parts + 1)]
    others = [
        _executor(os.getpid(), threads).submit(call, edges[k], edges[k + 1])
        for k in range(1, parts)
    ]
    try:
        first = call(edges[0], edges[1])
    finally:
        wait(others)
    return [first, *(other.result() for other in others)]
