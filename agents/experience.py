"""Decisions that were played, and which later rewards each of them is credited with."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from kuku_env.core.game import Game

# Of a decision that waits for what follows: what is kept of it for the next round.
KEPT = ("observation", "action_mask", "secrets", "log_reference", "action", "seat", "value",
        "log_probability", "fair")  # fmt: skip


class Experience:
    """What one round of collecting brought: ``seats + steps`` rows of ``games`` decisions.

    Rows from ``seats`` on are the steps of the games in order. Row k < ``seats`` holds what seat k
    decided last in the round before where nothing that followed was known yet: it is learned from
    once that is. So every decision is learned from in exactly one round, however short rounds are.

    Tensors, all with first axes (rows, games): ``observation`` int8 (.., D), ``action_mask`` int8
    (.., A), ``secrets`` int8 (.., S), ``log_reference`` float32 (.., A), ``action`` and ``seat``
    int64, ``log_probability`` and ``value`` float32, ``live`` bool (the learner decided here),
    ``fair`` bool (and all that decide from then on, and who moved last, are its like), ``reward``
    float32 (.., seats) that the step brought to each absolute seat, ``over`` bool (the step ended
    the game). Written by ``credit``: ``advantage`` float32, ``closed`` bool (to be learned from
    now), ``own_reward`` float32 (credited directly), ``outcome`` float32 (.., seats): what share of
    the win each seat got, relative to the one that decided, or may expect at the end of the round.

    ``returns`` float32 (games, seats): what the games that are being played have brought so far.
    """

    def __init__(self, steps: int, num_players: NDArray[np.int64], game: Game) -> None:
        """``num_players`` int64 (games,): the table size of each game."""
        seats = game.max_players
        shape = (seats + steps, len(num_players))
        self.seats = seats
        self.num_players = torch.from_numpy(num_players)
        self.present = torch.arange(seats) < self.num_players[:, None]
        self.observation = torch.zeros(*shape, game.layout.size, dtype=torch.int8)
        self.action_mask = torch.zeros(*shape, game.layout.num_actions, dtype=torch.int8)
        self.secrets = torch.zeros(*shape, game.secrets.size, dtype=torch.int8)
        self.log_reference = torch.zeros(*shape, game.layout.num_actions)
        self.action = torch.zeros(shape, dtype=torch.int64)
        self.seat = torch.zeros(shape, dtype=torch.int64)
        self.log_probability = torch.zeros(shape)
        self.value = torch.zeros(shape)
        self.live = torch.zeros(shape, dtype=torch.bool)
        self.fair = torch.zeros(shape, dtype=torch.bool)
        self.reward = torch.zeros(*shape, seats)
        self.over = torch.zeros(shape, dtype=torch.bool)
        self.advantage = torch.zeros(shape)
        self.closed = torch.zeros(shape, dtype=torch.bool)
        self.own_reward = torch.zeros(shape)
        self.outcome = torch.zeros(*shape, seats)
        self.returns = torch.zeros(shape[1], seats)
        self._result = torch.zeros(*shape, seats)  # absolute shares of the win, where it is over

    def note(self, row: int, rewards: NDArray[np.float32], over: NDArray[np.bool_]) -> None:
        """What a step brought: rewards float32 (games, seats), and which games it ended."""
        self.reward[row], self.over[row] = torch.from_numpy(rewards), torch.from_numpy(over)
        self.returns += self.reward[row]
        ended = self.over[row].nonzero().squeeze(1)
        self._result[row, ended] = shares(self.returns[ended], self.present[ended])
        self.returns[ended] = 0.0

    def credit(self, trace: float, hopes: Tensor) -> None:
        """Credit every decision by what followed.

        ``trace``: see ``_credit_rewards``. ``hopes`` float32 (games, seats): the chance of each
        absolute seat to win the game that is being played at the end of the round.
        """
        self._credit_rewards(trace)
        self._credit_wins(hopes)

    def _credit_rewards(self, trace: float) -> None:
        """Generalised advantages: what counts for a decision are the rewards of its seat until that
        seat decides again or the game ends, whoever acts in between, and then the value of its next
        decision. ``trace`` (lambda) 0 trusts that value, 1 trusts the rewards to come alone.
        """
        shape = (self.seat.shape[1], self.seats)
        # For each game and seat, what is known of the time after the row.
        pending, next_value, next_advantage = (torch.zeros(shape) for _ in range(3))
        known = torch.zeros(shape, dtype=torch.bool)
        for row in reversed(range(len(self.seat))):
            ended = self.over[row, :, None]
            for later in (pending, next_value, next_advantage):
                later.masked_fill_(ended, 0.0)
            known |= ended
            pending += self.reward[row]
            seat, live, value = self.seat[row, :, None], self.live[row], self.value[row]
            met = pending.gather(1, seat).squeeze(1)
            closed = known.gather(1, seat).squeeze(1) & live
            advantage = met + next_value.gather(1, seat).squeeze(1) - value
            advantage += trace * next_advantage.gather(1, seat).squeeze(1)
            self.own_reward[row] = met
            self.advantage[row] = advantage * closed
            self.closed[row] = closed
            mine = live[:, None] & (torch.arange(self.seats) == seat)
            pending.masked_fill_(mine, 0.0)
            known |= mine
            torch.where(mine, value[:, None], next_value, out=next_value)
            torch.where(mine, self.advantage[row, :, None], next_advantage, out=next_advantage)

    def _credit_wins(self, hopes: Tensor) -> None:
        """Who won, where the game ended within the round; else what was to be hoped for then."""
        won = hopes.clone()
        for row in reversed(range(len(self.seat))):
            ended = self.over[row, :, None]
            torch.where(ended, self._result[row], won, out=won)
            self.outcome[row] = turned(won, self.seat[row], self.num_players)

    def carry_over(self) -> None:
        """Keep the decisions that are still open as the first rows of the next round."""
        row, game = (self.live & ~self.closed).nonzero(as_tuple=True)
        to = self.seat[row, game]
        rewards = self.own_reward[row, game]
        for name in KEPT:
            tensor = getattr(self, name)
            tensor[to, game] = tensor[row, game]
        first = slice(0, self.seats)
        for tensor in (self.live, self.over, self.reward):
            tensor[first] = 0
        self.live[to, game] = True
        self.reward[to, game, to] = rewards

    def waiting(self) -> list[Tensor]:
        """What is kept from round to round, as views: written to, it goes on from there."""
        first = slice(0, self.seats)
        kept = [getattr(self, name)[first] for name in (*KEPT, "live", "reward")]
        return [*kept, self.returns]


def shares(returns: Tensor, present: Tensor) -> Tensor:
    """Shares of the win, float32 (N, seats), by what a game brought: the highest win, equal ones
    share, as the survivors of a truncated game do. ``present`` bool (N, seats): who sits there."""
    returns = returns.masked_fill(~present, -torch.inf)
    best = (returns >= returns.amax(1, keepdim=True) - 1e-6).float()
    return best / best.sum(1, keepdim=True)


def turned(by_seat: Tensor, turn: Tensor, num_players: Tensor) -> Tensor:
    """Float32 (N, seats), counted from another seat: entry k is that of seat k + ``turn``, around
    the table; 0 where nobody sits. ``turn`` and ``num_players`` int64 (N,)."""
    seat = torch.arange(by_seat.shape[1])
    rotated = by_seat.gather(1, (seat + turn[:, None]) % num_players[:, None])
    return torch.where(seat < num_players[:, None], rotated, 0.0)
