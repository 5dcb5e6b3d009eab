"""Bots without a network: uniformly random, and a game's own scripts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kuku_env.core.game import Game


def check_batch(game: Game, observation: NDArray[np.int8], action_mask: NDArray[np.int8]) -> None:
    """Raise ValueError unless the arrays fit the game and every row has a legal action."""
    layout, n = game.layout, len(observation)
    for name, array, size in (
        ("observation", observation, layout.size),
        ("action_mask", action_mask, layout.num_actions),
    ):
        if array.shape != (n, size) or array.dtype != np.int8:
            raise ValueError(
                f"{name} must be int8 of shape (N, {size}), given {array.dtype} {array.shape}"
            )
    empty = np.flatnonzero(~action_mask.any(axis=1))
    if len(empty):
        raise ValueError(
            f"row {empty[0]} of action_mask has no legal action: nobody is asked there"
        )


class RandomPolicy:
    """Every legal action alike."""

    def __init__(self, game: Game) -> None:
        self.game, self.name = game, "random"

    def probabilities(
        self, observation: NDArray[np.int8], action_mask: NDArray[np.int8]
    ) -> NDArray[np.float32]:
        check_batch(self.game, observation, action_mask)
        mask = action_mask.astype(np.float32)
        return mask / mask.sum(axis=1, keepdims=True)


class ScriptedPolicy:
    """A script that comes with the game, by its name there."""

    def __init__(self, game: Game, name: str) -> None:
        self.game, self.name = game, name
        self._rows = game.scripted[name]

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles take the script from the game: its code is no data."""
        return ScriptedPolicy, (self.game, self.name)

    def probabilities(
        self, observation: NDArray[np.int8], action_mask: NDArray[np.int8]
    ) -> NDArray[np.float32]:
        check_batch(self.game, observation, action_mask)
        out = np.empty(action_mask.shape, np.float64)
        self._rows(observation, action_mask, out)
        return out.astype(np.float32)
