"""A best response in tables, learned by playing against a frozen bot.

Q-learning (Watkins 1989) over what a seat can tell apart. That is given as *sets*: numbers, one for
each level of detail, the finest first. A level is used where it has been seen often enough, so
that detail helps where there is experience and does no harm where there is none. The bot played
against is anything that plays; what it knows is its own affair.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kuku_env.core.chance import choose, generator_states, next_state
from kuku_env.core.game import Game, Policy
from kuku_env.core.jit import njit
from kuku_env.envs.batch import BatchEnv

Sets = Callable[[NDArray[np.int8]], NDArray[np.uint64]]  # observations (N, D) to sets (N, levels)

FAMILIAR = 300  # decisions seen in a set, from which on its level is used
GAMES = 4096  # side by side
_PROBES = 64
_MIX, _FOLD, _ONE = np.uint64(0x9E3779B97F4A7C15), np.uint64(29), np.uint64(1)


@njit
def mix(a: Any, b: Any) -> Any:
    """A number, never 0, that hardly any other two numbers give."""
    x = (a ^ (b * _MIX)) | _ONE
    x = (x ^ (x >> _FOLD)) * _MIX
    x = (x ^ (x >> _FOLD)) * _MIX
    return (x ^ (x >> _FOLD)) | _ONE


@njit
def cell_of(keys: Any, key: Any, grow: bool) -> int:
    """Where a key's numbers stand, -1 for a key that is not kept; a new one is if there is room."""
    last = len(keys) - 1
    at = np.int64(key >> _ONE) & last
    for _ in range(_PROBES):
        if keys[at] == key:
            return at
        if keys[at] == 0:
            if grow:
                keys[at] = key
                return at
            return -1
        at = (at + 1) & last
    return -1


@njit
def familiar(sets: Any, keys: Any, seen: Any) -> int:
    """The first level whose set has been seen often enough, else the last one."""
    for level in range(len(sets) - 1):
        at = cell_of(keys, mix(sets[level], _ONE), False)
        if at >= 0 and seen[at] >= FAMILIAR:
            return level
    return len(sets) - 1


@njit
def consider(set_: Any, mask: Any, keys: Any, worth: Any, seen: Any, dice: Any) -> Any:
    """The action to try and the action to rely on, and what the latter seems to be worth.

    An action's worth is known to about 1/sqrt(times seen): that is added for the one and taken off
    for the other. Of several that are unknown one is drawn.
    """
    curious, cautious, most, best, value, ties = -1, -1, -np.inf, -np.inf, 0.0, 0
    for action in range(len(mask)):
        if mask[action] == 0:
            continue
        at = cell_of(keys, mix(set_, np.uint64(action + 2)), False)
        known = at >= 0 and seen[at] > 0
        doubt = 1.0 / np.sqrt(seen[at]) if known else 3.0
        here = float(worth[at]) if known else 0.0
        if here + doubt > most:
            curious, most, ties = action, here + doubt, 1
        elif here + doubt == most:
            ties += 1
            dice[0] = next_state(dice[0])
            if dice[0] % np.uint64(ties) == 0:
                curious = action
        if here - doubt > best:
            cautious, best, value = action, here - doubt, here
    return curious, cautious, value


@njit
def decide(
    sets: Any, masks: Any, keys: Any, worth: Any, seen: Any, dice: Any, trying: bool, actions: Any,
    values: Any, cells: Any,
) -> None:  # fmt: skip
    """Decide for N rows: ``actions`` (N,), what they are worth (N,), and where that is kept, by
    level: the set's cell and the action's, (N, levels, 2)."""
    for i in range(len(sets)):
        level = familiar(sets[i], keys, seen)
        curious, cautious, values[i] = consider(sets[i, level], masks[i], keys, worth, seen, dice)
        actions[i] = curious if trying else cautious
        for k in range(sets.shape[1]):
            cells[i, k, 0] = cell_of(keys, mix(sets[i, k], _ONE), trying)
            key = mix(sets[i, k], np.uint64(actions[i] + 2))
            cells[i, k, 1] = cell_of(keys, key, trying)


@njit
def learn(cells: Any, targets: Any, worth: Any, seen: Any) -> None:
    """Move the worth of N decisions, at every level, towards what came of them."""
    for i in range(len(cells)):
        for k in range(cells.shape[1]):
            if cells[i, k, 0] < 0 or cells[i, k, 1] < 0:
                continue
            seen[cells[i, k, 0]] += 1
            at = cells[i, k, 1]
            seen[at] += 1
            worth[at] += (targets[i] - worth[at]) * float(seen[at]) ** -0.75


class TabularResponse:
    """What is learned against a frozen ``bot`` at two players; a bot itself (see Policy).

    ``decisions`` of its own it has learned from. ``room``: cells of the table, a power of 2; once
    they are full, what is new is not kept. ``options`` are the rules'.
    """

    def __init__(
        self,
        game: Game,
        bot: Policy,
        sets: Sets,
        seed: int = 0,
        *,
        room: int = 2**23,
        **options: Any,
    ) -> None:
        self.game, self.name, self.sets, self.decisions = game, f"response to {bot.name}", sets, 0
        self._bot = bot
        self._keys = np.zeros(room, np.uint64)
        self._worth, self._seen = np.zeros(room, np.float32), np.zeros(room, np.int32)
        self._dice = generator_states(seed, 1)
        self._random = np.random.default_rng(seed)
        self._env = BatchEnv(game, GAMES, **{**options, "num_players": 2})
        self._turns = self._env.reset(seed=seed)
        self._seat = np.arange(GAMES) % 2
        levels = sets(self._turns.observation[:1]).shape[1]
        # The decision of each game whose worth is not known yet; -1: none.
        self._open = np.full((GAMES, levels, 2), -1)

    @property
    def cells(self) -> int:
        """Sets and actions of which something is known."""
        return int(np.count_nonzero(self._keys))

    def learn(self, decisions: int) -> None:
        """Play on until so many more own decisions are made, and learn from them."""
        until = self.decisions + decisions
        while self.decisions < until:
            self._step()

    def probabilities(
        self, observation: NDArray[np.int8], action_mask: NDArray[np.int8]
    ) -> NDArray[np.float32]:
        actions, _, _ = self._decide(observation, action_mask, trying=False)
        chances = np.zeros(action_mask.shape, np.float32)
        chances[np.arange(len(actions)), actions] = 1
        return chances

    def _decide(
        self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], trying: bool
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
        sets = self.sets(observation)
        actions, values = np.zeros(len(sets), np.int64), np.zeros(len(sets))
        cells = np.zeros((*sets.shape, 2), np.int64)
        # Several threads may ask a bot: only the one that learns may write.
        dice = self._dice if trying else self._dice.copy()
        decide(
            sets, action_mask, self._keys, self._worth, self._seen, dice, trying, actions, values,
            cells,
        )  # fmt: skip
        return actions, values, cells

    def _step(self) -> None:
        turns, actions = self._turns, np.zeros(GAMES, np.int64)
        mine = np.flatnonzero(turns.seat == self._seat)
        others = np.flatnonzero(turns.seat != self._seat)
        if len(mine):
            given = turns.observation[mine], turns.action_mask[mine]
            actions[mine], values, cells = self._decide(*given, trying=True)
            learn(self._open[mine], values, self._worth, self._seen)
            self._open[mine] = cells
            self.decisions += len(mine)
        if len(others):
            chances = self._bot.probabilities(turns.observation[others], turns.action_mask[others])
            actions[others] = choose(chances, self._random.random(len(others)))
        self._turns = turns = self._env.step(actions)
        over = np.flatnonzero(turns.over)
        rewards = turns.rewards[over, self._seat[over]].astype(np.float64)
        learn(self._open[over], rewards, self._worth, self._seen)
        self._open[over] = -1
