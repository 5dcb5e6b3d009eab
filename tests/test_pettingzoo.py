"""What PettingZoo asks of an environment, of every game at every table size."""

import warnings

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, seed_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from kuku_env.games import games

TABLES = [
    pytest.param(game, size, id=f"{game.name}-{size}")
    for game in games()
    for size in range(game.min_players, game.max_players + 1)
]


def make(game, size):
    return pettingzoo.make("aec", game.id, num_players=size)


def decisions(env):
    """Random play of a whole game: the masks of the seats that decide; None for dead steps."""
    random = np.random.default_rng(0)
    for agent in env.agent_iter():
        seen, _, terminated, truncated, _ = env.last()
        mask = None if terminated or truncated else seen["action_mask"]
        yield agent, mask
        env.step(None if mask is None else int(random.choice(np.flatnonzero(mask))))


@pytest.mark.parametrize(("game", "size"), TABLES)
def test_its_own_checks_find_nothing_wrong(game, size):
    with warnings.catch_warnings():
        # They would rather see a bare array than a dictionary with the mask.
        warnings.filterwarnings("ignore", message="Observation")
        for _ in range(5):
            api_test(make(game, size), num_cycles=100)
    seed_test(lambda: make(game, size), num_cycles=20)


@pytest.mark.parametrize(("game", "size"), TABLES)
def test_agents_are_named_by_seat_and_all_of_them_leave(game, size):
    env = make(game, size)
    env.reset(seed=1)
    names = [f"player_{seat}" for seat in range(size)]
    assert env.possible_agents == env.agents == names
    left = [agent for agent, mask in decisions(env) if mask is None]
    assert sorted(left) == names
    assert env.agents == []


@pytest.mark.parametrize(("game", "size"), TABLES)
def test_the_state_fits_its_space_and_tells_what_the_decider_does_not_see(game, size):
    env = make(game, size)
    env.reset(seed=2)
    hidden = set()
    for agent, mask in decisions(env):
        state = env.state()
        assert env.state_space.contains(state)
        if mask is not None:
            seen = env.observe(agent)["observation"]
            assert (state[: len(seen)] == seen).all()
            hidden.add(state[len(seen) :].tobytes())
    assert len(hidden) > 1


@pytest.mark.parametrize(("game", "size"), TABLES)
def test_the_parallel_conversion_plays_whole_games(game, size):
    """Everybody gives an action, and only that of the seat that decides counts."""
    parallel = turn_based_aec_to_parallel(make(game, size))
    seen, _ = parallel.reset(seed=3)
    random, total = np.random.default_rng(0), dict.fromkeys(parallel.possible_agents, 0.0)
    while parallel.agents:
        [decider] = [name for name in parallel.agents if seen[name]["action_mask"].any()]
        legal = np.flatnonzero(seen[decider]["action_mask"])
        nobody = parallel.action_space(decider).n  # no id: it must not be looked at
        actions = dict.fromkeys(parallel.agents, nobody) | {decider: int(random.choice(legal))}
        seen, rewards, *_ = parallel.step(actions)
        for name, reward in rewards.items():
            total[name] += reward
    returns = parallel.aec_env.unwrapped.match.record.returns[:size]
    assert list(total.values()) == pytest.approx(list(returns))
    assert any(returns)
