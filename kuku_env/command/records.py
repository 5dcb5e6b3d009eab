"""``kuku check`` and ``kuku replay``: game records checked by the rules, and told in words."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from kuku_env.command.serve import refuse
from kuku_env.envs.match import Match
from kuku_env.envs.records import RecordError, read_events, replay
from kuku_env.envs.words import event_words


def check(options: argparse.Namespace) -> int:
    """Replay every file; 1 if one of them is not by the rules."""
    results = [_check_file(path) for path in options.files]
    return max(results)


def _check_file(path: Path) -> int:
    try:
        match = _read(path)
    except (OSError, UnicodeDecodeError, RecordError) as error:
        print(f"{path}: {_words(error)}", file=sys.stderr)
        return 1
    state = "over" if match.over else "not over yet"
    print(f"{path}: good: {match.game.id}, {match.num_players} players, {state}")
    return 0


def tell(options: argparse.Namespace) -> int:
    """Print a record in words, as one seat saw it or complete."""
    try:
        match = _read(options.file)
    except (OSError, UnicodeDecodeError, RecordError) as error:
        print(f"{options.file}: {_words(error)}", file=sys.stderr)
        return 1
    if options.seat is not None and not 0 <= options.seat < match.num_players:
        most = match.num_players - 1
        return refuse("replay", f"--seat must be from 0 to {most}, given {options.seat}")
    told = match.events() if options.seat is None else match.stream(options.seat)
    for event in told:
        print(event_words(event, options.lang))
    return 0


def _read(path: Path) -> Match:
    return replay(read_events(path.read_text("utf-8")))


def _words(error: Exception) -> str:
    if isinstance(error, OSError):
        return str(error.strerror)
    return "not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
