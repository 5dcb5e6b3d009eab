"""One subject: a fresh process on given cores that prints lines of JSON.

What happens once is timed at once. What goes on is set up, warmed up, and then measured for a while
whenever a line on standard input says so.

Nothing heavy is imported here, so that limits on cores and threads are set before libraries read
them.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Chunk = Callable[[], int]  # goes on for a little while; how many decisions it made


@dataclass(frozen=True)
class Rate:
    """Decisions made, and the CPU time (all threads) and wall time they took."""

    decisions: int
    cpu_seconds: float
    wall_seconds: float

    def figures(self) -> dict[str, float]:
        return {
            "decisions": self.decisions,
            "per_cpu_second": self.decisions / self.cpu_seconds,
            "per_second": self.decisions / self.wall_seconds,
        }


@dataclass(frozen=True)
class Duration:
    """A single span of wall time, and the CPU time in it, which a busy machine stretches less."""

    seconds: float
    cpu_seconds: float

    def figures(self) -> dict[str, float]:
        return {"seconds": self.seconds, "cpu_seconds": self.cpu_seconds}


@dataclass(frozen=True)
class Memory:
    """Bytes that one more game takes, and those of the whole process with ``games`` of them."""

    games: int
    per_game: float
    process: int

    def figures(self) -> dict[str, float]:
        return {
            "games": self.games,
            "bytes_per_game": self.per_game,
            "process_bytes": self.process,
        }


def memory(build: Callable[[], Any], games: int) -> Memory:
    """What ``build()``, which makes ``games`` games and returns what keeps them, takes.

    Resident memory as the system counts it. The first call pays for libraries and compiled code
    too, so a game is told by three more.
    """
    import psutil

    process, more = psutil.Process(), 3
    kept = [build()]
    first = process.memory_info().rss
    kept += [build() for _ in range(more)]
    grown = process.memory_info().rss - first
    return Memory(games, grown / (more * games), first)


def timed(action: Callable[[], Any]) -> Duration:
    """How long one call takes."""
    wall, cpu = time.perf_counter(), time.process_time()
    action()
    return Duration(time.perf_counter() - wall, time.process_time() - cpu)


def measure(chunk: Chunk, seconds: float) -> Rate:
    """Call ``chunk`` for so many seconds of CPU time."""
    decisions = 0
    wall, cpu = time.perf_counter(), time.process_time()
    while True:
        decisions += chunk()
        if time.process_time() - cpu >= seconds:
            break
    return Rate(decisions, time.process_time() - cpu, time.perf_counter() - wall)


def aec_chunk(env: Any, games: int) -> Chunk:
    """PettingZoo's usual loop, ``last()`` and ``step()``, with uniformly random legal actions.

    The same loop serves us and the peer. Steps of finished agents cost time but are no decisions.
    """
    import random

    draw = random.Random(0).random

    def chunk() -> int:
        decisions = 0
        for _ in range(games):
            env.reset()
            for _ in env.agent_iter():
                observation, _, terminated, truncated, _ = env.last()
                if terminated or truncated:
                    env.step(None)
                    continue
                legal = observation["action_mask"].nonzero()[0]
                env.step(int(legal[int(draw() * len(legal))]))
                decisions += 1
        return decisions

    return chunk


def aec_memory_of(make: Callable[[], Any], games: int = 500) -> Memory:
    """Games of a PettingZoo environment, each an object of its own that has been asked once."""

    def build() -> list[Any]:
        envs = [make() for _ in range(games)]
        for seed, env in enumerate(envs):
            env.reset(seed=seed)
            env.last()
        return envs

    return memory(build, games)


def main(subjects: dict[str, Callable[..., Chunk | Duration | Memory]]) -> None:
    """Command line of a module of subjects: ``python -m benchmarks.ours batch --cores 0``."""
    parser = argparse.ArgumentParser()
    parser.add_argument("subject", choices=subjects)
    parser.add_argument("--cores", default="0", help="comma-separated core numbers to run on")
    options = parser.parse_args()
    cores = [int(core) for core in options.cores.split(",")]
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cores)
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
        os.environ[name] = str(len(cores))
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    subject = subjects[options.subject](len(cores))
    if isinstance(subject, Duration | Memory):
        tell(subject)
        return
    subject()  # warm-up: compilation, caches
    print("ready", flush=True)
    for line in sys.stdin:
        tell(measure(subject, float(line)))


def tell(result: Rate | Duration | Memory) -> None:
    print(json.dumps(result.figures()), flush=True)
