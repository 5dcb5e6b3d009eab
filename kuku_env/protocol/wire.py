"""JSON on the wire: read strictly, written so that every reader accepts it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any

from kuku_env.core.checks import shown

MAX_BYTES = 4 << 20  # of one request, unless told otherwise: a long game's stream fits ten times
MAX_WORDS = 600  # characters of an error's message

CODES = (
    "bad_json",
    "too_large",
    "unknown_op",
    "unknown_bot",
    "bad_view",
    "illegal_action",
    "wrong_rules",
    "stale",
    "unknown_table",
    "too_many",
    "internal",
)


class ProtocolError(Exception):
    """A request that cannot be answered: ``code`` is one of CODES, ``field`` the path of what is
    wrong in the request, if it is one thing."""

    def __init__(self, code: str, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.code, self.message, self.field = code, message, field

    def to_json(self) -> dict[str, Any]:
        """The ``error`` of a reply."""
        words = self.message
        if len(words) > MAX_WORDS:
            words = f"{words[:MAX_WORDS]}…"
        where = {} if self.field is None else {"field": self.field}
        return {"code": self.code, **where, "message": words}


def too_large(max_bytes: int) -> ProtocolError:
    """The error of a request that was too long to be read."""
    return ProtocolError("too_large", f"a request has at most {max_bytes:,} bytes")


def read_json(line: bytes) -> Any:
    """The value that one line of UTF-8 JSON holds.

    Raises ProtocolError (bad_json) for anything else, and for what JSON readers differ on: NaN and
    infinities, numbers too large for a float, keys that come twice.
    """
    try:
        text = line.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ProtocolError("bad_json", f"not UTF-8 at byte {error.start}") from None
    try:
        return json.loads(
            text, parse_constant=_refuse, parse_float=_finite, object_pairs_hook=_distinct
        )
    except RecursionError:
        raise ProtocolError("bad_json", "nested too deeply") from None
    except ValueError as error:
        raise ProtocolError("bad_json", f"not JSON: {error}") from None


def write_json(value: Any) -> bytes:
    """One line of UTF-8 JSON, its newline included.

    Half a surrogate pair, which UTF-8 cannot carry, is escaped as it came.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace") + b"\n"


def _refuse(word: str) -> Any:
    raise ValueError(f"{word} is no JSON number")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(f"the number {shown(digits)} is too large")
    return number


def _distinct(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {shown(key)} comes twice")
        found[key] = value
    return found
