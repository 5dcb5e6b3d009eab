"""Who decides in a game of self-play: the learner, or a scripted bot.

Scripts play the *openings* of some games and are *rivals* in some seats of others. Nothing is
learned from their moves. Both keep self-play from collapsing: behind honest claims, and at a table
with somebody who makes them, it pays to accept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from agents.guests import find_guests
from agents.network import sample
from agents.options import Options
from kuku_env.core.game import Game
from kuku_env.envs.batch import Turns


class Cast:
    """The players of n games side by side.

    Attributes: ``random`` (the generator of everything that is drawn), ``mixed`` bool (n,), the
    present game has scripted moves, ``fair`` bool (n,), neither its last move was scripted nor will
    one be from here on. Raises BotError for a bot that there is not, or that does not play at its
    tables.
    """

    def __init__(self, options: Options, game: Game, tables: Sequence[Any], seed: int) -> None:
        """``tables``: the options of each game."""
        names = [*options.rivals, *filter(None, [options.opening_bot])]
        guests = find_guests(names, game, list(dict.fromkeys(tables)))
        self._bots = [guest.bot for guest in guests]
        rivals = range(len(options.rivals))
        self._rivals_at = {
            size: np.array([k for k in rivals if guests[k].sits_at(size)])
            for size in range(game.min_players, game.max_players + 1)
        }
        self._options = options
        self._num_players = np.array([table.num_players for table in tables])
        self.random = np.random.default_rng(seed)
        n = len(tables)
        self._opening = np.zeros(n, np.int64)  # decisions left that the opening bot makes
        self._rival = np.full((n, game.max_players), -1)  # the bot in each seat; -1: the learner
        self.mixed = np.zeros(n, np.bool_)
        self.fair = np.zeros(n, np.bool_)
        self.next_games(np.ones(n, np.bool_))

    def next_games(self, over: NDArray[np.bool_]) -> None:
        """After a step: cast the next game wherever one is over, bool (n,)."""
        was_opening = (self._opening > 0) & ~over
        self._opening = np.maximum(self._opening - 1, 0)
        ended = np.flatnonzero(over)
        self._opening[ended] = self._draw_openings(len(ended))
        self._rival[ended] = self._draw_rivals(self._num_players[ended])
        self.mixed[ended] = (self._opening[ended] > 0) | (self._rival[ended] >= 0).any(1)
        self.fair = ~was_opening & (self._opening == 0) & (self._rival < 0).all(1)

    def scripted(self, turns: Turns) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """Which games wait for a scripted move, bool (n,), and those moves in order, int64."""
        who = self._rival[np.arange(len(self._rival)), turns.seat]
        who[self._opening > 0] = len(self._bots) - 1
        moves = np.zeros(len(who), np.int64)
        for k, bot in enumerate(self._bots):
            rows = np.flatnonzero(who == k)
            if len(rows):
                chances = bot.probabilities(turns.observation[rows], turns.action_mask[rows])
                draws = torch.from_numpy(self.random.random(len(rows), np.float32))
                moves[rows] = sample(torch.from_numpy(chances), draws).numpy()
        waiting = who >= 0
        return waiting, moves[waiting]

    def _draw_openings(self, games: int) -> NDArray[np.int64]:
        options = self._options
        if options.opening_bot is None:
            return np.zeros(games, np.int64)
        lengths = self.random.integers(1, options.opening_length + 1, games)
        return lengths * (self.random.random(games) < options.opening_share)

    def _draw_rivals(self, num_players: NDArray[np.int64]) -> NDArray[np.int64]:
        """The bot in each seat: in some games one script holds one or more seats, never all."""
        seats = np.full((len(num_players), self._rival.shape[1]), -1)
        if not self._options.rivals:
            return seats
        order = self.random.random(seats.shape)
        order[np.arange(seats.shape[1]) >= num_players[:, None]] = 2.0  # absent seats come last
        place = order.argsort(1).argsort(1)
        count = num_players - 1
        if self._options.rival_seats == "some":
            count = self.random.integers(1, num_players)
        count[self.random.random(len(count)) >= self._options.rival_share] = 0
        drawn = self.random.random(len(count))
        bot = np.full(len(count), -1)
        for size, rivals in self._rivals_at.items():
            here = num_players == size
            if len(rivals):
                bot[here] = rivals[(drawn[here] * len(rivals)).astype(np.int64)]
        return np.where(place < count[:, None], bot[:, None], seats)

    def arrays(self) -> list[NDArray[Any]]:
        """What was drawn and still holds: with ``random`` the whole state, to be written to."""
        return [self._opening, self._rival, self.mixed, self.fair]
