"""Learner's seats: many games, one seat of each for a learner, bots of a pool in the others.

What adapters to learning libraries stand on; it needs none of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kuku_env.bots import Policy, make_policy
from kuku_env.core.chance import choose
from kuku_env.core.game import Game
from kuku_env.envs.batch import BatchEnv
from kuku_env.games import find_game

Opponents = Sequence[str | Path | Policy]
LEARNER = -1  # in place of a bot's number; so are the seats that a small table lacks


@dataclass
class Outcome:
    """What a step of the learner brought in n games.

    ``rewards`` float32 (n,): all that its seat got; ``over`` bool (n,): its episode ended, and
    another game is dealt already; ``truncated`` bool (n,): by the limit on decisions. Where it
    ended: ``final`` int8 (n, D) what its seat saw last, ``lengths`` int64 (n,) its decisions,
    ``returns`` float64 (n,) their rewards, ``places`` int8 (n,) its place, 1 = winner.
    """

    rewards: NDArray[np.float32]
    over: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    final: NDArray[np.int8]
    lengths: NDArray[np.int64]
    returns: NDArray[np.float64]
    places: NDArray[np.int8]


class LearnerSeats:
    """``num_envs`` games that always wait for the learner; an episode is one game of its seat.

    It ends when the fate of the seat is known. Games in which the learner is never asked are dealt
    again. In every game each other seat draws a bot from ``opponents``: names, folders or policies;
    one named twice comes up twice as often. ``seat``: the learner's, None for a random one in each
    game. ``tables`` and the other options are those of BatchEnv; table sizes may differ.

    Raises OptionError, BotError or ValueError for arguments that are not allowed.
    """

    def __init__(
        self,
        game: str | Game,
        num_envs: int,
        *,
        opponents: Opponents,
        seat: int | None = None,
        **options: Any,
    ) -> None:
        self.game = find_game(game)
        self.batch = BatchEnv(self.game, num_envs, autoreset=False, **options)
        self.num_players = self.batch.num_players
        smallest = int(self.num_players.min())
        if seat is not None and not 0 <= seat < smallest:
            raise ValueError(f"seat must be None or 0 to {smallest - 1}, given {seat!r}")
        self._fixed_seat = seat
        n = self.batch.num_envs
        self._games = np.arange(n)
        self._seats = np.zeros(n, np.int64)
        self._holders = np.full((n, self.game.max_players), LEARNER)
        self._cast: list[Policy] = []
        self._named: dict[str, Policy] = {}
        self._rewards = np.zeros(n)  # since the learner was last told
        self._returns = np.zeros(n)
        self._lengths = np.zeros(n, np.int64)
        self._asked = np.zeros(n, np.bool_)  # the learner has decided in this game
        self._dealt = False
        self.set_opponents(opponents)

    # ---- opponents

    def set_opponents(self, opponents: Opponents) -> None:
        """Another pool, for the games dealt from now on; games being played keep their bots.

        Raises BotError for an unknown bot or one that is not meant for these tables, ValueError for
        an empty pool; the pool is then unchanged.
        """
        if isinstance(opponents, str) or not opponents:
            raise ValueError(f"opponents must be a list of names or policies, given {opponents!r}")
        pool = [self._checked_bot(opponent) for opponent in opponents]
        playing = np.unique(self._holders[self._holders >= 0])
        cast = [self._cast[k] for k in playing]
        self._holders = np.where(
            self._holders >= 0, np.searchsorted(playing, self._holders), LEARNER
        )
        numbers = []
        for bot in pool:
            known = [k for k, other in enumerate(cast) if other is bot]
            if not known:
                cast.append(bot)
            numbers.append(known[0] if known else len(cast) - 1)
        self._cast, self._pool = cast, np.array(numbers)

    @property
    def opponents(self) -> list[Policy]:
        """The pool that the next games draw from."""
        return [self._cast[k] for k in self._pool]

    def holders(self, index: int) -> list[str | None]:
        """Names of the bots in the seats of a game; None for the learner's."""
        held = self._holders[index, : self.num_players[index]]
        return [None if k == LEARNER else self._cast[k].name for k in held]

    def _checked_bot(self, opponent: str | Path | Policy) -> Policy:
        if isinstance(opponent, str | Path):
            name = str(opponent)
            if name not in self._named:
                self._named[name] = make_policy(opponent, self.game)
            bot = self._named[name]
        else:
            bot = opponent
        if hasattr(bot, "accepts"):
            for options in dict.fromkeys(self.batch.options):
                bot.accepts(options)
        return bot

    # ---- games

    @property
    def seats(self) -> NDArray[np.int64]:
        """The learner's seat in each game, int64 (n,). A fresh array."""
        return self._seats.copy()

    def observations(self) -> NDArray[np.int8]:
        """What the learner sees, int8 (n, D). A fresh array."""
        return self.batch.turns().observation.copy()

    def action_masks(self) -> NDArray[np.int8]:
        """What the learner may do, int8 (n, A), 1 = legal. A fresh array."""
        return self.batch.turns().action_mask.copy()

    def reset(self, seed: int | None = None) -> None:
        """Deal all games anew and play to the learner's decisions.

        The same seed gives the same deals, seats and opponents' choices; None goes on with the
        present generators. Raises ValueError for a negative seed.
        """
        self.batch.reset(seed)
        if seed is not None or not self._dealt:
            self._random = np.random.default_rng(seed)
        self._dealt = True
        for index in self._games:
            self._deal(int(index))
        self._play_on(self._nothing())

    def step(self, actions: ArrayLike) -> Outcome:
        """Act for the learner in every game and play on to its next decisions.

        Raises IllegalActionError, ValueError or TypeError for other than legal actions, integers
        (n,), RuntimeError before the first reset; then no game has changed.
        """
        chosen = np.asarray(actions)
        if chosen.dtype.kind == "i" and (chosen < 0).any():
            raise ValueError(f"actions must be ids of the layout, given {chosen.min()}")
        self._act(chosen)
        self._asked[:] = True
        self._lengths += 1
        outcome = self._nothing()
        self._play_on(outcome)
        going = ~outcome.over
        outcome.rewards[going] = self._rewards[going]
        self._rewards[going] = 0.0
        return outcome

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
        drawn = self._pool[self._random.integers(len(self._pool), size=players)]
        self._holders[index] = LEARNER
        self._holders[index, :players] = drawn
        self._holders[index, seat] = LEARNER
        self._seats[index] = seat
        self._rewards[index] = self._returns[index] = 0.0
        self._lengths[index] = 0
        self._asked[index] = False

    def _act(self, actions: NDArray[Any]) -> None:
        """Act in some games (-1: not in this one) and add up the learner's rewards."""
        gained = self.batch.step(actions).rewards[self._games, self._seats]
        self._rewards += gained
        self._returns += gained

    def _play_on(self, outcome: Outcome) -> None:
        """Bots play, and games that are settled give way to new ones, until all wait for the
        learner."""
        turns = self.batch.turns()
        while True:
            places = self.batch.places[self._games, self._seats]
            for index in np.flatnonzero(places):
                self._settle(int(index), int(places[index]), outcome)
            waiting = turns.seat != self._seats
            if not waiting.any():
                return
            self._act(self._answers(np.flatnonzero(waiting)))

    def _settle(self, index: int, place: int, outcome: Outcome) -> None:
        """The learner's fate in a game is known: tell it, if it ever decided, and deal again."""
        if self._asked[index]:
            outcome.over[index] = True
            outcome.truncated[index] = self.batch.truncated[index]
            outcome.rewards[index] = self._rewards[index]
            outcome.returns[index] = self._returns[index]
            outcome.lengths[index] = self._lengths[index]
            outcome.places[index] = place
            outcome.final[index] = self.batch.observe(index, int(self._seats[index]))
        self._deal(index)

    def _answers(self, waiting: NDArray[np.int64]) -> NDArray[np.int64]:
        """The bots' actions in the games that wait for them, -1 elsewhere: int64 (n,)."""
        turns = self.batch.turns()
        actions = np.full(self.batch.num_envs, -1)
        holders = self._holders[waiting, turns.seat[waiting]]
        rolls = self._random.random(len(waiting))
        for k in np.unique(holders):
            mine = holders == k
            games = waiting[mine]
            chances = self._cast[k].probabilities(
                turns.observation[games], turns.action_mask[games]
            )
            actions[games] = choose(chances, rolls[mine])
        return actions
