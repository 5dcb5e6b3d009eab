"""Counterfactual regret minimisation (CFR+) on the whole tree of a small game.

Tammelin 2014, "Solving Large Imperfect Information Games Using CFR+": regrets never fall below
zero, seats take turns, and later plans weigh more in the average.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.exact import Plan, action_worths
from agents.tree import Tree
from kuku_env.core.game import Game
from kuku_env.games import find_game


def solve(tree: Tree, iterations: int, progress: Callable[[int, Plan], None] | None = None) -> Plan:
    """The average plan after so many iterations, float64 (S, K).

    ``progress`` is told the iterations done and the average so far after every hundredth of them.
    """
    regrets = np.zeros(tree.actions.shape)
    total = np.zeros(tree.actions.shape)
    told = max(1, iterations // 100)
    for t in range(1, iterations + 1):
        for seat in range(tree.num_players):
            _update(tree, seat, t, regrets, total)
        if progress is not None and t % told == 0:
            progress(t, normalised(tree, total))
    return normalised(tree, total)


def _update(
    tree: Tree, seat: int, t: int, regrets: NDArray[np.float64], total: NDArray[np.float64]
) -> None:
    plan = normalised(tree, regrets)
    worths, own = action_worths(tree, plan, seat)
    mine = tree.owner == seat
    node_worth = (plan * worths).sum(1, keepdims=True)
    changed = np.maximum(regrets + (worths - node_worth) * tree.legal, 0.0)
    regrets[mine] = changed[mine]
    total[mine] += t * own[tree.first_nodes][mine, None] * plan[mine]


def normalised(tree: Tree, weights: NDArray[np.float64]) -> Plan:
    """Weights (S, K) of at least 0 as a plan; even where all are 0."""
    sums = weights.sum(1, keepdims=True)
    return np.where(sums > 0, weights / np.where(sums > 0, sums, 1.0), tree.uniform())


class TableError(ValueError):
    """A file that is no table for this game; the message says which file and why."""


class TablePolicy:
    """A plan as a bot: what to do by observation. Where it has none, all legal actions alike.

    Information sets with one observation are mixed as often as their own seat reaches them.
    """

    def __init__(
        self, game: Game, observation: NDArray[np.int8], chances: NDArray[np.float32], name: str
    ) -> None:
        """``observation`` int8 (R, D), ``chances`` float32 (R, A): what to do where it is seen."""
        self.game, self.name = game, name
        self.observation, self.chances = observation, chances
        self._rows = {cells.tobytes(): k for k, cells in enumerate(observation)}

    def probabilities(
        self, observation: NDArray[np.int8], action_mask: NDArray[np.int8]
    ) -> NDArray[np.float32]:
        """See kuku_env.core.game.Policy."""
        found = action_mask / action_mask.sum(1, keepdims=True, dtype=np.float32)
        for k, cells in enumerate(observation):
            if (row := self._rows.get(cells.tobytes())) is not None:
                found[k] = self.chances[row]
        return found.astype(np.float32)

    @classmethod
    def from_plan(cls, tree: Tree, plan: Plan, name: str = "table") -> TablePolicy:
        wide = np.zeros((len(plan), tree.game.layout.num_actions))
        rows, columns = np.nonzero(tree.legal)
        wide[rows, tree.actions[rows, columns]] = plan[rows, columns]
        weight = np.zeros(len(plan))
        for seat in range(tree.num_players):
            own = action_worths(tree, plan, seat)[1][tree.first_nodes]
            weight = np.where(tree.owner == seat, own, weight)
        cells, which = np.unique(tree.observation, axis=0, return_inverse=True)
        sums = np.zeros((len(cells), wide.shape[1]))
        np.add.at(sums, which.ravel(), wide * (weight + 1e-12)[:, None])
        chances = (sums / sums.sum(1, keepdims=True)).astype(np.float32)
        return cls(tree.game, cells, chances, name)

    def save(self, path: Path) -> None:
        """Write the table (npz); an existing file is replaced only by a complete one."""
        part = path.with_name(f".{path.stem}.{os.getpid()}.part.npz")
        try:
            np.savez_compressed(
                part, game=self.game.id, layout=self.game.layout.id,
                observation=self.observation, chances=self.chances,
            )  # fmt: skip
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)

    @classmethod
    def load(cls, path: Path, name: str | None = None) -> TablePolicy:
        """Raises TableError for what is no table, or one of another layout."""
        try:
            with np.load(path, allow_pickle=False) as found:
                game = find_game(str(found["game"]))
                layout, cells, chances = (
                    str(found["layout"]),
                    found["observation"],
                    found["chances"],
                )
        except (OSError, ValueError, KeyError) as error:
            raise TableError(f"{path} is no table of a solver: {error}") from None
        if layout != game.layout.id:
            raise TableError(f"{path} is for layout {layout}; {game.id} has {game.layout.id}")
        return cls(game, cells, chances, name or path.stem)
