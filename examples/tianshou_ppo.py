"""PPO with Tianshou: one seat of each game, scripted bots in the others, legal actions only.

    pip install -c constraints.txt -e '.[tianshou,evaluate]'
    python examples/tianshou_ppo.py

Tianshou hands the network whatever the environment observes. So the mask goes into the observation,
under the name that Tianshou's own algorithms know (``mask``), and the actor applies it.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
import torch
import tyro
from gymnasium import spaces
from tianshou.algorithm import PPO
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OnPolicyTrainerParams
from torch import Tensor, nn

from kuku_env.arena import play_match, standings
from kuku_env.bots import Pool, make_policy
from kuku_env.core.layout import Layout
from kuku_env.envs.solo import SoloEnv
from kuku_env.games import find_game


@dataclass
class Args:
    game: str = "kuku-doubt"
    """short name or id of the game"""
    num_players: int = 2
    """players at the table"""
    rules: str = '{"see_through": "consistent"}'
    """further options of the game, as JSON; here only pairs that make the claim may be named"""
    opponents: tuple[str, ...] = ("scripted-normal", "scripted-easy")
    """pool that the other seats draw from; it is measured against the first"""
    decisions: int = 150_000
    """decisions to learn from"""
    num_envs: int = 128
    """games side by side"""
    num_steps: int = 64
    """decisions of each game in a round of collecting"""
    update_epochs: int = 3
    """passes over a round"""
    minibatch: int = 1024
    """decisions in a step of the optimiser"""
    learning_rate: float = 1e-3
    """Adam's step size"""
    entropy: float = 0.03
    """weight of the policy's entropy"""
    width: int = 128
    """units in each of the two hidden layers"""
    measure_games: int = 2000
    """games of each measurement"""
    seed: int = 1
    """seed of deals, weights and choices"""
    threads: int = 2
    """processor cores"""


class MaskedSolo(gymnasium.Wrapper):
    """A learner's seat whose observations are ``obs`` int8 (D,) and ``mask`` bool (A,)."""

    def __init__(self, env: SoloEnv) -> None:
        super().__init__(env)
        mask = spaces.Box(0, 1, (env.action_space.n,), np.bool_)
        self.observation_space = spaces.Dict({"obs": env.observation_space, "mask": mask})

    def reset(self, **given: Any) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        observation, info = self.env.reset(**given)
        return {"obs": observation, "mask": info["action_mask"] > 0}, {}

    def step(self, action: int) -> tuple[dict[str, np.ndarray], float, bool, bool, dict[str, Any]]:
        observation, reward, terminated, truncated, info = self.env.step(action)
        seen = {"obs": observation, "mask": info["action_mask"] > 0}
        return seen, reward, terminated, truncated, {}


class Trunk(nn.Sequential):
    """int8 observations (N, D) to (N, width), each cell scaled by its highest value."""

    scale: Tensor

    def __init__(self, layout: Layout, width: int) -> None:
        layers = nn.Linear(layout.size, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()
        super().__init__(*layers)
        self.register_buffer("scale", torch.from_numpy(layout.scale.copy()))

    def forward(self, observation: np.ndarray) -> Tensor:
        return super().forward(torch.as_tensor(observation).float() * self.scale)


class Actor(nn.Module):
    """Logits (N, A), very low where illegal. As a bot: ``probabilities``, on numpy arrays."""

    name = "tianshou"

    def __init__(self, layout: Layout, width: int) -> None:
        super().__init__()
        self.trunk, self.choice = Trunk(layout, width), nn.Linear(width, layout.num_actions)
        self.choice.weight.data.mul_(0.01)
        self.choice.bias.data = torch.from_numpy(layout.even_logits.copy())  # all kinds alike

    def forward(self, obs: Batch, state: Any = None, info: Any = None) -> tuple[Tensor, Any]:
        legal = torch.as_tensor(obs.mask)
        return torch.where(legal, self.choice(self.trunk(obs.obs)), -1e9), state

    @torch.no_grad()
    def probabilities(self, observation: np.ndarray, action_mask: np.ndarray) -> np.ndarray:
        """float32 (N, A): what kuku_env asks of a bot."""
        logits, _ = self(Batch(obs=observation, mask=action_mask > 0))
        return logits.softmax(1).numpy() * action_mask


class Critic(nn.Module):
    """Values (N, 1)."""

    def __init__(self, layout: Layout, width: int) -> None:
        super().__init__()
        self.trunk, self.value = Trunk(layout, width), nn.Linear(width, 1)

    def forward(self, obs: Batch) -> Tensor:
        return self.value(self.trunk(obs.obs))


def measure(actor: Actor, args: Args) -> str:
    """The actor in one seat, the first opponent in all others: its share of wins, 95 % interval."""
    bots = [actor, make_policy(args.opponents[0], args.game)]
    result = play_match(
        args.game, bots, args.num_players, args.measure_games, args.seed,
        teams=[(0, *(1,) * (args.num_players - 1))], threads=args.threads, **json.loads(args.rules),
    )  # fmt: skip
    share = standings(result)[0].share
    return f"{share.value:.1%} ({share.low:.1%} to {share.high:.1%}) against {args.opponents[0]}"


class Progress:
    """Called before each round of collecting: tells how far it is whenever an epoch begins."""

    def __init__(self, actor: Actor, args: Args) -> None:
        self.actor, self.args, self.started = actor, args, time.perf_counter()
        self.epoch = 0

    def __call__(self, epoch: int, decisions: int) -> None:
        if epoch > self.epoch:
            self.epoch, seconds = epoch, time.perf_counter() - self.started
            wins = measure(self.actor, self.args)
            print(f"{decisions:>9,} decisions, {seconds:4.0f} s, wins {wins}", flush=True)


def main() -> None:
    args = tyro.cli(Args, description=__doc__)
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)  # noqa: NPY002  where Tianshou draws from
    torch.set_num_threads(args.threads)
    game = find_game(args.game)
    pool = Pool(game, args.opponents)

    def make_env() -> MaskedSolo:
        options = {"num_players": args.num_players, **json.loads(args.rules)}
        return MaskedSolo(SoloEnv(game, opponents=pool, **options))

    envs = DummyVectorEnv([make_env] * args.num_envs)
    envs.seed(args.seed)
    actor, critic = Actor(game.layout, args.width), Critic(game.layout, args.width)
    policy = DiscreteActorPolicy(actor=actor, action_space=envs.action_space[0])
    algorithm = PPO(
        policy=policy, critic=critic, optim=AdamOptimizerFactory(lr=args.learning_rate),
        gamma=1.0, ent_coef=args.entropy, max_grad_norm=0.5, max_batchsize=args.minibatch,
    )  # fmt: skip
    frames = args.num_envs * args.num_steps
    collector = Collector(algorithm, envs, VectorReplayBuffer(frames, args.num_envs))
    progress, parts = Progress(actor, args), 5
    epoch = frames * max(1, round(args.decisions / parts / frames))
    algorithm.run_training(
        OnPolicyTrainerParams(
            training_collector=collector, max_epochs=parts,
            epoch_num_steps=epoch,
            collection_step_num_env_steps=frames, batch_size=args.minibatch,
            update_step_num_repetitions=args.update_epochs, training_fn=progress,
            verbose=False, show_progress=False,
        )
    )  # fmt: skip
    progress(parts + 1, parts * epoch)


if __name__ == "__main__":
    main()
