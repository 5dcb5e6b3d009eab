"""Matches: every game of a plan, played in lockstep batches on all cores.

Games share nothing, so results do not depend on the batch size, the number of threads, the order in
which games happen to be played, or interruptions: a match that is kept in a folder goes on where it
stopped.

A player that gives no legal action forfeits: the seat is played on at random, so that the others'
game and everybody's dice stay what they were, and it has lost whatever comes of it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kuku_env import __version__
from kuku_env.arena.cluster import Cluster
from kuku_env.arena.external import Player
from kuku_env.arena.ledger import Forfeit, Ledger, Store
from kuku_env.arena.plan import ArenaError, Plan, balanced_teams, make_plan
from kuku_env.arena.style import Style
from kuku_env.arena.worker import Job, cores, run
from kuku_env.core.game import Game
from kuku_env.games import find_game


@dataclass(frozen=True)
class MatchResult:
    """A match that was played; G games, P players, B bots.

    ``labels`` names the bots, all different. ``deal_seeds`` int64 (D,): a game is dealt again by
    ``Match(game, seed=deal_seeds[deal])``. ``rewards`` float64 (G, P): by absolute seat.
    ``decisions`` int64 (G,), ``truncated`` bool (G,). ``possible`` and ``chosen`` int32 (G, P, K):
    decisions by seat and action block. ``tallies`` int32 (G, P, T): counts by seat, of the names
    ``game.tallies``; none of seats that forfeited.
    ``forfeits``: in the order of games and seats. Such a seat has the game's lowest reward; what it
    had above that, by the play that went on without it, goes to the others in equal parts.
    ``kept``: how many games were read from a folder, not played now.
    """

    game: Game
    options: Any
    labels: tuple[str, ...]
    plan: Plan
    deal_seeds: NDArray[np.int64]
    rewards: NDArray[np.float64]
    decisions: NDArray[np.int64]
    truncated: NDArray[np.bool_]
    possible: NDArray[np.int32]
    chosen: NDArray[np.int32]
    tallies: NDArray[np.int32]
    forfeits: tuple[Forfeit, ...] = ()
    kept: int = 0

    @cached_property
    def style(self) -> Style:
        """What each bot did."""
        style = Style.nothing(len(self.labels), self.game.layout)
        for bot in range(len(self.labels)):
            held = self.plan.line_ups == bot
            style.possible[bot] = self.possible[held].sum(axis=0)
            style.chosen[bot] = self.chosen[held].sum(axis=0)
            style.decisions[bot] = style.chosen[bot].sum()
        return style

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
    folder: Path | None = None,
    cluster: Cluster | None = None,
    preset: str | None = None,
    **options: Any,
) -> MatchResult:
    """Pit bots against each other: at least ``games`` games, seats balanced (see ``plan``).

    ``teams`` replaces the balanced teams, for instance ``[(0, 1, 1, 1)]`` for one bot against three
    of another. ``threads``: how many cores to use, all by default; bots are asked from several
    threads at once. ``batch_size``: games in lockstep on each. ``progress`` is told the number of
    games that just ended. ``folder``: where results are kept while they come; a match that was
    interrupted goes on there, and one that is done is read (needs filelock). ``cluster``: a Ray
    cluster that plays in place of this machine. ``preset`` and ``options`` are the game's.

    Raises ArenaError for arguments that are not allowed, a folder with another match, or a bot that
    gives no probabilities,
    OptionError for options, BotError for a bot that is not meant for such a table.
    """
    found, threads = find_game(game), cores() if threads is None else threads
    chosen, plan = check_match(
        found, bots, num_players, games, seed, teams=teams, preset=preset, **options
    )
    for name, value in (("threads", threads), ("batch_size", batch_size)):
        if value < 1:
            raise ArenaError(f"{name} must be at least 1, given {value}")
    names = tuple(labels or distinct_labels([bot.name for bot in bots]))
    if len(set(names)) != len(bots):
        raise ArenaError(f"labels must be {len(bots)} different names, given {list(names)}")
    job = Job(found, chosen, tuple(bots), names, plan, progress or (lambda _: None))

    def play(save: Callable[[], None]) -> None:
        if cluster is None:
            run(job, threads, batch_size, save)
        else:
            cluster.run(job, batch_size, save)

    kept = _play(job, play, folder)
    return _result(job, kept)


def _play(job: Job, play: Callable[[Callable[[], None]], None], folder: Path | None) -> int:
    """Play what is not yet in the folder; how many games were there."""
    with ExitStack() as stack:
        store = None
        if folder is not None:
            store = stack.enter_context(Store(folder, match_facts(job)))
            done, forfeits = store.load(job.ledger)
            job.todo.clear()
            job.todo.extend(np.flatnonzero(~done).tolist())
            job.forfeits.update({(lost.game, lost.seat): lost for lost in forfeits})
            job.progress(int(done.sum()))

        def save() -> None:
            ended = [job.done.popleft() for _ in range(len(job.done))]
            if store is not None:
                those, lost = set(ended), job.forfeits.copy()  # threads may add to it
                kept = [lost[place] for place in sorted(lost) if place[0] in those]
                store.save(job.ledger, ended, kept)

        before = job.plan.games - len(job.todo)
        play(save)
        return before


def match_facts(job: Job) -> dict[str, Any]:
    """What makes a match this one: with the same facts, the same games are played."""
    teams = sorted({tuple(sorted(line_up)) for line_up in job.plan.line_ups.tolist()})
    return {
        "version": __version__,
        "game": job.game.id,
        "layout": job.game.layout.id,
        "num_players": job.plan.num_players,
        "games": job.plan.games,
        "seed": job.plan.seed,
        "rules": job.rules,
        "bots": [
            {"label": label, **player_facts(bot)}
            for label, bot in zip(job.labels, job.bots, strict=True)
        ],
        "teams": teams,
    }


def player_facts(bot: Player) -> dict[str, Any]:
    """Which bot this is: its name, an exported one's SHA-256, a program's command."""
    card = getattr(bot, "card", {})
    return {
        "name": bot.name,
        "sha256": card.get("sha256"),
        "command": getattr(bot, "command", None),
    }


def _result(job: Job, kept: int) -> MatchResult:
    forfeits = tuple(job.forfeits[place] for place in sorted(job.forfeits))
    ledger = dataclasses.replace(
        job.ledger, rewards=job.ledger.rewards.copy(), tallies=job.ledger.tallies.copy()
    )
    _settle(ledger, forfeits)
    return MatchResult(
        job.game, job.options, job.labels, job.plan, job.deal_seeds,
        forfeits=forfeits, kept=kept, **ledger.columns(),
    )  # fmt: skip


def _settle(ledger: Ledger, forfeits: Sequence[Forfeit]) -> None:
    """Take from the seats that forfeited what they did not earn."""
    lost: dict[int, list[int]] = {}
    for forfeit in forfeits:
        lost.setdefault(forfeit.game, []).append(forfeit.seat)
    for game, seats in lost.items():
        row = ledger.rewards[game]
        ledger.tallies[game, seats] = 0
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
