"""The network: int8 observations in; action probabilities, a value and guesses out."""

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

IMPOSSIBLE = -1e9  # logit of an illegal action, or an absent seat: its chance becomes exactly 0
CRITIC_WIDTH = 64  # units in which the critic joins what is hidden with what is seen


class Choice(NamedTuple):
    """What a network would do in N decisions of a game with A actions.

    ``probabilities`` float32 (N, A), exactly 0 where illegal, ``log_probabilities`` float32 (N, A).
    """

    probabilities: Tensor
    log_probabilities: Tensor


class Guesses(NamedTuple):
    """What the network thinks of N situations, as logits.

    ``seats`` float32 (N, P): who wins the game, seats relative to the one that decides, IMPOSSIBLE
    where nobody sits; softmax makes chances of it. ``actions`` float32 (N, A): whether the deciding
    seat wins after each action; sigmoid. ``beliefs`` by the names of the game's beliefs, float32
    (N, cells of the truth): softmax, or sigmoid where there is one cell.
    """

    seats: Tensor
    actions: Tensor
    beliefs: dict[str, Tensor]


class PolicyValueNetwork(nn.Module):
    """A shared trunk of ``widths`` hidden layers, and heads: policy, value (critic) and guesses.

    The policy head adds to the logits of the *even policy*, which finds every kind of legal action
    (action block of the layout) equally likely, and all actions of a kind. Uniform play would
    hardly ever choose a kind with one action beside a kind with fifty. All heads start at zero: an
    unlearned network plays the even policy, and an unlearned action's value is its situation's.

    ``critic_sees``: the critic is told what is hidden. It serves learning and is not exported.

    Raises ValueError for widths that are not positive.
    """

    scale: Tensor
    blocks: Tensor
    present: Tensor
    hidden_scale: Tensor

    def __init__(self, game: Game, widths: Sequence[int], critic_sees: bool = False) -> None:
        super().__init__()
        if not widths or min(widths) < 1:
            raise ValueError(f"widths must be positive integers, at least one, given {widths!r}")
        layout, last = game.layout, widths[-1]
        self.widths, self.critic_sees = tuple(widths), critic_sees
        self.first = nn.Linear(layout.size, widths[0])
        deeper = [nn.Sequential(nn.Linear(a, b), nn.ReLU()) for a, b in pairwise(widths)]
        self.trunk = nn.Sequential(nn.ReLU(), *deeper)
        self.policy = nn.Linear(last, layout.num_actions)
        if critic_sees:
            self.from_seen = nn.Linear(last, CRITIC_WIDTH)
            self.from_hidden = nn.Linear(game.secrets.size, CRITIC_WIDTH, bias=False)
        self.value = nn.Linear(CRITIC_WIDTH if critic_sees else last, 1)
        self.seats = nn.Linear(last, game.max_players)
        self.actions = nn.Linear(last, layout.num_actions)
        cells = {field.name: field.size for field in game.secrets.fields}
        self.beliefs = nn.ModuleDict({b.name: nn.Linear(last, cells[b.name]) for b in game.beliefs})
        # Few cells of an observation are not zero: with a usual start they would be hardly heard.
        nn.init.normal_(self.first.weight, std=0.25)
        for head in (self.policy, self.value, self.seats, self.actions, *self.beliefs.values()):
            nn.init.zeros_(head.weight)
            nn.init.zeros_(head.bias)
        # The game gives these, so they are not part of the saved weights.
        for name, array in {
            "scale": layout.scale,
            "blocks": _block_of_actions(layout),
            "present": _seats_at_table(game),
            "hidden_scale": game.secrets.scale,
        }.items():
            self.register_buffer(name, torch.from_numpy(array.copy()), persistent=False)
        self._size_cells = _size_field(layout)

    def even(self, action_mask: Tensor) -> Tensor:
        """Log-probabilities of the even policy, float32 (N, A), where legal."""
        legal = action_mask.float() @ self.blocks  # legal actions of each kind
        kinds = (legal > 0).sum(1, keepdim=True)
        return -(legal.clamp(min=1).log() + kinds.clamp(min=1).log()) @ self.blocks.T

    def look(self, observation: Tensor) -> Tensor:
        """The trunk's answer to ``observation`` int8 (N, D), float32 (N, last width)."""
        # Scaling the weights once is cheaper than scaling every observation.
        scaled = self.first.weight * self.scale
        return self.trunk(nn.functional.linear(observation.float(), scaled, self.first.bias))

    def choose(self, seen: Tensor, action_mask: Tensor) -> Choice:
        """What to do, by what ``look`` gave and ``action_mask`` int8 (N, A)."""
        logits = self.policy(seen) + self.even(action_mask)
        logits = torch.where(action_mask > 0, logits, IMPOSSIBLE)
        # softmax() is several times faster than exp() of so low numbers.
        return Choice(torch.softmax(logits, 1), torch.log_softmax(logits, 1))

    def expect(self, seen: Tensor, secrets: Tensor) -> Tensor:
        """The rewards that the deciding seat can still expect, float32 (N,).

        ``secrets`` int8 (N, S): what is hidden, which only a critic that sees it looks at.
        """
        if self.critic_sees:
            scaled = self.from_hidden.weight * self.hidden_scale
            hidden = nn.functional.linear(secrets.float(), scaled)
            seen = torch.relu(self.from_seen(seen) + hidden)
        return self.value(seen).squeeze(1)

    def guess(self, seen: Tensor, observation: Tensor) -> Guesses:
        """What it thinks, by what ``look`` gave for ``observation``."""
        seats = self.seats(seen)
        if self._size_cells is not None:
            table = observation[:, self._size_cells].float() @ self.present
            seats = torch.where(table > 0, seats, IMPOSSIBLE)
        mine = seats[:, :1] - torch.logsumexp(seats[:, 1:], 1, keepdim=True)
        beliefs = {name: head(seen) for name, head in self.beliefs.items()}
        return Guesses(seats, mine + self.actions(seen), beliefs)

    def forward(self, observation: Tensor, action_mask: Tensor) -> Choice:
        """``observation`` int8 (N, D), ``action_mask`` int8 (N, A)."""
        return self.choose(self.look(observation), action_mask)

    def answers(self, observation: Tensor, action_mask: Tensor) -> dict[str, Tensor]:
        """Everything that an exported bot tells, by the names of its outputs."""
        seen, legal = self.look(observation), action_mask.float()
        guesses = self.guess(seen, observation)
        return {
            "probabilities": self.choose(seen, action_mask).probabilities * legal,
            "action_values": torch.sigmoid(guesses.actions) * legal,
            "value": torch.softmax(guesses.seats, 1),
            **{name: _chances(logits) for name, logits in guesses.beliefs.items()},
        }


def _chances(logits: Tensor) -> Tensor:
    """Float32 (N,) from one column, else (N, K)."""
    if logits.shape[1] == 1:
        return torch.sigmoid(logits).squeeze(1)
    return torch.softmax(logits, 1)


def _block_of_actions(layout: Layout) -> NDArray[np.float32]:
    """1 where an action belongs to a block, float32 (A, blocks)."""
    blocks = np.zeros((layout.num_actions, len(layout.actions)), np.float32)
    for k, block in enumerate(layout.actions):
        blocks[layout.ids(block.name), k] = 1.0
    return blocks


def _size_field(layout: Layout) -> slice | None:
    """The cells that tell the table size, one for each, if the observation has such a field."""
    names = [f.name for f in layout.fields if (f.source, f.how) == ("rules.num_players", "one_hot")]
    return layout.offsets[names[0]] if names else None


def _seats_at_table(game: Game) -> NDArray[np.float32]:
    """1 where a seat sits at a table of a size, float32 (sizes, P)."""
    sizes = np.arange(game.min_players, game.max_players + 1)
    return (np.arange(game.max_players) < sizes[:, None]).astype(np.float32)


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
        choice = self.network(torch.from_numpy(observation), torch.from_numpy(action_mask))
        return choice.probabilities.numpy()
