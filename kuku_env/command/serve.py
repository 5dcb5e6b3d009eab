"""``kuku serve``, ``kuku bots`` and ``kuku spec``."""

from __future__ import annotations

import argparse
import json
import sys

from kuku_env.bots import BotError
from kuku_env.games import find_game
from kuku_env.protocol import Bots, Service
from kuku_env.protocol.store import Store
from kuku_env.protocol.tables import Tables


def serve(options: argparse.Namespace) -> int:
    """Answer until told to stop."""
    for name in ("max_bytes", "most"):
        if getattr(options, name) < 1:
            words = f"--{name.replace('_', '-')} must be at least 1, given {getattr(options, name)}"
            return refuse("serve", words)
    try:
        bots = Bots(options.bots, options.default)
        store = None if options.games is None else Store(options.games)
    except BotError as error:
        return refuse("serve", str(error))
    except OSError as error:
        why = error.strerror or error
        return refuse("serve", f"cannot keep games in {options.games}: {why}")
    except ModuleNotFoundError as missing:
        return refuse("serve --games", _needs(missing))
    service = Service(bots, options.max_bytes, Tables(bots, store, most=options.most))
    return _stdio(service) if options.stdio else _http(service, options)


def _stdio(service: Service) -> int:
    from kuku_env.protocol.stdio import serve_process

    serve_process(service)
    return 0


def _http(service: Service, options: argparse.Namespace) -> int:
    try:
        from kuku_env.protocol.http import run
    except ModuleNotFoundError as missing:
        return refuse("serve --http", _needs(missing))
    try:
        run(service, options.host, options.port, options.origin)
    except (OSError, OverflowError) as error:
        return refuse("serve", f"cannot listen on {options.host}, port {options.port}: {error}")
    return 0


def _needs(missing: ModuleNotFoundError) -> str:
    return f"needs more than the wheel ({missing.name}): pip install 'kuku-env[serve]'"


def list_bots(options: argparse.Namespace) -> int:
    """Print who there is."""
    listed = Bots().listed()
    if options.game is not None:
        try:
            game = find_game(options.game).id
        except KeyError as error:
            return refuse("bots", error.args[0])
        listed = [entry for entry in listed if entry["game"] == game]
    if options.json:
        print(json.dumps(listed, indent=1, ensure_ascii=False))
        return 0
    rows = [("bot", "game", "level", "players", "gives")]
    for entry in listed:
        players = ", ".join(map(str, entry["players"]))
        gives = ", ".join(entry["gives"])
        rows.append((entry["name"], entry["game"], entry["level"] or "–", players, gives))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print("  ".join(cells).rstrip())
    return 0


def print_spec(options: argparse.Namespace) -> int:
    """Print a game's spec."""
    try:
        spec = find_game(options.game).spec()
    except KeyError as error:
        return refuse("spec", error.args[0])
    print(json.dumps(spec, indent=1, ensure_ascii=False))
    return 0


def refuse(command: str, message: str) -> int:
    """Say in one line what is wrong; the exit status for it."""
    print(f"kuku {command}: {message}", file=sys.stderr)
    return 2
