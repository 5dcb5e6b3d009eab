"""Where the page's requests are answered: one player's games against bots."""

from __future__ import annotations

import hashlib
import secrets
import sys
import traceback
from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any
from urllib.parse import quote

from kuku_env.protocol import ProtocolError
from kuku_env.protocol.answers import advise
from kuku_env.protocol.request import Question, read_situation
from kuku_env.protocol.service import failure
from kuku_env.protocol.store import Store
from kuku_env.protocol.table import KEY_BYTES, Table
from kuku_env.protocol.tables import MOST_TABLES, Tables
from kuku_env.web.asked import Asked, read
from kuku_env.web.house import SEAT, House


class Desk:
    """Answers requests about games, from several threads.

    ``store`` is where they are kept; those found there go on. At most ``most`` are held. ``seed``
    makes deals and dice the same each time, for tests: whoever knows it knows all cards.
    """

    def __init__(
        self, house: House, store: Store, *, most: int = MOST_TABLES, seed: int | None = None
    ) -> None:
        self.house, self.seed = house, seed
        self.tables = Tables(
            house.bots, store, most=most, only=house.game, asks_outside=house.in_browser
        )
        self._lock = Lock()
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
            return failure(error)
        except Exception:  # a mistake of ours, or a full disk, must not end the other games
            traceback.print_exc(file=sys.stderr)
            return failure(ProtocolError("internal", "this met a mistake here"))

    def warm_up(self) -> None:
        """Play a little of a game that nobody sees: rules are compiled, bots loaded."""
        options = self.house.options(None, True)
        idle = Tables(self.house.bots, asks_outside=self.house.in_browser)
        sitting = self._sitting(options, self.house.lineups[0])
        name, table = idle.new(self.house.game, options, sitting, bytes(KEY_BYTES))
        seat = table.match.to_act
        idle.act(name, table, table.decision, table.match.view(seat)["legal"][0])
        self._update(table)

    # ---------------------------------------------------------------- requests

    def _choices(self, asked: Asked) -> dict[str, Any]:
        return self.house.choices()

    def _new(self, asked: Asked) -> dict[str, Any]:
        options = self.house.options(asked.players, asked.start == "me")
        names = asked.bots or self.house.lineups[0]
        for one in names:
            self.house.bots.seated(self.house.game, one, options, "bots")
        sitting = self._sitting(options, names)
        name, table = self.tables.new(self.house.game, options, sitting, self._key())
        return {"table": name, **self._update(table)}

    def _act(self, asked: Asked) -> dict[str, Any]:
        assert asked.table is not None
        assert asked.decision is not None
        assert asked.action is not None
        with self.tables.at(asked.table) as table:
            seat = SEAT if asked.seat is None else asked.seat
            self.tables.act(asked.table, table, asked.decision, asked.action, seat)
            return self._update(table)

    def _now(self, asked: Asked) -> dict[str, Any]:
        assert asked.table is not None
        with self.tables.at(asked.table) as table:
            return self._update(table)

    def _hint(self, asked: Asked) -> dict[str, Any]:
        """What the best bot that plays here would do, from the player's view alone."""
        assert asked.table is not None
        with self.tables.at(asked.table) as table:
            situation = read_situation({"view": table.match.view(SEAT)})
            bot = self.house.bots.best(self.house.game, table.match.options)
            question = Question(None, None, table.dice, 1.0, asked.lang or "en")
            return advise(bot, situation, question)

    # ---------------------------------------------------------------- games

    def _sitting(self, options: Any, lineup: Sequence[str]) -> list[str | None]:
        others = range(options.num_players - 1)
        return [None, *(lineup[k % len(lineup)] for k in others)]

    def _update(self, table: Table) -> dict[str, Any]:
        """What the player may know, and with bots in the browser what these are to be asked."""
        match = table.match
        told: dict[str, Any] = {**table.update(SEAT), "advice": match.to_act == SEAT}
        if not match.over and match.to_act != SEAT:
            told["ask"] = self._question(table)
        return told

    def _question(self, table: Table) -> Mapping[str, Any]:
        seat = table.match.to_act
        bot = f"bots/{quote(table.bots[seat].name, safe='')}"
        return {"seat": seat, "bot": bot, "view": table.match.view(seat)}

    def _key(self) -> bytes:
        if self.seed is None:
            return secrets.token_bytes(KEY_BYTES)
        with self._lock:
            self._dealt += 1
            what = f"{self.seed} {self._dealt}".encode()
        return hashlib.blake2b(what, digest_size=KEY_BYTES).digest()
