"""PettingZoo's classic card games through ``env()``, as its documentation has them used."""

from __future__ import annotations

import importlib
from functools import partial
from typing import Any

from benchmarks.measure import Chunk, Duration, Memory, aec_chunk, aec_memory_of, main, timed


def make(module: str) -> Any:
    return importlib.import_module(f"pettingzoo.classic.{module}").env()


def aec(cores: int, module: str, games: int) -> Chunk:
    """Random legal play; observation and mask every decision."""
    env = make(module)
    env.reset(seed=0)
    return aec_chunk(env, games)


def first_decision(cores: int) -> Duration:
    """From nothing imported to one decision made."""

    def decide() -> None:
        env = make("leduc_holdem_v4")
        env.reset(seed=0)
        env.step(int(env.last()[0]["action_mask"].argmax()))
        env.last()

    return timed(decide)


def leduc_memory(cores: int) -> Memory:
    return aec_memory_of(lambda: make("leduc_holdem_v4"))


SUBJECTS = {
    "pettingzoo-leduc": partial(aec, module="leduc_holdem_v4", games=50),
    "pettingzoo-texas": partial(aec, module="texas_holdem_v4", games=50),
    "pettingzoo-texas-no-limit": partial(aec, module="texas_holdem_no_limit_v6", games=50),
    "pettingzoo-hanabi": partial(aec, module="hanabi_v5", games=5),
    "pettingzoo-first-decision": first_decision,
    "pettingzoo-leduc-memory": leduc_memory,
}

if __name__ == "__main__":
    main(SUBJECTS)
