"""PettingZoo's AEC environment: its own tests, and the promises that ours makes beyond them."""

import copy
import pickle
import random
import warnings

import numpy as np
import pettingzoo
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pettingzoo.test import api_test, parallel_api_test, render_test, seed_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from kuku_env import kuku_doubt_v0
from kuku_env.core.game import IllegalActionError, OptionError

TABLES = [
    {"num_players": 2},
    {"num_players": 3},
    {"num_players": 4, "reward": "placement"},
    {"num_players": 5, "see_through": "consistent"},
    {"num_players": 6, "life_cards": 1},
    {"num_players": 6, "max_decisions": 7},
    {"num_players": 2, "duel_lives": True},
    {"preset": "tiny"},
    {"preset": "medium", "num_players": 2},
]


def random_action(env, generator):
    mask = env.observe(env.agent_selection)["action_mask"]
    return int(generator.choice(np.flatnonzero(mask)))


def advance(env, moves, seed=0):
    """Play some random moves, dead steps included, as long as the game lasts."""
    generator = np.random.default_rng(seed)
    for _ in range(moves):
        if not env.agents:
            return
        agent = env.agent_selection
        dead = env.terminations[agent] or env.truncations[agent]
        env.step(None if dead else random_action(env, generator))


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_pettingzoo_api(table):
    with warnings.catch_warnings():
        # It would rather see a bare array than a dictionary with the mask.
        warnings.filterwarnings("ignore", message="Observation")
        for _ in range(20):
            api_test(kuku_doubt_v0.env(**table), num_cycles=200)


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_pettingzoo_seeds(table):
    for cycles in (5, 50):
        seed_test(lambda: kuku_doubt_v0.env(**table), num_cycles=cycles)


def test_pettingzoo_parallel_and_render():
    env = turn_based_aec_to_parallel(kuku_doubt_v0.env(num_players=4))
    env.reset(seed=3)
    assert set(env.agents) == {f"player_{k}" for k in range(4)}
    for _ in range(300):
        if not env.agents:
            break
        decider = env.aec_env.agent_selection
        actions = dict.fromkeys(env.agents, 0)
        actions[decider] = random_action(env.aec_env, np.random.default_rng(1))
        env.step(actions)
    assert not env.agents
    render_test(kuku_doubt_v0.env)


def test_pettingzoo_make():
    env = pettingzoo.make("aec", "kuku/KukuDoubt-v0", num_players=6)
    env.reset(seed=1)
    assert env.possible_agents == [f"player_{k}" for k in range(6)]
    assert str(env) == "KukuDoubt-v0"


@given(seed=st.integers(0, 10**6), num_players=st.integers(2, 6), cut=st.booleans())
@settings(max_examples=60, deadline=None)
def test_every_agent_ends_once_and_the_rewards_are_those_of_the_game(seed, num_players, cut):
    env = kuku_doubt_v0.env(num_players=num_players, max_decisions=30 if cut else 1000)
    env.reset(seed=seed)
    generator = np.random.default_rng(seed)
    total, ended = dict.fromkeys(env.possible_agents, 0.0), []
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        total[agent] += reward
        if terminated or truncated:
            ended.append(agent)
            assert not observation["action_mask"].any()
            env.step(None)
        else:
            assert env.match.to_act == env.possible_agents.index(agent)
            env.step(random_action(env, generator))
    assert sorted(ended) == env.possible_agents
    np.testing.assert_allclose(list(total.values()), env.match.returns)
    assert sum(total.values()) == pytest.approx(0)


def test_eliminated_seat_names_the_start_player_before_it_ends():
    seen = False
    for seed in range(30):
        env = kuku_doubt_v0.env(num_players=3)
        env.reset(seed=seed)
        while env.agents and not seen:
            agent = env.agent_selection
            if env.terminations[agent]:
                break
            seat = env.possible_agents.index(agent)
            record = env.match.record
            if record.place[seat] > 0:  # out, and asked all the same (K4)
                seen = True
                assert not env.terminations[agent]
                assert env._cumulative_rewards[agent] == pytest.approx(-0.5)
                env.step(random_action(env, np.random.default_rng(0)))
                assert env.agent_selection == agent
                assert env.terminations[agent]
                env.step(None)
                assert agent not in env.agents
                assert env.agent_selection in env.agents
                break
            env.step(random_action(env, np.random.default_rng(seed)))
        if seen:
            break
    assert seen


def test_truncation_ends_all_agents_alike():
    env = kuku_doubt_v0.env(num_players=5, max_decisions=4)
    env.reset(seed=0)
    advance(env, 4)
    assert all(env.truncations.values())
    assert not any(env.terminations.values())


def test_idle_seats_have_an_empty_mask_and_observations_are_fresh():
    env = kuku_doubt_v0.env(num_players=4)
    env.reset(seed=0)
    for agent in env.agents:
        mask = env.observe(agent)["action_mask"]
        assert mask.any() == (agent == env.agent_selection)
    first = env.observe(env.agent_selection)
    kept = {name: array.copy() for name, array in first.items()}
    env.step(random_action(env, np.random.default_rng(0)))
    for name, array in first.items():
        np.testing.assert_array_equal(array, kept[name])


BAD_ACTIONS = [
    (-1, IllegalActionError),
    (104, IllegalActionError),
    (2**70, IllegalActionError),
    (0, IllegalActionError),  # nothing to accept at the first decision
    (None, TypeError),
    (True, TypeError),
    (60.0, TypeError),
    ("claim 24", TypeError),
]


@pytest.mark.parametrize(("action", "error"), BAD_ACTIONS, ids=str)
def test_bad_actions_change_nothing(action, error):
    env = kuku_doubt_v0.env(num_players=3)
    env.reset(seed=5)
    before, agent = env.match.S.tobytes(), env.agent_selection
    with pytest.raises(error):
        env.step(action)
    assert env.match.S.tobytes() == before
    assert env.agent_selection == agent
    assert not env.match.moves


def test_illegal_action_says_what_was_given_and_what_is_allowed():
    env = kuku_doubt_v0.env(num_players=2)
    env.reset(seed=0)
    with pytest.raises(IllegalActionError, match=r"action 0 of seat \d .*claim 24"):
        env.step(0)


def test_stepping_before_reset_and_after_the_end_is_refused():
    env = kuku_doubt_v0.env(num_players=2)
    with pytest.raises(RuntimeError, match="reset"):
        env.step(60)
    env.reset(seed=0)
    advance(env, 100)
    assert not env.agents
    with pytest.raises(RuntimeError, match="reset"):
        env.step(60)


def test_dead_agent_takes_only_none():
    env = kuku_doubt_v0.env(num_players=2)
    env.reset(seed=0)
    while not env.terminations[env.agent_selection]:
        env.step(random_action(env, np.random.default_rng(0)))
    with pytest.raises(ValueError, match="None"):
        env.step(1)


@pytest.mark.parametrize(
    "options",
    [{"num_players": 7}, {"preset": "huge"}, {"colour": "red"}, {"copies": (1,) * 9}],
    ids=str,
)
def test_wrong_options_are_refused(options):
    with pytest.raises(OptionError, match=next(iter(options))):
        kuku_doubt_v0.env(**options)


def test_wrong_render_mode_and_seed_are_refused():
    with pytest.raises(ValueError, match="render_mode"):
        kuku_doubt_v0.env(render_mode="rgb_array")
    with pytest.raises(ValueError, match="seed"):
        kuku_doubt_v0.env().reset(seed=-1)


TWINS = {
    "clone": lambda env: env.clone(),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
}


@pytest.mark.parametrize("twin_of", TWINS.values(), ids=TWINS)
@pytest.mark.parametrize("moves", [0, 3, 11, 25])
def test_copies_continue_the_same_game(twin_of, moves):
    env = kuku_doubt_v0.env(num_players=4)
    env.reset(seed=7)
    advance(env, moves)
    twin = twin_of(env)
    untouched = env.match.S.tobytes()
    advance(twin, 200, seed=1)
    assert env.match.S.tobytes() == untouched
    advance(env, 200, seed=1)
    assert env.match.events() == twin.match.events()
    assert env.agents == twin.agents


def test_state_holds_the_hidden_cards():
    env = kuku_doubt_v0.env(num_players=3)
    env.reset(seed=2)
    state = env.state()
    assert state.shape == env.state_space.shape
    assert env.state_space.contains(state)
    named = env.game.secrets.unpack(state[env.game.layout.size :])
    held = named["pair"].sum() + named["hidden_lives"].sum()
    assert held + named["pile_cards"].sum() == 35


def test_render_shows_a_seat_no_more_than_it_knows():
    env = kuku_doubt_v0.env(num_players=3, render_mode="ansi")
    env.reset(seed=4)
    everything, mine = env.render(), env.render(seat=0)
    assert "?" not in everything
    assert mine.splitlines()[1].count("?") == 2


def test_human_mode_prints(capsys):
    env = kuku_doubt_v0.env(num_players=2, render_mode="human")
    env.reset(seed=0)
    env.step(random_action(env, np.random.default_rng(0)))
    assert capsys.readouterr().out.count("seat 0") == 2


def test_global_generators_are_left_alone():
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002
    before = random.getstate(), np.random.get_state()[1].tobytes()  # noqa: NPY002
    env = kuku_doubt_v0.env()
    env.reset()
    advance(env, 50)
    after = random.getstate(), np.random.get_state()[1].tobytes()  # noqa: NPY002
    assert before == after


def test_parallel_api_of_a_two_player_round():
    """PettingZoo's parallel test acts without masks, so it gets an environment that forgives."""

    class Forgiving(type(kuku_doubt_v0.env())):
        def step(self, action):
            mask = self.observe(self.agent_selection)["action_mask"]
            if action is not None and not mask[action]:
                action = int(np.flatnonzero(mask)[0])
            super().step(action)

    env = Forgiving("kuku/KukuDoubt-v0", num_players=2)
    env.metadata["is_parallelizable"] = True
    parallel_api_test(turn_based_aec_to_parallel(env), num_cycles=200)
