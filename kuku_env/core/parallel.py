"""Calls over ranges of things, spread over cores, that let go of Python's lock: torch's do.

Unlike numba's own threads these survive ``fork``, and may be used from several threads at once.
What takes less than a millisecond is better done by a ``Crew``.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from functools import cache
from queue import SimpleQueue
from typing import Any

MIN_RANGE = 64  # below it waking a thread costs more than it saves


class _Job:
    """``call`` over ranges, and what came of it: by range its result; errors."""

    def __init__(self, call: Callable[[int, int], Any], edges: list[int]) -> None:
        self.call, self.edges = call, edges
        self.results: list[Any] = [None] * (len(edges) - 1)
        self.errors: list[BaseException] = []
        self.done: SimpleQueue[int] = SimpleQueue()

    def run(self, k: int) -> None:
        try:
            self.results[k] = self.call(self.edges[k], self.edges[k + 1])
        except BaseException as error:  # raised again where the job was given
            self.errors.append(error)
        self.done.put(k)


@cache
def _worker(process: int, k: int) -> SimpleQueue[_Job]:
    """A thread that runs the k-th range of every job in this queue.

    Keyed by process, because threads do not live on in a forked child.
    """
    jobs: SimpleQueue[_Job] = SimpleQueue()

    def work() -> None:
        while True:
            jobs.get().run(k)

    threading.Thread(target=work, name="kuku-env", daemon=True).start()
    return jobs


def run_ranges(call: Callable[[int, int], Any], count: int, threads: int) -> list[Any]:
    """``call(start, stop)`` over equal ranges that together make 0..count; results in order.

    The calling thread does the first range itself. An error is raised after all ranges have ended.
    """
    parts = max(1, min(threads, count // MIN_RANGE))
    if parts == 1:
        return [call(0, count)]
    job = _Job(call, [count * k // parts for k in range(parts + 1)])
    for k in range(1, parts):
        _worker(os.getpid(), k).put(job)
    job.run(0)
    for _ in range(parts):
        job.done.get()
    if job.errors:
        raise job.errors[0]
    return job.results
