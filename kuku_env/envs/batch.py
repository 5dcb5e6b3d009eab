"""BatchEnv: many games side by side in one array of records."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kuku_env.core.chance import generator_states
from kuku_env.core.crew import PLAY, SAMPLE, Crew
from kuku_env.core.game import Game, IllegalActionError, rows
from kuku_env.core.masks import first_illegal, keep, sample_legal
from kuku_env.core.parallel import run_ranges
from kuku_env.games import find_game


@dataclass
class Turns:
    """What the games of a batch wait for, and what the last step brought; n games, n first axes.

    ``observation`` int8 (n, D) and ``action_mask`` int8 (n, A) of the seat that decides, ``seat``
    int8 (n,) which seat that is (-1: the game is over), ``rewards`` float32 (n, P) of the last step
    by absolute seat, ``terminated`` and ``truncated`` bool (n,): the last step ended the game. With
    automatic reset the observation is then already that of the next game, whose first decision is
    waited for; the rewards are still those of the game that ended.
    """

    observation: NDArray[np.int8]
    action_mask: NDArray[np.int8]
    seat: NDArray[np.int8]
    rewards: NDArray[np.float32]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]

    @property
    def over(self) -> NDArray[np.bool_]:
        """bool (n,): the last step ended the game, one way or the other."""
        return self.terminated | self.truncated

    def copy(self) -> Turns:
        """The same in arrays of its own."""
        arrays = {f.name: getattr(self, f.name).copy() for f in dataclasses.fields(self)}
        return Turns(**arrays)


class BatchEnv:
    """``num_envs`` games of one kind, stepped together.

    ``tables`` gives options for games that differ, for example ``[{"num_players": 2},
    {"num_players": 4}]``: game i is played by entry i modulo their number, on top of the other
    options. ``threads`` spreads the games over so many cores; results are the same for any number.
    ``autoreset``: a game that ends is dealt anew in the same step, and again where it ends before
    anybody was asked. Without it, it waits with seat -1 for ``restart``, and action -1 leaves a
    game as it is for a step, be it over or not.

    The arrays of the returned ``Turns`` are the environment's own and are written by the next step;
    ``copy=True`` returns fresh ones. A batch can be copied (``clone``) and pickled in mid-game.

    Raises OptionError for options that are not allowed, ValueError for other arguments.
    """

    def __init__(
        self,
        game: str | Game,
        num_envs: int,
        *,
        seed: int | None = None,
        threads: int = 1,
        autoreset: bool = True,
        preset: str | None = None,
        tables: Sequence[Mapping[str, Any]] | None = None,
        **options: Any,
    ) -> None:
        for name, value in (("num_envs", num_envs), ("threads", threads)):
            is_int = isinstance(value, int | np.integer) and not isinstance(value, bool)
            if not is_int or value < 1:
                raise ValueError(f"{name} must be an integer of at least 1, given {value!r}")
        is_list = isinstance(tables, Sequence) and all(isinstance(t, Mapping) for t in tables)
        if tables is not None and not (is_list and tables):
            raise ValueError(f"tables must be None or a list of tables' options, given {tables!r}")
        self.game = find_game(game)
        self.num_envs, self.threads, self.autoreset = int(num_envs), int(threads), bool(autoreset)
        made = [self.game.make_options(preset, **{**options, **table}) for table in tables or [{}]]
        self.options = [made[i % len(made)] for i in range(self.num_envs)]
        self._S = self.game.new_states(self.options)
        n, layout = self.num_envs, self.game.layout
        self._turns = Turns(
            np.zeros((n, layout.size), np.int8),
            np.zeros((n, layout.num_actions), np.int8),
            np.zeros(n, np.int8),
            np.zeros((n, self.game.max_players), np.float32),
            np.zeros(n, np.bool_),
            np.zeros(n, np.bool_),
        )
        self._legal = self._turns.action_mask.copy()  # ours alone: the turns' may be written to
        self._make_buffers()
        self._seed = seed
        self._dealt = False

    @property
    def num_players(self) -> NDArray[np.int64]:
        """Table size of each game, int64 (n,)."""
        return np.array([chosen.num_players for chosen in self.options])

    def reset(self, seed: int | None = None, *, copy: bool = False) -> Turns:
        """Deal all games anew. ``None`` keeps to the constructor's seed the first time, and later
        goes on with each game's own generator."""
        if seed is None and not self._dealt:
            seed = self._seed
        if seed is not None or not self._dealt:
            self._S["rng"] = generator_states(seed, self.num_envs)
        for i in range(self.num_envs):
            self._deal(i)
        self._dealt = True
        turns = self._turns_without_rewards()
        return turns.copy() if copy else turns

    def step(self, actions: ArrayLike, *, copy: bool = False) -> Turns:
        """Act in every game: ``actions`` integers (n,), ids of the layout.

        Raises IllegalActionError, ValueError (shape) or TypeError (not integers); then no game has
        changed.
        """
        given = self._checked(actions)
        index = self._play(given)
        if index >= 0:
            legal = np.flatnonzero(self._legal[index]).tolist()
            raise IllegalActionError(
                f"game {index}: action {given[index]} is not legal; legal: {legal or [-1]}"
            )
        return self._turns.copy() if copy else self._turns

    def sample(self, generators: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Uniformly random legal actions, int64 (n,), -1 in a game that is over.

        ``generators`` uint64 (n,), from ``kuku_env.core.chance.generator_states``, are advanced.
        Raises ValueError for others.
        """
        if generators.shape != (self.num_envs,) or generators.dtype != np.uint64:
            raise ValueError(
                f"generators must be uint64 of shape ({self.num_envs},), "
                f"given {generators.dtype} {generators.shape}"
            )
        actions = np.empty(self.num_envs, np.int64)
        advanced = np.require(generators, requirements=("C", "A", "W"))
        if self._crew is not None:
            self._crew.do(SAMPLE, actions, advanced)
        else:
            sample_legal(self._legal, advanced, actions, 0, self.num_envs)
        if advanced is not generators:
            generators[:] = advanced
        return actions

    def secrets(self) -> NDArray[np.int8]:
        """What is hidden, int8 (n, game.secrets.size), relative to the seat that decides.

        For critics that may see everything in training; never for a bot.
        """
        out = np.empty((self.num_envs, self.game.secrets.size), np.int8)
        S, seat, written, kernel = self._S, self._turns.seat, rows(out), self.game.kernels
        run_ranges(
            lambda start, stop: kernel.secrets_range(S, start, stop, seat, written),
            self.num_envs, self.threads,
        )  # fmt: skip
        return out

    def restart(self, index: int, seed: int | None = None) -> None:
        """Deal one game anew; its rows of the turns are written at once.

        Without a seed the deal comes from the game's own generator. Raises IndexError for a game
        that is not there, RuntimeError before the first reset.
        """
        index = self._checked_index(index)
        if not self._dealt:
            raise RuntimeError("reset the batch before a game of it is restarted")
        self._deal(index, seed)
        self._observe(index, index + 1)

    @property
    def places(self) -> NDArray[np.int8]:
        """Place of each seat, int8 (n, P), 1 = winner; 0 while its fate is open. A fresh array."""
        return self._S["place"].copy()

    @property
    def truncated(self) -> NDArray[np.bool_]:
        """Which games ended by truncation and were not dealt anew, bool (n,). A fresh array."""
        return self._S["truncated"].copy()

    def tallies(self, indices: NDArray[np.intp]) -> NDArray[Any]:
        """Public counts of some games, by seat: (len(indices), P, T), named by ``game.tallies``."""
        if not self.game.tallies:
            return np.zeros((len(indices), self.game.max_players, 0), np.int8)
        return self._S["tallies"][indices]

    def observe(self, index: int, seat: int) -> NDArray[np.int8]:
        """What one seat of one game may see now, int8 (D,), whether it is asked or not.

        Raises IndexError for a game or a seat that is not there.
        """
        index, players = self._checked_index(index), self.options[index].num_players
        if not 0 <= seat < players:
            raise IndexError(f"seat must be from 0 to {players - 1}, given {seat}")
        layout = self.game.layout
        observation, mask = np.empty(layout.size, np.int8), np.empty(layout.num_actions, np.int8)
        self.game.kernels.observe(self._S, index, seat, observation, mask)
        return observation

    def turns(self, *, copy: bool = False) -> Turns:
        """The present turns, as ``reset`` and ``step`` return them."""
        return self._turns.copy() if copy else self._turns

    def state_of(self, index: int) -> NDArray[Any]:
        """A copy of one game's record, shape (1,)."""
        index = self._checked_index(index)
        return self._S[index : index + 1].copy()

    def records(self) -> NDArray[Any]:
        """A copy of all games, records of ``game.state`` (n,): for ``put_back``."""
        return self._S.copy()

    def put_back(self, records: NDArray[Any]) -> Turns:
        """Go on with games that ``records`` gave, be it in another process; the turns, with no
        rewards. Raises ValueError for records of another game or number."""
        kind, shape = self.game.state, (self.num_envs,)
        if records.dtype != kind or records.shape != shape:
            raise ValueError(
                f"records must be of {self.game.id} and shape {shape}, given shape {records.shape}"
            )
        self._S[:] = records
        self._dealt = True
        return self._turns_without_rewards()

    def clone(self) -> BatchEnv:
        """An independent batch that continues the same games."""
        twin = object.__new__(BatchEnv)
        twin.__dict__.update(self.__dict__)
        twin._S, twin._turns = self._S.copy(), self._turns.copy()
        twin._legal = self._legal.copy()
        twin._make_buffers()
        return twin

    __copy__ = clone

    def __deepcopy__(self, memo: dict[int, Any]) -> BatchEnv:
        return self.clone()

    def __getstate__(self) -> dict[str, Any]:
        made = ("_rows", "_actions", "_illegal", "_crew")
        return {name: value for name, value in self.__dict__.items() if name not in made}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._S = self._S.view(self.game.state)
        self._make_buffers()

    def _deal(self, index: int, seed: int | None = None) -> None:
        if seed is None:
            self.game.kernels.deal(self._S, index)
        else:
            self.game.deal(self._S, index, seed)
        while self.autoreset and self._S["phase"][index] == self.game.over:
            self.game.kernels.deal(self._S, index)

    def _turns_without_rewards(self) -> Turns:
        turns = self._turns
        for quiet in (turns.rewards, turns.terminated, turns.truncated):
            quiet[:] = 0
        self._observe(0, self.num_envs)
        return turns

    def _make_buffers(self) -> None:
        """What goes with the records and turns, but is no part of their state."""
        n, t = self.num_envs, self._turns
        self._rows = rows(t.observation), rows(t.action_mask)
        self._actions = np.zeros(n, np.int64)
        members = Crew.members_for(n, self.threads)
        self._illegal = np.full(members, -1)  # by range: the first game with an illegal action
        self._crew = None
        if members > 1:
            games = self._S, self._actions, self.autoreset
            turns = (*self._rows, t.seat, t.rewards, t.terminated, t.truncated)
            choice = self._legal, self._illegal
            self._crew = Crew(self.game.kernels.serve, n, members, (games, turns, choice))

    def _observe(self, start: int, stop: int) -> None:
        t = self._turns
        self.game.kernels.observe_range(self._S, start, stop, *self._rows, t.seat)
        self._legal[start:stop] = t.action_mask[start:stop]

    def _checked_index(self, index: int) -> int:
        """Compiled code checks no bounds."""
        if not 0 <= operator.index(index) < self.num_envs:
            raise IndexError(f"a game's index is from 0 to {self.num_envs - 1}, given {index}")
        return int(index)

    def _checked(self, actions: ArrayLike) -> NDArray[Any]:
        """As an array of integers, one a game; whether they are legal is still to be seen."""
        if not self._dealt:
            raise RuntimeError("reset the batch before its first step")
        given = np.asarray(actions)
        if given.shape != (self.num_envs,):
            raise ValueError(f"actions must have shape ({self.num_envs},), given {given.shape}")
        if given.dtype.kind not in "iu":
            raise TypeError(f"actions must be integers, given dtype {given.dtype}")
        if given.dtype == np.uint64:  # what int64 cannot hold is no action either
            given = np.minimum(given, np.uint64(2**63 - 1))
        return given

    def _play(self, given: NDArray[Any]) -> int:
        """Play all actions, or none if one is illegal: the first game with such a one, else -1."""
        if self._crew is not None:
            self._crew.do(PLAY, np.require(given, np.int64, ("C", "A")))
            return next((index for index in self._illegal.tolist() if index >= 0), -1)
        t, end = self._turns, self.num_envs
        self._actions[:] = given
        index = int(first_illegal(self._legal, self._actions, not self.autoreset, 0, end))
        if index < 0:
            self.game.kernels.step_range(
                self._S, self._actions, self.autoreset, 0, end, *self._rows, t.seat, t.rewards,
                t.terminated, t.truncated,
            )  # fmt: skip
            keep(self._rows[1], self._legal, 0, end)
        return index
