"""Learner's seats: many games, one seat of each for a learner, bots of a pool in the others.

What the solo environments and the adapters to learning libraries stand on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kuku_env.bots import Policy, Pool
from kuku_env.core.chance import choose
from kuku_env.core.game import Game
from kuku_env.envs.batch import BatchEnv
from kuku_env.games import find_game

Opponents = Pool | Sequence[str | Path | Policy]


@dataclass
class Outcome:
    """What a step of the learner brought in n games.

    ``rewards`` float32 (n,): all that its seat got; ``over`` bool (n,): its episode ended;
    ``truncated`` bool (n,): by the limit on decisions. Where it ended: ``final`` int8 (n, D) what
    its seat saw last, ``lengths`` int64 (n,) its decisions, ``returns`` float64 (n,) their rewards,
    ``places`` int8 (n,) its place, 1 = winner.
    """

    rewards: NDArray[np.float32]
    over: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    final: NDArray[np.int8]
    lengths: NDArray[np.int64]
    returns: NDArray[np.float64]
    places: NDArray[np.int8]


class LearnerSeats:
    """``num_envs`` games that wait for the learner; an episode is one game of its seat.

    It ends when the fate of the seat is known. Games in which the learner is never asked are dealt
    again. In every game each other seat draws a bot from ``opponents``, a ``Pool`` or what makes
    one. ``seat``: the learner's, None for a random one in each game. ``tables`` and the other
    options are those of BatchEnv; table sizes may differ.

    ``autoreset``: a game whose episode ended is dealt anew in the same step. Without it, it stays
    as it is until ``restart``, with a mask of zeros, and takes the action -1.

    Raises OptionError, BotError or ValueError for arguments that are not allowed.
    """

    def __init__(
        self,
        game: str | Game,
        num_envs: int,
        *,
        opponents: Opponents,
        seat: int | None = None,
        autoreset: bool = True,
        **options: Any,
    ) -> None:
        self.game = find_game(game)
        self.batch = BatchEnv(self.game, num_envs, autoreset=False, **options)
        self.num_players = self.batch.num_players
        smallest = int(self.num_players.min())
        if seat is not None and not 0 <= seat < smallest:
            raise ValueError(f"seat must be None or 0 to {smallest - 1}, given {seat!r}")
        self.pool = opponents if isinstance(opponents, Pool) else Pool(self.game, opponents)
        if self.pool.game is not self.game:
            raise ValueError(f"a pool for {self.game.name} is needed, given {self.pool.game.name}")
        self.pool.join(self.batch.options)
        self.autoreset, self._fixed_seat = autoreset, seat
        n = self.batch.num_envs
        self._games = np.arange(n)
        self._seats = np.zeros(n, np.int64)
        self._holders = np.full((n, self.game.max_players), None, dtype=object)
        self._rewards = np.zeros(n)  # since the learner was last told
        self._returns = np.zeros(n)
        self._lengths = np.zeros(n, np.int64)
        self._over = np.ones(n, np.bool_)  # the episode ended, and no other has begun
        self._dealt = False

    def holders(self, index: int) -> list[str | None]:
        """Names of the bots in the seats of a game; None for the learner's."""
        held = self._holders[index, : self.num_players[index]]
        return [None if bot is None else bot.name for bot in held]

    @property
    def seats(self) -> NDArray[np.int64]:
        """The learner's seat in each game, int64 (n,). A fresh array."""
        return self._seats.copy()

    @property
    def over(self) -> NDArray[np.bool_]:
        """Which games wait for ``restart``, bool (n,). A fresh array."""
        return self._over.copy()

    def observations(self) -> NDArray[np.int8]:
        """What the learner sees, int8 (n, D). A fresh array."""
        seen = self.batch.turns().observation.copy()
        for index in np.flatnonzero(self._over):
            seen[index] = self.batch.observe(int(index), int(self._seats[index]))
        return seen

    def action_masks(self) -> NDArray[np.int8]:
        """What the learner may do, int8 (n, A), 1 = legal. A fresh array."""
        masks = self.batch.turns().action_mask.copy()
        masks[self._over] = 0
        return masks

    def reset(self, seed: int | None = None) -> None:
        """Deal all games anew and play to the learner's decisions.

        The same seed gives the same deals, seats and opponents' choices; None goes on with the
        present generators. Raises ValueError for a negative seed.
        """
        self.batch.reset(seed)
        if seed is not None or not self._dealt:
            self._random = np.random.default_rng(seed)
        self._dealt = True
        self.restart(self._games)

    def restart(self, games: NDArray[np.int64]) -> None:
        """Deal some games anew, by index, and play to the learner's decisions."""
        for index in games:
            self._deal(int(index))
        self._play_on(self._nothing())

    def step(self, actions: ArrayLike) -> Outcome:
        """Act for the learner in every game and play on to its next decisions.

        Raises IllegalActionError, ValueError or TypeError for other than legal actions, integers
        (n,), RuntimeError before the first reset; then no game has changed.
        """
        chosen = np.asarray(actions)
        if self._dealt and chosen.dtype.kind in "iu" and chosen.shape == self._over.shape:
            self._check_turns(chosen)
        self._act(chosen)
        self._lengths[~self._over] += 1
        outcome = self._nothing()
        self._play_on(outcome)
        going = ~outcome.over
        outcome.rewards[going] = self._rewards[going]
        self._rewards[going] = 0.0
        return outcome

    def _check_turns(self, actions: NDArray[Any]) -> None:
        """The batch would let -1 pass, and any legal action of a game that goes on without us."""
        wrong = np.flatnonzero((actions == -1) != self._over)
        if len(wrong):
            index = int(wrong[0])
            allowed = "-1: it is over" if self._over[index] else "one of the ids of the layout"
            raise ValueError(f"game {index}: action must be {allowed}, given {actions[index]}")

    def _nothing(self) -> Outcome:
        n = self.batch.num_envs
        return Outcome(
            np.zeros(n, np.float32), np.zeros(n, np.bool_), np.zeros(n, np.bool_),
            np.zeros((n, self.game.layout.size), np.int8), np.zeros(n, np.int64), np.zeros(n),
            np.zeros(n, np.int8),
        )  # fmt: skip

    def _deal(self, index: int) -> None:
        """Start a game: who sits where is drawn anew."""
        self.batch.restart(index)
        players, fixed = int(self.num_players[index]), self._fixed_seat
        seat = int(self._random.integers(players)) if fixed is None else fixed
        self._holders[index] = None
        for away, bot in enumerate(self.pool.draw(self._random, players - 1), 1):
            self._holders[index, (seat + away) % players] = bot
        self._seats[index] = seat
        self._rewards[index] = self._returns[index] = 0.0
        self._lengths[index] = 0
        self._over[index] = False

    def _act(self, actions: NDArray[Any]) -> None:
        """Act in some games (-1: not in this one) and add up the learner's rewards."""
        gained = self.batch.step(actions).rewards[self._games, self._seats]
        self._rewards += gained
        self._returns += gained

    def _play_on(self, outcome: Outcome) -> None:
        """Bots play, and games that are settled give way to new ones, until all wait for the
        learner or are over."""
        turns = self.batch.turns()
        while True:
            places = self.batch.places[self._games, self._seats] * ~self._over
            for index in np.flatnonzero(places):
                self._settle(int(index), int(places[index]), outcome)
            waiting = (turns.seat != self._seats) & ~self._over
            if not waiting.any():
                return
            self._act(self._answers(np.flatnonzero(waiting)))

    def _settle(self, index: int, place: int, outcome: Outcome) -> None:
        """The learner's fate in a game is known: tell it, if it ever decided, or deal again."""
        if self._lengths[index]:
            outcome.over[index] = True
            outcome.truncated[index] = self.batch.truncated[index]
            outcome.rewards[index] = self._rewards[index]
            outcome.returns[index] = self._returns[index]
            outcome.lengths[index] = self._lengths[index]
            outcome.places[index] = place
            outcome.final[index] = self.batch.observe(index, int(self._seats[index]))
            if not self.autoreset:
                self._over[index], self._rewards[index] = True, 0.0
                return
        self._deal(index)

    def _answers(self, waiting: NDArray[np.int64]) -> NDArray[np.int64]:
        """The bots' actions in the games that wait for them, -1 elsewhere: int64 (n,)."""
        turns = self.batch.turns()
        actions = np.full(self.batch.num_envs, -1)
        holders = self._holders[waiting, turns.seat[waiting]]
        bots = np.fromiter(map(id, holders), np.int64, len(holders))
        rolls = self._random.random(len(waiting))
        for bot in np.unique(bots):
            mine = bots == bot
            games = waiting[mine]
            chances = holders[mine.argmax()].probabilities(
                turns.observation[games], turns.action_mask[games]
            )
            actions[games] = choose(chances, rolls[mine])
        return actions
