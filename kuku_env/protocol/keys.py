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
def view_schema(game_id: str) -> Schema:
    """The schema of a game's views; one that allows everything where the game ships none."""
    try:
        return schema(game_id, "view")
    except FileNotFoundError:
        return {}


def check_keys(whole: Schema, value: Any, part: Schema | None = None, path: str = "") -> None:
    """Raise ViewError for a key that is missing or that there is not, anywhere in the value.

    ``part`` is the piece of the schema that describes the value.
    """
    part = _resolved(whole, whole if part is None else part, value)
    if isinstance(value, dict) and "properties" in part:
        properties = part["properties"]
        for key in part.get("required", ()):
            if key not in value:
                raise ViewError(f"{path}.{key}".removeprefix("."), "is missing")
        for key, inner in value.items():
            if key in properties and isinstance(inner, dict | list):
                check_keys(whole, inner, properties[key], f"{path}.{key}".removeprefix("."))
            elif key not in properties and part.get("additionalProperties") is False:
                words = f"the key {shown(key)} is not known; known are {', '.join(properties)}"
                raise ViewError(path or "view", words)
    elif isinstance(value, list) and "items" in part:
        for k, inner in enumerate(value):
            if isinstance(inner, dict | list):
                check_keys(whole, inner, part["items"], f"{path}[{k}]")


def _resolved(whole: Schema, part: Schema, value: Any) -> Schema:
    """The piece of the schema that says which keys the value has."""
    if "$ref" in part:
        place = whole
        for step in part["$ref"].removeprefix("#/").split("/"):
            place = place[step]
        return _resolved(whole, place, value)
    kind = "object" if isinstance(value, dict) else "array" if isinstance(value, list) else None
    for choices in (part.get("oneOf", ()), part.get("anyOf", ())):
        for choice in choices:
            found = _resolved(whole, choice, value)
            if found.get("type") == kind:
                return found
    return part
