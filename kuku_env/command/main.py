"""The command ``kuku``: bots for other programs, games in the terminal, records and figures.

It runs in the plain install; what needs more says which extra.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from kuku_env import __version__
from kuku_env.envs.words import LANGUAGES
from kuku_env.games import games
from kuku_env.protocol.tables import MOST_TABLES
from kuku_env.protocol.wire import MAX_BYTES

DEFAULT_GAME = "kuku-doubt"

Command = Callable[[argparse.Namespace], int]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``kuku``; its exit status: 0, 1 for a bad record, 2 for what was asked wrongly, 130."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == ["evaluate"]:  # has a parser of its own
        return int(_part("evaluate").main(given[1:]))
    options = _parser().parse_args(given)
    try:
        return int(options.run(options))
    except BrokenPipeError:  # as of ``kuku replay FILE | head``
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return 130


def _part(name: str) -> Any:
    """A module of this package, imported once it is needed: ``--help`` answers at once."""
    return importlib.import_module(f"kuku_env.command.{name}")


def _later(module: str, function: str) -> Command:
    return lambda options: int(getattr(_part(module), function)(options))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("kuku", description=__doc__, allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"kuku-env {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for add in (_play, _serve, _bots, _spec, _check, _replay, _evaluate):
        add(commands)
    return parser


def _add(commands: Any, name: str, words: str, *examples: str) -> Any:
    """A command, with what it does in words and how it is called."""
    told = (f"  kuku {name} {example}".rstrip() for example in examples)
    return commands.add_parser(
        name,
        help=words,
        description=f"{words[0].upper()}{words[1:]}.",
        epilog="\n".join(["examples:", *told]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def _play(commands: Any) -> None:
    play = _add(
        commands,
        "play",
        "play against bots, in the terminal or in the browser",
        "--players 3 --bots strong easy",
        "--lang ja --save game.jsonl",
        "doubt --preset cheat",
        "--web --players 4",
    )
    play.add_argument("game", nargs="?", default=DEFAULT_GAME, help=_game_help())
    play.add_argument("--players", type=int, help="seats at the table, yours among them")
    play.add_argument("--seat", type=int, default=0, help="your seat, from 0")
    play.add_argument(
        "--bots", nargs="+", metavar="BOT",
        help="who sits in the other seats, in turn: a level (easy, normal, strong), a name, or an "
        "exported folder; by default the best that plays such a table",
    )  # fmt: skip
    play.add_argument("--seed", type=int, help="the same deals and the same dice each time")
    play.add_argument("--preset", help="a preset of the game's rules")
    play.add_argument(
        "--rule", nargs=2, action="append", default=[], metavar=("NAME", "VALUE"),
        help="an option of the game's rules; may be given again",
    )  # fmt: skip
    play.add_argument("--lang", choices=LANGUAGES, default="en", help="language of the words")
    play.add_argument("--save", type=Path, metavar="FILE", help="write the game's record here")
    _web(play)
    play.set_defaults(run=_later("play", "play"))


def _web(play: Any) -> None:
    web = play.add_argument_group("in the browser")
    web.add_argument("--web", action="store_true", help="serve a page; needs the extra serve")
    web.add_argument("--host", help="address; this machine alone by default")
    web.add_argument("--port", type=int, help="8000 by default; 0 takes a free one")
    web.add_argument("--games", type=Path, metavar="FOLDER", help="where games are kept")
    web.add_argument("--most", type=int, metavar="N", help="games that are kept at once")
    web.add_argument(
        "--bots-run", choices=("server", "browser"),
        help="where exported bots decide. server, the default: all cards stay here. browser: the "
        "page sees the cards of the bots it asks; needs --page",
    )  # fmt: skip
    web.add_argument("--page", type=Path, metavar="FOLDER", help="another page than that shipped")


def _serve(commands: Any) -> None:
    serve = _add(
        commands,
        "serve",
        "answer other programs: bots decide and advise, whole games are held (docs/protocol.md)",
        "--stdio",
        "--http --port 8000 --origin https://cards.example",
        "--stdio --games my-games",
    )
    how = serve.add_mutually_exclusive_group(required=True)
    how.add_argument("--stdio", action="store_true", help="JSON lines on standard input and output")
    how.add_argument("--http", action="store_true", help="HTTP with JSON; needs the extra serve")
    serve.add_argument("--host", default="127.0.0.1", help="address; this machine alone by default")
    serve.add_argument("--port", type=int, default=8000, help="8000 by default; 0 takes a free one")
    serve.add_argument(
        "--origin", action="append", default=[], metavar="URL",
        help="a web page's origin whose scripts may ask, * for all; may be given again",
    )  # fmt: skip
    serve.add_argument(
        "--bots", nargs="+", default=[], type=Path, metavar="FOLDER",
        help="exported bots to offer beside those that come with the package",
    )  # fmt: skip
    serve.add_argument("--default", metavar="BOT", help="who answers if the request names nobody")
    serve.add_argument(
        "--max-bytes", type=int, default=MAX_BYTES, metavar="N",
        help=f"the longest request; {MAX_BYTES:,} by default",
    )  # fmt: skip
    serve.add_argument(
        "--games", type=Path, metavar="FOLDER",
        help="where held games are kept, so that they go on after a restart; in memory by default",
    )  # fmt: skip
    serve.add_argument(
        "--most", type=int, default=MOST_TABLES, metavar="N",
        help=f"games that are held at once; {MOST_TABLES} by default",
    )  # fmt: skip
    serve.set_defaults(run=_later("serve", "serve"))


def _bots(commands: Any) -> None:
    bots = _add(
        commands, "bots", "list the bots that come with the package", "", "kuku-doubt --json"
    )
    bots.add_argument("game", nargs="?", help=_game_help())
    bots.add_argument("--json", action="store_true", help="everything, as hello tells it")
    bots.set_defaults(run=_later("serve", "list_bots"))


def _spec(commands: Any) -> None:
    spec = _add(
        commands,
        "spec",
        "print a game's options, presets, observation and action ids, as JSON",
        "kuku-doubt",
    )
    spec.add_argument("game", help=_game_help())
    spec.set_defaults(run=_later("serve", "print_spec"))


def _check(commands: Any) -> None:
    check = _add(
        commands,
        "check",
        "replay records and check every line by the rules; the exit status is 1 for a bad one",
        "game.jsonl other.jsonl",
    )
    check.add_argument(
        "files", nargs="+", type=Path, metavar="FILE", help="a record: JSON lines, one game"
    )
    check.set_defaults(run=_later("records", "check"))


def _replay(commands: Any) -> None:
    replay = _add(
        commands,
        "replay",
        "tell a recorded game in words",
        "game.jsonl",
        "game.jsonl --seat 0 --lang ja",
    )
    replay.add_argument("file", type=Path, metavar="FILE", help="a record: JSON lines, one game")
    replay.add_argument("--seat", type=int, help="as this seat saw it; everything by default")
    replay.add_argument("--lang", choices=LANGUAGES, default="en", help="language of the words")
    replay.set_defaults(run=_later("records", "tell"))


def _evaluate(commands: Any) -> None:
    """Only for the list: ``main`` hands its arguments on."""
    commands.add_parser("evaluate", help="pit bots against each other; needs the extra evaluate")


def _game_help() -> str:
    return f"one of {', '.join(game.name for game in games())}"
