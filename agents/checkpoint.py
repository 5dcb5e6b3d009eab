"""Checkpoints: numbered folders with ``state.safetensors`` and ``checkpoint.json``.

A folder is written under another name first and then renamed, so that a run that is killed at any
moment leaves whole checkpoints alone.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from agents.options import Options
from agents.selfplay import SelfPlay

FORMAT = 1
KEPT = 2  # older checkpoints are removed


class CheckpointError(ValueError):
    """A checkpoint that is missing, damaged, or of another layout."""


def save_checkpoint(learner: SelfPlay, folder: Path) -> Path:
    """Write a checkpoint into ``folder`` and remove all but the newest; the new one's folder.

    Holds the networks, the optimiser, the counters and the options. Games that are being played are
    not kept: a learner that goes on deals new ones. Raises OSError where it cannot be written.
    """
    target = folder / f"{learner.updates:08}"
    if target.exists():  # nothing was learned since
        return target
    content = save(_tensors(learner))
    card = {
        "format": FORMAT,
        "layout": learner.game.layout.id,
        "options": asdict(learner.options),
        "decisions": learner.decisions,
        "updates": learner.updates,
        "seconds": learner.seconds,
        "sha256": hashlib.sha256(content).hexdigest(),
    }
    unfinished = folder / f"{target.name}.tmp"
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    _write(unfinished / "state.safetensors", content)
    _write(unfinished / "checkpoint.json", json.dumps(card, indent=1).encode())
    unfinished.rename(target)
    for old in _numbered(folder)[:-KEPT]:
        shutil.rmtree(old)
    return target


def newest_checkpoint(folder: Path) -> Path:
    """The last checkpoint in a folder. Raises CheckpointError where there is none."""
    found = _numbered(folder)
    if not found:
        raise CheckpointError(f"no checkpoint in {folder}")
    return found[-1]


def load_checkpoint(folder: Path) -> SelfPlay:
    """A learner that goes on from the checkpoint in ``folder``, with newly dealt games.

    Raises CheckpointError for files that are missing or damaged, or another layout.
    """
    card = _read_card(folder)
    content = _read(folder / "state.safetensors")
    if hashlib.sha256(content).hexdigest() != card.get("sha256"):
        raise CheckpointError(f"{folder / 'state.safetensors'} is damaged: its SHA-256 differs")
    try:
        tensors = load(content)
        learner = SelfPlay(_options(card["options"]))
        if card["layout"] != learner.game.layout.id:
            raise CheckpointError(
                f"{folder} was made for layout {card['layout']}; "
                f"this version has {learner.game.layout.id}"
            )
        learner.decisions, learner.updates = int(card["decisions"]), int(card["updates"])
        learner.seconds = float(card["seconds"])
        _restore(learner, tensors)
    except (SafetensorError, KeyError, TypeError, RuntimeError) as error:
        raise CheckpointError(f"{folder} is damaged: {error}") from None
    learner.start_games()
    return learner


def _numbered(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*") if path.name.isdigit())


def _write(path: Path, content: bytes) -> None:
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise CheckpointError(f"cannot read {path}: {error.strerror}") from None


def _read_card(folder: Path) -> dict[str, Any]:
    path = folder / "checkpoint.json"
    try:
        card = json.loads(_read(path))
    except ValueError as error:
        raise CheckpointError(f"{path} is damaged: {error}") from None
    if not isinstance(card, dict) or card.get("format") != FORMAT:
        raise CheckpointError(f"{path} is no checkpoint of format {FORMAT}")
    return card


def _options(given: dict[str, Any]) -> Options:
    """Options from JSON, where tuples are lists."""
    known = {field.name for field in fields(Options)}
    values: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in given.items()
        if name in known
    }
    return Options(**values)


def _tensors(learner: SelfPlay) -> dict[str, Tensor]:
    """Everything that learns, by name, as contiguous tensors of their own."""
    found = {}
    for name, network in (("network", learner.network), ("average", learner.average)):
        for key, tensor in network.state_dict().items():
            found[f"{name}.{key}"] = tensor
    for index, state in learner.optimiser.state_dict()["state"].items():
        for key, tensor in state.items():
            found[f"optimiser.{index}.{key}"] = tensor
    return {name: tensor.detach().clone().contiguous() for name, tensor in found.items()}


def _restore(learner: SelfPlay, tensors: dict[str, Tensor]) -> None:
    parts: dict[str, dict[str, Tensor]] = {"network": {}, "average": {}, "optimiser": {}}
    for name, tensor in tensors.items():
        part, _, key = name.partition(".")
        parts[part][key] = tensor
    learner.network.load_state_dict(parts["network"])
    learner.average.load_state_dict(parts["average"])
    states: dict[int, dict[str, Tensor]] = {}
    for key, tensor in parts["optimiser"].items():
        index, _, field = key.partition(".")
        states.setdefault(int(index), {})[field] = tensor
    whole = learner.optimiser.state_dict()
    learner.optimiser.load_state_dict({**whole, "state": states})
