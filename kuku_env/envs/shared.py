"""Self-play for learning libraries: many games, all seats of which one network plays.

What adapters to libraries that learn from whole trails of decisions stand on. In a share of the
games a bot of a pool holds some of the seats, as a rival.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kuku_env.bots import Policy, Pool
from kuku_env.core.chance import choose
from kuku_env.core.game import Game
from kuku_env.envs.batch import BatchEnv, Turns
from kuku_env.envs.seats import Opponents
from kuku_env.games import find_game

NO_ROW = -1

Columns = dict[str, NDArray[Any]]
# (observation int8 (m, D), action_mask int8 (m, A)) -> what is to be kept of m decisions; a column
# ``actions``, int64 (m,), is what is played.
Decide = Callable[[NDArray[np.int8], NDArray[np.int8]], Mapping[str, NDArray[Any]]]


class SharedSeats:
    """``num_envs`` games side by side, whose seats share one network.

    A *trail* is what the network decided in one seat of one game, as columns of T rows in the order
    of time: ``observation`` int8 (T, D), ``action_mask`` int8 (T, A), ``rewards`` float32 (T,), and
    all that ``Decide`` gave. A reward is credited to the last decision of the seat that earned it,
    whoever acted since. Trails come when their game has ended; a game that was cut off by its limit
    on decisions has ended, too, and has paid everybody.

    In ``rival_share`` of the games a bot drawn from ``rivals``, a ``Pool`` or what makes one, holds
    one or more seats, never all; nothing is kept of what it does. Without rivals the network plays
    alone. ``tables`` and the other options are those of BatchEnv; table sizes may differ.

    Raises OptionError, BotError or ValueError for arguments that are not allowed.
    """

    def __init__(
        self,
        game: str | Game,
        num_envs: int,
        *,
        rivals: Opponents = (),
        rival_share: float = 0.5,
        **options: Any,
    ) -> None:
        self.game = find_game(game)
        self.batch = BatchEnv(self.game, num_envs, **options)
        if not 0 <= rival_share <= 1:
            raise ValueError(f"rival_share must be from 0 to 1, given {rival_share!r}")
        self.pool = None
        if isinstance(rivals, Pool):
            self.pool = rivals
        elif rivals:
            self.pool = Pool(self.game, rivals)
        if self.pool is not None:
            self.pool.join(self.batch.options)
        self.rival_share = rival_share
        self.num_envs, self.num_players = self.batch.num_envs, self.batch.num_players

    def reset(self, seed: int | None = None) -> None:
        """Deal all games anew; trails that were open are lost.

        The same seed gives the same deals, rivals and rivals' choices; None draws anew.
        """
        self._turns = self.batch.reset(seed)
        self._random = np.random.default_rng(seed)
        n, seats = self.num_envs, self.game.max_players
        self._holders = np.full((n, seats), None, object)  # the bot in each seat; None: the network
        self._last = np.full((n, seats), NO_ROW)  # of each seat's decisions, the newest
        self._open: list[list[list[int]]] = [[[] for _ in range(seats)] for _ in range(n)]
        self._rows = _Rows()
        self._cast(np.arange(n))

    def step(self, decide: Decide) -> list[Columns]:
        """One decision in every game; the trails of the games that have ended.

        Raises IllegalActionError, ValueError or TypeError for what is not a legal action in each
        game; then no game has changed.
        """
        turns = self._turns
        holders = self._holders[np.arange(self.num_envs), turns.seat]
        is_own = np.fromiter((holder is None for holder in holders), np.bool_, self.num_envs)
        actions = self._rivals_actions(turns, holders, is_own)
        own = np.flatnonzero(is_own)
        seats, kept = turns.seat[own], {}
        if len(own):
            seen = {"observation": turns.observation[own], "action_mask": turns.action_mask[own]}
            kept = {**seen, **decide(seen["observation"], seen["action_mask"])}
            actions[own] = kept["actions"]
        turns = self.batch.step(actions)
        if len(own):
            self._keep(own, seats, kept)
        self._credit(turns)
        ended = np.flatnonzero(turns.over)
        trails = [trail for game in ended for trail in self._closed(int(game))]
        self._cast(ended)
        return trails

    def _keep(self, games: NDArray[np.intp], seats: NDArray[np.int8], kept: Columns) -> None:
        rows = self._rows.write({**kept, "rewards": np.zeros(len(games), np.float32)})
        self._last[games, seats] = rows
        for game, seat, row in zip(games.tolist(), seats.tolist(), rows.tolist(), strict=True):
            self._open[game][seat].append(row)

    def _credit(self, turns: Turns) -> None:
        """What a seat got belongs to its last decision; before the first it is nobody's merit."""
        paid = (turns.rewards != 0) & (self._last != NO_ROW)
        if paid.any():
            self._rows.columns["rewards"][self._last[paid]] += turns.rewards[paid]

    def _closed(self, game: int) -> list[Columns]:
        trails = []
        for rows in self._open[game]:
            if rows:
                trails.append(self._rows.take_out(np.array(rows)))
                rows.clear()
        self._last[game] = NO_ROW
        return trails

    def _cast(self, games: NDArray[np.intp]) -> None:
        """Settle who sits where in games that have just been dealt."""
        self._holders[games] = None
        if self.pool is None:
            return
        mixed = games[self._random.random(len(games)) < self.rival_share]
        for game, size in zip(mixed, self.num_players[mixed], strict=True):
            seats = self._random.permutation(size)[: self._random.integers(1, size)]
            [self._holders[game, seats]] = self.pool.draw(self._random, 1)

    def _rivals_actions(
        self, turns: Turns, holders: NDArray[Any], own: NDArray[np.bool_]
    ) -> NDArray[np.int64]:
        """Actions of the bots in the games that wait for them, 0 elsewhere: int64 (n,)."""
        actions = np.zeros(self.num_envs, np.int64)
        bots = np.fromiter(map(id, holders), np.int64, len(holders))
        for bot in np.unique(bots[~own]):
            games = np.flatnonzero(bots == bot)
            policy: Policy = holders[games[0]]
            seen = turns.observation[games], turns.action_mask[games]
            actions[games] = choose(policy.probabilities(*seen), self._random.random(len(games)))
        return actions


class _Rows:
    """Columns whose rows are written in any number, and taken out one trail at a time."""

    def __init__(self) -> None:
        self.columns: Columns = {}
        self._free = np.zeros(0, np.intp)

    def write(self, values: Mapping[str, NDArray[Any]]) -> NDArray[np.intp]:
        """The numbers of the rows that now hold these values."""
        count = len(values["rewards"])
        if len(self._free) < count:
            self._grow(values, count)
        rows, self._free = self._free[:count], self._free[count:]
        for name, column in self.columns.items():
            column[rows] = values[name]
        return rows

    def take_out(self, rows: NDArray[np.intp]) -> Columns:
        """Copies of these rows, which are free then."""
        self._free = np.concatenate([self._free, rows])
        return {name: column[rows] for name, column in self.columns.items()}

    def _grow(self, values: Mapping[str, NDArray[Any]], count: int) -> None:
        before = len(self.columns.get("rewards", ()))
        more = max(before, 8 * count)
        for name, value in values.items():
            column = np.zeros((before + more, *value.shape[1:]), value.dtype)
            if before:
                column[:before] = self.columns[name]
            self.columns[name] = column
        self._free = np.concatenate([self._free, np.arange(before, before + more)])
