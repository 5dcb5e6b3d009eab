"""Checks of what a caller sends: views, and events of a seat stream."""

from __future__ import annotations

from collections.abc import Sequence
from reprlib import repr as shown  # a caller's value, cut short for a message
from typing import Any

__all__ = ["EventReader", "ViewError", "checked_list", "place_among", "shown", "whole_number"]


class ViewError(ValueError):
    """A malformed view or seat stream.

    ``field`` is the path of what is wrong, such as ``claims[2].number``; ``message`` says what was
    given and what is allowed.
    """

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field, self.message = field, message

    def __reduce__(self) -> tuple[Any, ...]:
        return ViewError, (self.field, self.message)


def whole_number(path: str, value: Any, high: int | None = None) -> int:
    """The value, if it is an integer from 0 to ``high``. Raises ViewError."""
    if type(value) is int and value >= 0 and (high is None or value <= high):
        return value
    allowed = "an integer of at least 0" if high is None else f"an integer from 0 to {high}"
    raise ViewError(path, f"given {shown(value)}, {allowed} is needed")


def place_among(path: str, value: Any, allowed: Sequence[Any]) -> int:
    """The place of a value among those allowed, where 1 and true differ. Raises ViewError."""
    kind = type(value)
    for place, one in enumerate(allowed):
        if one == value and type(one) is kind:
            return place
    raise ViewError(path, f"given {shown(value)}, allowed: {', '.join(map(repr, allowed))}")


def checked_list(path: str, value: Any, most: int | None = None) -> list[Any]:
    """The value, if it is a list of no more than ``most`` entries. Raises ViewError."""
    if isinstance(value, list) and (most is None or len(value) <= most):
        return value
    allowed = "a list" if most is None else f"a list of at most {most}"
    raise ViewError(path, f"given {shown(value)}, {allowed} is needed")


class EventReader:
    """One event of a seat stream, read key by key; ``path`` is its place: ``events[7]``.

    Raises ViewError, here and below, for a value that is not as it must be.
    """

    def __init__(self, event: Any, path: str) -> None:
        if not isinstance(event, dict):
            raise ViewError(path, f"given {shown(event)}, an event is an object")
        self.event, self.path = event, path

    def get(self, key: str) -> tuple[str, Any]:
        """The path of a key, and its value."""
        if key not in self.event:
            raise ViewError(f"{self.path}.{key}", "is missing")
        return f"{self.path}.{key}", self.event[key]

    def expect(self, key: str, *allowed: Any) -> Any:
        """The value of a key, which is one of those allowed."""
        return allowed[place_among(*self.get(key), allowed)]

    def cards(self, count: int, names: Sequence[Any], listed: bool) -> list[Any]:
        """So many cards; none where the seat reads only their number."""
        if not listed:
            self.expect("cards", count)
            return []
        path, given = self.get("cards")
        if len(checked_list(path, given)) != count:
            raise ViewError(path, f"given {len(given)} cards, {count} are needed")
        for k, card in enumerate(given):
            place_among(f"{path}[{k}]", card, names)
        return list(given)
