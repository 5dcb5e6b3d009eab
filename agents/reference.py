"""The reference policy, which self-play is pulled to so that it does not collapse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from agents.guests import find_guests
from kuku_env.core.game import Game


class Reference:
    """A bot at each table size, the *magnet*, mixed with the even policy of the network.

    ``magnets`` are entries as in ``agents.guests``: at each size the first that names the size
    counts, else the first without one; at a size without a magnet the even policy is left.
    ``share``: how often the magnet is followed. ``tables``: the options of each game. Raises
    BotError for a magnet that there is not, or that does not play at its tables.
    """

    def __init__(
        self, magnets: Sequence[str], share: float, game: Game, tables: Sequence[Any]
    ) -> None:
        guests = find_guests(magnets, game, list(dict.fromkeys(tables)))
        self.share = share
        self._bots = [guest.bot for guest in guests]
        # Of each game, the number of its magnet; -1: none.
        self._magnet = np.full(len(tables), -1)
        for k in sorted(range(len(guests)), key=lambda k: guests[k].size is None):
            here = [guests[k].sits_at(options.num_players) for options in tables]
            self._magnet[np.array(here) & (self._magnet < 0)] = k

    def log_probabilities(
        self,
        games: NDArray[np.int64],
        observation: NDArray[np.int8],
        action_mask: NDArray[np.int8],
        even: Tensor,
    ) -> Tensor:
        """Log-probabilities in the games of these numbers, float32 (N, A), finite where illegal.

        ``even`` float32 (N, A): those of the even policy.
        """
        if not self._bots:
            return even
        mixed, magnet = even.exp(), self._magnet[games]
        for k, bot in enumerate(self._bots):
            rows = np.flatnonzero(magnet == k)
            if len(rows):
                chances = torch.from_numpy(bot.probabilities(observation[rows], action_mask[rows]))
                mixed[rows] = torch.lerp(mixed[rows], chances, self.share)
        return mixed.log_()
