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


def encode_view(spec: Spec, view: Any) -> NDArray[np.int8]:
    """The observation that a view makes, int8 (spec["size"],).

    ``spec`` is a layout's JSON, ``view`` a JSON object. Raises ViewError for a malformed view.
    """
    me, players = _observer(spec, view)
    out = np.zeros(spec["size"], np.int8)
    for field in spec["fields"]:
        width, rows = _rows(field, view, me)
        for row, (path, value) in enumerate(rows):
            if value is None and field["source"].endswith("?"):
                continue
            if field["how"] == "seat":
                value = (whole_number(path, value, players - 1) - me) % players
            cells = _HOW[field["how"]](path, value, field["values"], width)
            at = field["offset"] + width * row
            out[at : at + width] = [min(cell, field["high"]) for cell in cells]
    return out


def legal_mask(spec: Spec, view: Any) -> NDArray[np.int8]:
    """The action mask that a view's ``legal`` makes, int8 (spec["num_actions"],).

    ``spec`` is a layout's JSON, ``view`` a JSON object. Raises ViewError for a malformed view.
    """
    me, players = _observer(spec, view)
    ids: dict[str, int] = {}
    for block in spec["actions"]:
        for action, text in enumerate(block["texts"], block["offset"]):
            for k in range(players if "{" in text else 0):
                text = text.replace(f"{{{k}}}", str((me + k) % players))
            if "{" not in text:  # else a seat that this table has not
                ids[text] = action
    mask = np.zeros(spec["num_actions"], np.int8)
    for k, text in enumerate(checked_list(*_walk(view, "legal"))):
        if not isinstance(text, str) or text not in ids:
            raise ViewError(f"legal[{k}]", f"given {shown(text)}, no action of this table")
        mask[ids[text]] = 1
    return mask


def _observer(spec: Spec, view: Any) -> tuple[int, int]:
    """The seat whose view it is, and the number of players."""
    for key, right in (("format", 1), ("game", spec["game"])):
        place_among(*_walk(view, key), [right])
    players = whole_number(*_walk(view, "rules.num_players"))
    path, seats = _walk(view, "seats")
    if len(checked_list(path, seats)) != players or not seats:
        raise ViewError(path, f"given {len(seats)}, where rules.num_players is {players}")
    return whole_number(*_walk(view, "seat"), players - 1), players


# ---------------------------------------------------------------- from a source to its values


def _rows(field: Spec, view: Any, me: int) -> tuple[int, list[tuple[str, Any]]]:
    """The cells of one row of a field, and the rows: each a path and the value found there."""
    source, rows = field["source"].removesuffix("?"), field["shape"][0]
    optional = source != field["source"]
    width = math.prod(field["shape"])
    head, bracket, rest = source.partition("[")
    if not bracket:
        return width, [_walk(view, source, optional=optional)]
    path, entries = _walk(view, head)
    last = len(checked_list(path, entries)) - 1
    selector, _, tail = rest.partition("]")
    if selector == "-1":
        order = [last] if entries else []
    elif selector == "newest":
        order = list(range(last, max(-1, last - rows), -1))
    elif selector == "oldest":
        order = list(range(min(rows, len(entries))))
    else:
        if len(entries) > rows:
            raise ViewError(path, f"given {len(entries)} entries, at most {rows} are allowed")
        order = [(me + k) % len(entries) for k in range(len(entries))]
    found = [_walk(entries[k], tail, f"{path}[{k}]", optional) for k in order]
    return width if selector == "-1" else width // rows, found


def _walk(value: Any, keys: str, path: str = "", optional: bool = False) -> tuple[str, Any]:
    """Follow ``a.b`` from a value found at ``path``: the path reached, and what is there.

    A missing key is None where that is allowed.
    """
    for key in filter(None, keys.split(".")):
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
