"""PPO in one file: PyTorch and BatchEnv, readable from top to bottom, in the manner of CleanRL.

    python examples/ppo_single_file.py   # Kuku Doubt for two

On one core a million decisions take a minute and lift its wins against scripted-easy from 19 % to
42 %, short of a fair half. It is a start to read and to change; train.py makes strong bots.

The agent has one seat in each game, and a scripted bot plays the rest; ``--opponent-share`` below 1
gives it all seats of the other games. Two things need care in a game of several players. Masks: the
network never gives an illegal action a chance. Credit: what a seat earns counts for that seat's own
decisions, whoever moved when it was paid; so an advantage is worked out along each seat's own
decisions, not along the moves of the game.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

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
    opponent: str = "scripted-easy"
    """bot to play and to be measured against; nothing is learned from its moves"""
    opponent_share: float = 1.0
    """share of games in which it holds all seats but one"""
    seed: int = 1
    """seed of deals, weights and choices"""
    decisions: int = 3_000_000
    """decisions to learn from, of all seats together"""
    num_envs: int = 512
    """games side by side"""
    num_steps: int = 64
    """decisions of each game in a round of collecting"""
    update_epochs: int = 3
    """passes over a round"""
    minibatch: int = 2048
    """decisions in a step of the optimiser"""
    learning_rate: float = 1e-3
    """Adam's step size at the start; it falls to nothing"""
    gae_lambda: float = 0.95
    """how far later rewards are trusted over the value of the seat's next decision"""
    clip: float = 0.2
    """change of a probability ratio beyond which a decision pulls no more"""
    entropy: float = 0.05
    """weight of the policy's entropy at the start, falling to nothing: it keeps choices open"""
    value: float = 0.5
    """weight of the value's squared error"""
    width: int = 128
    """units in each of the two hidden layers"""
    measure_games: int = 1000
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
        with torch.no_grad():
            for block in layout.actions:
                start = layout.start(block.name)
                self.actor.bias[start : start + block.size] = -np.log(block.size)

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
    """``num_steps`` decisions of each of ``num_envs`` games, as tensors (T, N, ...)."""

    def __init__(self, args: Args, layout: Layout, max_players: int) -> None:
        shape = args.num_steps, args.num_envs
        self.observation = torch.zeros(*shape, layout.size, dtype=torch.int8)
        self.mask = torch.zeros(*shape, layout.num_actions, dtype=torch.int8)
        self.action = torch.zeros(shape, dtype=torch.int64)
        self.log_prob, self.value = torch.zeros(shape), torch.zeros(shape)
        self.seat = np.zeros(shape, np.int64)
        self.rewards = np.zeros((*shape, max_players), np.float32)
        self.over, self.mine = np.zeros(shape, np.bool_), np.ones(shape, np.bool_)


def collect(agent: Agent, opponent: Policy, own: np.ndarray, env: BatchEnv, data: Round) -> None:
    """Play on. ``own`` bool (N, P): the seats that the agent holds in each game.

    The turns' arrays are the environment's own, so they are copied before the step.
    """
    turns = env.turns()
    games = np.arange(len(own))
    for t in range(len(data.action)):
        data.observation[t] = torch.from_numpy(turns.observation)
        data.mask[t] = torch.from_numpy(turns.action_mask)
        data.seat[t] = turns.seat
        with torch.no_grad():
            choice, data.value[t] = agent(data.observation[t], data.mask[t])
        data.action[t] = choice.sample()
        data.mine[t] = own[games, data.seat[t]]
        theirs = np.flatnonzero(~data.mine[t])
        if len(theirs):
            chances = opponent.probabilities(turns.observation[theirs], turns.action_mask[theirs])
            data.action[t, theirs] = Categorical(torch.from_numpy(chances)).sample()
        data.log_prob[t] = choice.log_prob(data.action[t])
        turns = env.step(data.action[t].numpy())
        data.rewards[t], data.over[t] = turns.rewards, turns.over


def advantages(data: Round, gae_lambda: float) -> tuple[Tensor, Tensor]:
    """Advantage (T, N), and which decisions have one (T, N).

    Backwards through the round, each seat carries what it earned since its decision, the value of
    its next decision and that one's advantage. A decision whose seat neither decides again nor sees
    the end of the game within the round is left out: what it led to is not known. So are decisions
    of the opponent's.
    """
    values = data.value.numpy()
    steps, games = values.shape
    seats = data.rewards.shape[2]
    earned = np.zeros((games, seats), np.float32)
    next_value, next_advantage = np.zeros_like(earned), np.zeros_like(earned)
    is_known = np.zeros((games, seats), np.bool_)
    advantage, known = np.zeros_like(values), np.zeros(values.shape, np.bool_)
    rows = np.arange(games)
    for t in reversed(range(steps)):
        over, mine = data.over[t], (rows, data.seat[t])
        for carried in (earned, next_value, next_advantage):
            carried[over] = 0.0  # belongs to the next game
        is_known[over] = True
        earned += data.rewards[t]
        surprise = earned[mine] + next_value[mine] - values[t]
        advantage[t] = surprise + gae_lambda * next_advantage[mine]
        known[t] = is_known[mine] & data.mine[t]
        earned[mine], next_value[mine], next_advantage[mine] = 0.0, values[t], advantage[t]
        is_known[mine] = True
    return torch.from_numpy(advantage), torch.from_numpy(known)


def learn(
    agent: Agent, optimiser: torch.optim.Optimizer, data: Round, args: Args, entropy_weight: float
) -> float:
    """The PPO update; the policy's entropy."""
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
    return float(np.mean(entropies))


def seats_of(args: Args, max_players: int) -> np.ndarray:
    """The agent's seats in each game, bool (N, P): one in some games, in turn, else all."""
    own = np.ones((args.num_envs, max_players), np.bool_)
    mixed = int(args.num_envs * args.opponent_share)
    own[:mixed] = False
    own[np.arange(mixed), np.arange(mixed) % args.num_players] = True
    return own


def measure(agent: Agent, opponent: Policy, args: Args) -> str:
    """The agent in one seat, the opponent in all others: its share of wins, with 95 % interval."""
    teams = [(0, *(1,) * (args.num_players - 1))]
    result = play_match(
        find_game(args.game), [agent, opponent], args.num_players, args.measure_games, args.seed,
        labels=["ppo", "opponent"], teams=teams, threads=args.threads,
    )  # fmt: skip
    share = standings(result)[0].share
    return f"{share.value:.1%} ({share.low:.1%} to {share.high:.1%})"


def main() -> None:
    args = tyro.cli(Args, description=__doc__)
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    game = find_game(args.game)
    env = BatchEnv(game, args.num_envs, threads=args.threads, num_players=args.num_players)
    env.reset(args.seed)
    agent = Agent(game.layout, args.width)
    optimiser = torch.optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)
    opponent, own = make_policy(args.opponent, game), seats_of(args, game.max_players)
    data = Round(args, game.layout, game.max_players)
    rounds = max(1, args.decisions // (args.num_envs * args.num_steps))
    started, fair = time.perf_counter(), 1 / args.num_players
    print(
        f"wins against {args.opponent} (fair: {fair:.1%}) before: {measure(agent, opponent, args)}"
    )
    for k in range(rounds):
        left = 1 - k / rounds
        optimiser.param_groups[0]["lr"] = args.learning_rate * left
        collect(agent, opponent, own, env, data)
        entropy = learn(agent, optimiser, data, args, args.entropy * left)
        if (k + 1) % max(1, rounds // 10) == 0:
            done, seconds = (k + 1) * args.num_envs * args.num_steps, time.perf_counter() - started
            print(f"{done:>9,} decisions, {seconds:4.0f} s, entropy {entropy:.2f}, "
                  f"wins {measure(agent, opponent, args)}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
