"""Pit bots against each other and say how strong they are, with intervals.

Every deal is played once for each rotation of its line-up, so that every bot holds each seat
equally often with the same cards. The figures are wins per seat held, against 1/players, and Elo
ratings. The same command gives the same numbers on any number of cores, and goes on where it was
interrupted.

    kuku evaluate scripted-normal scripted-easy random --players 2 4 --games 20000
    kuku evaluate runs/demo/bot --against scripted-normal scripted-easy --players 4
    kuku evaluate runs/demo/bot scripted-easy --self-play 1000
    kuku evaluate "stdio:node my_bot.js" scripted-easy --players 2
    kuku evaluate selfplay scripted-normal --games 1000000 --ray 10.0.0.1:6379
"""

from __future__ import annotations

import hashlib
import json
import shlex
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

try:
    import tyro
except ModuleNotFoundError:
    sys.exit("evaluating needs more than the wheel: pip install 'kuku-env[evaluate]'")

if TYPE_CHECKING:  # the rest is imported once there is something to do: --help answers at once
    from kuku_env.arena import Cluster, MatchResult, Player
    from kuku_env.core.game import Game


@dataclass(frozen=True)
class Options:
    bots: Annotated[tuple[str, ...], tyro.conf.Positional]
    """Two or more bots, or one to watch it play itself: names (random, scripted-easy,
    scripted-normal, a shipped bot), exported folders, or stdio:COMMAND for a program that speaks
    the bot protocol; the same one may come twice. They all meet each other."""
    against: tuple[str, ...] = ()
    """A field of bots: each of the bots before then sits alone among these, and they never meet
    each other."""
    players: tuple[int, ...] = ()
    """Table sizes; a match is played at each. By default 2 and 4, as far as the game has them."""
    games: int = 10_000
    """Games at each table size, rounded up until the seats are balanced."""
    seed: int = 0
    """Fixes the deals, whatever the bots do, and the dice that choose among their actions."""
    game: str = "kuku-doubt"
    """Which game, by its short name or id."""
    out: Path | None = None
    """Folder for the games and for report.html, results.json and tables in CSV; by default one in
    runs/evaluations that is named after what is played."""
    self_play: int = 0
    """Games of each bot against itself at each table size, for its style among its equals."""
    preset: str | None = None
    """A preset of the game's rules."""
    rules: dict[str, str] = field(default_factory=dict)
    """Options of the game's rules: NAME VALUE ..., for example see_through consistent."""
    answer_seconds: float = 10.0
    """Time that a program has for each answer; a later one loses it the game."""
    threads: int | None = None
    """Cores to use; all by default. Results are the same."""
    ray: Annotated[tuple[str, ...] | None, tyro.conf.arg(metavar="[ADDRESS]")] = None
    """Play on a Ray cluster instead, with the same results; needs the extra rllib. The address is
    HOST:PORT; without one it is RAY_ADDRESS, or the cluster that this machine is in, or this
    machine alone."""


def main(arguments: Sequence[str], program: str = "kuku evaluate") -> int:
    """The command; ``program`` is how it was called. Its exit status: 0, 2, or 130."""
    name = program.removeprefix("python ")
    options = tyro.cli(Options, prog=name, args=arguments, description=__doc__)
    try:
        return evaluate(options, f"{program} {shlex.join(arguments)}", name)
    except KeyboardInterrupt:
        print(f"{name}: interrupted; the same command goes on from here", file=sys.stderr)
        return 130


def evaluate(options: Options, command: str, name: str) -> int:
    from kuku_env.arena import ArenaError
    from kuku_env.bots import BotError
    from kuku_env.core.game import OptionError

    try:
        run(options, command)
    except (ArenaError, BotError, OptionError, ModuleNotFoundError, OSError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 2
    return 0


def run(options: Options, command: str) -> None:
    """Play and save what was asked for. Raises ArenaError, BotError, OptionError, OSError."""
    from kuku_env.arena import ArenaError, StdioPlayer, make_player
    from kuku_env.games import find_game

    try:
        game = find_game(options.game)
    except KeyError as error:
        raise ArenaError(error.args[0]) from None
    if not options.bots:
        raise ArenaError("name at least one bot")
    if not options.players:
        sizes = tuple(n for n in (2, 4) if game.min_players <= n <= game.max_players)
        options = replace(options, players=sizes)
    with ExitStack() as running:
        bots = []
        for bot in given(options):
            bots.append(make_player(bot, game, options.answer_seconds))
            if isinstance(bots[-1], StdioPlayer):
                running.callback(bots[-1].close)
        cluster = None
        if options.ray is not None:
            cluster = running.enter_context(cluster_at(options.ray))
        pit(options, game, bots, command, cluster)


def cluster_at(address: tuple[str, ...]) -> Cluster:
    """Raises ArenaError for more than one address, or one where no cluster is."""
    from kuku_env.arena import ArenaError, Cluster

    if len(address) > 1:
        raise ArenaError(f"--ray takes one address, given {list(address)}; name the bots before it")
    return Cluster(*address)


def given(options: Options) -> tuple[str, ...]:
    """All bots as they were asked for, the field last."""
    return (*options.bots, *options.against)


def pit(
    options: Options, game: Game, bots: list[Player], command: str, cluster: Cluster | None
) -> None:
    """Check everything, play, print and save."""
    from kuku_env.arena import check_match, distinct_labels
    from kuku_env.arena.files import check_writable
    from kuku_env.arena.ledger import Store
    from kuku_env.arena.report import bot_report, evaluation_report, save

    began = time.time()
    labels = distinct_labels([bot.name for bot in bots])
    rules = rules_of(options)
    # What is no option of the rules is refused here, or it might be taken for an argument below.
    game.make_options(options.preset, **{**rules, "num_players": options.players[0]})
    for players in options.players:  # all are checked before the first is played
        check_match(
            game, bots, players, options.games, options.seed,
            teams=teams_of(options, players), preset=options.preset, **rules,
        )  # fmt: skip
    plan = plan_of(options, game, bots, labels)
    folder = options.out or Path("runs/evaluations") / f"{game.name}-{digest(plan)}"
    check_writable(folder)

    with Store(folder, plan):
        matches, mirrors = play(options, bots, labels, folder, cluster)
        facts = {
            "game": game.id,
            "layout": game.layout.id,
            "command": command,
            "seed": options.seed,
            "seconds": round(time.time() - began, 1),
            "bots": [bot_report(*bot) for bot in zip(labels, given(options), bots, strict=True)],
            "measures": [
                {"name": measure.name, "meaning": measure.meaning} for measure in game.measures
            ],
            "tally_limit": game.tally_limit,
        }
        report = evaluation_report(facts, matches, mirrors)
        show(matches, mirrors)
        save(folder, report)
    results = [*matches, *mirrors]
    kept = sum(result.kept for result in results)
    played = sum(result.plan.games for result in results) - kept
    before = f", and read {kept:,} that were there" if kept else ""
    print(f"\nPlayed {played:,} games{before}. Saved {folder / 'report.html'}.")


def plan_of(
    options: Options, game: Game, bots: list[Player], labels: tuple[str, ...]
) -> dict[str, Any]:
    """What makes an evaluation this one, as plain JSON: its folder holds no other."""
    from kuku_env import __version__
    from kuku_env.arena.match import player_facts

    chosen = game.make_options(
        options.preset, **{**rules_of(options), "num_players": options.players[0]}
    )
    rules = asdict(chosen)
    del rules["num_players"]
    return {
        "version": __version__,
        "game": game.id,
        "layout": game.layout.id,
        "rules": rules,
        "bots": [
            {"label": label, **player_facts(bot)} for label, bot in zip(labels, bots, strict=True)
        ],
        "against": len(options.against),
        "players": list(options.players),
        "games": options.games,
        "self_play": options.self_play,
        "seed": options.seed,
    }


def digest(plan: dict[str, Any]) -> str:
    """A short name for a plan."""
    return hashlib.sha256(json.dumps(plan, sort_keys=True).encode()).hexdigest()[:10]


def teams_of(options: Options, players: int) -> list[tuple[int, ...]] | None:
    """Who meets whom at a table; None: all meet all."""
    from kuku_env.arena import field_teams

    if not options.against:
        return None
    return field_teams(len(options.bots), len(options.against), players)


def rules_of(options: Options) -> dict[str, Any]:
    """Values of rules as JSON reads them (numbers, true, null, lists), or else as text."""
    from kuku_env.arena import ArenaError

    if "num_players" in options.rules:
        raise ArenaError("give the number of players as --players, not among --rules")

    def value(text: str) -> Any:
        try:
            return json.loads(text)
        except ValueError:
            return text

    return {name: value(text) for name, text in options.rules.items()}


def play(
    options: Options,
    bots: list[Player],
    labels: tuple[str, ...],
    folder: Path,
    cluster: Cluster | None,
) -> tuple[list[MatchResult], list[MatchResult]]:
    """The matches at every table size, and every bot's games against itself; kept in a folder."""
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

    from kuku_env.arena import play_match

    columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:

        def match(
            place: str, some: list[Player], names: tuple[str, ...], players: int, games: int,
            teams: list[tuple[int, ...]] | None = None,
        ) -> MatchResult:  # fmt: skip
            task = bar.add_task(f"{', '.join(names)} at {players}", total=games)
            result = play_match(
                options.game, some, players, games, options.seed, labels=names, teams=teams,
                threads=options.threads, preset=options.preset, folder=folder / "matches" / place,
                progress=lambda ended: bar.advance(task, ended), cluster=cluster,
                **rules_of(options),
            )  # fmt: skip
            bar.remove_task(task)
            return result

        alone = len(bots) == 1  # a single bot can only play itself
        mirror_games = options.games if alone else options.self_play
        matches = [
            match(f"players-{n}", bots, labels, n, options.games, teams_of(options, n))
            for n in options.players
            if not alone
        ]
        mirrors = [
            match(f"itself-{k}-players-{n}", [bot], (label,), n, mirror_games)
            for k, (bot, label) in enumerate(zip(bots, labels, strict=True))
            for n in options.players
            if mirror_games
        ]
    return matches, mirrors


def show(matches: list[MatchResult], mirrors: list[MatchResult]) -> None:
    from rich.console import Console

    from kuku_env.arena.tables import print_match, style_table

    console = Console()
    if not console.is_terminal:
        console = Console(width=140)  # a file or a pipe has room
    for result in matches:
        print_match(console, result)
    if mirrors:
        console.print(style_table(mirrors, "Each bot against itself"))
