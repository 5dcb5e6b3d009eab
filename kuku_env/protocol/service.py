"""The protocol itself, behind every transport: a request in, its one reply out."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Mapping
from typing import Any

from kuku_env import __version__
from kuku_env.games import games
from kuku_env.protocol.answers import act, advise, repair
from kuku_env.protocol.hosting import host
from kuku_env.protocol.registry import Bots, check_table
from kuku_env.protocol.request import (
    HELD,
    known_games,
    read_id,
    read_lang,
    read_op,
    read_question,
    read_seen,
    read_situation,
)
from kuku_env.protocol.tables import Tables
from kuku_env.protocol.wire import (
    MAX_BYTES,
    ProtocolError,
    read_json,
    too_large,
    write_json,
)

PROTOCOL = 1


class Service:
    """Answers requests, and may be asked from several threads.

    It keeps nothing of them but the games that it is asked to hold, in ``tables``: in memory, if
    none are given. ``max_bytes`` bounds one request.
    """

    def __init__(
        self,
        bots: Bots | None = None,
        max_bytes: int = MAX_BYTES,
        tables: Tables | None = None,
    ) -> None:
        self.bots = bots or Bots()
        self.max_bytes = max_bytes
        self.tables = tables or Tables(self.bots)

    def reply_to_line(self, line: bytes) -> bytes | None:
        """The reply to a line, as a line; None to ``quit``."""
        reply = self.reply_to_bytes(line)
        return None if reply is None else line_of(reply)

    def reply_to_bytes(self, line: bytes, op: str | None = None) -> dict[str, Any] | None:
        """The reply to a request's bytes; ``op`` is what it asks for where the way it came says so.

        None to ``quit``.
        """
        try:
            if len(line) > self.max_bytes:
                raise self.too_large()
            request = read_json(line)
        except ProtocolError as error:
            return failure(error)
        if op is not None and isinstance(request, dict) and request.get("op", op) == op:
            request = {**request, "op": op}
        elif op is not None and isinstance(request, dict):
            return failure(ProtocolError("unknown_op", f"only {op} is answered here", "op"))
        return self.reply(request)

    def too_large(self) -> ProtocolError:
        """The error of a request that was too long to be read."""
        return too_large(self.max_bytes)

    def reply(self, request: Any) -> dict[str, Any] | None:
        """The reply to a request, a JSON value; None to ``quit``. It never raises."""
        number = None
        try:
            number = read_id(request)
            answer = self._answer(request)
        except ProtocolError as error:
            return failure(error, number)
        except Exception:  # a mistake of ours must not end the conversation
            traceback.print_exc(file=sys.stderr)
            return failure(ProtocolError("internal", "this request met a mistake here"), number)
        return None if answer is None else {"id": number, **answer}

    def hello(self) -> dict[str, Any]:
        """Who is here."""
        return {
            "protocol": PROTOCOL,
            "software": f"kuku-env {__version__}",
            "games": known_games(games()),
            "bots": self.bots.listed(),
        }

    def _answer(self, request: Mapping[str, Any]) -> dict[str, Any] | None:
        op = read_op(request)
        if op == "hello":
            return self.hello()
        if op == "quit":
            return None
        if op == "repair":
            return repair(read_seen(request), request.get("act"), read_lang(request))
        if op in HELD:
            return host(self.tables, op, request)
        question = read_question(request)
        situation = read_situation(request)
        chosen = (question.bot, question.level)
        bot = self.bots.asked_for(situation.game, situation.options, *chosen)
        check_table(bot, situation.options)
        return (act if op == "act" else advise)(bot, situation, question)


def failure(error: ProtocolError, number: str | int | None = None) -> dict[str, Any]:
    """The reply that an error is."""
    return {"id": number, "error": error.to_json()}


def line_of(reply: Mapping[str, Any]) -> bytes:
    """A reply as a line. One that is no JSON, by a bot's card with NaN in it, becomes an error."""
    try:
        return write_json(reply)
    except ValueError:
        error = ProtocolError("internal", "the reply cannot be written as JSON")
        return write_json(failure(error, reply.get("id")))
