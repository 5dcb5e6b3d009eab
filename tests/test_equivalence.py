"""One game, whichever way it is run: alone, in a batch, on any number of threads, compiled or not.

Run with ``NUMBA_DISABLE_JIT=1`` the whole file plays as plain Python, and compares with a compiled
process instead.
"""

import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from toy import every_game
from variety import tables_of

from kuku_env.bots import make_policy
from kuku_env.core.chance import generator_states
from kuku_env.core.jit import PLAIN_PYTHON
from kuku_env.envs.batch import BatchEnv
from kuku_env.envs.match import Match

ARRAYS = ("observation", "action_mask", "seat", "rewards", "terminated", "truncated")


def arrays_of(batch):
    turns = batch.turns(copy=True)
    return [getattr(turns, name) for name in ARRAYS] + [batch.secrets()]


def bytes_of(batch):
    return b"".join(part.tobytes() for part in arrays_of(batch)) + records_of(batch)


def records_of(batch):
    return b"".join(batch.state_of(i).tobytes() for i in range(batch.num_envs))


def often_first(mask, chance):
    """A legal action, often the first: that makes for long rounds."""
    legal = np.flatnonzero(mask)
    return int(legal[0] if chance.random() < 0.7 else chance.choice(legal))


# ---- batch and single --------------------------------------------------------------------------


@every_game
def test_equivalence_of_a_batch_and_single_games(game):
    tables = tables_of(game)
    games_each, steps = (1, 40) if PLAIN_PYTHON else (6, 400)
    n = games_each * len(tables)
    batch = BatchEnv(game, n, tables=tables, seed=0)
    batch.reset()
    for i in range(n):
        batch.restart(i, 1000 + i)
    matches = [Match(game, seed=1000 + i, **tables[i % len(tables)]) for i in range(n)]
    chance, turns, ended = random.Random(0), batch.turns(), 0
    for _ in range(steps):
        for i, match in enumerate(matches):
            observation, mask = match.observe(match.to_act)
            assert turns.seat[i] == match.to_act
            assert turns.observation[i].tobytes() == observation.tobytes()
            assert turns.action_mask[i].tobytes() == mask.tobytes()
            assert batch.state_of(i).tobytes() == match.S.tobytes()
            assert batch.secrets()[i].tobytes() == match.secrets(match.to_act).tobytes()
        actions = np.array([often_first(mask, chance) for mask in turns.action_mask])
        turns = batch.step(actions)
        for i, match in enumerate(matches):
            match.step(actions[i])
            rewards = match.record.rewards.astype(np.float32)
            assert turns.rewards[i].tobytes() == rewards.tobytes()
            assert turns.over[i] == match.over
            assert turns.truncated[i] == match.record.truncated
            assert turns.terminated[i] == (match.over and not match.record.truncated)
            if match.over:  # the next game is dealt by the same generator, and by nothing else
                ended += 1
                fresh = game.new_states([match.options])
                fresh["rng"] = match.record.rng
                game.kernels.deal(fresh, 0)
                match.S[:] = fresh
                left_over = batch.state_of(i)
                for name in ("log", "claims"):  # of the game before; ``logged`` and such tell
                    if name in game.state.names:
                        left_over[name] = fresh[name]
                assert left_over.tobytes() == fresh.tobytes()
                match.S[:] = batch.state_of(i)
    assert ended > n


@every_game
def test_equivalence_of_any_number_of_threads(game):
    """192 games are what three threads share."""
    steps = 2 if PLAIN_PYTHON else 150
    played = []
    for threads in (1, 2, 3):
        batch = BatchEnv(game, 192, seed=3, threads=threads, tables=tables_of(game))
        batch.reset()
        generators, trace = generator_states(4, 192), []
        for _ in range(steps):
            actions = batch.sample(generators)
            batch.step(actions)
            trace.append(actions.tobytes() + bytes_of(batch))
        played.append(trace)
    assert played[0] == played[1] == played[2]


@every_game
def test_equivalence_of_one_batch_and_the_same_games_in_smaller_ones(game):
    steps, tables = (3, tables_of(game)) if PLAIN_PYTHON else (150, tables_of(game))
    n = 3 * len(tables)
    parts = [(0, n)], [(0, 1), (1, n - 1), (n - 1, n)], [(k, k + 1) for k in range(n)]
    played = []
    for edges in parts:
        trace = []
        for start, stop in edges:
            mine = [tables[i % len(tables)] for i in range(start, stop)]
            batch = BatchEnv(game, stop - start, tables=mine)
            batch.reset()
            for i in range(start, stop):
                batch.restart(i - start, i)
            generators = generator_states(5, n)[start:stop].copy()
            rows = []
            for _ in range(steps):
                turns = batch.step(batch.sample(generators))
                rows.append([getattr(turns, name).copy() for name in ARRAYS])
            trace.append(rows)
        whole = [
            np.concatenate([rows[t][k] for rows in trace]).tobytes()
            for t in range(steps)
            for k in range(len(ARRAYS))
        ]
        played.append(whole)
    assert played[0] == played[1] == played[2]


# ---- compiled and plain Python -----------------------------------------------------------------


def workload(game):
    """Arrays that tell what happened in games of every kind, alone and together."""
    found = {}
    tables = tables_of(game)
    batch = BatchEnv(game, len(tables), seed=7, tables=tables)
    batch.reset()
    chance, generators = random.Random(7), generator_states(8, len(tables))
    for t in range(90):
        found[f"batch {t}"] = np.frombuffer(bytes_of(batch), np.uint8)
        turns = batch.turns()
        found[f"sample {t}"] = batch.sample(generators)
        if t % 3 == 0:
            for name in game.scripted:
                policy = make_policy(name, game)
                policy = policy.probabilities(turns.observation, turns.action_mask)
                found[f"probabilities {name} {t}"] = policy
        batch.step([often_first(mask, chance) for mask in turns.action_mask])
    for k, table in enumerate(tables):
        match = Match(game, seed=k, explicit_chance=True, **table)
        refused = 0
        while not match.over and len(match.moves) < 60:
            if match.at_chance:
                found[f"chance {k} {len(match.moves)}"] = np.array(match.chance_outcomes())
                match.resolve(chance.choice(match.chance_outcomes())[0])
                continue
            mask = match.observe(match.to_act)[1]
            for action in range(-1, len(mask) + 1):
                refused += not game.kernels.step(match.S.copy(), 0, action)
            match.step(often_first(mask, chance))
        found[f"match {k}"] = np.frombuffer(match.S.tobytes(), np.uint8)
        found[f"refused {k}"] = np.array(refused)
        found[f"moves {k}"] = np.array(match.moves)
        found[f"events {k}"] = np.array(str(match.events()))
    return found


WORKER = """
import sys, warnings
import numpy as np
import test_equivalence
from toy import GAMES
from kuku_env.core.jit import PLAIN_PYTHON
assert PLAIN_PYTHON == (sys.argv[3] == "plain")
warnings.simplefilter("error")
np.savez(sys.argv[2], **test_equivalence.workload({game.name: game for game in GAMES}[sys.argv[1]]))
"""


@every_game
def test_equivalence_of_compiled_and_plain_python(game, tmp_path):
    """In the other kind of process, with warnings (of overflow, say) as errors."""
    env = {k: v for k, v in os.environ.items() if k != "NUMBA_DISABLE_JIT"}
    kind = "compiled" if PLAIN_PYTHON else "plain"
    if kind == "plain":
        env["NUMBA_DISABLE_JIT"] = "1"
    here = Path(__file__).parent
    env["PYTHONPATH"] = os.pathsep.join([str(here), str(here.parent)])
    command = [sys.executable, "-c", WORKER, game.name, str(tmp_path / "other.npz"), kind]
    subprocess.run(command, env=env, check=True, timeout=300)
    mine = workload(game)
    with np.load(tmp_path / "other.npz") as other:
        assert list(mine) == list(other)
        for name, array in mine.items():
            if name.startswith("probabilities"):  # exp and pow may differ in the last bit
                assert other[name] == pytest.approx(array, rel=1e-5, abs=1e-7), name
            else:
                assert other[name].tobytes() == array.tobytes(), name
