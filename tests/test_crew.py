"""A crew: threads that share the steps of a batch."""

import gc
import os
import pickle
import threading
import time

import numpy as np
import pytest

from kuku_env.core import crew
from kuku_env.core.chance import generator_states
from kuku_env.core.crew import Crew
from kuku_env.core.game import IllegalActionError
from kuku_env.core.jit import PLAIN_PYTHON
from kuku_env.core.parallel import MIN_RANGE
from kuku_env.envs.batch import BatchEnv
from kuku_env.games import games

pytestmark = pytest.mark.skipif(PLAIN_PYTHON, reason="plain Python has no crews")

SIZE = 8 * MIN_RANGE


def batch(threads, game="kuku-doubt", size=SIZE, **options):
    env = BatchEnv(game, size, seed=3, threads=threads, **options)
    env.reset()
    return env


def play(env, steps, seed=5, pause=0.0):
    generators = generator_states(seed, env.num_envs)
    for _ in range(steps):
        time.sleep(pause)
        env.step(env.sample(generators))
    return generators


def same(one, other):
    assert np.array_equal(one.records(), other.records())
    mine, theirs = one.turns(), other.turns()
    for name in vars(mine):
        assert np.array_equal(getattr(mine, name), getattr(theirs, name)), name


def threads_alive():
    return sum(thread.name == "kuku-env" for thread in threading.enumerate())


@pytest.mark.parametrize("threads", [2, 3, 8])
@pytest.mark.parametrize("game", games(), ids=lambda game: game.name)
def test_a_crew_of_any_size_plays_the_same_games(game, threads):
    alone, together = batch(1, game), batch(threads, game)
    assert np.array_equal(play(alone, 200), play(together, 200))
    same(alone, together)


def test_members_that_fall_asleep_are_called_again():
    alone, together = batch(1), batch(2)
    play(alone, 30)
    play(together, 30, pause=0.01)  # longer than a member stays awake
    same(alone, together)


def test_nobody_waits_for_a_member_that_does_not_come(monkeypatch):
    """As if its thread was never given a core."""
    monkeypatch.setattr(crew._Member, "call", lambda self: None)
    alone, together = batch(1), batch(3)
    play(alone, 20)
    play(together, 20)
    same(alone, together)


def test_who_is_slow_loses_games_and_nobody_loses_all():
    env = batch(2)
    play(env, 300)
    edges = env._crew._board[:, 0]
    assert edges[0] == 0
    assert edges[2] == SIZE
    assert MIN_RANGE <= edges[1] <= SIZE - MIN_RANGE


def test_an_illegal_action_changes_nothing_and_the_first_is_told():
    alone, together = batch(1), batch(4)
    for env in (alone, together):
        play(env, 3)
        actions = env.sample(generator_states(1, SIZE))
        actions[[SIZE - 1, SIZE // 2, SIZE // 2 + 1]] = [-1, 10_000, -5]
        before = env.records()
        with pytest.raises(IllegalActionError, match=rf"game {SIZE // 2}: action 10000 "):
            env.step(actions)
        assert np.array_equal(env.records(), before)
    same(alone, together)
    for env in (alone, together):
        play(env, 3)
    same(alone, together)


def test_few_games_need_no_crew():
    assert Crew.members_for(2 * MIN_RANGE - 1, 8) == 1
    assert batch(4, size=MIN_RANGE)._crew is None


def test_copies_and_pickles_have_a_crew_of_their_own():
    env = batch(2)
    play(env, 10)
    for twin in (env.clone(), pickle.loads(pickle.dumps(env))):
        assert twin._crew is not env._crew
        play(twin, 10)
        other = env.clone()
        play(other, 10)
        same(twin, other)


def test_threads_end_with_their_batch():
    gc.collect()
    before = threads_alive()
    env = batch(3)
    play(env, 2)
    assert threads_alive() == before + 2
    del env
    gc.collect()
    for _ in range(200):
        if threads_alive() == before:
            return
        time.sleep(0.01)
    raise AssertionError("threads of a batch that is gone are still there")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_has_a_crew_of_its_own():
    env = batch(2)
    play(env, 5)
    twin = env.clone()
    play(twin, 5)
    child = os.fork()
    if child == 0:
        play(env, 5)
        os._exit(0 if np.array_equal(env.records(), twin.records()) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize("threads", [1, 4])
def test_arrays_of_the_caller_may_lie_anyhow_in_memory(threads):
    plain, env = batch(threads), batch(threads)
    wide = np.zeros((SIZE, 2), np.uint64)
    wide[:, 1] = generator_states(1, SIZE)
    generators, strided = generator_states(1, SIZE), wide[:, 1]
    for kind in (np.int8, np.int32, ">i8", np.uint64):
        actions = env.sample(strided)
        assert np.array_equal(actions, plain.sample(generators))
        assert np.array_equal(strided, generators)
        plain.step(actions)
        given = np.repeat(actions.astype(kind), 2)[::2]
        env.step(given)
        assert np.array_equal(given, actions)
        same(plain, env)
    assert not wide[:, 0].any()
    generators.flags.writeable = False
    before = generators.copy()
    with pytest.raises(ValueError, match="read-only"):
        env.sample(generators)
    assert np.array_equal(generators, before)
    for wrong in (generators[1:], generators.astype(np.int64), generators[:, None]):
        with pytest.raises(ValueError, match=rf"generators must be uint64 of shape \({SIZE},\)"):
            env.sample(wrong)
    same(plain, env)
