"""The games as a Stable-Baselines3 VecEnv."""

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="needs the extra sb3")

import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecCheckNan, VecMonitor

from kuku_env.bots import BotError, RandomPolicy, make_policy
from kuku_env.core.game import IllegalActionError, OptionError
from kuku_env.games import games
from kuku_env.integrations.sb3 import ScaledCells, SeatsVecEnv, policy_settings

SETTINGS = {"gamma": 1.0, "device": "cpu", "seed": 0}


def tables_of(game):
    return [{"num_players": n} for n in range(game.min_players, game.max_players + 1)]


def mixed(game, num_envs=24, **options):
    options = {"opponents": ["scripted-normal", "random"], "tables": tables_of(game), **options}
    return SeatsVecEnv(game, num_envs, **options)


def some_actions(env, random):
    masks = get_action_masks(env)
    return np.array([random.choice(np.flatnonzero(mask)) for mask in masks])


def play(env, steps, seed=0):
    """Random steps; yields what each brought."""
    random = np.random.default_rng(seed)
    for _ in range(steps):
        yield env.step(some_actions(env, random))


@pytest.fixture(params=games(), ids=lambda game: game.name)
def game(request):
    return request.param


def test_it_keeps_what_a_vec_env_promises(game):
    """What SB3's env checker asks of one environment, asked of all."""
    env = VecCheckNan(mixed(game), raise_exception=True)
    assert is_masking_supported(env)
    n, space = env.num_envs, env.observation_space
    env.seed(0)
    first = env.reset()
    assert first.shape == (n, *space.shape)
    ended = 0
    for observations, rewards, dones, infos in play(env, 150):
        assert observations.dtype == space.dtype
        assert all(space.contains(row) for row in observations)
        assert (rewards.shape, rewards.dtype) == ((n,), np.float32)
        assert (dones.shape, dones.dtype) == ((n,), np.bool_)
        assert len(infos) == n
        for done, info in zip(dones, infos, strict=True):
            assert ("episode" in info) == ("terminal_observation" in info) == bool(done)
            assert isinstance(info["TimeLimit.truncated"], bool)
            if done:
                assert space.contains(info["terminal_observation"])
                assert 1 <= info["place"] <= info["num_players"]
        ended += int(dones.sum())
        assert (get_action_masks(env).sum(1) > 0).all()
    assert ended > 20


def test_episodes_tell_all_rewards_and_decisions(game):
    env = mixed(game, 12)
    env.seed(3)
    env.reset()
    rewards_so_far, decisions = np.zeros(12), np.zeros(12, int)
    for _, rewards, dones, infos in play(env, 300):
        rewards_so_far += rewards
        decisions += 1
        for i in np.flatnonzero(dones):
            assert infos[i]["episode"]["r"] == pytest.approx(rewards_so_far[i], abs=1e-5)
            assert infos[i]["episode"]["l"] == decisions[i]
            assert infos[i]["num_players"] == env.get_attr("num_players")[i]
            rewards_so_far[i], decisions[i] = 0.0, 0


def test_winners_are_paid_and_losers_pay():
    env = mixed(games()[0], 16)
    env.reset()
    for _, _, _, infos in play(env, 200):
        for info in infos:
            if "episode" in info and not info["TimeLimit.truncated"]:
                best, worst = info["place"] == 1, info["place"] == info["num_players"]
                assert info["episode"]["r"] > 0 or not best
                assert info["episode"]["r"] < 0 or not worst


def test_truncation_is_told(game):
    env = mixed(game, 16, max_decisions=9)
    env.reset()
    cut = [
        (bool(done), info["TimeLimit.truncated"])
        for _, _, dones, infos in play(env, 40)
        for done, info in zip(dones, infos, strict=True)
    ]
    assert (True, True) in cut
    assert (False, True) not in cut


def test_the_same_seed_gives_the_same_games(game):
    told = []
    for _ in range(2):
        env = mixed(game, 8)
        env.seed(7)
        told.append([env.reset()])
        for observations, rewards, dones, _ in play(env, 60):
            told[-1] += [observations, rewards, dones]
    for one, other in zip(*told, strict=True):
        assert (one == other).all()


def test_mixed_tables_are_played_at_their_sizes(game):
    env = mixed(game)
    sizes = [t["num_players"] for t in tables_of(game)]
    assert env.get_attr("num_players")[: len(sizes)] == sizes
    env.reset()
    seats = [set() for _ in sizes]
    for _ in play(env, 150):
        for i in range(len(sizes)):
            held = env.learner_seats.holders(i)
            assert len(held) == sizes[i]
            assert held.count(None) == 1
            assert held[env.learner_seats.seats[i]] is None
            seats[i].add(int(env.learner_seats.seats[i]))
    assert sum(len(found) > 1 for found in seats) > 1  # games at large tables are long


class Marked(RandomPolicy):
    """Random play under a name of its own, that counts the decisions asked of it."""

    def __init__(self, game, name):
        super().__init__(game)
        self.name, self.asked = name, 0

    def probabilities(self, observation, action_mask):
        self.asked += len(observation)
        return super().probabilities(observation, action_mask)


def test_the_pool_changes_between_games_only(game):
    old, new = Marked(game, "old"), Marked(game, "new")
    env = SeatsVecEnv(game, 12, opponents=[old])
    env.reset()
    list(play(env, 2))
    env.pool.replace([new])
    fresh = np.zeros(12, bool)
    for _, _, dones, _ in play(env, 2000):
        fresh |= dones
        for i in range(12):
            names = set(env.learner_seats.holders(i)) - {None}
            assert names == ({"new"} if fresh[i] else {"old"})
        if fresh.all():
            break
    assert fresh.all()
    before = old.asked
    list(play(env, 20))
    assert old.asked == before
    assert new.asked > 0


def test_opponents_are_answered_in_batches():
    bot = make_policy("scripted-normal", games()[0])
    calls = []

    class Counting:
        name = "counting"

        def probabilities(self, observation, action_mask):
            calls.append(len(observation))
            return bot.probabilities(observation, action_mask)

    env = SeatsVecEnv(games()[0], 200, opponents=[Counting()])
    env.reset()
    assert max(calls) > 50


def test_shipped_bots_are_opponents_where_they_are_meant_to_play():
    env = SeatsVecEnv("kuku-doubt", 8, opponents=["selfplay"], num_players=3)
    env.reset()
    list(play(env, 5))
    with pytest.raises(BotError, match="selfplay plays with"):
        SeatsVecEnv("kuku-doubt", 8, opponents=["selfplay"], preset="tiny")


def test_what_is_wrong_is_refused_and_changes_nothing(game):
    env = mixed(game, 6)
    with pytest.raises(RuntimeError, match="reset"):
        env.step(np.zeros(6, int))
    before = env.reset()
    masks = get_action_masks(env)
    with pytest.raises(IllegalActionError, match="legal"):
        env.step(masks.argmin(1))
    with pytest.raises(ValueError, match="ids of the layout"):
        env.step(np.full(6, -1))
    with pytest.raises(TypeError, match="integers"):
        env.step(np.zeros(6))
    assert (env.learner_seats.observations() == before).all()
    with pytest.raises(ValueError, match="seat must be"):
        mixed(game, seat=game.min_players)
    with pytest.raises(OptionError, match="num_player"):
        SeatsVecEnv(game, 2, num_player=3)


def test_single_games_are_asked_for_as_sb3_does():
    env = mixed(games()[0], 5)
    env.reset()
    masks = env.action_masks()
    assert (env.env_method("action_masks", indices=[3, 1])[0] == masks[3]).all()
    assert (env.get_attr("action_masks", indices=2)[0]() == masks[2]).all()
    assert env.get_attr("render_mode") == [None] * 5
    assert env.has_attr("action_masks")
    assert not env.has_attr("nonsense")
    assert env.env_is_wrapped(Monitor) == [True] * 5
    assert env.env_is_wrapped(VecMonitor) == [False] * 5
    with pytest.raises(AttributeError, match="known"):
        env.env_method("render")


def test_cells_are_scaled_by_their_highest_value(game):
    env = mixed(game, 6)
    scaled = ScaledCells(env.observation_space)(torch.from_numpy(env.reset()))
    assert scaled.dtype == torch.float32
    assert 0 <= scaled.min() <= scaled.max() <= 1
    assert scaled[0] == pytest.approx(env.learner_seats.observations()[0] * game.layout.scale)


def test_maskable_ppo_learns():
    """Against the random bot at a table of two, where there is much to gain."""
    torch.set_num_threads(1)  # small networks: more threads only wait for each other
    env = SeatsVecEnv("kuku-doubt", 128, opponents=["random"], num_players=2)
    model = MaskablePPO(
        "MlpPolicy", env, n_steps=32, batch_size=1024, n_epochs=4, learning_rate=1e-3,
        policy_kwargs=policy_settings((64,)), **SETTINGS,
    )  # fmt: skip
    judge = SeatsVecEnv("kuku-doubt", 64, opponents=["random"], num_players=2)
    judge.seed(1)
    before, _ = evaluate_policy(model, judge, 400, deterministic=False, warn=False)
    model.learn(40_000)
    after, _ = evaluate_policy(model, judge, 400, deterministic=False, warn=False)
    assert before < 0.2
    assert after > before + 0.3
    assert len(model.ep_info_buffer) > 50
