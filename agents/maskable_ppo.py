"""MaskablePPO of sb3-contrib as a learner: one seat against a pool of bots and of its own past.

It may begin by imitating a bot. Snapshots of the learner join the pool as it goes on; a game keeps
the opponents that it was dealt with. What is measured and exported is the actor with the mask
inside.
"""

from __future__ import annotations

import copy
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger
from torch import Tensor, nn

from agents.habits import Habits
from agents.imitation import imitate
from agents.network import IMPOSSIBLE, Choice, NetworkPolicy
from agents.options import RunOptions
from agents.presets import OF_GAME
from kuku_env.bots import Pool, make_policy
from kuku_env.envs.batch import BatchEnv
from kuku_env.games import find_game
from kuku_env.integrations.sb3 import SeatsVecEnv, policy_settings


@dataclass(frozen=True)
class PpoOptions(RunOptions):
    """What a run of MaskablePPO is made of."""

    decisions: int = 2_000_000
    games: int = 256
    steps: int = 64
    passes: int = 4
    minibatch: int = 2048
    learning_rate: float = 1e-3

    entropy: float = 0.03
    """Weight of the policy's entropy, which keeps it from settling too early."""
    opponents: tuple[str, ...] = ("scripted-normal", "scripted-easy", "random")
    """Bots that are in the pool from the start to the end."""
    past_selves: int = 6
    """Most copies of the learner in the pool, the oldest giving way; 0: none."""
    past_every: int = 100_000
    """Decisions between two such copies."""
    teacher: str | None = None
    """Bot that the network imitates before it learns for itself, by name or folder; None: none."""
    lessons: int = 600_000
    """Decisions of the teacher's that it imitates."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._positive("past_every", "lessons")
        self._not_negative("entropy", "past_selves")
        self._not_empty("opponents")


BUDGETS: dict[str, dict[str, Any]] = {
    "demo": {"minutes": 5.0},
    # Too short for a contest with itself: it learns to beat the scripts.
    "quick": {"decisions": 500_000, "minutes": 10.0, "widths": (64, 64), "past_selves": 1},
}
TABLES = ("players", "variants")  # of what is particular to a game, what any learner needs


def make_ppo_options(budget: str, game: str, preset: str | None = None) -> PpoOptions:
    """The options of a budget (demo, quick) for a game; ``preset``: of its rules, to play by.

    Raises KeyError for an unknown budget or game.
    """
    found = find_game(game)
    known = ("scripted-normal", "scripted-easy")
    scripts = tuple(name for name in known if name in found.scripted)
    sizes = tuple(n for n in range(2, 7) if found.min_players <= n <= found.max_players)
    settings: dict[str, Any] = {
        "game": game,
        "opponents": (*scripts, "random"),
        "players": sizes,
        "teacher": scripts[0] if scripts else None,
        **{name: OF_GAME[game][name] for name in TABLES if name in OF_GAME.get(game, {})},
        **BUDGETS[budget],
    }
    if budget == "quick":  # a game of few is learned soonest
        settings["players"] = (min(settings["players"]),)
        settings["opponents"] = (*scripts, *settings["opponents"])
    if preset is not None:
        settings["variants"] = (f"preset={preset}",)
    return PpoOptions(**settings)


class MaskedActor(nn.Module):
    """The actor of a MaskablePPO policy: what it would do, as PolicyValueNetwork tells it."""

    def __init__(self, policy: Any) -> None:
        super().__init__()
        # Copies: the policy goes on learning, and snapshots must not.
        self.features = copy.deepcopy(policy.pi_features_extractor)
        self.hidden = copy.deepcopy(policy.mlp_extractor.policy_net)
        self.choice = copy.deepcopy(policy.action_net)
        self.requires_grad_(False).eval()

    def forward(self, observation: Tensor, action_mask: Tensor) -> Choice:
        """``observation`` int8 (N, D), ``action_mask`` int8 (N, A)."""
        logits = self.choice(self.hidden(self.features(observation)))
        logits = torch.where(action_mask > 0, logits, IMPOSSIBLE)
        return Choice(torch.softmax(logits, 1), torch.log_softmax(logits, 1))


class PpoLearner:
    """A MaskablePPO run. ``update`` plays and learns one round, as SelfPlay's does.

    Attributes: ``game``, ``options``, ``decisions``, ``updates`` and ``seconds`` so far, ``pool``
    (what it plays against), ``average`` (the actor as it is now, a copy).

    Raises OptionError or BotError for options that do not fit the game.
    """

    name = "maskable-ppo"

    def __init__(self, options: PpoOptions) -> None:
        self.options, self.game = options, find_game(options.game)
        self.decisions, self.updates, self.seconds = 0, 0, 0.0
        self._added = 0  # decisions when a copy joined the pool last
        torch.set_num_threads(options.threads)
        self.pool = Pool(self.game, options.opponents, snapshots=options.past_selves)
        self.env = SeatsVecEnv(
            self.game, options.games, opponents=self.pool, tables=options.tables(),
            threads=options.threads,
        )  # fmt: skip
        self.model = MaskablePPO(
            "MlpPolicy", self.env, gamma=1.0, seed=options.seed, device="cpu",
            n_steps=options.steps, n_epochs=options.passes,
            batch_size=min(options.minibatch, options.games * options.steps),
            learning_rate=lambda _: options.learning_rate * (1 - 0.9 * self.progress()),
            clip_range=options.clip, gae_lambda=options.trace, ent_coef=options.entropy,
            policy_kwargs=policy_settings(options.widths),
        )  # fmt: skip
        self.model.set_logger(Logger(None, []))  # the run has curves of its own
        # All kinds of action alike at first: what is never tried is never learned.
        even = torch.from_numpy(self.game.layout.even_logits)
        self.model.policy.action_net.bias.data.copy_(even)

    @property
    def num_players(self) -> NDArray[np.int64]:
        """Table size of each game, int64 (games,)."""
        return self.env.learner_seats.num_players

    @property
    def average(self) -> MaskedActor:
        return MaskedActor(self.model.policy)

    def progress(self) -> float:
        """How much of the run is done, 0 to 1: by decisions or by time, whichever is further."""
        done = self.decisions / self.options.decisions
        if self.options.minutes is not None:
            done = max(done, self.seconds / (60 * self.options.minutes))
        return min(done, 1.0)

    def update(self, habits: Habits) -> dict[str, float]:
        """Play one round and learn from it; means of the losses by name. ``habits`` stays empty."""
        began, decisions = time.perf_counter(), self.options.games * self.options.steps
        if not self.updates and self.options.teacher is not None:
            self._take_lessons(self.options.teacher)
        self.model.learn(decisions, reset_num_timesteps=False, log_interval=None)
        if self.updates:  # the first round may have to compile the game
            self.seconds += time.perf_counter() - began
        self.updates, self.decisions = self.updates + 1, self.decisions + decisions
        if self.decisions - self._added >= self.options.past_every:
            self._added = self.decisions
            self.pool.add(NetworkPolicy(self.average, self.game, f"snapshot-{self.decisions}"))
        told = self.model.logger.name_to_value
        return {name.partition("/")[2]: float(told[name]) for name in told}

    def _take_lessons(self, teacher: str) -> float:
        """Imitate the teacher at the tables of the run; the cross-entropy in the end, in nats."""
        policy, options = self.model.policy, self.options
        batch = BatchEnv(self.game, 1024, threads=options.threads, tables=options.tables())

        def logits_of(observation: Tensor) -> Tensor:
            features = policy.pi_features_extractor(observation)
            return policy.action_net(policy.mlp_extractor.forward_actor(features))

        actor = (policy.mlp_extractor.policy_net, policy.action_net)
        weights = [weight for part in actor for weight in part.parameters()]
        bot = make_policy(teacher, self.game)
        return imitate(logits_of, weights, bot, batch, options.lessons, options.seed)

    def tensors(self) -> dict[str, Tensor]:
        """What a checkpoint holds, by name. Games are dealt anew, and the pool begins again."""
        found = {f"network.{key}": t for key, t in self.model.policy.state_dict().items()}
        for index, state in self.model.policy.optimizer.state_dict()["state"].items():
            found |= {f"optimiser.{index}.{key}": tensor for key, tensor in state.items()}
        return found

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Go on from what ``tensors`` gave. Raises RuntimeError for those of another network."""
        network: dict[str, Tensor] = {}
        states: dict[int, dict[str, Tensor]] = {}
        for name, tensor in tensors.items():
            part, _, key = name.partition(".")
            if part == "network":
                network[key] = tensor
            else:
                index, _, field = key.partition(".")
                states.setdefault(int(index), {})[field] = tensor
        policy = self.model.policy
        policy.load_state_dict(network)
        policy.optimizer.load_state_dict({**policy.optimizer.state_dict(), "state": states})
        # After so many rounds the deals must not be those of the start again.
        seed = np.random.SeedSequence([self.options.seed, self.updates]).generate_state(1)[0]
        self.env.seed(int(seed))
        self.model.num_timesteps = self._added = self.decisions
