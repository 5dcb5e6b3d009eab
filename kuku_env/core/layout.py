"""A layout declares an observation (or state) field by field, and the actions block by block.

Everything that depends on positions is derived from it: the offsets that compiled encoders write
to, the Gymnasium spaces, the tables in the documentation, the JSON that front ends read, and the
layout id that every exported bot carries.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray


@dataclass(frozen=True)
class Field:
    """One named field of an observation.

    Cells are int8 between 0 and ``high``; a value that grows past ``high`` saturates there.

    ``source`` is the part of the JSON view that the field encodes, as a path: ``a.b`` names keys,
    ``[relative]`` runs over seats from the observer's own onwards, ``[newest]`` over a list from
    its end, ``[oldest]`` from its start, as far as there are rows; ``[-1]`` is the last entry, if
    any. With ``?`` at its end the value may be null or missing, and then encodes as zeros.

    ``how`` says how each value becomes cells: ``scalar`` (the number itself; one of ``values`` if
    there are any), ``flag`` (truth as 0 or 1), ``one_hot`` (a 1 at the value's place in ``values``;
    places past the last cell encode as zeros), ``cell`` (a 1 at the cell of that number, none past
    the last), ``seat`` (a 1 at the seat's place relative to the observer), ``count`` (how often
    each of ``values`` occurs in a list, or stands in a mapping), ``index`` (1 + the place in
    ``values`` of each entry of a list, 0 where there is none), ``each_one_hot`` (a one-hot row for
    each entry of a list), ``vector`` (a list of numbers as it is), ``product`` (a
    1 at the place in ``values`` of the product of a list of two numbers; zeros for another list).
    """

    name: str
    shape: tuple[int, ...]
    high: int
    source: str
    how: str
    meaning: str
    values: tuple[Any, ...] = ()

    @property
    def size(self) -> int:
        return math.prod(self.shape)


@dataclass(frozen=True)
class ActionBlock:
    """A run of action ids with one meaning; ``texts`` holds the text of each id.

    A text may hold a placeholder such as ``{2}``: the seat two places to the actor's left.
    """

    name: str
    texts: tuple[str, ...]
    meaning: str

    @property
    def size(self) -> int:
        return len(self.texts)


class Layout:
    """Fields and action blocks of a game, with everything derived from them.

    Attributes: ``size`` (cells of an observation), ``num_actions``, ``offsets`` (field name to
    slice), ``action_offsets`` (block name to first id), ``id`` (game, version and a hash of the
    declaration), ``scale`` (float32 (size,), the reciprocal of each cell's high), ``even_logits``
    (float32 (num_actions,), by which all kinds of action are alike, be it one action or fifty).
    """

    def __init__(
        self, game: str, version: int, fields: Sequence[Field], actions: Sequence[ActionBlock] = ()
    ) -> None:
        self.game, self.version = game, version
        self.fields, self.actions = tuple(fields), tuple(actions)
        names = [field.name for field in self.fields] + [block.name for block in self.actions]
        if len(set(names)) != len(names):
            raise ValueError(f"names of fields and action blocks must differ, given {names}")
        self.offsets: dict[str, slice] = {}
        self.size = 0
        for field in self.fields:
            if not 0 < field.high <= 127:
                raise ValueError(f"field {field.name!r}: high must fit int8, given {field.high}")
            self.offsets[field.name] = slice(self.size, self.size + field.size)
            self.size += field.size
        self.action_offsets: dict[str, int] = {}
        self.num_actions = 0
        for block in self.actions:
            self.action_offsets[block.name] = self.num_actions
            self.num_actions += block.size

    @cached_property
    def id(self) -> str:
        declaration = json.dumps(self._declaration(), sort_keys=True).encode()
        digest = hashlib.sha256(declaration).hexdigest()[:12]
        return f"{self.game}:{self.version}:{digest}"

    @cached_property
    def high(self) -> NDArray[np.int8]:
        cells = [np.full(field.size, field.high, np.int8) for field in self.fields]
        return np.concatenate(cells)

    @cached_property
    def scale(self) -> NDArray[np.float32]:
        return (1.0 / self.high.astype(np.float32)).astype(np.float32)

    @cached_property
    def even_logits(self) -> NDArray[np.float32]:
        kinds = [np.full(block.size, -np.log(block.size)) for block in self.actions]
        return np.concatenate(kinds).astype(np.float32)

    @cached_property
    def action_texts(self) -> tuple[str, ...]:
        return tuple(text for block in self.actions for text in block.texts)

    def start(self, name: str) -> int:
        """First cell of a field, or first id of an action block."""
        if name in self.offsets:
            return int(self.offsets[name].start)
        return self.action_offsets[name]

    def ids(self, block: str) -> slice:
        """The action ids of a block. Raises KeyError for an unknown one."""
        start = self.action_offsets[block]
        return slice(start, start + next(b.size for b in self.actions if b.name == block))

    def observation_space(self) -> spaces.Box:
        """Box of the flat int8 vector, shape (size,), 0 to each field's high."""
        return spaces.Box(np.zeros(self.size, np.int8), self.high, dtype=np.int8)

    def mask_space(self) -> spaces.Box:
        """Box of the action mask, int8, shape (num_actions,), 1 = legal."""
        return spaces.Box(0, 1, (self.num_actions,), np.int8)

    def unpack(self, cells: NDArray[np.int8]) -> dict[str, NDArray[np.int8]]:
        """Name the fields of observations of shape (..., size): views of shape (..., *field.shape).

        Raises ValueError where the last axis has another size.
        """
        if cells.shape[-1:] != (self.size,):
            raise ValueError(f"last axis must have {self.size} cells, given shape {cells.shape}")
        head = cells.shape[:-1]
        return {
            f.name: cells[..., self.offsets[f.name]].reshape(head + f.shape) for f in self.fields
        }

    def _declaration(self) -> dict[str, Any]:
        return {
            "fields": [
                {
                    "name": f.name,
                    "offset": self.start(f.name),
                    "shape": list(f.shape),
                    "high": f.high,
                    "source": f.source,
                    "how": f.how,
                    "values": list(f.values),
                }
                for f in self.fields
            ],
            "actions": [
                {"name": b.name, "offset": self.start(b.name), "texts": list(b.texts)}
                for b in self.actions
            ],
        }

    def to_json(self) -> dict[str, Any]:
        """The whole declaration with meanings, as plain JSON: what ``spec.json`` and bots hold."""
        spec = self._declaration()
        for part, declared in zip(spec["fields"], self.fields, strict=True):
            part["meaning"] = declared.meaning
        for part, block in zip(spec["actions"], self.actions, strict=True):
            part["meaning"] = block.meaning
        sizes = {"size": self.size, "num_actions": self.num_actions}
        return {"game": self.game, "id": self.id, **sizes, **spec}
