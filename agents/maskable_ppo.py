"""MaskablePPO of sb3-contrib as a learner: one seat against a pool of bots and of its own past.

Snapshots of the learner join the pool as it goes on; a game keeps the opponents that it was dealt
with. What is measured and exported is the actor with the mask inside.
"""

from __future__ import annotations

import copy
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure
from torch import Tensor, nn

from agents.measure import win_shares
from agents.network import IMPOSSIBLE, Choice, NetworkPolicy
from agents.options import tables_of
from kuku_env.bots import Pool, make_policy
from kuku_env.core.game import OptionError, check_choice
from kuku_env.games import find_game, games
from kuku_env.integrations.sb3 import SeatsVecEnv, policy_settings

CURVE_GAMES = 400  # of each measurement during the run


@dataclass(frozen=True)
class PpoOptions:
    """What a run is made of. Raises OptionError, naming the option, for a value that cannot be."""

    game: str = "kuku-doubt"
    """Short name or id of the game."""
    seed: int = 0
    """Seed of the deals and of the network's first weights."""
    decisions: int = 2_000_000
    """Decisions of the learner's seats to learn from."""
    minutes: float | None = None
    """Wall time after which the run ends all the same; None: no limit."""
    widths: tuple[int, ...] = (128, 128)
    """Units in each hidden layer, of the actor and of the critic."""
    players: tuple[int, ...] = (2, 3, 4, 5, 6)
    """Table sizes, dealt in turn; a size named twice gets twice the games."""
    variants: tuple[str, ...] = ("",)
    """Rules of the tables, dealt in turn: option=value (JSON or a word), joined by commas;
    preset=NAME stands for the options of a preset."""
    games: int = 256
    """Games played side by side."""
    steps: int = 64
    """Decisions that each game adds before the network learns from them."""
    passes: int = 4
    """How often each decision is learned from."""
    minibatch: int = 2048
    """Decisions in one step of the optimiser."""
    learning_rate: float = 5e-4
    """Step size of Adam at the start; it falls linearly to a tenth."""
    clip: float = 0.2
    """Change of a probability ratio beyond which a decision pulls no more."""
    trace: float = 0.95
    """How far later rewards are trusted over the value of the next decision (lambda)."""
    entropy: float = 0.01
    """Weight of the policy's entropy, which keeps it from settling too early."""
    opponents: tuple[str, ...] = ("scripted-normal", "scripted-easy", "random")
    """Bots that are in the pool from the start to the end."""
    snapshots: int = 6
    """Most snapshots of the learner in the pool, the oldest giving way; 0: none."""
    snapshot_every: int = 100_000
    """Decisions between two snapshots."""
    threads: int = os.cpu_count() or 1
    """Processor cores to use."""

    def __post_init__(self) -> None:
        known = [name for found in games() for name in (found.name, found.id)]
        check_choice("game", self.game, known)
        positive = ("decisions", "games", "steps", "passes", "minibatch", "learning_rate", "clip",
                    "snapshot_every", "threads")  # fmt: skip
        for name in positive:
            self._check(name, getattr(self, name) > 0, "over 0")
        for name in ("seed", "entropy", "snapshots"):
            self._check(name, getattr(self, name) >= 0, "at least 0")
        self._check("trace", 0 <= self.trace <= 1, "from 0 to 1")
        for name in ("players", "variants", "opponents"):
            self._check(name, len(getattr(self, name)) > 0, "at least one")
        self._check("widths", bool(self.widths) and min(self.widths) > 0, "at least one, over 0")
        self._check("minutes", self.minutes is None or self.minutes > 0, "None, or over 0")

    def _check(self, name: str, is_allowed: bool, allowed: str) -> None:
        if not is_allowed:
            raise OptionError(name, getattr(self, name), allowed)

    def tables(self) -> list[dict[str, Any]]:
        """The options of each kind of table: every variant at every size."""
        return tables_of(self.game, self.variants, self.players)


def make_ppo_options(budget: str, game: str, preset: str | None = None) -> PpoOptions:
    """The options of a budget (demo, quick) for a game; ``preset``: of its rules, to play by.

    Raises KeyError for an unknown budget or game.
    """
    found = find_game(game)
    settings: dict[str, dict[str, Any]] = {
        "demo": {"minutes": 5.0},
        "quick": {"decisions": 200_000, "minutes": 0.5, "widths": (64, 64)},
    }
    known = ("scripted-normal", "scripted-easy")
    scripts = tuple(name for name in known if name in found.scripted)
    sizes = tuple(n for n in range(2, 7) if found.min_players <= n <= found.max_players)
    variants = ("" if preset is None else f"preset={preset}",)
    opponents = (*scripts, "random")
    return PpoOptions(
        game=game, opponents=opponents, players=sizes, variants=variants, **settings[budget]
    )


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
    """A MaskablePPO run. Attributes: ``game``, ``options``, ``decisions``, ``updates``, ``seconds``
    so far, ``average`` (the actor as it is now, a copy).

    Raises OptionError or BotError for options that do not fit the game.
    """

    def __init__(self, options: PpoOptions) -> None:
        self.options, self.game = options, find_game(options.game)
        torch.set_num_threads(options.threads)
        self.pool = Pool(self.game, options.opponents, snapshots=options.snapshots)
        self._started, self.seconds, self._snapped = time.perf_counter(), 0.0, 0
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
        # All kinds of action alike at first: what is never tried is never learned.
        even = torch.from_numpy(self.game.layout.even_logits)
        self.model.policy.action_net.bias.data.copy_(even)

    @property
    def decisions(self) -> int:
        return int(self.model.num_timesteps) if hasattr(self, "model") else 0

    @property
    def updates(self) -> int:
        return self.decisions // (self.options.games * self.options.steps)

    @property
    def average(self) -> MaskedActor:
        return MaskedActor(self.model.policy)

    def progress(self) -> float:
        """How much of the run is done, 0 to 1: by decisions or by time, whichever is further."""
        done = self.decisions / self.options.decisions
        if self.options.minutes is not None:
            done = max(done, self.seconds / (60 * self.options.minutes))
        return min(done, 1.0)

    def is_late(self) -> bool:
        """Whether the time is up."""
        minutes = self.options.minutes
        return minutes is not None and self.seconds >= 60 * minutes

    def learn(self, callback: BaseCallback) -> None:
        self._started = time.perf_counter()
        self.model.learn(self.options.decisions, callback=callback)

    def after_round(self) -> None:
        """Count the time, and let a snapshot join the pool when it is due."""
        self.seconds = time.perf_counter() - self._started
        options = self.options
        if not options.snapshots or self.decisions - self._snapped < options.snapshot_every:
            return
        self._snapped = self.decisions
        name = f"snapshot-{self.decisions}"
        self.pool.add(NetworkPolicy(self.average, self.game, name))


class Watch(BaseCallback):
    """Shows a run, measures it now and then, and ends it when its time is up."""

    def __init__(self, learner: PpoLearner, bar: Progress, measure_seconds: float) -> None:
        super().__init__()
        self.learner, self.bar, self.measure_seconds = learner, bar, measure_seconds
        self.task = bar.add_task("MaskablePPO", total=1.0, told="")
        self.judges = [make_policy(name, learner.game) for name in learner.game.scripted]
        self._measured = time.perf_counter()
        self._wins = ""

    def _on_step(self) -> bool:
        """Whether there is time left; SB3 counts the decisions, and learns from the last round."""
        return not self.learner.is_late()

    def _on_rollout_end(self) -> None:
        learner = self.learner
        learner.after_round()
        self.logger.record("pool/bots", len(learner.pool.bots))
        if time.perf_counter() - self._measured > self.measure_seconds:
            self._measure()
        told = f"{learner.decisions / 1e6:.2f}M decisions {self._wins}"
        self.bar.update(self.task, completed=learner.progress(), told=told)

    def _measure(self) -> None:
        learner, options = self.learner, self.learner.options
        bot = NetworkPolicy(learner.average, learner.game)
        size = options.players[0]
        figures = win_shares(
            learner.game, bot, self.judges, [size], CURVE_GAMES, seed=options.seed,
            threads=options.threads,
        )  # fmt: skip
        for figure in figures:
            name = f"wins/{figure['against']}/{size} players"
            self.logger.record(name, figure["wins"])
        self._wins = ", ".join(f"{f['wins']:.0%} against {f['against']}" for f in figures)
        self._measured = time.perf_counter()


def learn(
    options: PpoOptions, folder: Path, console: Console, measure_seconds: float
) -> PpoLearner:
    """A whole run; curves for TensorBoard go to ``folder``. The learner, ready to be exported."""
    learner = PpoLearner(options)
    learner.model.set_logger(configure(str(folder), ["tensorboard"]))
    bar = Progress(
        BarColumn(bar_width=12), TaskProgressColumn(), TimeElapsedColumn(),
        TextColumn("{task.fields[told]}"), console=console,
    )  # fmt: skip
    with bar:
        learner.learn(Watch(learner, bar, measure_seconds))
        learner.seconds = time.perf_counter() - learner._started
    learner.model.logger.close()
    return learner
