"""Decisions that were played, and which later rewards each of them is credited with."""

from __future__ import annotations

import torch

from kuku_env.core.layout import Layout


class Experience:
    """What one round of collecting brought: ``seats + steps`` rows of ``games`` decisions.

    Rows from ``seats`` on are the steps of the games in order. Row k < ``seats`` holds what seat k
    decided last in the round before where nothing that followed was known yet: it is learned from
    once that is. So every decision is learned from in exactly one round, however short rounds are.

    Tensors, all with first axes (rows, games): ``observation`` int8 (.., D), ``action_mask`` int8
    (.., A), ``log_reference`` float32 (.., A), ``action`` and ``seat`` int64, ``log_probability``
    and ``value`` float32, ``live`` bool (the learner decided here), ``reward`` float32 (.., seats)
    that the step brought to each absolute seat, ``over`` bool (the step ended the game). Written by
    ``credit``: ``advantage`` float32, ``closed`` bool (to be learned from now), ``own_reward``
    float32 (credited directly).
    """

    def __init__(self, steps: int, games: int, seats: int, layout: Layout) -> None:
        shape = (seats + steps, games)
        self.seats = seats
        self.observation = torch.zeros(*shape, layout.size, dtype=torch.int8)
        self.action_mask = torch.zeros(*shape, layout.num_actions, dtype=torch.int8)
        self.log_reference = torch.zeros(*shape, layout.num_actions)
        self.action = torch.zeros(shape, dtype=torch.int64)
        self.seat = torch.zeros(shape, dtype=torch.int64)
        self.log_probability = torch.zeros(shape)
        self.value = torch.zeros(shape)
        self.live = torch.zeros(shape, dtype=torch.bool)
        self.reward = torch.zeros(*shape, seats)
        self.over = torch.zeros(shape, dtype=torch.bool)
        self.advantage = torch.zeros(shape)
        self.closed = torch.zeros(shape, dtype=torch.bool)
        self.own_reward = torch.zeros(shape)

    def credit(self, trace: float) -> None:
        """Credit every decision by what its own seat met later (generalised advantages).

        What counts for a decision are the rewards of its seat until that seat decides again or the
        game ends, whoever acts in between, and then the value of its next decision. ``trace``
        (lambda) 0 trusts that value, 1 trusts the rewards to come alone.
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

    def carry_over(self) -> None:
        """Keep the decisions that are still open as the first rows of the next round."""
        row, game = (self.live & ~self.closed).nonzero(as_tuple=True)
        to = self.seat[row, game]
        rewards = self.own_reward[row, game]
        kept = ("observation", "action_mask", "log_reference", "action", "seat", "log_probability",
                "value")  # fmt: skip
        for name in kept:
            tensor = getattr(self, name)
            tensor[to, game] = tensor[row, game]
        first = slice(0, self.seats)
        for tensor in (self.live, self.over, self.reward):
            tensor[first] = 0
        self.live[to, game] = True
        self.reward[to, game, to] = rewards
