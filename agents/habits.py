"""What self-play does, so that a collapse is seen.

Self-play of a bluffing game can collapse into never choosing one kind of action again, and a
learning curve does not show it. So the kinds of action are counted, where they may be chosen, by
table size, over games that the network plays from their first decision on.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from kuku_env.arena import Style
from kuku_env.core.game import Game
from kuku_env.envs.batch import Turns

COLLAPSED = 0.01  # a kind of action that is chosen more rarely than this, where it may be


class Habits:
    """Counts over the decisions of self-play since the last ``clear``, by table size.

    Attributes: ``sizes`` (table sizes, ascending) and ``kinds`` (names of the action blocks).
    """

    def __init__(self, game: Game, num_players: NDArray[np.int64]) -> None:
        """``num_players`` int64 (n,): the table size of each game."""
        self.layout, self.num_players = game.layout, num_players
        self.sizes = [int(size) for size in np.unique(num_players)]
        self.kinds = [block.name for block in self.layout.actions]
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self.style = Style.nothing(len(self.sizes), self.layout)
        self.ends = np.zeros(len(self.sizes), np.int64)
        self._entropy: dict[str, list[float]] = {}

    def watch(
        self,
        turns: Turns,
        probabilities: Tensor,
        actions: NDArray[np.int64],
        counted: NDArray[np.bool_],
    ) -> None:
        """One step of all games, before it is made: probabilities float32 (n, A), actions (n,);
        ``counted`` bool (n,) tells which games count."""
        for k, size in enumerate(self.sizes):
            rows = np.flatnonzero(counted & (self.num_players == size))
            self.style.add(k, turns.action_mask[rows], actions[rows])
        rows = np.flatnonzero(counted)[:256]  # the curves of entropy need no more
        self._add_entropies(turns.action_mask[rows], probabilities[torch.from_numpy(rows)])

    def count_ends(self, over: NDArray[np.bool_], counted: NDArray[np.bool_]) -> None:
        """Which of the counted games ended in the step."""
        self.ends += [int((over & counted & (self.num_players == n)).sum()) for n in self.sizes]

    def _add_entropies(self, action_mask: NDArray[np.int8], probabilities: Tensor) -> None:
        entropy = torch.special.entr(probabilities).sum(1).double().numpy()
        starts = list(self.layout.action_offsets.values())
        legal = np.maximum.reduceat(action_mask, starts, axis=1)
        for kinds in np.unique(legal, axis=0):
            name = "-".join(kind for kind, some in zip(self.kinds, kinds, strict=True) if some)
            here = entropy[(legal == kinds).all(axis=1)]
            sums = self._entropy.setdefault(name, [0.0, 0.0])
            sums[0] += float(here.sum())
            sums[1] += len(here)

    def rates(self) -> dict[tuple[str, int], float]:
        """Share of a kind among the decisions that allowed it, by kind and table size.

        Only kinds that were ever passed over for another: the rest is no choice.
        """
        rates, contested = self.style.rates(), self.style.contested()
        return {
            (kind, size): float(rates[i, k])
            for k, kind in enumerate(self.kinds)
            for i, size in enumerate(self.sizes)
            if contested[k] and self.style.possible[i, k]
        }

    def lengths(self) -> dict[int, float]:
        """Decisions in a game by table size, over sizes of which a game ended."""
        made = zip(self.sizes, self.style.decisions, self.ends, strict=True)
        return {size: float(decisions / ends) for size, decisions, ends in made if ends}

    def entropies(self) -> dict[str, float]:
        """Mean entropy of decisions in nats, by the kinds that were legal together."""
        return {name: total / count for name, (total, count) in self._entropy.items()}

    def collapsed(self) -> list[str]:
        """A line for each kind that has all but died out at a table size."""
        return [
            f"{kind} at {size} players: {rate:.2%} of the decisions that allow it"
            for (kind, size), rate in self.rates().items()
            if rate < COLLAPSED
        ]
