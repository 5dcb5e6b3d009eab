"""Compiled loops spread over cores: each thread runs one range of games.

Kernels let go of Python's lock, so plain threads do. Unlike numba's own threads they survive
``fork`` and may be used from several threads at once. A range takes a fraction of a millisecond,
and falling asleep, or waiting for Python's lock, takes a good part of that: so whoever waits stays
awake for a while, in compiled code, and is told of a finished range once the lock is free.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from functools import cache
from itertools import accumulate
from queue import SimpleQueue
from time import perf_counter
from typing import Any

import numpy as np
from llvmlite.ir import Constant, IntType
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from kuku_env.core.jit import PLAIN_PYTHON, njit

MIN_RANGE = 64  # games; below it waking a thread costs more than it saves
AWAKE = 50_000  # looks at a counter, of about a nanosecond each

SEEN = 16  # runs between two adjustments, which take longer than a thread may wait

# Counters, int64 (1,), only say when it is worth to look: what is waited for comes by a queue.
Counter = NDArray[np.int64]
_ONE = Constant(IntType(64), 1)


def _atomic(emit: Callable[[Any, Any], Any]) -> Any:
    """An operation on a counter that other threads use, for compiled code; gives what was there."""

    def operation(typing_context: Any, counter: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            (kind,) = signature.args
            array = context.make_array(kind)(context, builder, arguments[0])
            first = [context.get_constant(types.intp, 0)]
            return emit(builder, cgutils.get_item_pointer(context, builder, kind, array, first))

        return types.int64(counter), code

    return intrinsic(operation)


_look = _atomic(lambda builder, at: builder.load_atomic(at, "acquire", 8))
_count = _atomic(lambda builder, at: builder.atomic_rmw("add", at, _ONE, "seq_cst"))


@njit
def _stay_awake(counter: Any, number: int) -> None:
    """Return when a counter has reached a number, or after a while."""
    for _ in range(AWAKE):
        if _look(counter) >= number:
            return


@njit
def _tell(told: Any, counter: Any, number: int) -> None:
    """Count one up in ``told``, then wait for ``counter``."""
    _count(told)
    _stay_awake(counter, number)


class _Job:
    """``call`` over ranges, and what came of it: by range, its result or its error, and its end."""

    __slots__ = ("call", "done", "edges", "ends", "errors", "finished", "results")

    def __init__(self, call: Callable[[int, int], Any], edges: list[int]) -> None:
        self.call, self.edges = call, edges
        self.results: list[Any] = [None] * (len(edges) - 1)
        self.errors: list[BaseException] = []
        self.ends = [0.0] * (len(edges) - 1)
        self.finished: Counter = np.zeros(1, np.int64)
        self.done: SimpleQueue[int] = SimpleQueue()

    def run(self, k: int) -> None:
        try:
            self.results[k] = self.call(self.edges[k], self.edges[k + 1])
        except BaseException as error:  # raised again where the job was given
            self.errors.append(error)
        self.ends[k] = perf_counter()

    def wait(self) -> None:
        """Until the other threads' ranges have ended."""
        others = len(self.results) - 1
        if not PLAIN_PYTHON:
            _stay_awake(self.finished, others)
        for _ in range(others):
            self.done.get()


class _Worker:
    """A thread that runs the k-th range of every job: its core has those games in its cache."""

    def __init__(self, k: int) -> None:
        self.k = k
        self.jobs: SimpleQueue[_Job] = SimpleQueue()
        self.given: Counter = np.zeros(1, np.int64)
        threading.Thread(target=self._work, name="kuku-env", daemon=True).start()

    def give(self, job: _Job) -> None:
        self.jobs.put(job)
        self.given[0] += 1

    def _work(self) -> None:
        while True:
            job = self.jobs.get()
            taken = int(self.given[0])
            job.run(self.k)
            job.done.put(self.k)
            if not PLAIN_PYTHON:
                _tell(job.finished, self.given, taken + 1)


@cache
def _worker(process: int, k: int) -> _Worker:
    """Keyed by process, because threads do not live on in a forked child."""
    return _Worker(k)


class Ranges:
    """``count`` games in as many ranges as threads shall work on them: at first of equal size."""

    def __init__(self, count: int, threads: int) -> None:
        parts = max(1, min(threads, count // MIN_RANGE))
        self.edges = [count * k // parts for k in range(parts + 1)]
        self._shares = [1.0] * parts
        self._seconds, self._seen = [0.0] * parts, 0

    def run(self, call: Callable[[int, int], Any], *, adjust: bool = False) -> list[Any]:
        """``call(start, stop)`` for every range; results in their order.

        The calling thread does the first range itself. An error is raised after all ranges have
        ended. ``adjust``: now and then size the ranges anew, so that all will end at once.
        """
        if len(self.edges) == 2:
            return [call(*self.edges)]
        begin = perf_counter()
        job, process = _Job(call, self.edges), os.getpid()
        for k in range(1, len(job.results)):
            _worker(process, k).give(job)
        job.run(0)
        job.wait()
        if job.errors:
            raise job.errors[0]
        if adjust:
            self._seen += 1
            for k, end in enumerate(job.ends):
                self._seconds[k] += end - begin
            if self._seen == SEEN:
                self._adjust()
        return job.results

    def _adjust(self) -> None:
        """Cores are seldom equally fast, and whoever comes first waits for the last."""
        mean = sum(self._seconds) / len(self._seconds)
        pairs = zip(self._shares, self._seconds, strict=True)
        shares = [share * (mean / seconds) ** 0.5 for share, seconds in pairs]
        count, total = self.edges[-1], sum(shares)
        self._shares = [share / total for share in shares]
        ends = accumulate(self._shares[:-1])
        self.edges = [0, *(round(count * end) for end in ends), count]
        self._seconds, self._seen = [0.0] * len(shares), 0


def run_ranges(call: Callable[[int, int], Any], count: int, threads: int) -> list[Any]:
    """``call(start, stop)`` over equal ranges that together make 0..count: see ``Ranges.run``."""
    return Ranges(count, threads).run(call)
