"""Requests of the page, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kuku_env.core.checks import shown
from kuku_env.envs.words import LANGUAGES
from kuku_env.protocol.hosting import MOST_SEATS
from kuku_env.protocol.request import MAX_NAME, bad_member, read_number, read_text
from kuku_env.protocol.wire import ProtocolError

# The keys of each request; those with a star must be there.
_KEYS = {
    "choices": (),
    "new": ("players", "bots", "start"),
    "act": ("table*", "decision*", "action*", "seat"),
    "now": ("table*",),
    "hint": ("table*", "lang"),
}
OPS = tuple(_KEYS)


@dataclass(frozen=True)
class Asked:
    """A request, every member checked; None is what was not given."""

    op: str
    table: str | None = None
    players: int | None = None
    bots: tuple[str, ...] | None = None
    start: str | None = None
    decision: int | None = None
    action: str | None = None
    seat: int | None = None
    lang: str | None = None


def read(op: str, request: Any) -> Asked:
    """A request of one kind. Raises ProtocolError (bad_json), naming what is wrong."""
    if not isinstance(request, dict):
        raise ProtocolError("bad_json", f"a request is a JSON object, given {shown(request)}")
    known = [key.rstrip("*") for key in _KEYS[op]]
    for key in request:
        if key not in known:
            words = f"the key {shown(key)} is not known; {op} has {', '.join(known) or 'none'}"
            raise ProtocolError("bad_json", words)
    for key in _KEYS[op]:
        if key.endswith("*") and key[:-1] not in request:
            raise ProtocolError("bad_json", "is missing", key[:-1])
    return Asked(op, **{key: _READERS[key](key, request[key]) for key in known if key in request})


def _players(key: str, value: Any) -> int | None:
    return None if value is None else read_number(key, value)


def _bots(key: str, value: Any) -> tuple[str, ...] | None:
    if value is None:
        return None
    if isinstance(value, list) and 0 < len(value) <= MOST_SEATS:
        if all(isinstance(name, str) and len(name) <= MAX_NAME for name in value):
            return tuple(value)
    raise bad_member(key, value, f"null, or a list of 1 to {MOST_SEATS} names or levels")


def _start(key: str, value: Any) -> str | None:
    if value is None or value == "me":
        return None if value is None else "me"
    raise bad_member(key, value, 'null (drawn) or "me"')


def _lang(key: str, value: Any) -> str:
    if isinstance(value, str) and value in LANGUAGES:
        return value
    raise bad_member(key, value, " or ".join(LANGUAGES))


_READERS: Mapping[str, Any] = {
    "table": read_text,
    "players": _players,
    "bots": _bots,
    "start": _start,
    "decision": read_number,
    "action": read_text,
    "seat": read_number,
    "lang": _lang,
}
