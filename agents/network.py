"""The policy-value network: int8 observations in, action probabilities and a value out."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from kuku_env.core.game import Game
from kuku_env.core.layout import Layout

IMPOSSIBLE = -1e9  # logit of an illegal action: its probability becomes exactly 0


class Answer(NamedTuple):
    """What the network says about N decisions of a game with A actions.

    ``probabilities`` float32 (N, A), exactly 0 where illegal, ``log_probabilities`` float32 (N, A),
    ``value`` float32 (N,): the rewards that the acting seat can still expect.
    """

    probabilities: Tensor
    log_probabilities: Tensor
    value: Tensor


class PolicyValueNetwork(nn.Module):
    """A shared trunk of ``widths`` hidden layers, a policy head and a value head.

    The policy head adds to the logits of the *even policy*, which finds every kind of legal action
    (action block of the layout) equally likely, and all actions of a kind. Uniform play would
    hardly ever choose a kind with one action beside a kind with fifty. Both heads start at zero: an
    unlearned network plays the even policy.

    Raises ValueError for widths that are not positive.
    """

    scale: Tensor
    blocks: Tensor

    def __init__(self, layout: Layout, widths: Sequence[int]) -> None:
        super().__init__()
        if not widths or min(widths) < 1:
            raise ValueError(f"widths must be positive integers, at least one, given {widths!r}")
        self.widths = tuple(widths)
        self.first = nn.Linear(layout.size, widths[0])
        deeper = [nn.Sequential(nn.Linear(a, b), nn.ReLU()) for a, b in pairwise(widths)]
        self.trunk = nn.Sequential(nn.ReLU(), *deeper)
        self.policy = nn.Linear(widths[-1], layout.num_actions)
        self.value = nn.Linear(widths[-1], 1)
        # Few cells of an observation are not zero: with a usual start they would be hardly heard.
        nn.init.normal_(self.first.weight, std=0.25)
        for head in (self.policy, self.value):
            nn.init.zeros_(head.weight)
            nn.init.zeros_(head.bias)
        blocks = torch.zeros(layout.num_actions, len(layout.actions))
        for k, block in enumerate(layout.actions):
            start = layout.start(block.name)
            blocks[start : start + block.size, k] = 1.0
        # The layout gives both, so they are not part of the saved weights.
        self.register_buffer("scale", torch.from_numpy(layout.scale.copy()), persistent=False)
        self.register_buffer("blocks", blocks, persistent=False)

    def even(self, action_mask: Tensor) -> Tensor:
        """Log-probabilities of the even policy, float32 (N, A), where legal."""
        legal = action_mask.float() @ self.blocks  # legal actions of each kind
        kinds = (legal > 0).sum(1, keepdim=True)
        return -(legal.clamp(min=1).log() + kinds.clamp(min=1).log()) @ self.blocks.T

    def forward(self, observation: Tensor, action_mask: Tensor) -> Answer:
        """``observation`` int8 (N, D), ``action_mask`` int8 (N, A)."""
        # Scaling the weights once is cheaper than scaling every observation.
        scaled = self.first.weight * self.scale
        hidden = self.trunk(nn.functional.linear(observation.float(), scaled, self.first.bias))
        logits = self.policy(hidden) + self.even(action_mask)
        logits = torch.where(action_mask > 0, logits, IMPOSSIBLE)
        # softmax() is several times faster than exp() of so low numbers.
        probabilities, logs = torch.softmax(logits, 1), torch.log_softmax(logits, 1)
        return Answer(probabilities, logs, self.value(hidden).squeeze(1))


def sample(probabilities: Tensor, draws: Tensor) -> Tensor:
    """One action for each row of probabilities (N, A): int64 (N,), never one of probability 0.

    ``draws`` float32 (N,): random numbers from 0 to 1 that choose.
    """
    cumulated = probabilities.cumsum(1)
    # The factor keeps the draw under the last sum, whatever rounding does.
    reached = draws[:, None] * cumulated[:, -1:] * (1 - 1e-6)
    return (cumulated <= reached).sum(1)


class NetworkPolicy:
    """The network as a bot (see kuku_env.core.game.Policy), without exporting it.

    ``network``: a PolicyValueNetwork, or another module that takes and answers the same.
    """

    def __init__(self, network: nn.Module, game: Game, name: str = "network") -> None:
        self.network, self.game, self.name = network, game, name

    @torch.no_grad()
    def probabilities(
        self, observation: NDArray[np.int8], action_mask: NDArray[np.int8]
    ) -> NDArray[np.float32]:
        answer = self.network(torch.from_numpy(observation), torch.from_numpy(action_mask))
        return answer.probabilities.numpy()
