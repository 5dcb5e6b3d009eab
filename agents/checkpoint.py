"""Checkpoints: numbered folders with ``state.safetensors`` and ``checkpoint.json``.

A checkpoint of self-play holds everything that a run goes on from, the games that are being played
and all generators among it: a resumed run learns exactly what it would have learned uninterrupted
(unless its schedules go by wall time, which is never the same twice). One of MaskablePPO holds what
has been learned; its games are dealt anew.

A folder is written under another name first and then renamed, so that a run that is killed at any
moment leaves whole checkpoints alone.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from agents.config import options_from
from agents.maskable_ppo import PpoLearner, PpoOptions
from agents.options import Options
from agents.selfplay import SelfPlay
from kuku_env.core.game import Game

FORMAT = 3
KEPT = 2  # older checkpoints are removed

Learner = SelfPlay | PpoLearner


class CheckpointError(ValueError):
    """A checkpoint that is missing, damaged, or of another layout."""


def save_checkpoint(learner: Learner, folder: Path) -> Path:
    """Write a checkpoint into ``folder`` and remove all but the newest; the new one's folder.

    Raises OSError where it cannot be written.
    """
    card = {
        "learner": learner.name,
        "layout": learner.game.layout.id,
        "records": records_kind(learner.game),
        "options": asdict(learner.options),
        "decisions": learner.decisions,
        "updates": learner.updates,
        "seconds": learner.seconds,
    }
    if isinstance(learner, SelfPlay):
        card["cast"] = learner.cast.random.bit_generator.state
    return write_checkpoint(folder, learner.updates, lambda: _tensors(learner), card)


def write_checkpoint(
    folder: Path, number: int, tensors: Callable[[], dict[str, Tensor]], card: dict[str, Any]
) -> Path:
    """Write tensors and plain JSON as a numbered checkpoint, unless it is there already; remove all
    but the newest; its folder. Raises OSError where it cannot be written."""
    target = folder / f"{number:08}"
    if target.exists():  # nothing was learned since
        return target
    content = save(tensors())
    whole = {"format": FORMAT, **card, "sha256": hashlib.sha256(content).hexdigest()}
    unfinished = folder / f"{target.name}.tmp"
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    _write(unfinished / "state.safetensors", content)
    _write(unfinished / "checkpoint.json", json.dumps(whole, indent=1).encode())
    unfinished.rename(target)
    for old in _numbered(folder)[:-KEPT]:
        shutil.rmtree(old)
    return target


def read_checkpoint(folder: Path) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """What ``write_checkpoint`` wrote: the JSON and the tensors.

    Raises CheckpointError for files that are missing or damaged.
    """
    card = read_card(folder)
    content = _read(folder / "state.safetensors")
    if hashlib.sha256(content).hexdigest() != card.get("sha256"):
        raise CheckpointError(f"{folder / 'state.safetensors'} is damaged: its SHA-256 differs")
    try:
        return card, load(content)
    except SafetensorError as error:
        raise CheckpointError(f"{folder} is damaged: {error}") from None


def newest_checkpoint(folder: Path) -> Path:
    """The last checkpoint in a folder. Raises CheckpointError where there is none."""
    found = _numbered(folder)
    if not found:
        raise CheckpointError(f"no checkpoint in {folder}")
    return found[-1]


def load_checkpoint(folder: Path) -> Learner:
    """A learner that goes on from the checkpoint in ``folder``.

    Raises CheckpointError for files that are missing or damaged, or of other rules or layout.
    """
    card, tensors = read_checkpoint(folder)
    try:
        learner = _new_learner(card["learner"], card["options"])
        _check_kind(learner.game, card, folder)
        learner.decisions, learner.updates = int(card["decisions"]), int(card["updates"])
        learner.seconds = float(card["seconds"])
        if isinstance(learner, SelfPlay):
            learner.cast.random.bit_generator.state = card["cast"]
            _restore(learner, tensors)
        else:
            learner.restore(tensors)
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        if isinstance(error, CheckpointError):
            raise
        raise CheckpointError(f"{folder} is damaged: {error}") from None
    return learner


def _new_learner(name: str, options: dict[str, Any]) -> Learner:
    if name == PpoLearner.name:
        return PpoLearner(options_from(PpoOptions, options))
    return SelfPlay(options_from(Options, options))


def records_kind(game: Game) -> str:
    """A hash of how the game's records are laid out."""
    return hashlib.sha256(str(game.state.descr).encode()).hexdigest()[:12]


def _check_kind(game: Game, card: dict[str, Any], folder: Path) -> None:
    for name, ours in (("layout", game.layout.id), ("records", records_kind(game))):
        if card[name] != ours:
            raise CheckpointError(
                f"{folder} was made for {name} {card[name]}; this version has {ours}"
            )


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


def read_card(folder: Path) -> dict[str, Any]:
    """The JSON of a checkpoint. Raises CheckpointError where it is missing or damaged."""
    path = folder / "checkpoint.json"
    try:
        card = json.loads(_read(path))
    except ValueError as error:
        raise CheckpointError(f"{path} is damaged: {error}") from None
    if not isinstance(card, dict) or card.get("format") != FORMAT:
        raise CheckpointError(f"{path} is no checkpoint of format {FORMAT}")
    return card


def _live(learner: SelfPlay) -> dict[str, Tensor]:
    """Everything that changes as the learner goes on, by name; written to, it goes on from there.

    Not among it: the optimiser, the generators and the games, which are no tensors.
    """
    found = {}
    for name, network in (("network", learner.network), ("average", learner.average)):
        for key, tensor in network.state_dict().items():
            found[f"{name}.{key}"] = tensor
    for k, array in enumerate(learner.cast.arrays()):
        found[f"cast.{k}"] = torch.from_numpy(array)
    for k, tensor in enumerate(learner.experience.waiting()):
        found[f"waiting.{k}"] = tensor
    return found


def _tensors(learner: Learner) -> dict[str, Tensor]:
    """The whole state, by name, as contiguous tensors of their own."""
    found = _all_of(learner) if isinstance(learner, SelfPlay) else learner.tensors()
    return {name: tensor.detach().clone().contiguous() for name, tensor in found.items()}


def _all_of(learner: SelfPlay) -> dict[str, Tensor]:
    found = _live(learner)
    for index, state in learner.optimiser.state_dict()["state"].items():
        for key, tensor in state.items():
            found[f"optimiser.{index}.{key}"] = tensor
    found["games"] = torch.from_numpy(learner.env.records().view(np.uint8))
    found["random"] = learner.random.get_state()
    return found


@torch.no_grad()
def _restore(learner: SelfPlay, tensors: dict[str, Tensor]) -> None:
    for name, tensor in _live(learner).items():
        if tensor.shape != tensors[name].shape:
            raise CheckpointError(f"{name} has shape {tuple(tensors[name].shape)}")
        tensor.copy_(tensors[name])
    states: dict[int, dict[str, Tensor]] = {}
    for name, tensor in tensors.items():
        part, *keys = name.split(".")
        if part == "optimiser":
            states.setdefault(int(keys[0]), {})[keys[1]] = tensor
    whole = learner.optimiser.state_dict()
    learner.optimiser.load_state_dict({**whole, "state": states})
    learner.random.set_state(tensors["random"])
    learner.env.put_back(tensors["games"].numpy().view(learner.game.state))
