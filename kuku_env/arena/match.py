"""Matches: every game of a plan, played in lockstep batches on all cores.

Each thread keeps a batch of games going and asks every bot once a step for all games that wait for
it; a game that ends makes room for the next of the plan. Games share nothing, so results do not
depend on the batch size, the number of threads, or the order in which games happen to be played.

A player that gives no legal action forfeits: the seat is played on at random, so that the others'
game and everybody's dice stay what they were, and it has lost whatever comes of it.
"""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields
from itertools import pairwise
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kuku_env.arena.external import Player, PlayerError, ViewPlayer
from kuku_env.arena.plan import ArenaError, Plan, balanced_teams, dice, make_plan
from kuku_env.arena.style import Style
from kuku_env.core.chance import choose
from kuku_env.core.game import Game
from kuku_env.envs.batch import BatchEnv, Turns
from kuku_env.games import find_game


@dataclass(frozen=True)
class Forfeit:
    """A seat that gave no legal action: in which game of the plan, and why."""

    label: str
    game: int
    seat: int
    reason: str


@dataclass(frozen=True)
class MatchResult:
    """A match that was played; G games, P players, B bots.

    ``labels`` names the bots, all different. ``deal_seeds`` int64 (D,): a game is dealt again by
    ``Match(game, seed=deal_seeds[deal])``. ``rewards`` float64 (G, P): by absolute seat.
    ``decisions`` int64 (G,), ``truncated`` bool (G,). ``style``: what each bot did.
    ``forfeits``: in the order of games and seats. Such a seat has the game's lowest reward; what it
    had above that, by the play that went on without it, goes to the others in equal parts.
    """

    game: Game
    options: Any
    labels: tuple[str, ...]
    plan: Plan
    deal_seeds: NDArray[np.int64]
    rewards: NDArray[np.float64]
    decisions: NDArray[np.int64]
    truncated: NDArray[np.bool_]
    style: Style
    forfeits: tuple[Forfeit, ...] = ()

    @property
    def wins(self) -> NDArray[np.float64]:
        """Wins by seat, float64 (G, P), each row summing to 1: the seats with the highest reward
        share the win, as the survivors of a truncated game do. Who forfeited has no part in it; a
        game that everybody forfeited is nobody's."""
        rewards = self.rewards.copy()
        for lost in self.forfeits:
            rewards[lost.game, lost.seat] = -np.inf
        best = (rewards >= rewards.max(axis=1, keepdims=True) - 1e-6) & np.isfinite(rewards)
        return best / np.maximum(1, best.sum(axis=1, keepdims=True))


def distinct_labels(names: Sequence[str]) -> tuple[str, ...]:
    """The names, those that come more than once with a number: ``a``, ``b #1``, ``b #2``."""
    seen: dict[str, int] = {}
    labels = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        labels.append(f"{name} #{seen[name]}" if list(names).count(name) > 1 else name)
    return tuple(labels)


def play_match(
    game: str | Game,
    bots: Sequence[Player],
    num_players: int,
    games: int,
    seed: int = 0,
    *,
    labels: Sequence[str] | None = None,
    teams: Sequence[Sequence[int]] | None = None,
    threads: int | None = None,
    batch_size: int = 1024,
    progress: Callable[[int], None] | None = None,
    preset: str | None = None,
    **options: Any,
) -> MatchResult:
    """Pit bots against each other: at least ``games`` games, seats balanced (see ``plan``).

    ``teams`` replaces the balanced teams, for instance ``[(0, 1, 1, 1)]`` for one bot against three
    of another. ``threads``: how many cores to use, all by default; bots are asked from several
    threads at once. ``batch_size``: games in lockstep on each. ``progress`` is told the number of
    games that just ended. ``preset`` and ``options`` are the game's.

    Raises ArenaError for arguments that are not allowed or a bot that gives no probabilities,
    OptionError for options, BotError for a bot that is not meant for such a table.
    """
    found, threads = find_game(game), _cores() if threads is None else threads
    chosen, plan = check_match(
        found, bots, num_players, games, seed, teams=teams, preset=preset, **options
    )
    for name, value in (("threads", threads), ("batch_size", batch_size)):
        if value < 1:
            raise ArenaError(f"{name} must be at least 1, given {value}")
    names = tuple(labels or distinct_labels([bot.name for bot in bots]))
    if len(set(names)) != len(bots):
        raise ArenaError(f"labels must be {len(bots)} different names, given {list(names)}")
    job = _Job(found, chosen, tuple(bots), names, plan, progress or (lambda _: None))
    styles = _run(job, min(threads, plan.games), batch_size)
    forfeits = tuple(job.forfeits[place] for place in sorted(job.forfeits))
    _settle(job.rewards, forfeits)
    return MatchResult(
        found, chosen, names, plan, job.deal_seeds, job.rewards, job.decisions, job.truncated,
        Style.total(styles), forfeits,
    )  # fmt: skip


def _settle(rewards: NDArray[np.float64], forfeits: Sequence[Forfeit]) -> None:
    """Take from the seats that forfeited what they did not earn."""
    lost: dict[int, list[int]] = {}
    for forfeit in forfeits:
        lost.setdefault(forfeit.game, []).append(forfeit.seat)
    for game, seats in lost.items():
        row = rewards[game]
        stayed = [seat for seat in range(len(row)) if seat not in seats]
        if stayed:
            lowest = row.min()
            row[stayed] += sum(row[seat] - lowest for seat in seats) / len(stayed)
            row[seats] = lowest


def check_match(
    game: str | Game,
    bots: Sequence[Player],
    num_players: int,
    games: int,
    seed: int = 0,
    *,
    teams: Sequence[Sequence[int]] | None = None,
    preset: str | None = None,
    **options: Any,
) -> tuple[Any, Plan]:
    """The options and the plan of a match; raises what ``play_match`` would raise for them."""
    chosen = find_game(game).make_options(preset, **{**options, "num_players": num_players})
    for bot in bots:
        if hasattr(bot, "accepts"):
            bot.accepts(chosen)
    if teams is None:
        teams = balanced_teams(len(bots), num_players)
    _check_teams(teams, len(bots), num_players)
    return chosen, make_plan(teams, games, seed)


def self_play(
    game: str | Game, bot: Player, num_players: int, games: int, seed: int = 0, **rest: Any
) -> MatchResult:
    """One bot in all seats, a deal for each game; other arguments as those of ``play_match``.

    ``result.style`` then says how often the bot takes each kind of action among its equals.
    """
    return play_match(game, [bot], num_players, games, seed, **rest)


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on Linux
        return os.cpu_count() or 1


def _check_teams(teams: Sequence[Sequence[int]], num_bots: int, num_players: int) -> None:
    for team in teams:
        if len(team) != num_players or not all(0 <= bot < num_bots for bot in team):
            raise ArenaError(
                f"a team must be {num_players} numbers of bots from 0 to {num_bots - 1}, "
                f"given {tuple(team)}"
            )
    missing = set(range(num_bots)).difference(*teams)
    if missing:
        raise ArenaError(f"every bot must be in a team; {sorted(missing)} are in none")


@dataclass
class _Job:
    """What the threads of a match share; each game's results have rows of their own."""

    game: Game
    options: Any
    bots: tuple[Player, ...]
    labels: tuple[str, ...]
    plan: Plan
    progress: Callable[[int], None]
    stop: Event = field(default_factory=Event)

    def __post_init__(self) -> None:
        games, players = self.plan.line_ups.shape
        self.deal_seeds, self.dice_keys = self.plan.chance()
        self.todo = deque(range(games))  # its popleft is atomic
        self.rewards = np.zeros((games, players))
        self.decisions = np.zeros(games, np.int64)
        self.truncated = np.zeros(games, np.bool_)
        self.rules = json.loads(json.dumps(asdict(self.options)))
        self.forfeits: dict[tuple[int, int], Forfeit] = {}  # by game and seat


def _run(job: _Job, threads: int, batch_size: int) -> list[Style]:
    """Play the job's games; what each thread saw of the bots' style."""
    edges = [job.plan.games * k // threads for k in range(threads + 1)]
    slots = [min(batch_size, stop - start) for start, stop in pairwise(edges)]
    # Every slot has its first game before a thread starts, so that none is left without.
    workers = [_Worker(job, [job.todo.popleft() for _ in range(count)]) for count in slots]
    with ThreadPoolExecutor(threads, thread_name_prefix="kuku-arena") as pool:
        futures = [pool.submit(worker.play) for worker in workers]
        try:
            wait(futures, return_when=FIRST_EXCEPTION)
        finally:
            job.stop.set()  # an error or an interrupt ends the others too
    return [future.result() for future in futures]


class _Worker:
    """One thread's batch of games."""

    def __init__(self, job: _Job, first: Sequence[int]) -> None:
        self.job = job
        self.style = Style.nothing(len(job.bots), job.game.layout)
        self.games = np.array(first, np.int64)  # the game that each slot plays
        options = {part.name: getattr(job.options, part.name) for part in fields(job.options)}
        self.env = BatchEnv(job.game, len(first), autoreset=False, **options)
        self.env.reset(0)
        for slot, game in enumerate(first):
            with suppress(IndexError):  # nothing left to start: the slot stays empty
                self._deal(slot, game)

    def play(self) -> Style:
        turns = self.env.turns()
        waiting = np.flatnonzero(turns.seat >= 0)
        while len(waiting) and not self.job.stop.is_set():
            turns = self.env.step(self._actions(turns, waiting))
            self.job.rewards[self.games[waiting]] += turns.rewards[waiting, : self._players]
            self.job.decisions[self.games[waiting]] += 1
            self._replace(np.flatnonzero(turns.over), turns)
            waiting = np.flatnonzero(turns.seat >= 0)
        return self.style

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
            self.job.rewards[game] = self.env.state_of(slot)["returns"][0, : self._players]
            self.job.progress(1)
            game = self.job.todo.popleft()

    def _replace(self, ended: NDArray[np.intp], turns: Turns) -> None:
        self.job.truncated[self.games[ended]] = turns.truncated[ended]
        for slot in ended:
            try:
                self._deal(int(slot), self.job.todo.popleft())
            except IndexError:  # nothing left to start: the slot stays empty
                break
        if len(ended):
            self.job.progress(len(ended))

    def _actions(self, turns: Turns, waiting: NDArray[np.intp]) -> NDArray[np.int64]:
        """Everybody's decisions, int64 (slots,), -1 where no game is going on."""
        job, games = self.job, self.games[waiting]
        who = job.plan.line_ups[games, turns.seat[waiting]]
        rolls = dice(job.dice_keys[games], job.decisions[games])
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
            self.style.add(bot, legal, actions[rows])
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
        self.style.add(bot, legal[own], actions[own])
        return actions

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
    job: _Job, bot: int, observation: NDArray[np.int8], legal: NDArray[np.int8]
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
