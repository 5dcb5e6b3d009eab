"""PPO of RLlib as a learner: self-play of all seats, on one machine or on a Ray cluster.

Runners play, wherever the cluster has room; the process that was started learns. When a machine is
lost, the runners that are left go on, and those lost come back once there is room for them again.
"""

from __future__ import annotations

import copy
import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import ray
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.algorithms.ppo.torch.ppo_torch_learner import PPOTorchLearner
from ray.rllib.core import (
    COMPONENT_LEARNER,
    COMPONENT_OPTIMIZER,
    COMPONENT_RL_MODULE,
    DEFAULT_MODULE_ID,
)
from ray.rllib.core.columns import Columns
from ray.rllib.utils.metrics import NUM_ENV_STEPS_SAMPLED_LIFETIME
from torch import Tensor, nn

from agents.checkpoint import CheckpointError, read_checkpoint, write_checkpoint
from agents.network import Choice
from agents.rllib_options import NAME, ClusterError, RllibOptions
from kuku_env.arena.cluster import knock
from kuku_env.games import find_game
from kuku_env.integrations.rllib import MaskedModule, self_play

AVERAGE = 0.1  # how far back the exported average of the network looks: a share of the run
OBJECT_STORE = 300_000_000  # bytes, of a Ray of our own: the episodes of a round, and weights
# How long a round waits for lost runners to come back, while the others could play.
PROBE_SECONDS = 1.0
TOLD = ("policy_loss", "vf_loss", "entropy", "divergence")  # of what RLlib tells about learning


class Actor(nn.Module):
    """A MaskedModule: what it would do, as PolicyValueNetwork tells it."""

    def __init__(self, module: MaskedModule) -> None:
        super().__init__()
        self.module = copy.deepcopy(module)  # which goes on learning
        self.requires_grad_(False).eval()

    def forward(self, observation: Tensor, action_mask: Tensor) -> Choice:
        """``observation`` int8 (N, D), ``action_mask`` int8 (N, A)."""
        logits = self.module.logits(observation, action_mask)
        return Choice(torch.softmax(logits, 1), torch.log_softmax(logits, 1))


class PulledLearner(PPOTorchLearner):
    """PPO whose policy is pulled towards the even one, as in self-play, with weight ``pull``.

    Entropy alone does not keep a bluffing game alive: nobody accepts any more, so nobody learns to
    claim, so accepting loses.
    """

    pull = 0.0

    def compute_loss_for_module(
        self, *, module_id: str, config: Any, batch: dict[str, Any], fwd_out: dict[str, Any]
    ) -> Tensor:
        loss = super().compute_loss_for_module(
            module_id=module_id, config=config, batch=batch, fwd_out=fwd_out
        )
        logs = torch.log_softmax(fwd_out[Columns.ACTION_DIST_INPUTS], 1)
        even = self.module[module_id].unwrapped().even(batch[Columns.OBS]["action_mask"])
        away = (logs.exp() * (logs - even)).sum(1)[batch[Columns.LOSS_MASK]].mean()
        self.metrics.log_value((module_id, "divergence"), away, window=1)
        return loss + self.pull * away


@contextmanager
def ray_of(options: RllibOptions) -> Iterator[None]:
    """Ray while the run lasts. Raises ClusterError where it cannot be had, or is too small."""
    # Whoever trains on machines of their own need not be counted by Ray's makers.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    for name in ("ray", "ray.rllib"):  # what matters we tell ourselves
        logging.getLogger(name).setLevel(logging.CRITICAL)
    settings: dict[str, Any] = {"logging_level": logging.CRITICAL, "log_to_driver": False}
    if options.address is None:
        settings |= {
            "address": "local", "num_cpus": options.runners, "object_store_memory": OBJECT_STORE,
            "include_dashboard": False,
        }  # fmt: skip
    else:
        settings["address"] = options.address
    try:
        knock(options.address)
        ray.init(**settings)
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise ClusterError(f"no Ray cluster at {options.address!r}: {error}") from None
    try:
        cores = int(ray.cluster_resources().get("CPU", 0))
        if cores < options.runners:
            raise ClusterError(f"the cluster has {cores} CPUs for {options.runners} runners")
        yield
    finally:
        ray.shutdown()


class RllibLearner:
    """A run of PPO, while Ray is there. ``update`` plays and learns one round.

    Attributes: ``game``, ``options``, ``decisions``, ``updates``, ``seconds`` so far, ``average``
    (the network's average over time, an Actor, which outlives Ray).

    Raises OptionError or BotError for options that do not fit the game.
    """

    name = NAME

    def __init__(self, options: RllibOptions, checkpoint: Path | None = None) -> None:
        """``checkpoint`` of a run with the same options to go on from, with newly dealt games.

        Raises CheckpointError for one that is damaged or of another layout.
        """
        self.options, self.game = options, find_game(options.game)
        self.decisions, self.updates, self.seconds = 0, 0, 0.0
        tensors = {} if checkpoint is None else self._read(checkpoint)
        self._before = self.decisions  # RLlib counts from 0 in a run that goes on, too
        torch.set_num_threads(options.threads)
        self.algorithm = self._config().build_algo()
        self.average = Actor(self._module)
        if checkpoint is not None:
            try:
                self._put(tensors)
            except (KeyError, TypeError, RuntimeError) as error:
                raise CheckpointError(f"{checkpoint} is damaged: {error}") from None

    def _config(self) -> PPOConfig:
        options = self.options
        config = self_play(
            PPOConfig(), self.game, options.games, widths=options.widths, tables=options.tables(),
            rivals=options.rivals, rival_share=options.rival_share,
        )  # fmt: skip
        config.debugging(seed=options.seed, log_level="ERROR")
        config.env_runners(num_env_runners=options.runners)
        config.learners(learner_class=PulledLearner)
        config.fault_tolerance(
            restart_failed_env_runners=True, env_runner_health_probe_timeout_s=PROBE_SECONDS
        )
        start, end = options.learning_rate * (1 - 0.9 * self.progress()), options.learning_rate / 10
        left = max(1, options.decisions - self.decisions)
        config.training(
            train_batch_size_per_learner=options.batch,
            minibatch_size=min(options.minibatch, options.batch),
            num_epochs=options.passes, clip_param=options.clip, lambda_=options.trace,
            entropy_coeff=0.0, use_kl_loss=False, grad_clip=1.0,
            lr=[[0, start], [left, end]],
        )  # fmt: skip
        return config

    @property
    def _module(self) -> MaskedModule:
        return self.algorithm.get_module(DEFAULT_MODULE_ID)

    @property
    def runners(self) -> int:
        """How many of the runners were there in the last round."""
        return int(self.algorithm.env_runner_group.num_healthy_remote_env_runners())

    def progress(self) -> float:
        """How much of the run is done, 0 to 1: by decisions or by time, whichever is further."""
        done = self.decisions / self.options.decisions
        if self.options.minutes is not None:
            done = max(done, self.seconds / (60 * self.options.minutes))
        return min(done, 1.0)

    def pull(self) -> float:
        """The present weight of the pull to the even policy."""
        start, end = self.options.pull_start, self.options.pull_end
        return float(start * (end / start) ** self.progress())

    def update(self) -> dict[str, float]:
        """Play and learn one round; what RLlib tells about learning, by name.

        A round in which every runner was lost brings nothing and is none.
        """
        began, pull = time.perf_counter(), self.pull()
        self.algorithm.learner_group.foreach_learner(lambda learner: setattr(learner, "pull", pull))
        result = self.algorithm.train()
        self.seconds += time.perf_counter() - began
        decisions = self._before + int(result.get(NUM_ENV_STEPS_SAMPLED_LIFETIME, 0))
        if decisions == self.decisions:
            return {}
        told = result["learners"][DEFAULT_MODULE_ID]
        self.decisions = decisions
        self.updates += 1
        self._follow()
        return {name: float(told[name]) for name in TOLD if name in told}

    @torch.no_grad()
    def _follow(self) -> None:
        """Move the average towards the network: it forgets as slowly as the run is long."""
        weight = 1 / (1 + AVERAGE * self.updates)
        pairs = zip(self.average.module.parameters(), self._module.parameters(), strict=True)
        for average, newest in pairs:
            average.lerp_(newest, weight)

    # ---- checkpoints: plain tensors and JSON, since Ray's own hold pickles

    def save(self, folder: Path) -> Path:
        """Write a checkpoint into ``folder``; see ``write_checkpoint``."""
        card = {
            "learner": NAME,
            "layout": self.game.layout.id,
            "options": asdict(self.options),
            "decisions": self.decisions,
            "updates": self.updates,
            "seconds": self.seconds,
        }
        return write_checkpoint(folder, self.updates, self._tensors, card)

    def _read(self, checkpoint: Path) -> dict[str, Tensor]:
        """Take over the counters; the tensors."""
        card, tensors = read_checkpoint(checkpoint)
        if card.get("layout") != self.game.layout.id:
            raise CheckpointError(
                f"{checkpoint} was made for layout {card.get('layout')}; "
                f"this version has {self.game.layout.id}"
            )
        try:
            self.decisions, self.updates = int(card["decisions"]), int(card["updates"])
            self.seconds = float(card["seconds"])
        except (KeyError, TypeError, ValueError) as error:
            raise CheckpointError(f"{checkpoint} is damaged: {error}") from None
        return tensors

    def _state(self) -> dict[str, Any]:
        parts = (COMPONENT_RL_MODULE, COMPONENT_OPTIMIZER)
        whole = self.algorithm.learner_group.get_state([f"{COMPONENT_LEARNER}/{p}" for p in parts])
        return {part: whole[COMPONENT_LEARNER][part] for part in parts}

    def _tensors(self) -> dict[str, Tensor]:
        state = self._state()
        found = dict(state[COMPONENT_RL_MODULE][DEFAULT_MODULE_ID])
        found = {f"network.{name}": torch.as_tensor(array) for name, array in found.items()}
        for name, tensor in self.average.module.state_dict().items():
            found[f"average.{name}"] = tensor
        [optimiser] = state[COMPONENT_OPTIMIZER].values()
        for index, parts in optimiser["state"]["state"].items():
            for name, array in parts.items():
                found[f"optimiser.{index}.{name}"] = torch.as_tensor(array)
        return {name: tensor.clone().contiguous() for name, tensor in found.items()}

    def _put(self, tensors: dict[str, Tensor]) -> None:
        parts: dict[str, dict[str, Tensor]] = {"network": {}, "average": {}, "optimiser": {}}
        for name, tensor in tensors.items():
            part, _, key = name.partition(".")
            parts[part][key] = tensor
        self.average.module.load_state_dict(parts["average"])
        moments: dict[int, dict[str, Any]] = {}
        for key, tensor in parts["optimiser"].items():
            index, _, name = key.partition(".")
            moments.setdefault(int(index), {})[name] = tensor.numpy()
        state = self._state()
        state[COMPONENT_RL_MODULE][DEFAULT_MODULE_ID] = {
            name: tensor.numpy() for name, tensor in parts["network"].items()
        }
        [optimiser] = state[COMPONENT_OPTIMIZER].values()
        optimiser["state"]["state"] = moments
        group = self.algorithm.learner_group
        group.set_state({COMPONENT_LEARNER: state})
        self.algorithm.env_runner_group.sync_weights(from_worker_or_learner_group=group)
