"""Export: a trained network as a folder, ``policy.onnx`` and ``bot.json``, that needs no torch."""

from __future__ import annotations

import copy
import dataclasses
import hashlib
import json
import logging
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from torch import Tensor, nn

from kuku_env.core.game import Game

# Options that are no concern of a bot's: who begins, and when a game that never ends is cut off.
FREE_OPTIONS = ("first_player", "max_decisions")
LARGE = 256  # numbers, from which on an array is worth halving


class ExportError(ValueError):
    """A bot that cannot be written where it should be."""


class _Playing(nn.Module):
    """A network as an exported bot: everything that it tells, probabilities at least."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def answers(self, observation: Tensor, action_mask: Tensor) -> dict[str, Tensor]:
        if hasattr(self.network, "answers"):
            return self.network.answers(observation, action_mask)
        choice = self.network(observation, action_mask)
        return {"probabilities": choice.probabilities * action_mask.float()}

    def forward(self, observation: Tensor, action_mask: Tensor) -> tuple[Tensor, ...]:
        return tuple(self.answers(observation, action_mask).values())


def check_target(folder: Path) -> None:
    """Raise ExportError unless a bot may be written to ``folder``: new, or a bot to be replaced."""
    if folder.exists() and not (folder / "bot.json").is_file():
        raise ExportError(f"{folder} exists and is no exported bot; it is left alone")


def export_bot(
    network: nn.Module,
    game: Game,
    folder: Path,
    *,
    name: str,
    tables: Sequence[Mapping[str, Any]],
    origin: Mapping[str, Any],
    strength: Mapping[str, Any],
    level: str | None = None,
    small: bool = False,
) -> None:
    """Write the bot to ``folder``, which is new or holds a bot that is replaced.

    ``network``: a PolicyValueNetwork, or another module that takes and gives the same; what it
    gives besides ``probabilities`` comes from ``answers``, if it has that.
    ``tables`` are the options of the tables it was trained on: others it refuses. ``origin`` and
    ``strength`` are told in ``bot.json`` as they are, ``level`` where there is one. ``small``:
    weights are kept as halves, in half the space.

    Raises ExportError where the folder is something else or cannot be written; nothing half-written
    remains.
    """
    check_target(folder)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as room:
            made = Path(room) / "bot"
            made.mkdir()
            graph, outputs = write_graph(network, game, made / "policy.onnx", small)
            card = {
                "format": 1,
                "name": name,
                "game": game.id,
                "layout": game.layout.to_json(),
                "rules": accepted_rules(game, tables),
                "outputs": outputs,
                "beliefs": {b.name: b.when for b in game.beliefs if b.name in outputs},
                "sha256": hashlib.sha256(graph).hexdigest(),
                **({} if level is None else {"level": level}),
                "origin": dict(origin),
                "strength": dict(strength),
            }
            (made / "bot.json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")
            if folder.exists():
                folder.rename(Path(room) / "replaced")
            made.rename(folder)
    except OSError as error:
        raise ExportError(f"cannot write the bot to {folder}: {error.strerror}") from None


def write_graph(
    network: nn.Module, game: Game, path: Path, small: bool = False
) -> tuple[bytes, list[str]]:
    """Write the ONNX graph, any batch size; its bytes and the names of its outputs."""
    playing = _Playing(copy.deepcopy(network)).eval()
    observation = torch.zeros(2, game.layout.size, dtype=torch.int8)
    action_mask = torch.ones(2, game.layout.num_actions, dtype=torch.int8)
    outputs = list(playing.answers(observation, action_mask))
    rows = torch.export.Dim("rows", min=1)
    # torch warns of its own insides, and of packages that are not needed here.
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            playing,
            (observation, action_mask),
            path,
            input_names=["observation", "action_mask"],
            output_names=outputs,
            dynamic_shapes=({0: rows}, {0: rows}),
            dynamo=True,
            external_data=False,
            verbose=False,
        )
    graph = without_traces(path.read_bytes())
    graph = halved(graph) if small else graph
    path.write_bytes(graph)
    return graph, outputs


def without_traces(graph: bytes) -> bytes:
    """The graph without torch's notes, which name files of the machine that exported it."""
    model = onnx.load_from_string(graph)
    inside = model.graph
    del model.metadata_props[:], inside.metadata_props[:]
    variables = (*inside.input, *inside.output, *inside.value_info, *inside.initializer)
    for part in (*inside.node, *variables):
        del part.metadata_props[:]
        part.ClearField("doc_string")
    return bytes(model.SerializeToString())


def halved(graph: bytes) -> bytes:
    """The graph with its large arrays as float16, which it makes float32 when it is loaded.

    Raises ExportError for numbers that float16 cannot hold.
    """
    model = onnx.load_from_string(graph)
    inside = model.graph
    casts = []
    for array in inside.initializer:
        if array.data_type == onnx.TensorProto.FLOAT and prod(array.dims) >= LARGE:
            name, kept = array.name, onnx.numpy_helper.to_array(array).astype(np.float16)
            if not np.isfinite(kept).all():
                raise ExportError(f"{name} holds numbers over {np.finfo(np.float16).max:,.0f}")
            array.CopyFrom(onnx.numpy_helper.from_array(kept, f"{name}_half"))
            casts.append(
                onnx.helper.make_node("Cast", [array.name], [name], to=onnx.TensorProto.FLOAT)
            )
    nodes = [*casts, *inside.node]
    del inside.node[:]
    inside.node.extend(nodes)
    onnx.checker.check_model(model)
    return bytes(model.SerializeToString())


def accepted_rules(game: Game, tables: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """The values of each option that occur among the tables, as plain JSON."""
    rules: dict[str, list[Any]] = {}
    for table in tables:
        options = game.make_options(**table)
        for field in dataclasses.fields(options):
            value = json.loads(json.dumps(getattr(options, field.name)))
            if field.name not in FREE_OPTIONS and value not in rules.setdefault(field.name, []):
                rules[field.name].append(value)
    return rules
