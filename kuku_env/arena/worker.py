"""The threads that play a match's games.

Each keeps a batch of games going and asks every bot once a step for all games that wait for it; a
game that ends makes room for the next of the plan.
"""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import InitVar, asdict, dataclass, field, fields
from itertools import pairwise
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kuku_env.arena.external import Player, PlayerError, ViewPlayer
from kuku_env.arena.ledger import Forfeit, Ledger
from kuku_env.arena.plan import ArenaError, Plan, dice
from kuku_env.arena.style import Blocks
from kuku_env.core.chance import choose
from kuku_env.core.game import Game
from kuku_env.envs.batch import BatchEnv, Turns

SAVE_SECONDS = 5.0


def cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on Linux
        return os.cpu_count() or 1


@dataclass
class Job:
    """What the threads of a match share; each game's results have rows of their own.

    ``chance`` replaces ``plan.chance()``, for games that are taken out of a larger plan.
    """

    game: Game
    options: Any
    bots: tuple[Player, ...]
    labels: tuple[str, ...]
    plan: Plan
    progress: Callable[[int], None]
    stop: Event = field(default_factory=Event)
    chance: InitVar[tuple[NDArray[np.int64], NDArray[np.uint64]] | None] = None

    def __post_init__(self, chance: tuple[NDArray[np.int64], NDArray[np.uint64]] | None) -> None:
        games, players = self.plan.line_ups.shape
        self.deal_seeds, self.dice_keys = self.plan.chance() if chance is None else chance
        self.todo = deque(range(games))  # its popleft is atomic, as are the others' methods
        self.done: deque[int] = deque()  # games that ended and are not yet saved
        blocks = len(self.game.layout.actions)
        self.ledger = Ledger.empty(games, players, blocks, len(self.game.tallies))
        self.rules = json.loads(json.dumps(asdict(self.options)))
        self.forfeits: dict[tuple[int, int], Forfeit] = {}  # by game and seat


def run(job: Job, threads: int, batch_size: int, save: Callable[[], None]) -> None:
    """Play the job's games; ``save`` is called now and then, and in the end whatever happens."""
    games = len(job.todo)
    threads = min(threads, games)
    edges = [games * k // threads for k in range(threads + 1)] if games else []
    slots = [min(batch_size, stop - start) for start, stop in pairwise(edges)]
    # Every slot has its first game before a thread starts, so that none is left without.
    workers = [_Worker(job, [job.todo.popleft() for _ in range(count)]) for count in slots]
    with ThreadPoolExecutor(max(1, threads), thread_name_prefix="kuku-arena") as pool:
        futures = [pool.submit(worker.play) for worker in workers]
        try:
            while wait(futures, SAVE_SECONDS, FIRST_EXCEPTION).not_done:
                if any(future.done() and future.exception() for future in futures):
                    break
                save()
        finally:
            job.stop.set()  # an error or an interrupt ends the others too
            wait(futures)
            save()
    for future in futures:
        future.result()


class _Worker:
    """One thread's batch of games."""

    def __init__(self, job: Job, first: Sequence[int]) -> None:
        self.job = job
        self.blocks = Blocks(job.game.layout)
        self.games = np.array(first, np.int64)  # the game that each slot plays
        options = {part.name: getattr(job.options, part.name) for part in fields(job.options)}
        self.env = BatchEnv(job.game, len(first), autoreset=False, **options)
        self.env.reset(0)
        for slot, game in enumerate(first):
            with suppress(IndexError):  # nothing left to start: the slot stays empty
                self._deal(slot, game)

    def play(self) -> None:
        ledger, turns = self.job.ledger, self.env.turns()
        waiting = np.flatnonzero(turns.seat >= 0)
        while len(waiting) and not self.job.stop.is_set():
            turns = self.env.step(self._actions(turns, waiting))
            ledger.rewards[self.games[waiting]] += turns.rewards[waiting, : self._players]
            ledger.decisions[self.games[waiting]] += 1
            self._replace(np.flatnonzero(turns.over), turns)
            waiting = np.flatnonzero(turns.seat >= 0)

    @property
    def _players(self) -> int:
        return self.job.plan.num_players

    def _deal(self, slot: int, game: int) -> None:
        """Start a game; one that is over before anybody is asked gives way to the next.

        Raises IndexError where none is left to start.
        """
        while True:
            self.games[slot] = game
            self.env.restart(slot, int(self.job.deal_seeds[self.job.plan.deal[game]]))
            if self.env.turns().seat[slot] >= 0:
                return
            self.job.ledger.rewards[game] = self.env.state_of(slot)["returns"][0, : self._players]
            self.job.done.append(game)
            self.job.progress(1)
            game = self.job.todo.popleft()

    def _replace(self, ended: NDArray[np.intp], turns: Turns) -> None:
        if not len(ended):
            return
        ledger, games = self.job.ledger, self.games[ended]
        ledger.truncated[games] = turns.truncated[ended]
        ledger.tallies[games] = self.env.tallies(ended)[:, : self._players]
        self.job.done.extend(games.tolist())
        for slot in ended:
            try:
                self._deal(int(slot), self.job.todo.popleft())
            except IndexError:  # nothing left to start: the slot stays empty
                break
        self.job.progress(len(ended))

    def _actions(self, turns: Turns, waiting: NDArray[np.intp]) -> NDArray[np.int64]:
        """Everybody's decisions, int64 (slots,), -1 where no game is going on."""
        job, games = self.job, self.games[waiting]
        who = job.plan.line_ups[games, turns.seat[waiting]]
        rolls = dice(job.dice_keys[games], job.ledger.decisions[games])
        actions = np.full(len(self.games), -1, np.int64)
        for bot in np.unique(who):
            mine = who == bot
            rows = waiting[mine]
            legal = turns.action_mask[rows]
            if isinstance(job.bots[bot], ViewPlayer):
                actions[rows] = self._decisions(bot, rows, turns, rolls[mine])
                continue
            chances = _ask(job, bot, turns.observation[rows], legal)
            actions[rows] = choose(chances, rolls[mine])
            self._count(rows, turns, actions)
        return actions

    def _decisions(
        self, bot: int, slots: NDArray[np.intp], turns: Turns, rolls: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        """What a player that is asked by views does, int64 (n,); at random where it forfeited."""
        legal = turns.action_mask[slots]
        actions = choose(legal / legal.sum(axis=1, keepdims=True), rolls)
        own = np.zeros(len(slots), np.bool_)
        for k, slot in enumerate(slots):
            seat, roll = int(turns.seat[slot]), int(rolls[k] * 2**52)
            action = self._decision(bot, int(slot), seat, roll)
            if action is not None:
                actions[k], own[k] = action, True
        done = np.full(len(turns.seat), -1, np.int64)
        done[slots] = actions
        self._count(slots[own], turns, done)
        return actions

    def _count(self, slots: NDArray[np.intp], turns: Turns, actions: NDArray[np.int64]) -> None:
        """Count decisions in some slots by kind of action; each game has at most one of them."""
        ledger, rows = self.job.ledger, (self.games[slots], turns.seat[slots])
        ledger.possible[rows] += self.blocks.legal(turns.action_mask[slots])
        ledger.chosen[(*rows, self.blocks.of(actions[slots]))] += 1

    def _decision(self, bot: int, slot: int, seat: int, seed: int) -> int | None:
        """A player's action in one game; None where it has forfeited, or now does."""
        job, player, place = self.job, self.job.bots[bot], (int(self.games[slot]), seat)
        if place in job.forfeits or job.stop.is_set():
            return None
        assert isinstance(player, ViewPlayer)
        try:
            record = self.env.state_of(slot)[0]
            text = player.decide(job.game.telling.view(record, seat, job.rules), seed)
            return job.game.telling.action_id(text, seat, self._players)
        except PlayerError as error:
            job.forfeits[place] = Forfeit(job.labels[bot], *place, str(error))
            return None


def _ask(
    job: Job, bot: int, observation: NDArray[np.int8], legal: NDArray[np.int8]
) -> NDArray[np.float32]:
    """A bot's probabilities, checked; it gets arrays that it may spoil."""
    policy: Any = job.bots[bot]
    given = np.asarray(policy.probabilities(observation, legal.copy()))
    label = job.labels[bot]
    if given.shape != legal.shape or given.dtype.kind != "f":
        raise ArenaError(
            f"{label} must give floats of shape {legal.shape}, given {given.dtype} {given.shape}"
        )
    good = (given >= 0).all(axis=1) & (np.abs(given.sum(axis=1) - 1) < 1e-3)
    good &= ~((given != 0) & (legal == 0)).any(axis=1)
    if not good.all():
        row = given[int(np.argmin(good))]
        stray = row[legal[int(np.argmin(good))] == 0]
        raise ArenaError(
            f"{label} must give probabilities that sum to 1, and 0 where illegal; given a lowest "
            f"of {row.min():g}, a sum of {row.sum():g}, and {np.abs(stray).sum():g} where illegal"
        )
    return given
