"""One learner's seat in Gymnasium: single and vectorised."""

import copy
import pickle
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

from kuku_env.bots import RandomPolicy, make_policy
from kuku_env.core.game import IllegalActionError, OptionError
from kuku_env.envs.solo import SoloEnv, SoloVectorEnv, sample_actions
from kuku_env.games import find_game

ID = "kuku/KukuDoubtSolo-v0"


def choose(masks, generator):
    return sample_actions(masks.astype(np.float32), generator)


def play(env, seed, episodes=1):
    """Random legal play: everything seen, for comparison."""
    generator = np.random.default_rng(seed)
    told = []
    for k in range(episodes):
        observation, info = env.reset(seed=seed if k == 0 else None)
        over = False
        while not over:
            told.append(observation.tobytes())
            np.testing.assert_array_equal(info["action_mask"], env.unwrapped.action_masks())
            action = choose(info["action_mask"][None], generator)[0]
            observation, reward, terminated, truncated, info = env.step(action)
            over = terminated or truncated
            told.append((reward, terminated, truncated))
    return told


class ForgivingEnv(SoloEnv):
    """Gymnasium's checker acts without masks: an illegal action becomes the first legal one."""

    def step(self, action):
        mask = self.action_masks()
        return super().step(action if mask[action] else int(np.flatnonzero(mask)[0]))


@pytest.mark.parametrize("num_players", range(2, 7))
def test_gymnasium_check_env(num_players):
    env = ForgivingEnv(
        "kuku/KukuDoubt-v0", opponents=["scripted-easy"], num_players=num_players,
        render_mode="ansi",
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*not within.*|.*spec.*")
        check_env(env, skip_render_check=False)


@pytest.mark.parametrize("num_players", range(2, 7))
def test_same_seed_same_games(num_players):
    def make():
        return gymnasium.make(ID, opponents=["scripted-normal"], num_players=num_players)

    assert play(make(), 3, episodes=5) == play(make(), 3, episodes=5)
    assert play(make(), 3) != play(make(), 4)


def test_opponents_set_the_table_size():
    env = gymnasium.make(ID, opponents=["scripted-normal", "scripted-easy", "random"])
    observation, _ = env.reset(seed=0)
    named = find_game("kuku-doubt").layout.unpack(observation)
    assert named["num_players"].tolist() == [0, 0, 1, 0, 0]


def test_each_opponent_holds_its_own_seat():
    class Watch(RandomPolicy):
        def __init__(self, away):
            super().__init__(find_game("kuku-doubt"))
            self.away, self.asked = away, 0

        def probabilities(self, observation, action_mask):
            self.asked += len(observation)
            return super().probabilities(observation, action_mask)

    bots = [Watch(1), Watch(2)]
    env = SoloEnv("kuku-doubt", opponents=bots, seat=0)
    play(env, 0, episodes=10)
    assert all(bot.asked for bot in bots)


def test_rewards_are_paid_once_and_balance_in_a_mirror_match():
    """The learner plays the opponents' own script: fair share on average."""
    normal = make_policy("scripted-normal", "kuku-doubt")
    env = SoloVectorEnv("kuku-doubt", 512, opponents=[normal], num_players=3)
    generator = np.random.default_rng(0)
    observation, info = env.reset(seed=0)
    rewards = []
    while len(rewards) < 6000:
        chances = normal.probabilities(observation, info["action_mask"])
        observation, reward, terminated, truncated, info = env.step(
            sample_actions(chances, generator)
        )
        over = terminated | truncated
        assert not reward[~over].any()
        rewards += reward[over].tolist()
    assert set(np.round(rewards, 6)) == {1.0, -0.5}
    # Wins with chance 1/3: the mean of n rewards has a standard error of 1.5 * sqrt(2/9 / n).
    assert abs(np.mean(rewards)) < 4 * 1.5 * np.sqrt(2 / 9 / len(rewards))


def test_vector_env_resets_in_the_same_step():
    env = gymnasium.make_vec(
        ID, num_envs=64, vectorization_mode="vector_entry_point", opponents=["random"],
        num_players=2,
    )  # fmt: skip
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    generator = np.random.default_rng(0)
    observation, info = env.reset(seed=1)
    for _ in range(20):
        assert observation.shape == env.observation_space.shape
        np.testing.assert_array_equal(info["action_mask"], env.unwrapped.action_masks())
        assert info["action_mask"].any(axis=1).all()
        observation, _, terminated, truncated, info = env.step(
            choose(info["action_mask"], generator)
        )
        over = terminated | truncated
        if over.any():
            np.testing.assert_array_equal(info["_final_obs"], over)
            for i in range(64):
                assert (info["final_obs"][i] is not None) == over[i]


@pytest.mark.parametrize("twin_of", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_continue_the_same_game(twin_of):
    env = SoloEnv("kuku-doubt", opponents=["scripted-normal"], num_players=4)
    env.reset(seed=0)
    twin = twin_of(env)
    for _ in range(3):
        action = int(np.flatnonzero(env.action_masks())[-1])
        first, second = env.step(action), twin.step(action)
        np.testing.assert_array_equal(first[0], second[0])
        assert first[1:4] == second[1:4]
        if first[2]:
            break


def test_truncation_is_told_apart():
    env = SoloVectorEnv(
        "kuku-doubt", 32, opponents=["scripted-easy"], num_players=4, max_decisions=6
    )
    generator = np.random.default_rng(0)
    _, info = env.reset(seed=0)
    cut = 0
    for _ in range(30):
        _, _, terminated, truncated, info = env.step(choose(info["action_mask"], generator))
        assert not (terminated & truncated).any()
        cut += truncated.sum()
    assert cut > 0


def test_single_env_bad_actions_change_nothing():
    env = gymnasium.make(ID, opponents=["random"], num_players=2).unwrapped
    with pytest.raises(RuntimeError, match="reset"):
        env.step(0)
    env.reset(seed=0)
    mask = env.action_masks()
    illegal = int(np.flatnonzero(mask == 0)[0])
    for action, error in ((illegal, IllegalActionError), (-1, ValueError), (1.5, TypeError)):
        with pytest.raises(error):
            env.step(action)
        np.testing.assert_array_equal(env.action_masks(), mask)
    while True:
        _, _, terminated, _, _ = env.step(int(np.flatnonzero(env.action_masks())[0]))
        if terminated:
            break
    assert not env.action_masks().any()
    with pytest.raises(RuntimeError, match="reset"):
        env.step(0)


def test_wrong_arguments_are_refused():
    for options, error, text in (
        ({"opponents": []}, ValueError, "opponents"),
        ({"opponents": "random"}, ValueError, "list"),
        ({"opponents": ["random"] * 2, "num_players": 4}, ValueError, "1 or 3"),
        ({"opponents": ["nobody"]}, ValueError, "nobody"),
        ({"seat": 4}, ValueError, "seat"),
        ({"num_players": 9}, OptionError, "num_players"),
        ({"render_mode": "rgb_array"}, ValueError, "render_mode"),
    ):
        with pytest.raises(error, match=text):
            SoloEnv("kuku-doubt", **options)


def test_sample_actions_never_draws_chance_zero():
    chances = np.array([[0, 0.3, 0, 0.7, 0], [1, 0, 0, 0, 0], [0, 0, 0, 0, 1]], np.float32)
    generator = np.random.default_rng(0)
    drawn = np.array([sample_actions(chances, generator) for _ in range(2000)])
    assert set(drawn[:, 0]) == {1, 3}
    assert set(drawn[:, 1]) == {0}
    assert set(drawn[:, 2]) == {4}
    assert np.mean(drawn[:, 0] == 3) == pytest.approx(0.7, abs=0.05)
