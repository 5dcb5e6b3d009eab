"""View -> observation and action mask, by nothing but a layout's JSON (``Layout.to_json``).

Compiled encoders write the same bytes from a game's record, and tests hold the two equal. A front
end in another language can do what is done here; ``kuku_env.core.layout.Field`` has the vocabulary.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kuku_env.core.checks import ViewError, checked_list, place_among, shown, whole_number

Spec = Mapping[str, Any]
MOST_SEATS = 16  # no table here has more: what is kept for each is bounded


class ViewEncoder:
    """Turns the views of one game into what its bots are asked with.

    ``spec`` is the layout's JSON. Views are JSON objects; a malformed one raises ViewError.
    """

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self._fields = [_Field(field) for field in spec["fields"]]
        self._ids: dict[tuple[int, int], dict[str, int]] = {}

    def observation(self, view: Any) -> NDArray[np.int8]:
        """The observation that a view makes, int8 (spec["size"],)."""
        me, players = self._observer(view)
        out = bytearray(self.spec["size"])
        for field in self._fields:
            at, width, high = field.offset, field.width, field.high
            for path, value in field.rows(view, me):
                if value is not None or not field.optional:
                    if field.is_seat:
                        value = (whole_number(path, value, players - 1) - me) % players
                    cells = field.cells(path, value, field.values, width)
                    if max(cells) > high:
                        cells = [min(cell, high) for cell in cells]
                    out[at : at + width] = bytes(cells)
                at += width
        return np.frombuffer(out, np.int8)

    def action_mask(self, view: Any) -> NDArray[np.int8]:
        """The action mask that a view's ``legal`` makes, int8 (spec["num_actions"],)."""
        ids = self._action_ids(*self._observer(view))
        mask = np.zeros(self.spec["num_actions"], np.int8)
        for k, text in enumerate(checked_list(*_walk(view, ("legal",)))):
            if not isinstance(text, str) or text not in ids:
                raise ViewError(f"legal[{k}]", f"given {shown(text)}, no action of this table")
            mask[ids[text]] = 1
        return mask

    def _observer(self, view: Any) -> tuple[int, int]:
        """The seat whose view it is, and the number of players."""
        for key, right in (("format", 1), ("game", self.spec["game"])):
            place_among(*_walk(view, (key,)), [right])
        players = whole_number(*_walk(view, ("rules", "num_players")))
        path, seats = _walk(view, ("seats",))
        if len(checked_list(path, seats)) != players or not seats:
            raise ViewError(path, f"given {len(seats)}, where rules.num_players is {players}")
        return whole_number(*_walk(view, ("seat",)), players - 1), players

    def _action_ids(self, me: int, players: int) -> Mapping[str, int]:
        """The ids of all texts of actions, as this seat of such a table writes them."""
        known = self._ids.get((me, players))
        if known is not None:
            return known
        ids: dict[str, int] = {}
        for block in self.spec["actions"]:
            for action, text in enumerate(block["texts"], block["offset"]):
                for k in range(players if "{" in text else 0):
                    text = text.replace(f"{{{k}}}", str((me + k) % players))
                if "{" not in text:  # else a seat that this table has not
                    ids[text] = action
        if players <= MOST_SEATS:
            self._ids[me, players] = ids
        return ids


# ---------------------------------------------------------------- from a view to values


class _Field:
    """One field: where its values stand in a view, row by row, and what makes cells of them."""

    def __init__(self, field: Spec) -> None:
        source = field["source"].removesuffix("?")
        self.optional = source != field["source"]
        head, bracket, rest = source.partition("[")
        self.selector, _, tail = rest.partition("]")
        self.head = tuple(head.split("."))
        self.tail = tuple(filter(None, tail.split(".")))
        self.most = field["shape"][0]  # rows
        self.offset, self.high, self.values = field["offset"], field["high"], field["values"]
        size = math.prod(field["shape"])
        self.width = size // self.most if bracket and self.selector != "-1" else size
        self.cells, self.is_seat = _HOW[field["how"]], field["how"] == "seat"

    def rows(self, view: Any, me: int) -> list[tuple[str, Any]]:
        """For each row of cells a path, and the value found there."""
        if not self.selector:
            return [_walk(view, self.head, optional=self.optional)]
        path, entries = _walk(view, self.head)
        return [
            _walk(entries[k], self.tail, f"{path}[{k}]", self.optional)
            for k in self._order(path, checked_list(path, entries), me)
        ]

    def _order(self, path: str, entries: Sequence[Any], me: int) -> Sequence[int]:
        """Places of a list's entries, row by row."""
        count = len(entries)
        if self.selector == "-1":
            return range(count - 1, count) if count else ()
        if self.selector == "newest":
            return range(count - 1, max(-1, count - 1 - self.most), -1)
        if self.selector == "oldest":
            return range(min(self.most, count))
        if count > self.most:
            raise ViewError(path, f"given {count} entries, at most {self.most} are allowed")
        return [(me + k) % count for k in range(count)]


def _walk(
    value: Any, keys: Sequence[str], path: str = "", optional: bool = False
) -> tuple[str, Any]:
    """Follow keys from a value found at ``path``: the path reached, and what is there.

    A missing key is None where that is allowed.
    """
    for key in keys:
        if not isinstance(value, dict):
            raise ViewError(path or "view", f"given {shown(value)}, an object is needed")
        path = f"{path}.{key}" if path else key
        if key not in value and not optional:
            raise ViewError(path, "is missing")
        value = value.get(key)
    return path, value


# ---------------------------------------------------------------- from a value to cells


def _places(path: str, value: Any, values: Sequence[Any], most: int | None = None) -> list[int]:
    entries = enumerate(checked_list(path, value, most))
    return [place_among(f"{path}[{k}]", entry, values) for k, entry in entries]


def _cell(path: str, value: Any, values: Sequence[Any], width: int) -> list[int]:
    chosen = whole_number(path, value)
    return [int(k == chosen) for k in range(width)]


def _scalar(path: str, value: Any, values: Sequence[Any], width: int) -> list[int]:
    if values:
        place_among(path, value, values)
    return [whole_number(path, value)]


def _flag(path: str, value: Any, values: Sequence[Any], width: int) -> list[int]:
    return [place_among(path, value, [False, True])]


def _vector(path: str, value: Any, values: Sequence[Any], width: int) -> list[int]:
    if len(checked_list(path, value)) != width:
        raise ViewError(path, f"given {len(value)} entries, {width} are needed")
    return [whole_number(f"{path}[{k}]", entry) for k, entry in enumerate(value)]


def _one_hot(path: str, value: Any, values: Sequence[Any], width: int) -> list[int]:
    return _cell(path, place_among(path, value, values), values, width)


def _count(path: str, value: Any, values: Sequence[Any], width: int) -> list[int]:
    cells = [0] * width
    if isinstance(value, dict):
        names = [str(one) for one in values]
        for name, count in value.items():
            cells[place_among(path, name, names)] = whole_number(f"{path}.{name}", count)
    else:
        for place in _places(path, value, values):
            cells[place] += 1
    return cells


def _index(path: str, value: Any, values: Sequence[Any], width: int) -> list[int]:
    cells = [1 + place for place in _places(path, value, values, width)]
    return cells + [0] * (width - len(cells))


def _product(path: str, value: Any, values: Sequence[Any], width: int) -> list[int]:
    entries = checked_list(path, value)
    product = math.prod(entries) if [type(entry) for entry in entries] == [int, int] else None
    return [int(k < len(values) and values[k] == product) for k in range(width)]


def _each_one_hot(path: str, value: Any, values: Sequence[Any], width: int) -> list[int]:
    cells = [0] * width
    for k, place in enumerate(_places(path, value, values, width // len(values))):
        cells[k * len(values) + place] = 1
    return cells


_HOW: dict[str, Callable[[str, Any, Sequence[Any], int], list[int]]] = {
    "scalar": _scalar,
    "flag": _flag,
    "cell": _cell,
    "seat": _cell,
    "one_hot": _one_hot,
    "count": _count,
    "index": _index,
    "each_one_hot": _each_one_hot,
    "vector": _vector,
    "product": _product,
}
