"""The keys of a view, held against the game's JSON Schema: a misspelt one is no missing one.

What stands under a key is checked by whoever reads it (``core.encoder``).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from kuku_env.core.checks import ViewError, shown
from kuku_env.envs.records import schema

Schema = Mapping[str, Any]


@cache
def view_keys(game_id: str) -> Keys:
    """Those of a game's views; none are asked for where the game ships no schema of them."""
    try:
        whole = schema(game_id, "view")
    except FileNotFoundError:
        whole = {}
    return Keys(whole, whole)


class Keys:
    """The keys that a piece of JSON must have and may have, and those of what stands under them.

    ``part`` is the piece of the schema ``whole`` that describes it.
    """

    def __init__(self, whole: Schema, part: Schema) -> None:
        as_object, as_list = _choice(whole, part, "object"), _choice(whole, part, "array")
        self.required = tuple(as_object.get("required", ()))
        self.closed = as_object.get("additionalProperties") is False
        known = as_object.get("properties")
        self.known = known and {key: Keys(whole, inner) for key, inner in known.items()}
        self.items = Keys(whole, as_list["items"]) if "items" in as_list else None
        self.any: bool = self.known is not None or (self.items is not None and self.items.any)

    def check(self, value: Any, path: str = "") -> None:
        """Raise ViewError for a key that is missing or that there is not, anywhere in the value."""
        if isinstance(value, dict) and self.known is not None:
            for key in self.required:
                if key not in value:
                    raise ViewError(f"{path}.{key}".removeprefix("."), "is missing")
            for key, inner in value.items():
                keys = self.known.get(key)
                if keys is None:
                    self._refuse(key, path)
                elif keys.any:
                    keys.check(inner, f"{path}.{key}".removeprefix("."))
        elif isinstance(value, list) and self.items is not None:
            for k, inner in enumerate(value):
                self.items.check(inner, f"{path}[{k}]")

    def _refuse(self, key: str, path: str) -> None:
        if self.closed and self.known is not None:
            words = f"the key {shown(key)} is not known; known are {', '.join(self.known)}"
            raise ViewError(path or "view", words)


def _choice(whole: Schema, part: Schema, kind: str) -> Schema:
    """What a piece of the schema says of values of a kind, ``object`` or ``array``."""
    if "$ref" in part:
        place = whole
        for step in part["$ref"].removeprefix("#/").split("/"):
            place = place[step]
        return _choice(whole, place, kind)
    for choice in (*part.get("oneOf", ()), *part.get("anyOf", ())):
        found = _choice(whole, choice, kind)
        if found.get("type") == kind:
            return found
    return part
