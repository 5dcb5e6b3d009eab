"""What self-play does, so that a collapse is seen.

Self-play of a bluffing game can collapse into never choosing one kind of action again, and a
learning curve does not show it. So the kinds of action are counted, where they may be chosen, and
how often what a bot may believe is true (that the claim is a lie), by table size, over games that
the network plays from their first decision on.
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

    Attributes: ``sizes`` (table sizes, ascending), ``kinds`` (names of the action blocks) and
    ``truths`` (beliefs of the game that are true or not).
    """

    def __init__(self, game: Game, num_players: NDArray[np.int64]) -> None:
        """``num_players`` int64 (n,): the table size of each game."""
        self.layout, self.num_players = game.layout, num_players
        self.sizes = [int(size) for size in np.unique(num_players)]
        self.kinds = [block.name for block in self.layout.actions]
        cells = {field.name: field.size for field in game.secrets.fields}
        self.truths = [belief for belief in game.beliefs if cells[belief.name] == 1]
        self._truth_cells = [game.secrets.start(belief.name) for belief in self.truths]
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self.style = Style.nothing(len(self.sizes), self.layout)
        self.ends = np.zeros(len(self.sizes), np.int64)
        self._entropy: dict[str, list[float]] = {}
        # Of each belief and table size: how often it was asked for, and true.
        self._asked, self._true = np.zeros((2, len(self.truths), len(self.sizes)), np.int64)

    def watch(
        self,
        turns: Turns,
        secrets: NDArray[np.int8],
        probabilities: Tensor,
        actions: NDArray[np.int64],
        counted: NDArray[np.bool_],
    ) -> None:
        """One step of all games, before it is made: secrets int8 (n, S), probabilities float32
        (n, A), actions (n,); ``counted`` bool (n,) tells which games count."""
        for k, size in enumerate(self.sizes):
            rows = np.flatnonzero(counted & (self.num_players == size))
            self.style.add(k, turns.action_mask[rows], actions[rows])
        self._add_truths(turns.action_mask, secrets, counted)
        rows = np.flatnonzero(counted)[:256]  # the curves of entropy need no more
        self._add_entropies(turns.action_mask[rows], probabilities[torch.from_numpy(rows)])

    def count_ends(self, over: NDArray[np.bool_], counted: NDArray[np.bool_]) -> None:
        """Which of the counted games ended in the step."""
        self.ends += [int((over & counted & (self.num_players == n)).sum()) for n in self.sizes]

    def _add_truths(
        self, action_mask: NDArray[np.int8], secrets: NDArray[np.int8], counted: NDArray[np.bool_]
    ) -> None:
        for b, (belief, cell) in enumerate(zip(self.truths, self._truth_cells, strict=True)):
            asked = counted & action_mask[:, self.layout.ids(belief.when)].any(axis=1)
            true = asked & (secrets[:, cell] > 0)
            for k, size in enumerate(self.sizes):
                here = self.num_players == size
                self._asked[b, k] += (asked & here).sum()
                self._true[b, k] += (true & here).sum()

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

    def shares_true(self) -> dict[tuple[str, int], float]:
        """How often a belief is true where somebody may hold it, by its name and table size."""
        return {
            (belief.name, size): float(self._true[b, k] / self._asked[b, k])
            for b, belief in enumerate(self.truths)
            for k, size in enumerate(self.sizes)
            if self._asked[b, k]
        }

    def lengths(self) -> dict[int, float]:
        """Decisions in a game by table size, over sizes of which a game ended."""
        made = zip(self.sizes, self.style.decisions, self.ends, strict=True)
        return {size: float(decisions / ends) for size, decisions, ends in made if ends}

    def entropies(self) -> dict[str, float]:
        """Mean entropy of decisions in nats, by the kinds that were legal together."""
        return {name: total / count for name, (total, count) in self._entropy.items()}

    def collapsed(self) -> list[str]:
        """A line for each kind, or truth of a belief, that has all but died out at a table size."""
        lines = {
            "of the decisions that allow it": self.rates(),
            "of the decisions that face it or not": self.shares_true(),
        }
        return [
            f"{name} at {size} players: {rate:.2%} {whole}"
            for whole, rates in lines.items()
            for (name, size), rate in rates.items()
            if rate < COLLAPSED
        ]
