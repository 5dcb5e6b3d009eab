"""``kuku play --web``: a page to play on, and the server that holds its games."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from kuku_env.bots import BotError, ExportedPolicy
from kuku_env.command.play import rule_value
from kuku_env.command.serve import refuse
from kuku_env.core.game import Game, OptionError
from kuku_env.games import find_game
from kuku_env.protocol import LEVELS, Bots, ProtocolError
from kuku_env.protocol.store import Store
from kuku_env.protocol.tables import MOST_TABLES
from kuku_env.web import Desk, House, page_of


def serve_page(options: argparse.Namespace) -> int:
    """Serve until told to stop; 2 for what cannot be served."""
    try:
        from kuku_env.protocol.http import listen
        from kuku_env.web.app import make_app
    except ModuleNotFoundError as missing:
        more = f"needs more than the wheel ({missing.name}): pip install 'kuku-env[serve]'"
        return refuse("play --web", more)
    try:
        page, desk = _page(options), _desk(options)
    except KeyError as error:
        return refuse("play", error.args[0])
    except (BotError, OptionError, ProtocolError, ValueError, FileNotFoundError) as error:
        return refuse("play", str(error))
    except OSError as error:
        where = options.games or _games_folder()
        why = error.strerror or error
        return refuse("play", f"cannot keep games in {where}: {why}; give --games")
    host, port = options.host or "127.0.0.1", 8000 if options.port is None else options.port
    print(f"games are kept in {options.games or _games_folder()}", file=sys.stderr)
    desk.warm_up()  # the first run after an install compiles the rules
    try:
        listen(make_app(desk, page), host, port, "play on {0}/ until Ctrl-C")
    except (OSError, OverflowError) as error:
        return refuse("play", f"cannot listen on {host}, port {port}: {error}")
    return 0


def _page(options: argparse.Namespace) -> Path:
    """The folder of the page. Raises FileNotFoundError, ValueError."""
    for name, default in (("seat", 0), ("save", None), ("lang", "en")):
        if getattr(options, name) != default:
            raise ValueError(f"--{name} is for the terminal; the page has its own ways")
    if options.page is None:
        if options.bots_run == "browser":
            raise ValueError("--bots-run browser needs --page: bots need a runtime of 14 MB")
        return page_of(find_game(options.game))
    if not (options.page / "index.html").is_file():
        raise FileNotFoundError(f"--page {options.page} has no index.html")
    return Path(options.page)


def _desk(options: argparse.Namespace) -> Desk:
    game = find_game(options.game)
    most = MOST_TABLES if options.most is None else options.most
    if most < 1:
        raise ValueError(f"--most must be at least 1, given {most}")
    names = list(options.bots or ())
    folders = [name for name in names if _is_folder(game, name)]
    lineup = [ExportedPolicy(name, game).name if name in folders else name for name in names]
    house = House(
        game,
        Bots(list(dict.fromkeys(folders))),
        preset=options.preset,
        rules={name: rule_value(text) for name, text in options.rule},
        players=options.players,
        lineups=[lineup] if lineup else [],
        in_browser=options.bots_run == "browser",
    )
    store = Store(options.games or _games_folder())
    return Desk(house, store, most=most, seed=options.seed)


def _is_folder(game: Game, name: str) -> bool:
    return name not in LEVELS and name not in Bots().names(game) and Path(name).is_dir()


def _games_folder() -> Path:
    """Where programs keep what should outlive them, and nobody edits."""
    home = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(home) / "kuku-env" / "games"
