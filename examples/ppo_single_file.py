"""PPO in one file: PyTorch and BatchEnv, readable from top to bottom, in the manner of CleanRL.

    python examples/ppo_single_file.py   # Kuku Doubt for two, against the scripted bots

The agent has one seat in each game and learns to beat the bots in the others; examples/README.md
shows how far it gets. A best response is easier to learn than self-play, where at first nobody
accepts a clumsy claim, so nobody learns to claim; train.py does that, and makes bots for people.

Two things need care in a game of several players. Masks: the network never gives an illegal action
a chance. Credit: what the agent's seat earns counts for that seat's own last decision, whoever
moved when it was paid; so an advantage is worked out along the agent's own decisions, not along the
moves of the game.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, replace

import numpy as np
import torch
import tyro
from torch import Tensor, nn
from torch.distributions import Categorical

from kuku_env.arena import play_match, standings
from kuku_env.bots import Policy, make_policy
from kuku_env.core.layout import Layout
from kuku_env.envs.batch import BatchEnv
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
    """bots to play against, in turn; it is measured against the first"""
    seed: int = 1
    """seed of deals, weights and choices"""
    decisions: int = 2_000_000
    """decisions of the agent's to learn from"""
    num_envs: int = 1024
    """games side by side"""
    num_steps: int = 64
    """moves of each game, the bots' included, in a round of collecting"""
    update_epochs: int = 3
    """passes over a round"""
    minibatch: int = 2048
    """decisions in a step of the optimiser"""
    learning_rate: float = 1e-3
    """Adam's step size at the start; it falls to nothing"""
    gae_lambda: float = 0.95
    """how far later rewards are trusted over the value of the next decision"""
    clip: float = 0.2
    """change of a probability ratio beyond which a decision pulls no more"""
    entropy: float = 0.05
    """weight of the policy's entropy at the start, falling to nothing: it keeps choices open"""
    value: float = 0.5
    """weight of the value's squared error"""
    width: int = 128
    """units in each of the two hidden layers"""
    measure_games: int = 2000
    """games of each measurement"""
    threads: int = 2
    """processor cores"""


class Agent(nn.Module):
    """Actor and critic on a shared trunk. As a bot: ``probabilities``, on numpy arrays."""

    name = "ppo"
    scale: Tensor

    def __init__(self, layout: Layout, width: int) -> None:
        super().__init__()
        self.register_buffer("scale", torch.from_numpy(layout.scale.copy()))
        self.trunk = nn.Sequential(
            nn.Linear(layout.size, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()
        )
        self.actor = nn.Linear(width, layout.num_actions)
        self.critic = nn.Linear(width, 1)
        for head, gain in ((self.actor, 0.01), (self.critic, 1.0)):
            nn.init.orthogonal_(head.weight, gain)
            nn.init.zeros_(head.bias)
        # Every kind of action alike at first: a kind with one would hardly be tried beside fifty.
        self.actor.bias.data = torch.from_numpy(layout.even_logits.copy())

    def forward(self, observation: Tensor, mask: Tensor) -> tuple[Categorical, Tensor]:
        """int8 (N, D) and (N, A): the choice among legal actions, and values (N,)."""
        hidden = self.trunk(observation.float() * self.scale)
        logits = torch.where(mask > 0, self.actor(hidden), -1e9)
        return Categorical(logits=logits, validate_args=False), self.critic(hidden).squeeze(1)

    @torch.no_grad()
    def probabilities(self, observation: np.ndarray, action_mask: np.ndarray) -> np.ndarray:
        """float32 (N, A): what kuku_env asks of a bot."""
        choice, _ = self(torch.from_numpy(observation), torch.from_numpy(action_mask))
        return choice.probs.numpy() * action_mask


class Round:
    """``num_steps`` moves of each of ``num_envs`` games, as tensors (T, N, ...)."""

    def __init__(self, args: Args, layout: Layout) -> None:
        shape = args.num_steps, args.num_envs
        self.observation = torch.zeros(*shape, layout.size, dtype=torch.int8)
        self.mask = torch.zeros(*shape, layout.num_actions, dtype=torch.int8)
        self.action = torch.zeros(shape, dtype=torch.int64)
        self.log_prob, self.value = torch.zeros(shape), torch.zeros(shape)
        self.reward = np.zeros(shape, np.float32)  # of the agent's seat
        self.over, self.mine = np.zeros(shape, np.bool_), np.zeros(shape, np.bool_)


class Table:
    """Games side by side: in each the agent holds one seat, and one of the bots all others."""

    def __init__(self, args: Args) -> None:
        self.env = BatchEnv(
            args.game, args.num_envs, threads=args.threads,
            num_players=args.num_players, **json.loads(args.rules),
        )  # fmt: skip
        self.env.reset(args.seed)
        self.bots = [make_policy(name, self.env.game) for name in args.opponents]
        self.games = np.arange(args.num_envs)
        self.seat = self.games % args.num_players
        self.bot = self.games // args.num_players % len(self.bots)

    @torch.no_grad()
    def collect(self, agent: Agent, data: Round) -> None:
        """Play on; the turns' arrays are the environment's own, so what is kept is copied."""
        turns = self.env.turns()
        for t in range(len(data.action)):
            data.mine[t] = mine = turns.seat == self.seat
            for k, bot in enumerate(self.bots):
                rows = np.flatnonzero(~mine & (self.bot == k))
                if len(rows):
                    chances = bot.probabilities(turns.observation[rows], turns.action_mask[rows])
                    data.action[t, rows] = Categorical(torch.from_numpy(chances)).sample()
            rows = torch.from_numpy(np.flatnonzero(mine))
            data.observation[t, rows] = torch.from_numpy(turns.observation[mine])
            data.mask[t, rows] = torch.from_numpy(turns.action_mask[mine])
            choice, data.value[t, rows] = agent(data.observation[t, rows], data.mask[t, rows])
            data.action[t, rows] = action = choice.sample()
            data.log_prob[t, rows] = choice.log_prob(action)
            turns = self.env.step(data.action[t].numpy())
            data.reward[t], data.over[t] = turns.rewards[self.games, self.seat], turns.over


def advantages(data: Round, gae_lambda: float) -> tuple[Tensor, Tensor]:
    """Advantage (T, N), and which moves have one (T, N).

    Backwards through the round, carried along: what the agent earned since its last decision, the
    value of its next decision and that one's advantage. A decision after which the agent neither
    decides again nor sees the end of the game within the round is left out: what it led to is not
    known. So are the bots' moves.
    """
    values = data.value.numpy()
    games = values.shape[1]
    earned, next_value, next_advantage = (np.zeros(games, np.float32) for _ in range(3))
    is_known = np.zeros(games, np.bool_)
    advantage, known = np.zeros_like(values), np.zeros(values.shape, np.bool_)
    for t in reversed(range(len(values))):
        over, mine = data.over[t], data.mine[t]
        for carried in (earned, next_value, next_advantage):
            carried[over] = 0.0  # belongs to the next game
        is_known |= over
        earned += data.reward[t]
        advantage[t] = earned + next_value - values[t] + gae_lambda * next_advantage
        known[t] = is_known & mine
        earned[mine], is_known[mine] = 0.0, True
        next_value[mine], next_advantage[mine] = values[t][mine], advantage[t][mine]
    return torch.from_numpy(advantage), torch.from_numpy(known)


def learn(
    agent: Agent, optimiser: torch.optim.Optimizer, data: Round, args: Args, entropy_weight: float
) -> tuple[int, float]:
    """The PPO update; decisions learned from, and the policy's entropy."""
    advantage, known = advantages(data, args.gae_lambda)
    target = advantage + data.value
    fields = (data.observation, data.mask, data.action, data.log_prob, advantage, target)
    batch = [field[known] for field in fields]
    entropies = []
    for _ in range(args.update_epochs):
        for rows in torch.randperm(len(batch[0])).split(args.minibatch):
            observation, mask, action, log_prob, gain, wanted = (field[rows] for field in batch)
            choice, value = agent(observation, mask)
            ratio = (choice.log_prob(action) - log_prob).exp()
            gain = (gain - gain.mean()) / (gain.std(correction=0) + 1e-8)
            clipped = ratio.clamp(1 - args.clip, 1 + args.clip)
            policy_loss = -torch.min(gain * ratio, gain * clipped).mean()
            entropy = choice.entropy().mean()
            value_loss = (value - wanted).square().mean()
            loss = policy_loss - entropy_weight * entropy + args.value * value_loss
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimiser.step()
            entropies.append(float(entropy.detach()))
    return len(batch[0]), float(np.mean(entropies))


def measure(agent: Agent, bot: Policy, args: Args) -> str:
    """The agent in one seat, the bot in all others: its share of wins, with 95 % interval."""
    teams = [(0, *(1,) * (args.num_players - 1))]
    result = play_match(
        find_game(args.game), [agent, bot], args.num_players, args.measure_games, args.seed,
        labels=["ppo", "opponent"], teams=teams, threads=args.threads, **json.loads(args.rules),
    )  # fmt: skip
    share = standings(result)[0].share
    return f"{share.value:.1%} ({share.low:.1%} to {share.high:.1%}) against {bot.name}"


def main() -> None:
    args = tyro.cli(Args, description=__doc__)
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    table = Table(args)
    layout = table.env.game.layout
    agent, data = Agent(layout, args.width), Round(args, layout)
    optimiser = torch.optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)
    started, done, shown = time.perf_counter(), 0, 0
    print(f"a fair share of wins is {1 / args.num_players:.1%}; before: "
          f"{measure(agent, table.bots[0], args)}", flush=True)  # fmt: skip
    while done < args.decisions:
        left = 1 - done / args.decisions
        optimiser.param_groups[0]["lr"] = args.learning_rate * left
        table.collect(agent, data)
        learned, entropy = learn(agent, optimiser, data, args, args.entropy * left)
        done += learned
        if done * 10 // args.decisions > shown:
            shown, seconds = done * 10 // args.decisions, time.perf_counter() - started
            print(f"{done:>9,} decisions, {seconds:4.0f} s, entropy {entropy:.2f}, "
                  f"wins {measure(agent, table.bots[0], args)}", flush=True)  # fmt: skip
    for bot in {bot.name: bot for bot in table.bots}.values():
        print(f"in the end: wins {measure(agent, bot, replace(args, measure_games=20_000))}")


if __name__ == "__main__":
    main()
