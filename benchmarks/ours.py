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

from benchmarks.measure import (
    Chunk,
    Duration,
    Memory,
    aec_chunk,
    aec_memory_of,
    main,
    memory,
    timed,
)

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


def rules(cores: int) -> Chunk:
    """The rules alone, 4 players: random legal play in one compiled loop, no observation.

    What a game in C++ does when it plays by itself. The mask is written for every decision, to draw
    from it.
    """
    import numpy as np

    from kuku_env.core.chance import generator_states
    from kuku_env.core.jit import njit
    from kuku_env.core.masks import sample_legal
    from kuku_env.games import find_game
    from kuku_env.games.kuku_doubt.legal import legal_actions
    from kuku_env.games.kuku_doubt.rules import deal, step
    from kuku_env.games.kuku_doubt.state import OVER

    game = find_game("kuku-doubt")
    S = game.new_states([game.make_options(num_players=4)])
    game.deal(S, 0, 0)
    mask = np.zeros((1, game.layout.num_actions), np.int8)
    generators, action = generator_states(1, 1), np.zeros(1, np.int64)

    @njit
    def play(S: Any, mask: Any, generators: Any, action: Any, decisions: int) -> None:
        s = S[0]
        for _ in range(decisions):
            legal_actions(s, mask[0])
            sample_legal(mask, generators, action, 0, 1)
            step(s, action[0])
            if s.phase == OVER:
                deal(s)

    def chunk() -> int:
        play(S, mask, generators, action, GAMES * STEPS)
        return GAMES * STEPS

    return chunk


def aec(cores: int) -> Chunk:
    """The PettingZoo environment, 4 players, in the loop that the peer is measured with."""
    from kuku_env import kuku_doubt_v0

    env = kuku_doubt_v0.env(num_players=4)
    env.reset(seed=0)
    return aec_chunk(env, games=50)


def batch_memory(cores: int) -> Memory:
    """Games of a batch, each with its observation and mask."""
    from kuku_env.envs.batch import BatchEnv

    def build() -> BatchEnv:
        env = BatchEnv("kuku/KukuDoubt-v0", num_envs=GAMES, seed=0, num_players=4)
        env.reset()
        return env

    return memory(build, GAMES)


def aec_memory(cores: int) -> Memory:
    """Games of the PettingZoo environment, one an object."""
    from kuku_env import kuku_doubt_v0

    return aec_memory_of(lambda: kuku_doubt_v0.env(num_players=4))


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


def maskable_ppo(cores: int) -> Chunk:
    """``train.py --learner maskable-ppo --preset quick``, but for the lessons at its beginning."""
    from agents.habits import Habits
    from agents.maskable_ppo import PpoLearner, make_ppo_options

    options = make_ppo_options("quick", "kuku-doubt")
    endless = {"decisions": 10**9, "minutes": None, "teacher": None}
    learner = PpoLearner(replace(options, threads=cores, **endless))
    habits = Habits(learner.game, learner.num_players)

    def chunk() -> int:
        before = learner.decisions
        learner.update(habits)
        return learner.decisions - before

    return chunk


SUBJECTS = {
    "batch": batch,
    "batch-doubt": partial(batch, game="kuku/Doubt-v0", preset="kirakuken"),
    "batch-liars-cry": partial(batch, game="kuku/LiarsCry-v0"),
    "rules": rules,
    "aec": aec,
    "batch-memory": batch_memory,
    "aec-memory": aec_memory,
    "import-time": import_time,
    "first-decision": first_decision,
    "first-compilation": first_compilation,
    "training-64": partial(training, width=64),
    "training-256": partial(training, width=256),
    "ppo-quick": maskable_ppo,
}

if __name__ == "__main__":
    main(SUBJECTS)
