"""Style: what bots do, told in the action blocks of the game's layout."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kuku_env.core.layout import Layout


class Blocks:
    """Which action block an action belongs to, of a layout's K blocks."""

    def __init__(self, layout: Layout) -> None:
        self._starts = np.array(list(layout.action_offsets.values()))
        sizes = [block.size for block in layout.actions]
        self._block_of = np.repeat(np.arange(len(sizes)), sizes)

    def legal(self, action_mask: NDArray[np.int8]) -> NDArray[np.int8]:
        """Which blocks have a legal action, int8 (n, K), for masks int8 (n, A)."""
        return np.maximum.reduceat(action_mask, self._starts, axis=1)

    def of(self, actions: NDArray[np.int64]) -> NDArray[np.intp]:
        """The block of each action, (n,)."""
        return self._block_of[actions]


@dataclass
class Style:
    """Counts of decisions by bot and action block; B bots, K blocks.

    ``decisions`` int64 (B,). ``possible`` int64 (B, K): decisions in which the block had a legal
    action. ``chosen`` int64 (B, K): decisions in which an action of the block was taken.
    """

    layout: Layout
    decisions: NDArray[np.int64]
    possible: NDArray[np.int64]
    chosen: NDArray[np.int64]

    def __post_init__(self) -> None:
        self._blocks = Blocks(self.layout)

    @classmethod
    def nothing(cls, num_bots: int, layout: Layout) -> Style:
        blocks = len(layout.actions)
        return cls(
            layout,
            np.zeros(num_bots, np.int64),
            np.zeros((num_bots, blocks), np.int64),
            np.zeros((num_bots, blocks), np.int64),
        )

    def add(self, bot: int, legal: NDArray[np.int8], actions: NDArray[np.int64]) -> None:
        """Count decisions of one bot: their masks, int8 (n, A), and actions, int64 (n,)."""
        self.decisions[bot] += len(actions)
        self.possible[bot] += self._blocks.legal(legal).sum(axis=0, dtype=np.int64)
        self.chosen[bot] += np.bincount(self._blocks.of(actions), minlength=len(self.blocks))

    @property
    def blocks(self) -> tuple[str, ...]:
        """Names of the K blocks."""
        return tuple(block.name for block in self.layout.actions)

    def rates(self) -> NDArray[np.float64]:
        """How often a block was taken when it could be, float64 (B, K); NaN where it never could.

        For a block such as ``accept`` this is the acceptance rate.
        """
        with np.errstate(invalid="ignore"):
            return self.chosen / self.possible

    def contested(self) -> NDArray[np.bool_]:
        """bool (K,): blocks that some bot passed over for another; others tell nothing of style."""
        return np.asarray(np.any(self.chosen < self.possible, axis=0))
