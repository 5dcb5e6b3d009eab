"""Requests to a server that holds games, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kuku_env.core.checks import shown
from kuku_env.envs.words import LANGUAGES
from kuku_env.protocol.request import LARGEST, MAX_NAME
from kuku_env.protocol.wire import ProtocolError

MOST_SEATS = 16  # no table here has more

# The keys of each request; those with a star must be there.
_KEYS = {
    "choices": (),
    "new": ("players", "bots", "start"),
    "act": ("game*", "decision*", "action*", "seat"),
    "now": ("game*",),
    "hint": ("game*", "lang"),
}
OPS = tuple(_KEYS)


@dataclass(frozen=True)
class Asked:
    """A request, every member checked; None is what was not given."""

    op: str
    game: str | None = None
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
    return Asked(op, **{key: _READERS[key](key, request) for key in known if key in request})


def _number(key: str, request: Mapping[str, Any]) -> int | None:
    value = request[key]
    if value is None and key == "players":
        return None
    if type(value) is int and 0 <= value <= LARGEST:
        return value
    raise _bad(key, value, "an integer from 0 to 2^53 - 1")


def _text(key: str, request: Mapping[str, Any]) -> str:
    value = request[key]
    if isinstance(value, str) and 0 < len(value) <= MAX_NAME:
        return value
    raise _bad(key, value, f"a text of 1 to {MAX_NAME} characters")


def _bots(key: str, request: Mapping[str, Any]) -> tuple[str, ...] | None:
    value = request[key]
    if value is None:
        return None
    if isinstance(value, list) and 0 < len(value) <= MOST_SEATS:
        if all(isinstance(name, str) and len(name) <= MAX_NAME for name in value):
            return tuple(value)
    raise _bad(key, value, f"null, or a list of 1 to {MOST_SEATS} names or levels")


def _start(key: str, request: Mapping[str, Any]) -> str | None:
    value = request[key]
    if value in (None, "me") and not isinstance(value, bool):
        return None if value is None else "me"
    raise _bad(key, value, 'null (drawn) or "me"')


def _lang(key: str, request: Mapping[str, Any]) -> str:
    value = request[key]
    if isinstance(value, str) and value in LANGUAGES:
        return value
    raise _bad(key, value, " or ".join(LANGUAGES))


def _bad(key: str, value: Any, allowed: str) -> ProtocolError:
    return ProtocolError("bad_json", f"given {shown(value)}, allowed: {allowed}", key)


_READERS: Mapping[str, Any] = {
    "game": _text,
    "players": _number,
    "bots": _bots,
    "start": _start,
    "decision": _number,
    "action": _text,
    "seat": _number,
    "lang": _lang,
}
