"""All games that a server holds: many at once, bounded, and kept in a folder if it has one."""

from __future__ import annotations

import dataclasses
import secrets
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Any

from kuku_env.core.checks import shown
from kuku_env.core.game import Game
from kuku_env.envs.match import Match
from kuku_env.protocol.registry import Bots
from kuku_env.protocol.store import Store
from kuku_env.protocol.table import FORMAT, Table
from kuku_env.protocol.wire import ProtocolError

MOST_TABLES = 200
IDLE_SECONDS = 3600.0  # after which a game may have to make room for a new one


class Tables:
    """Held games by their ids, for several threads.

    ``store`` is where they are kept, if they are: those found there go on. At most ``most`` are
    held: a new one takes the place of the one that is longest over or idle, if there is one.
    ``only``: no other game is played here. ``asks_outside`` is a table's.
    """

    def __init__(
        self,
        bots: Bots,
        store: Store | None = None,
        *,
        most: int = MOST_TABLES,
        only: Game | None = None,
        asks_outside: bool = False,
    ) -> None:
        self.bots, self.store, self.most = bots, store, most
        self._only, self._asks_outside = only, asks_outside
        self._lock = Lock()
        self._used = {} if store is None else store.ids()  # when each was last asked for
        self._open: dict[str, Table] = {}
        self._locks: dict[str, Lock] = {}

    def new(
        self, game: Game, options: Any, sitting: Sequence[str | None], key: bytes
    ) -> tuple[str, Table]:
        """Deal a game and play it up to the first question: its id, and its table.

        Raises ProtocolError: as a table does, or too_many.
        """
        table = self.table(self._dealt(game, options), sitting, key)
        name = secrets.token_urlsafe(16)
        with self._lock:
            self._make_room()
            if self.store is not None:
                self.store.open(name, table.about(), table.match)
            self._open[name], self._used[name] = table, time.time()
            self._locks[name] = Lock()
        return name, table

    @contextmanager
    def at(self, name: str) -> Iterator[Table]:
        """A table, while nobody else is at it. Raises ProtocolError (unknown_table)."""
        with self._lock:
            if name not in self._used:
                raise _unknown(name)
            self._used[name] = time.time()
            mine = self._locks.setdefault(name, Lock())
        with mine:
            yield self._open.get(name) or self._reopened(name)

    def act(
        self, name: str, table: Table, decision: int, action: str, seat: int | None = None
    ) -> None:
        """Act at a table that one is ``at``; raises ProtocolError as ``Table.acted`` does."""
        match = table.acted(decision, action, seat)
        # Saved first: what was told must still hold after the server has been killed.
        with self._lock:
            if name not in self._used:  # it has had to make room meanwhile
                raise _unknown(name)
            if self.store is not None:
                self.store.save(name, match)
        table.take(match)

    def table(self, match: Match, sitting: Sequence[str | None], key: bytes) -> Table:
        """A table as there are here, which nobody holds."""
        return Table(self.bots, match, sitting, key, asks_outside=self._asks_outside)

    def _dealt(self, game: Game, options: Any) -> Match:
        fields = {f.name: getattr(options, f.name) for f in dataclasses.fields(options)}
        return Match(game, explicit_chance=True, **fields)

    def _reopened(self, name: str) -> Table:
        """A game from the store. Raises ProtocolError (unknown_table)."""
        try:
            table = self._restored(name)
        except (ValueError, KeyError, TypeError, OSError, ProtocolError) as error:
            print(f"{name}.jsonl: {error}", file=sys.stderr)
            raise ProtocolError("unknown_table", "this game cannot be restored", "table") from None
        with self._lock:
            if name in self._used:
                self._open[name] = table
        return table

    def _restored(self, name: str) -> Table:
        saved = None if self.store is None else self.store.load(name)
        if saved is None:
            raise _unknown(name)
        about, match = saved
        if about["format"] != FORMAT or self._only not in (None, match.game):
            raise ValueError("another format, or another game than is played here")
        return self.table(match, about["sitting"], bytes.fromhex(about["key"]))

    def _make_room(self) -> None:
        """Forget a game if there are too many. Raises ProtocolError (too_many)."""
        while len(self._used) >= self.most:
            over = {name for name, table in self._open.items() if table.match.over}
            idle = time.time() - IDLE_SECONDS
            free = [name for name, used in self._used.items() if name in over or used < idle]
            if not free:
                words = f"{self.most} games are being played here; come again later"
                raise ProtocolError("too_many", words)
            name = min(free, key=self._used.__getitem__)
            if self.store is not None:
                self.store.remove(name)
            del self._used[name]
            self._open.pop(name, None)
            self._locks.pop(name, None)


def _unknown(name: str) -> ProtocolError:
    return ProtocolError("unknown_table", f"there is no game {shown(name)} here", "table")
