"""An exported bot: a folder with ``policy.onnx`` and ``bot.json``, played by onnxruntime."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kuku_env.bots.simple import check_batch
from kuku_env.core.game import Game
from kuku_env.games import find_game

INPUTS = ("observation", "action_mask")


class BotError(ValueError):
    """A bot that is missing, damaged, or made for another game, layout or table."""


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BotError(f"cannot read {path}: {error.strerror}") from None


def _read_card(folder: Path) -> dict[str, Any]:
    path = folder / "bot.json"
    try:
        card = json.loads(_read(path))
    except ValueError as error:
        raise BotError(f"{path} is damaged: {error}") from None
    needed = {"format": int, "game": str, "layout": dict, "rules": dict, "sha256": str, "name": str}
    for key, kind in needed.items():
        if not isinstance(card, dict) or not isinstance(card.get(key), kind):
            raise BotError(f"{path} is damaged: {key!r} must be there, as {kind.__name__}")
    return card


class ExportedPolicy:
    """A trained bot from its folder; one thread, any batch size.

    Attributes: ``name``, ``folder``, ``card`` (the content of ``bot.json``), ``outputs`` (names of
    what the network gives besides ``probabilities``).

    Raises BotError for a missing or damaged file, or a bot of another game or layout.
    """

    def __init__(self, folder: str | Path, game: str | Game | None = None) -> None:
        self.folder = folder = Path(folder)
        self.card = _read_card(folder)
        self.name = self.card["name"]
        if self.card["format"] != 1:
            raise BotError(f"{folder} has bot format {self.card['format']}; this reads format 1")
        try:
            self.game = find_game(game if game is not None else self.card["game"])
        except KeyError as error:
            raise BotError(f"{folder}: {error.args[0]}") from None
        if self.card["game"] != self.game.id:
            raise BotError(f"{folder} plays {self.card['game']}, not {self.game.id}")
        theirs, ours = self.card["layout"].get("id"), self.game.layout.id
        if theirs != ours:
            raise BotError(f"{folder} was made for layout {theirs}; this version has {ours}")
        network = _read(folder / "policy.onnx")
        if hashlib.sha256(network).hexdigest() != self.card["sha256"]:
            raise BotError(f"{folder / 'policy.onnx'} is damaged: its SHA-256 is not bot.json's")
        self._network, self._session = network, _session(network, folder)
        names = [output.name for output in self._session.get_outputs()]
        self.outputs = tuple(name for name in names if name != "probabilities")

    def __getstate__(self) -> dict[str, Any]:
        """Copies and pickles hold the network itself: its folder need not be where they go."""
        return {name: part for name, part in self.__dict__.items() if name != "_session"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._session = _session(self._network, self.folder)

    def accepts(self, options: Any) -> None:
        """Raise BotError unless the bot is meant for a table with these options."""
        for name, allowed in self.card["rules"].items():
            value = getattr(options, name, None)
            value = list(value) if isinstance(value, tuple) else value
            if value not in allowed:
                raise BotError(f"{self.name} plays with {name} in {allowed}, not {value!r}")

    def probabilities(
        self, observation: NDArray[np.int8], action_mask: NDArray[np.int8]
    ) -> NDArray[np.float32]:
        return self.answers(observation, action_mask, ("probabilities",))["probabilities"]

    def answers(
        self,
        observation: NDArray[np.int8],
        action_mask: NDArray[np.int8],
        names: tuple[str, ...] | None = None,
    ) -> dict[str, NDArray[np.float32]]:
        """Outputs of the network by name: all that it has, or those named."""
        check_batch(self.game, observation, action_mask)
        wanted = names or ("probabilities", *self.outputs)
        given = {"observation": observation, "action_mask": action_mask}
        return dict(zip(wanted, self._session.run(wanted, given), strict=True))


def _session(network: bytes, folder: Path) -> Any:
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # it would write to the home folder
    import onnxruntime

    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = settings.inter_op_num_threads = 1
    settings.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(network, settings, ["CPUExecutionProvider"])
    except Exception as error:
        raise BotError(f"{folder / 'policy.onnx'} cannot be loaded: {error}") from None
    inputs = tuple(part.name for part in session.get_inputs())
    outputs = [part.name for part in session.get_outputs()]
    if inputs != INPUTS or "probabilities" not in outputs:
        raise BotError(f"{folder / 'policy.onnx'} must take {INPUTS} and give probabilities")
    return session
