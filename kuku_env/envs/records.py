"""Game records as JSON lines: write, read, replay, check; and the schemas of a game's JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from kuku_env.core.game import Game
from kuku_env.envs.match import Match
from kuku_env.games import find_game

Event = Mapping[str, Any]

SCHEMAS = ("record", "stream", "view")


class RecordError(ValueError):
    """A record that does not follow the format or the rules; ``line`` counts from 1."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line = line

    def __reduce__(self) -> tuple[Any, ...]:
        return RecordError, (self.line, str(self).split(": ", 1)[1])


def to_lines(events: Iterable[Event]) -> str:
    """Events as JSON lines, ending in a newline."""
    return "".join(f"{json.dumps(event, separators=(',', ':'))}\n" for event in events)


def write_record(path: str | os.PathLike[str], match: Match) -> None:
    """Write a match's record; an existing file is replaced only by a complete one.

    Raises OSError where the file cannot be written; nothing half-written is left.
    """
    target = Path(path)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        part.write_text(to_lines(match.events()), "utf-8")
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)


def read_events(text: str) -> list[dict[str, Any]]:
    """Events of JSON lines. Raises RecordError for a line that holds no JSON object."""
    events = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            event = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise RecordError(number, f"not JSON: {error}") from None
        events.append(_checked_event(number, event))
    return events


def schema(game: str | Game, kind: str) -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of a game's JSON.

    ``kind``: ``record`` and ``stream`` (one event of it), or ``view``. Raises ValueError for
    another kind, KeyError for an unknown game.
    """
    if kind not in SCHEMAS:
        raise ValueError(f"kind must be one of {SCHEMAS}, given {kind!r}")
    package = find_game(game).options.__module__.rpartition(".")[0]
    text = (resources.files(package) / "schemas" / f"{kind}.json").read_text("utf-8")
    return dict(json.loads(text))


def replay(events: Iterable[Event]) -> Match:
    """Play a record again and check every line of it against the rules.

    The match returned continues the recorded game with explicit chance. A record may stop in the
    middle of a game, after any complete step. Raises RecordError at the first line that cannot
    follow on those before it.
    """
    given = [_checked_event(number, event) for number, event in enumerate(events, 1)]
    match = _opening(given)
    stuck: RecordError | None = None
    for number, event in enumerate(given[1:], 2):
        try:
            _follow(match, event)
        except (ValueError, TypeError, KeyError) as error:
            stuck = RecordError(number, _words(error))
            break
    told = match.events()
    for number, event in enumerate(given[: stuck.line - 1 if stuck else None], 1):
        if number > len(told):
            raise RecordError(number, "by the rules nothing happens here")
        if not _same(told[number - 1], event):
            raise RecordError(number, f"by the rules this reads {json.dumps(told[number - 1])}")
    if stuck:
        raise stuck
    if len(told) > len(given):
        missing = json.dumps(told[len(given)])
        raise RecordError(len(given) + 1, f"missing; by the rules it reads {missing}")
    return match


def _checked_event(number: int, event: Any) -> dict[str, Any]:
    if not isinstance(event, Mapping) or not isinstance(event.get("type"), str):
        raise RecordError(number, "an event is a JSON object with a type")
    return dict(event)


def _opening(given: list[dict[str, Any]]) -> Match:
    if not given or given[0]["type"] != "game":
        raise RecordError(1, "a record starts with its game event")
    head = given[0]
    try:
        seed = _checked_seed(head["seed"])
        return Match(find_game(head["game"]), seed=seed, explicit_chance=True, **head["rules"])
    except (ValueError, TypeError, KeyError) as error:
        raise RecordError(1, _words(error)) from None


def _checked_seed(seed: Any) -> int | None:
    if seed is None or (type(seed) is int and seed >= 0):
        return seed
    raise ValueError(f"seed must be null or an integer of at least 0, given {seed!r}")


def _words(error: Exception) -> str:
    if isinstance(error, KeyError) and str(error.args[0]).isidentifier():
        return f"the key {error.args[0]!r} is missing"
    return str(error.args[0]) if isinstance(error, KeyError) else str(error)


def _follow(match: Match, event: Event) -> None:
    """Take what the game cannot know from a line: an action, or outcomes of chance."""
    if event["type"] == "act":
        if match.at_chance:
            raise ValueError("cards or a start player must be drawn before anyone acts")
        if match.to_act != event["seat"]:
            raise ValueError(f"seat {match.to_act} is to act, given {event['seat']!r}")
        match.act(event["action"])
    elif match.at_chance:
        for outcome in match.game.telling.outcomes(match.record, event):
            match.resolve(outcome)


def _same(mine: Any, theirs: Any) -> bool:
    """Equal as JSON, where 1 and true differ; rewards may differ as another's arithmetic does."""
    if isinstance(mine, float):
        return type(theirs) in (int, float) and mine - 1e-6 < theirs < mine + 1e-6
    if type(mine) is not type(theirs):
        return False
    if isinstance(mine, dict):
        return mine.keys() == theirs.keys() and all(_same(mine[k], theirs[k]) for k in mine)
    if isinstance(mine, list):
        return len(mine) == len(theirs) and all(map(_same, mine, theirs))
    return bool(mine == theirs)
