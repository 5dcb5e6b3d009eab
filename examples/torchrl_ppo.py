"""PPO with TorchRL: one seat of hundreds of games, scripted bots in the others, legal actions only.

    pip install -c constraints.txt -e '.[torchrl,evaluate]'
    python examples/torchrl_ppo.py

Everything but the environment is TorchRL's own: collector, actor with masks, GAE, loss.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass

import numpy as np
import torch
import tyro
from tensordict.nn import TensorDictModule
from torch import Tensor, nn
from torchrl.collectors import Collector
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from kuku_env.arena import play_match, standings
from kuku_env.bots import make_policy
from kuku_env.core.game import Game
from kuku_env.core.layout import Layout
from kuku_env.integrations.torchrl import SeatsEnv


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
    decisions: int = 600_000
    """decisions to learn from"""
    num_envs: int = 512
    """games side by side"""
    num_steps: int = 32
    """decisions of each game in a round of collecting"""
    update_epochs: int = 3
    """passes over a round"""
    minibatch: int = 2048
    """decisions in a step of the optimiser"""
    learning_rate: float = 1e-3
    """Adam's step size at the start; it falls to nothing"""
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


class Network(nn.Module):
    """int8 observations (..., D) to ``outputs`` numbers, each cell scaled by its highest value."""

    scale: Tensor

    def __init__(self, layout: Layout, width: int, outputs: int) -> None:
        super().__init__()
        self.register_buffer("scale", torch.from_numpy(layout.scale.copy()))
        self.layers = nn.Sequential(
            nn.Linear(layout.size, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(),
            nn.Linear(width, outputs),
        )  # fmt: skip

    def forward(self, observation: Tensor) -> Tensor:
        return self.layers(observation.float() * self.scale)


class Bot:
    """The actor as kuku_env asks for bots."""

    name = "torchrl"

    def __init__(self, actor: ProbabilisticActor) -> None:
        self.actor = actor

    @torch.no_grad()
    def probabilities(self, observation: np.ndarray, action_mask: np.ndarray) -> np.ndarray:
        """float32 (N, A), zero where illegal."""
        logits = self.actor[0].module(torch.from_numpy(observation))
        mask = torch.from_numpy(action_mask) > 0
        return torch.where(mask, logits, -torch.inf).softmax(1).numpy()


def make_actor(layout: Layout, width: int) -> ProbabilisticActor:
    network = Network(layout, width, layout.num_actions)
    last = network.layers[-1]
    last.weight.data.mul_(0.01)
    last.bias.data = torch.from_numpy(layout.even_logits.copy())  # all kinds of action alike
    return ProbabilisticActor(
        TensorDictModule(network, in_keys=["observation"], out_keys=["logits"]),
        in_keys={"logits": "logits", "mask": "action_mask"},
        distribution_class=MaskedCategorical,
        return_log_prob=True,
    )


def measure(bot: Bot, game: Game, args: Args) -> str:
    """The bot in one seat, the first opponent in all others: its share of wins, 95 % interval."""
    bots = [bot, make_policy(args.opponents[0], game)]
    result = play_match(
        game, bots, args.num_players, args.measure_games, args.seed,
        teams=[(0, *(1,) * (args.num_players - 1))], threads=args.threads, **json.loads(args.rules),
    )  # fmt: skip
    share = standings(result)[0].share
    return f"{share.value:.1%} ({share.low:.1%} to {share.high:.1%}) against {args.opponents[0]}"


def main() -> None:
    args = tyro.cli(Args, description=__doc__)
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    env = SeatsEnv(
        args.game, args.num_envs, opponents=args.opponents, threads=args.threads,
        num_players=args.num_players, **json.loads(args.rules),
    )  # fmt: skip
    env.set_seed(args.seed)
    layout = env.game.layout
    actor = make_actor(layout, args.width)
    critic = ValueOperator(Network(layout, args.width, 1), in_keys=["observation"])
    advantage = GAE(gamma=1.0, lmbda=0.95, value_network=critic)
    loss_of = ClipPPOLoss(
        actor, critic, clip_epsilon=0.2, entropy_coeff=args.entropy, critic_coeff=0.5,
        loss_critic_type="l2", normalize_advantage=True,
    )  # fmt: skip
    optimiser = torch.optim.Adam(loss_of.parameters(), lr=args.learning_rate)
    frames = args.num_envs * args.num_steps
    rounds = max(1, args.decisions // frames)
    collector = Collector(
        env, actor, frames_per_batch=frames, total_frames=rounds * frames,
        auto_register_policy_transforms=True,
    )  # fmt: skip
    bot, started = Bot(actor), time.perf_counter()
    print(f"before: wins {measure(bot, env.game, args)}", flush=True)
    for k, data in enumerate(collector, 1):
        optimiser.param_groups[0]["lr"] = args.learning_rate * (1 - (k - 1) / rounds)
        with torch.no_grad():
            advantage(data)
        flat = data.reshape(-1)
        for _ in range(args.update_epochs):
            for rows in torch.randperm(len(flat)).split(args.minibatch):
                losses = loss_of(flat[rows])
                loss = losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]
                optimiser.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(loss_of.parameters(), 0.5)
                optimiser.step()
        if k % max(1, rounds // 5) == 0:
            seconds = time.perf_counter() - started
            print(f"{k * frames:>9,} decisions, {seconds:4.0f} s, "
                  f"wins {measure(bot, env.game, args)}", flush=True)  # fmt: skip
    collector.shutdown()


if __name__ == "__main__":
    main()
