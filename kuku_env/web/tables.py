"""All games of a server: many at once, bounded, and saved after every act."""

from __future__ import annotations

import hashlib
import secrets
import sys
import time
import traceback
from pathlib import Path
from threading import Lock
from typing import Any

from kuku_env.core.checks import shown
from kuku_env.envs.match import Match
from kuku_env.protocol import ProtocolError
from kuku_env.web.asked import Asked, read
from kuku_env.web.house import SEAT, House
from kuku_env.web.store import Store
from kuku_env.web.table import FORMAT, KEY_BYTES, Table

MOST_GAMES = 200
IDLE_SECONDS = 3600.0  # after which a game may have to make room for a new one


class Tables:
    """Answers requests about games, from several threads.

    ``folder`` is where games are kept; those found there go on. At most ``most`` are: a new one
    takes the place of the one that is longest over or idle, if there is one. ``seed`` makes deals
    and dice the same each time, for tests: whoever knows it knows all cards.

    Raises OSError where the folder cannot be written.
    """

    def __init__(
        self, house: House, folder: Path, *, most: int = MOST_GAMES, seed: int | None = None
    ) -> None:
        self.house, self.store, self.most, self.seed = house, Store(folder), most, seed
        self._lock = Lock()
        self._used = self.store.ids()  # when each game was last asked for
        self._open: dict[str, Table] = {}
        self._locks: dict[str, Lock] = {}
        self._dealt = 0

    def reply(self, op: str, request: Any) -> dict[str, Any]:
        """The reply to a request, a JSON value. It never raises."""
        try:
            asked = read(op, request)
            return {
                "choices": self._choices,
                "new": self._new,
                "act": self._act,
                "now": self._now,
                "hint": self._hint,
            }[op](asked)
        except ProtocolError as error:
            return {"error": error.to_json()}
        except Exception:  # a mistake of ours, or a full disk, must not end the other games
            traceback.print_exc(file=sys.stderr)
            return {"error": ProtocolError("internal", "this met a mistake here").to_json()}

    def warm_up(self) -> None:
        """Play a little of a game that nobody sees: rules are compiled, bots loaded."""
        options = self.house.options(None, True)
        sitting = [None, *self.house.lineups[0] * options.num_players][: options.num_players]
        table = Table(self.house, self.house.deal(options), sitting, bytes(KEY_BYTES))
        table.match = table.played_on(table.match)
        table.match = table.acted(table.decision, table.match.view(SEAT)["legal"][0])
        table.update()

    # ---------------------------------------------------------------- requests

    def _choices(self, asked: Asked) -> dict[str, Any]:
        return self.house.choices()

    def _new(self, asked: Asked) -> dict[str, Any]:
        options = self.house.options(asked.players, asked.start == "me")
        names = asked.bots or self.house.lineups[0]
        others = range(options.num_players - 1)
        sitting = [None, *(names[k % len(names)] for k in others)]
        table = Table(self.house, self.house.deal(options), sitting, self._key())
        table.match = table.played_on(table.match)
        game = secrets.token_urlsafe(16)
        with self._lock:
            self._make_room()
            self.store.open(game, table.about(), table.match)
            self._open[game], self._used[game] = table, time.time()
            self._locks[game] = Lock()
        return {"game": game, **table.update()}

    def _act(self, asked: Asked) -> dict[str, Any]:
        assert asked.decision is not None
        assert asked.action is not None
        with self._lock_of(asked):
            table = self._table(asked)
            seat = SEAT if asked.seat is None else asked.seat
            match = table.acted(asked.decision, asked.action, seat)
            # Saved first: what was told must still hold after the server has been killed.
            self._save(asked, match)
            table.match = match
            return table.update()

    def _now(self, asked: Asked) -> dict[str, Any]:
        with self._lock_of(asked):
            return self._table(asked).update()

    def _hint(self, asked: Asked) -> dict[str, Any]:
        with self._lock_of(asked):
            return self._table(asked).hint(asked.lang or "en")

    # ---------------------------------------------------------------- games

    def _key(self) -> bytes:
        if self.seed is None:
            return secrets.token_bytes(KEY_BYTES)
        with self._lock:
            self._dealt += 1
            what = f"{self.seed} {self._dealt}".encode()
        return hashlib.blake2b(what, digest_size=KEY_BYTES).digest()

    def _lock_of(self, asked: Asked) -> Lock:
        """What makes requests about one game wait for each other. Raises ProtocolError."""
        assert asked.game is not None
        with self._lock:
            if asked.game not in self._used:
                raise _unknown(asked.game)
            self._used[asked.game] = time.time()
            return self._locks.setdefault(asked.game, Lock())

    def _table(self, asked: Asked) -> Table:
        """The game, from the folder if it is not open. Raises ProtocolError (unknown_game)."""
        assert asked.game is not None
        table = self._open.get(asked.game)
        if table is not None:
            return table
        try:
            table = self._restored(asked.game)
        except (ValueError, KeyError, TypeError, OSError, ProtocolError) as error:
            print(f"{self.store.folder / asked.game}.jsonl: {error}", file=sys.stderr)
            raise ProtocolError("unknown_game", "this game cannot be restored", "game") from None
        with self._lock:
            if asked.game in self._used:
                self._open[asked.game] = table
        return table

    def _restored(self, game: str) -> Table:
        saved = self.store.load(game)
        if saved is None:
            raise _unknown(game)
        about, match = saved
        if about["format"] != FORMAT or match.game is not self.house.game:
            raise ValueError("another format, or another game than is played here")
        table = Table(self.house, match, about["sitting"], bytes.fromhex(about["key"]))
        table.match = table.played_on(match)
        return table

    def _save(self, asked: Asked, match: Match) -> None:
        assert asked.game is not None
        with self._lock:
            if asked.game not in self._used:  # it has had to make room meanwhile
                raise _unknown(asked.game)
            self.store.save(asked.game, match)

    def _make_room(self) -> None:
        """Forget a game if there are too many. Raises ProtocolError (too_many)."""
        while len(self._used) >= self.most:
            over = {game for game, table in self._open.items() if table.match.over}
            idle = time.time() - IDLE_SECONDS
            free = [game for game, used in self._used.items() if game in over or used < idle]
            if not free:
                words = f"{self.most} games are being played here; come again later"
                raise ProtocolError("too_many", words)
            game = min(free, key=self._used.__getitem__)
            self.store.remove(game)
            del self._used[game]
            self._open.pop(game, None)
            self._locks.pop(game, None)


def _unknown(game: str) -> ProtocolError:
    return ProtocolError("unknown_game", f"there is no game {shown(game)} here", "game")
