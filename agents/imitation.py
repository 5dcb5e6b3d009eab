"""Lessons: before it learns for itself, a network imitates a bot.

So it begins with sense: naming the right one of fifty pairs is hardly found by chance, and what is
not found dies out.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn

from kuku_env.bots import Policy
from kuku_env.core.chance import choose
from kuku_env.envs.batch import BatchEnv


def imitate(
    logits_of: Callable[[Tensor], Tensor],
    weights: list[nn.Parameter],
    teacher: Policy,
    batch: BatchEnv,
    decisions: int,
    seed: int,
) -> float:
    """Teach by so many decisions of a bot that holds all seats of ``batch``.

    ``logits_of`` maps observations int8 (N, D) to logits float32 (N, A) by the ``weights``, which
    learn. The mean cross-entropy to the bot's probabilities over the last tenth, in nats.
    """
    random, turns = np.random.default_rng(seed), batch.reset(seed)
    optimiser = torch.optim.Adam(weights, 3e-3)
    steps = max(1, decisions // batch.num_envs)
    losses = []
    for step in range(steps):
        optimiser.param_groups[0]["lr"] = 3e-3 * (1 - step / steps)
        wanted = teacher.probabilities(turns.observation, turns.action_mask)
        illegal = torch.from_numpy(turns.action_mask == 0)
        logits = logits_of(torch.from_numpy(turns.observation.copy()))
        logs = torch.log_softmax(logits.masked_fill(illegal, -1e9), 1)
        loss = -(torch.from_numpy(wanted) * logs).sum(1).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(float(loss.detach()))
        turns = batch.step(choose(wanted, random.random(len(wanted))))
    return float(np.mean(losses[-max(1, steps // 10) :]))
