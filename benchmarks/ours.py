"""Our own subjects. One a process: ``python -m benchmarks.ours batch --cores 0``."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from functools import partial
from typing import Any

from benchmarks.measure import Chunk, Duration, aec_chunk, main, timed

GAMES = 4096
STEPS = 100  # decisions of every game between two looks at the clock


def batch(cores: int, game: str = "kuku/KukuDoubt-v0", **rules: Any) -> Chunk:
    """BatchEnv, 4 players: random legal play through the public ``step(actions)``."""
    from kuku_env.core.chance import generator_states
    from kuku_env.envs.batch import BatchEnv

    env = BatchEnv(game, num_envs=GAMES, seed=0, threads=cores, num_players=4, **rules)
    env.reset()
    generators = generator_states(1, GAMES)

    def chunk() -> int:
        for _ in range(STEPS):
            env.step(env.sample(generators))
        return GAMES * STEPS

    return chunk


def aec(cores: int) -> Chunk:
    """The PettingZoo environment, 4 players, in the loop that the peer is measured with."""
    from kuku_env import kuku_doubt_v0

    env = kuku_doubt_v0.env(num_players=4)
    env.reset(seed=0)
    return aec_chunk(env, games=50)


def import_time(cores: int) -> Duration:
    """Importing the package in a fresh process."""
    return timed(lambda: importlib.import_module("kuku_env"))


def decide() -> None:
    """From nothing imported to one decision made."""
    from kuku_env import kuku_doubt_v0

    env = kuku_doubt_v0.env(num_players=4)
    env.reset(seed=0)
    observation = env.last()[0]
    env.step(int(observation["action_mask"].argmax()))
    env.last()


def first_decision(cores: int) -> Duration:
    """A decision in a fresh process, after another process has filled the cache."""
    command = [sys.executable, "-c", "from benchmarks.ours import decide; decide()"]
    subprocess.run(command, check=True)
    return timed(decide)


def first_compilation(cores: int) -> Duration:
    """The same with an empty cache."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["NUMBA_CACHE_DIR"] = folder
        return timed(decide)


def training(cores: int, width: int) -> Chunk:
    """Self-play with two hidden layers of ``width``, else as the demo trains.

    Only decisions that enter a gradient count, each once, however many passes are made over it.
    """
    from agents.presets import make_options
    from agents.selfplay import SelfPlay

    endless = {"decisions": 10**9, "minutes": None}
    options = replace(make_options("demo"), widths=(width, width), threads=cores, **endless)
    assert options.passes >= 2
    learner = SelfPlay(options)

    def chunk() -> int:
        before = learner.decisions
        learner.update()
        return learner.decisions - before

    return chunk


SUBJECTS = {
    "batch": batch,
    "batch-doubt": partial(batch, game="kuku/Doubt-v0", preset="kirakuken"),
    "batch-liars-cry": partial(batch, game="kuku/LiarsCry-v0"),
    "aec": aec,
    "import-time": import_time,
    "first-decision": first_decision,
    "first-compilation": first_compilation,
    "training-64": partial(training, width=64),
    "training-256": partial(training, width=256),
}

if __name__ == "__main__":
    main(SUBJECTS)
