"""A pool of opponents: ready bots and snapshots of a learner, for every kind of learner."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kuku_env.bots.named import make_policy
from kuku_env.core.game import Game, Policy
from kuku_env.games import find_game


class Pool:
    """Bots to play against: in every game that is dealt each seat but the learner's draws one.

    ``bots``: names, folders of exported bots, or policies; one named twice comes up twice as often.
    Snapshots of the learner join by ``add``, and give way when ``snapshots`` newer ones have come.
    Games draw when they are dealt, so nobody is exchanged in mid-game; several environments may
    share a pool.

    Raises BotError for an unknown bot, ValueError for an empty list or a negative number.
    """

    def __init__(
        self, game: str | Game, bots: Sequence[str | Path | Policy], *, snapshots: int = 6
    ) -> None:
        if snapshots < 0:
            raise ValueError(f"snapshots must be at least 0, given {snapshots}")
        self.game, self.snapshots = find_game(game), snapshots
        self._tables: dict[Any, None] = {}  # options of all tables that draw from here, once each
        self._made: dict[str, Policy] = {}
        self._ready: list[Policy] = []
        self._past: list[Policy] = []
        self.replace(bots)

    @property
    def bots(self) -> list[Policy]:
        """What the next games draw from: the ready bots, then snapshots, the newest last."""
        return [*self._ready, *self._past]

    def replace(self, bots: Sequence[str | Path | Policy]) -> None:
        """Other ready bots; snapshots stay.

        Raises BotError for an unknown bot or one that is not meant for the tables that draw from
        here, ValueError for an empty list; the pool is then unchanged.
        """
        if isinstance(bots, str) or not bots:
            raise ValueError(f"opponents must be a list of names or policies, given {bots!r}")
        ready = [self._make(bot) for bot in bots]
        _check(ready, self._tables)
        self._ready = ready

    def add(self, snapshot: Policy) -> None:
        """A snapshot joins; it must not go on learning. The oldest of too many gives way.

        Raises BotError for one that is not meant for the tables that draw from here.
        """
        _check([snapshot], self._tables)
        self._past = [*self._past, snapshot][-self.snapshots :] if self.snapshots else []

    def join(self, tables: Iterable[Any]) -> None:
        """From now on tables with these options draw from here.

        Raises BotError for a bot that is not meant for them; the pool is then unchanged.
        """
        fresh = dict.fromkeys(tables)
        _check(self.bots, fresh)
        self._tables |= fresh

    def draw(self, random: np.random.Generator, seats: int) -> list[Policy]:
        """Bots for so many seats of a game, from the learner's left on."""
        bots = self.bots
        return [bots[k] for k in random.integers(len(bots), size=seats)]

    def _make(self, bot: str | Path | Policy) -> Policy:
        if not isinstance(bot, str | Path):
            return bot
        if str(bot) not in self._made:
            self._made[str(bot)] = make_policy(bot, self.game)
        return self._made[str(bot)]


class LineUp(Pool):
    """No draw: the first bot sits on the learner's left, and so on, in every game."""

    def join(self, tables: Iterable[Any]) -> None:
        """Raises ValueError, too, for a table with more or fewer seats."""
        options = list(tables)
        for table in options:
            others = table.num_players - 1
            if len(self.bots) != others:
                raise ValueError(
                    f"opponents must be 1 or {others} for {table.num_players} players, "
                    f"given {len(self.bots)}"
                )
        super().join(options)

    def draw(self, random: np.random.Generator, seats: int) -> list[Policy]:
        return self.bots


def _check(bots: Iterable[Policy], tables: Iterable[Any]) -> None:
    """Raises BotError for a bot that is not meant for one of the tables."""
    for bot in bots:
        if hasattr(bot, "accepts"):
            for options in tables:
                bot.accepts(options)
