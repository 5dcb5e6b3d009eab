"""Game records as JSON lines: write, read, replay, check."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from kuku_env.envs.match import Match
from kuku_env.games import find_game

Event = Mapping[str, Any]


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
    """Write a match's record; an existing file is replaced only by a complete one."""
    target = Path(path)
    with tempfile.NamedTemporaryFile(
        "w", dir=target.parent, prefix=f".{target.name}.", delete=False, encoding="utf-8"
    ) as part:
        part.write(to_lines(match.events()))
    os.replace(part.name, target)


def read_events(text: str) -> list[dict[str, Any]]:
    """Events of JSON lines. Raises RecordError for a line that holds no JSON object."""
    events = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            event = json.loads(line)
        except json.JSONDecodeError as error:
            raise RecordError(number, f"not JSON: {error}") from None
        if not isinstance(event, dict) or not isinstance(event.get("type"), str):
            raise RecordError(number, "an event is a JSON object with a type")
        events.append(event)
    return events


def replay(events: Iterable[Event]) -> Match:
    """Play a record again and check every line of it against the rules.

    The match returned continues the recorded game with explicit chance. A record may stop in the
    middle of a game, after any complete step. Raises RecordError at the first line that is wrong.
    """
    given = list(events)
    match = _opening(given)
    for number, event in enumerate(given[1:], 2):
        try:
            _follow(match, event)
        except (ValueError, TypeError, KeyError) as error:
            raise RecordError(number, str(error)) from None
    match.seed = given[0].get("seed")
    told = match.events()
    for number, (mine, theirs) in enumerate(zip(told, given, strict=False), 1):
        if mine != dict(theirs):
            raise RecordError(number, f"by the rules this reads {json.dumps(mine)}")
    if len(told) != len(given):
        raise RecordError(len(given), f"the record has {len(given)} events; the rules give {len(told)}")
    return match


def _opening(given: list[Event]) -> Match:
    if not given or given[0].get("type") != "game":
        raise RecordError(1, "a record starts with its game event")
    head = given[0]
    if head.get("format") != 1:
        raise RecordError(1, f"format must be 1, given {head.get('format')!r}")
    try:
        return Match(find_game(head["game"]), explicit_chance=True, **head["rules"])
    except (ValueError, TypeError, KeyError) as error:
        raise RecordError(1, str(error)) from None


def _follow(match: Match, event: Event) -> None:
    if event.get("type") == "act":
        if match.to_act != event["seat"]:
            raise ValueError(f"seat {match.to_act} is to act, given {event['seat']!r}")
        match.act(event["action"])
    elif match.at_chance:
        for outcome in match.game.telling.outcomes(match.record, event):
            match.resolve(outcome)
