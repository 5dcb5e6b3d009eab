"""RLlib: the module, the runner of whole batches of games, and RLlib's own environments."""

import numpy as np
import pytest

pytest.importorskip("ray.rllib", reason="needs the extra rllib")

import itertools

import ray
import torch
from gymnasium import spaces
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.tune.registry import register_env

from kuku_env.core.game import OptionError
from kuku_env.envs.aec import BluffingEnv
from kuku_env.envs.batch import BatchEnv
from kuku_env.games import games
from kuku_env.integrations.rllib import (
    MaskedModule,
    SeatsEnvRunner,
    module_spec,
    observation_space,
    self_play,
)

ALL = [pytest.param(game, id=game.name) for game in games()]


def tables_of(game):
    return [{"num_players": n} for n in range(game.min_players, game.max_players + 1)]


def decisions_of(game, n=200):
    """Observations and masks of games after some random steps, as tensors."""
    batch = BatchEnv(game, n, tables=tables_of(game))
    turns, random = batch.reset(0), np.random.default_rng(0)
    for _ in range(15):
        turns = batch.step((turns.action_mask * random.random(turns.action_mask.shape)).argmax(1))
    return torch.from_numpy(turns.observation.copy()), torch.from_numpy(turns.action_mask.copy())


# ---- the module


@pytest.mark.parametrize("game", ALL)
def test_an_unlearned_module_finds_all_kinds_of_legal_action_alike(game):
    module = module_spec(game, (16,)).build()
    observation, mask = decisions_of(game)
    chances = torch.softmax(module.logits(observation, mask), 1).detach().numpy()
    assert (chances[mask.numpy() == 0] == 0).all()
    edges = np.cumsum([0, *(block.size for block in game.layout.actions)])
    for row, legal in zip(chances, mask.numpy(), strict=True):
        kinds = [slice(a, b) for a, b in itertools.pairwise(edges)]
        open_kinds = [kind for kind in kinds if legal[kind].any()]
        for kind in open_kinds:
            assert row[kind].sum() == pytest.approx(1 / len(open_kinds), abs=1e-5)
            assert np.ptp(row[kind][legal[kind] == 1]) < 1e-6


def test_a_learned_module_gives_illegal_actions_no_chance_and_a_finite_entropy():
    game = games()[0]
    module = module_spec(game, (16,)).build()
    for weight in module.parameters():
        torch.nn.init.normal_(weight)
    observation, mask = decisions_of(game)
    batch = {Columns.OBS: {"observation": observation, "action_mask": mask}}
    out = module.forward_train(batch)
    distribution = module.get_train_action_dist_cls().from_logits(out[Columns.ACTION_DIST_INPUTS])
    actions = distribution.sample()
    assert mask.gather(1, actions[:, None]).all()
    assert torch.isfinite(distribution.logp(actions)).all()
    assert torch.isfinite(distribution.entropy()).all()
    values = module.compute_values(batch)
    assert values.shape == (len(mask),)
    assert torch.equal(values, module.compute_values(batch, out[Columns.EMBEDDINGS]))


@pytest.mark.parametrize(
    ("space", "settings", "told"),
    [
        (spaces.Box(0, 1, (4,)), {}, "dicts of 'observation' and 'action_mask'"),
        (None, {"kinds": [1, 2]}, "sizes that sum to"),
    ],
)
def test_spaces_and_settings_that_do_not_fit_are_refused(space, settings, told):
    game = games()[0]
    with pytest.raises(ValueError, match=told):
        MaskedModule(
            observation_space=space or observation_space(game),
            action_space=spaces.Discrete(game.layout.num_actions),
            model_config=settings,
        )


# ---- the runner


def small(game, **options):
    config = self_play(PPOConfig(), game, 24, widths=(16,), **options)
    config.env_runners(num_env_runners=0).debugging(seed=1, log_level="ERROR")
    return config.training(
        train_batch_size_per_learner=400, minibatch_size=200, num_epochs=2, use_kl_loss=False
    )


@pytest.mark.parametrize("game", ALL)
def test_samples_are_whole_trails_of_seats(game):
    runner = SeatsEnvRunner(config=small(game, tables=tables_of(game)), worker_index=0)
    episodes = runner.sample(num_timesteps=500)
    assert sum(map(len, episodes)) >= 500
    assert len(runner.sample(num_episodes=30)) >= 30
    for episode in episodes:
        assert episode.is_terminated
        assert not episode.is_truncated
        seen, actions = episode.get_observations(), episode.get_actions()
        assert seen["observation"].shape == (len(episode) + 1, game.layout.size)
        assert seen["action_mask"][np.arange(len(episode)), actions].all()
        assert (episode.get_extra_model_outputs(Columns.ACTION_LOGP) <= 0).all()
    assert runner.get_metrics()["num_env_steps_sampled"].peek() > 500
    assert runner.sample(num_timesteps=50, explore=False)
    assert runner.sample(num_timesteps=50, random_actions=True)


def test_rllib_credits_what_a_seat_earned_to_its_own_decisions():
    """The train batch that RLlib makes of episodes: with lambda 1 the targets are later rewards."""
    config = small("kuku-doubt", num_players=3).training(lambda_=1.0)
    runner = SeatsEnvRunner(config=config, worker_index=0)
    episodes = runner.sample(num_timesteps=300)
    expected = [np.cumsum(e.get_rewards()[::-1])[::-1] for e in episodes]
    learner = config.build_learner(env=None, spaces=runner.get_spaces())
    batch = learner._learner_connector(
        rl_module=learner.module,
        batch={},
        episodes=episodes,
        shared_data={},
        metrics=learner.metrics,
    )["default_policy"]
    targets = batch["value_targets"][batch[Columns.LOSS_MASK]].numpy()
    assert targets == pytest.approx(np.concatenate(expected), abs=1e-4)


def test_wrong_options_are_told_before_anything_is_started():
    with pytest.raises(OptionError, match="num_players"):
        self_play(PPOConfig(), "kuku-doubt", num_players=99)
    with pytest.raises(KeyError, match="chess"):
        self_play(PPOConfig(), "chess")


# ---- RLlib's own environments


def make_env(config):
    return PettingZooEnv(BluffingEnv(config["game"], num_players=3))


@pytest.mark.parametrize("game", ALL)
def test_the_aec_environment_serves_with_a_policy_for_each_seat(game):
    """RLlib's own wrapper; what each agent's episode earned is what the rules say."""
    register_env("kuku", make_env)
    config = (
        PPOConfig()
        .environment("kuku", env_config={"game": game.id}, disable_env_checking=True)
        .multi_agent(
            policies={"first", "others"},
            policy_mapping_fn=lambda agent, episode, **_: (
                "first" if agent == "player_0" else "others"
            ),
        )
        .rl_module(
            rl_module_spec=MultiRLModuleSpec(
                rl_module_specs={name: module_spec(game, (16,)) for name in ("first", "others")}
            )
        )
        .env_runners(num_env_runners=0)
        .debugging(seed=0)
    )
    runner = MultiAgentEnvRunner(config=config, worker_index=0)
    earned = []
    for _ in range(5):
        [episode] = runner.sample(num_episodes=1)
        assert episode.is_done
        rewards = {agent: e.get_return() for agent, e in episode.agent_episodes.items()}
        match = runner.env.envs[0].unwrapped.env.match
        for agent, reward in rewards.items():
            earned.append(reward)
            assert reward == pytest.approx(match.returns[int(agent[-1])], abs=1e-5)
        for agent_episode in episode.agent_episodes.values():
            masks = agent_episode.get_observations()["action_mask"]
            actions = agent_episode.get_actions()
            assert masks[np.arange(len(actions)), actions].all()
    assert np.any(earned)


# ---- learning


@pytest.mark.slow
def test_it_learns_to_beat_a_script():
    """Two players, scripted-normal in one seat of every game: from hardly any wins to some."""
    config = self_play(
        PPOConfig(), "kuku-doubt", 256, widths=(64,), num_players=2, rivals=["scripted-normal"],
        rival_share=1.0,
    )  # fmt: skip
    config.env_runners(num_env_runners=0).debugging(seed=1, log_level="ERROR").training(
        train_batch_size_per_learner=4096, minibatch_size=1024, num_epochs=4, lr=2e-3,
        use_kl_loss=False, entropy_coeff=0.01,
    )  # fmt: skip
    algorithm = config.build_algo()
    try:
        first = algorithm.train()["env_runners"]["episode_return_mean"]
        for _ in range(12):
            last = algorithm.train()["env_runners"]["episode_return_mean"]
    finally:
        algorithm.stop()
        ray.shutdown()
    assert last > first + 0.3
