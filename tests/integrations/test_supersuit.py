"""SuperSuit's wrappers: those that fit, and those that docs/integrations.md says do not."""

import re
import warnings
from pathlib import Path

import numpy as np
import pettingzoo
import pytest

ss = pytest.importorskip("supersuit", reason="needs the extra supersuit")

from pettingzoo.test import api_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from kuku_env.games import games

PAGE = (Path(__file__).parents[2] / "docs" / "integrations.md").read_text("utf-8")
SECTION = PAGE.split("\n## PettingZoo and SuperSuit\n")[1].split("\n## ")[0]
FITTING = {
    "clip_reward_v0": lambda env: ss.clip_reward_v0(env, -0.5, 0.5),
    "reward_lambda_v0": lambda env: ss.reward_lambda_v0(env, lambda reward: 2 * reward),
    "action_lambda_v1": lambda env: ss.action_lambda_v1(env, lambda a, _: a, lambda space: space),
    "pad_action_space_v0": ss.pad_action_space_v0,
    "observation_lambda_v0": lambda env: ss.observation_lambda_v0(
        env, lambda seen, _: seen, lambda space: space
    ),
}
ONLY_BOXES = {  # of the observation alone, taken out of the dictionary
    "dtype_v0": lambda env: ss.dtype_v0(env, np.float32),
    "normalize_obs_v0": lambda env: ss.normalize_obs_v0(ss.dtype_v0(env, np.float32)),
    "frame_stack_v1": lambda env: ss.frame_stack_v1(env, 4),
    "agent_indicator_v0": lambda env: ss.agent_indicator_v0(
        ss.normalize_obs_v0(ss.dtype_v0(env, np.float32))
    ),
    "pad_observations_v0": ss.pad_observations_v0,
}
UNFIT = {
    "sticky_actions_v0": lambda env: ss.sticky_actions_v0(env, 0.9),
    "frame_skip_v0": lambda env: ss.frame_skip_v0(env, 2),
    "max_observation_v0": lambda env: ss.max_observation_v0(env, 2),
}


@pytest.fixture(params=games(), ids=lambda game: game.name)
def env(request):
    return pettingzoo.make("aec", request.param.id)


def bare(env):
    """The observation without its mask, as most wrappers want it."""
    return ss.observation_lambda_v0(
        env, lambda seen, _: seen["observation"], lambda space: space["observation"]
    )


def play(env, steps=400):
    """Random legal play of whole games; yields the agent, its observation and reward."""
    random = np.random.default_rng(0)
    env.reset(seed=0)
    for step in range(steps):
        if not env.agents:
            env.reset(seed=step)
        agent = env.agent_selection
        seen, reward, terminated, truncated, _ = env.last()
        yield agent, seen, reward
        if terminated or truncated:
            env.step(None)
        else:
            mask = env.unwrapped.observe(agent)["action_mask"]
            env.step(int(random.choice(np.flatnonzero(mask))))


@pytest.mark.parametrize("name", FITTING)
def test_wrappers_that_fit(env, name):
    wrapped = FITTING[name](env)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Observation")
        api_test(wrapped, num_cycles=100)
    space = wrapped.observation_space(wrapped.possible_agents[0])
    for _, seen, _ in play(wrapped):
        assert space.contains(seen)
    assert name in SECTION


def test_rewards_are_changed_as_asked(env):
    plain = [reward for _, _, reward in play(env)]
    doubled = [reward for _, _, reward in play(FITTING["reward_lambda_v0"](env))]
    clipped = [reward for _, _, reward in play(FITTING["clip_reward_v0"](env))]
    assert any(plain)
    assert doubled == pytest.approx([2 * reward for reward in plain])
    assert max(map(abs, clipped)) == pytest.approx(0.5)


@pytest.mark.parametrize("name", ONLY_BOXES)
def test_wrappers_that_want_the_observation_alone(env, name):
    with pytest.raises((AssertionError, AttributeError, IndexError)):
        for _ in play(ONLY_BOXES[name](env), 50):
            pass
    wrapped = ONLY_BOXES[name](bare(env))
    for agent, seen, _ in play(wrapped):
        assert wrapped.observation_space(agent).contains(seen)
    assert name in SECTION


@pytest.mark.parametrize("name", UNFIT)
def test_wrappers_that_the_page_says_do_not_fit(name):
    assert name in SECTION
    wrapped = UNFIT[name](pettingzoo.make("aec", "kuku/KukuDoubt-v0"))
    with pytest.raises((ValueError, IndexError, TypeError)):
        for _ in play(wrapped):
            pass


def test_delayed_observations_show_masks_of_another_decision(env):
    delayed = ss.delay_observations_v0(env, 2)
    outdated = [
        (seen["action_mask"] != delayed.unwrapped.observe(agent)["action_mask"]).any()
        for agent, seen, _ in play(delayed)
    ]
    assert any(outdated)
    assert "delay_observations_v0" in SECTION


def play_side_by_side(vector):
    random = np.random.default_rng(0)
    vector.reset(seed=0)
    for _ in range(2000):
        seen, *_ = vector.last()
        masks = [one["action_mask"] for one in seen]
        drawn = [random.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in masks]
        vector.step(np.array(drawn))


def test_games_side_by_side_do_not_fit():
    """Where a seat is out in one game and not in another it wants arrays."""
    vector = ss.vectorize_aec_env_v0(pettingzoo.make("aec", "kuku/KukuDoubt-v0"), 3)
    with pytest.raises(AttributeError, match="low"):
        play_side_by_side(vector)
    assert "vectorize_aec_env_v0" in SECTION


def test_code_on_the_page_runs():
    for block in re.findall(r"^```python\n(.*?)^```$", SECTION, flags=re.DOTALL | re.MULTILINE):
        exec(block, {"__name__": "page"})


def test_parallel_conversion_can_be_wrapped(env):
    """Rewards, say; every agent gives an action, and only the decider's counts."""
    parallel = ss.clip_reward_v0(turn_based_aec_to_parallel(env), -0.5, 0.5)
    seen, _ = parallel.reset(seed=0)
    random, paid = np.random.default_rng(0), []
    for _ in range(400):
        if not parallel.agents:
            break
        actions = dict.fromkeys(parallel.agents, 0)
        for agent in parallel.agents:
            legal = np.flatnonzero(seen[agent]["action_mask"])
            if len(legal):
                actions[agent] = int(random.choice(legal))
        seen, rewards, *_ = parallel.step(actions)
        paid += rewards.values()
    assert max(map(abs, paid)) == pytest.approx(0.5)
