"""How much can be won against a bot that does not change, at least: an opponent made for it.

    python -m agents.best_response scripted-normal --out found.json
    python -m agents.best_response agents/tables/duel --kind tabular --sees fine
    python -m agents.best_response runs/mine/bot --kind learned --players 4 --pull-start 0.5

Tabular (two players): Q-learning in tables, see ``agents.tabular``. Learned: a fresh network in one
seat, see ``agents.exploiter``. What was learned is measured on deals that nothing was chosen by.
It may always have missed something, so the figure says how much can be won at least; take the best
of several. The bot is a name, an exported folder, ``honest``, or one with a planted flaw, such as
``never-accept:scripted-normal``, to see that flaws are found.
"""

from __future__ import annotations

import json
import shlex
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from agents.checkpoint import CheckpointError
from agents.exploiter import Exploiter
from agents.kuku_sets import SETS
from agents.measure import win_shares
from agents.opponents import make_opponent
from agents.tabular import TabularResponse
from kuku_env.arena import ArenaError, check_match
from kuku_env.arena.files import check_writable, write_file
from kuku_env.bots import BotError
from kuku_env.core.game import Game, OptionError, Policy
from kuku_env.games import find_game

FRESH = 1_000_000  # added to the seed for the deals of the last measurement


@dataclass(frozen=True)
class Options:
    bot: Annotated[str, tyro.conf.Positional]
    """Whom to respond to."""
    kind: Literal["tabular", "learned"] = "tabular"
    """Tables, or a network."""
    players: int = 2
    """Table size; the bot holds all seats but one. Tables need two."""
    decisions: int = 20_000_000
    """Own decisions to learn from, at most."""
    seed: int = 0
    """Of learning."""
    games: int = 40_000
    """Games of the last measurement."""
    see_through: Literal["consistent", "any"] = "consistent"
    """The rule of the tables. Naming a pair that does not make the claim is a waste, and learning
    goes faster where it is not allowed."""
    sees: Literal["coarse", "fine"] = "fine"
    """Tabular: what is told apart. The sets of agents.duel_sets, or also own discards, the last
    two claims and, where there is experience enough, own life cards and the table cards."""
    pull_start: float = 0.2
    """Learned: pull to even play at the start; more of it looks around more."""
    widths: tuple[int, ...] = (256, 256)
    """Learned: units in each hidden layer."""
    warm: Path | None = None
    """Learned: a checkpoint whose network is the start, instead of a fresh one; it sets widths."""
    threads: int = 1
    """Learned: processor cores to use."""
    out: Path | None = None
    """File for the figures, as JSON."""

    def __post_init__(self) -> None:
        if self.kind == "tabular" and self.players != 2:
            raise OptionError("players", self.players, "2 for kind 'tabular'")


def main() -> int:
    try:
        options = tyro.cli(Options, prog="python -m agents.best_response", description=__doc__)
        found = respond(options)
        text = json.dumps(found, indent=1) + "\n"
        print(text, end="")
        if options.out is not None:
            write_file(options.out, text.encode())
    except (ArenaError, BotError, OptionError, CheckpointError, OSError) as error:
        print(f"agents.best_response: {error}", file=sys.stderr)
        return 1
    return 0


def respond(options: Options) -> dict[str, Any]:
    """Learn a response and measure it; the figures as plain JSON."""
    game = find_game("kuku-doubt")
    bot = make_opponent(options.bot, game)
    check_match(game, [bot], options.players, options.games, see_through=options.see_through)
    if options.out is not None:
        check_writable(options.out.parent)
    began = time.perf_counter()
    tabular = options.kind == "tabular"
    response, told = _tabular(game, bot, options) if tabular else _learned(options)
    seconds = time.perf_counter() - began
    return {
        "bot": options.bot,
        "sha256": getattr(bot, "card", {}).get("sha256"),
        "command": f"python -m agents.best_response {shlex.join(sys.argv[1:])}",
        "kind": options.kind,
        "seed": options.seed,
        "rules": {"num_players": options.players, "see_through": options.see_through},
        **told,
        "seconds": round(seconds, 1),
        **measured(game, response, bot, options),
    }


def _tabular(game: Game, bot: Policy, options: Options) -> tuple[Policy, dict[str, Any]]:
    response = TabularResponse(
        game, bot, SETS[options.sees], options.seed, see_through=options.see_through
    )
    response.learn(options.decisions)
    told = {"sees": options.sees, "decisions": response.decisions, "cells": response.cells}
    return response, told


def _learned(options: Options) -> tuple[Policy, dict[str, Any]]:
    exploiter = Exploiter(
        options.bot, players=options.players, decisions=options.decisions, seed=options.seed,
        pull_start=options.pull_start, widths=options.widths, warm=options.warm,
        see_through=options.see_through, threads=options.threads,
    )  # fmt: skip
    exploiter.learn(lambda one: print(json.dumps(one), file=sys.stderr, flush=True))
    told = {
        "pull_start": options.pull_start,
        "warm": None if options.warm is None else str(options.warm),
        "decisions": exploiter.learner.decisions,
        "history": exploiter.history,
    }
    return exploiter.best(), told


def measured(game: Game, response: Policy, bot: Policy, options: Options) -> dict[str, Any]:
    """The share of games that the response wins among bots of the kind, on fresh deals."""
    [figure] = win_shares(
        game, response, [bot], [options.players], options.games, seed=options.seed + FRESH,
        threads=1, see_through=options.see_through,
    )  # fmt: skip
    return {name: figure[name] for name in ("games", "wins", "low", "high")}


if __name__ == "__main__":
    sys.exit(main())
