"""Actions and events of the games in words, English and Japanese.

Every game brings its own (``Game.words``). What no game lists is told as it stands in records, so
that a game works before its words are added.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from kuku_env.games import games

LANGUAGES = ("en", "ja")

# Events that every game has.
_EVENTS = (
    ("game", None, "{game}", "{game}"),
    ("out", None, "seat {seat} is out", "席{seat}が抜ける"),
    ("end", None, "the game is over; places by seat: {places}",
     "ゲーム終了。順位(席順): {places}"),
)  # fmt: skip


def action_words(text: str, lang: str = "en") -> str:
    """An action's text in words of a language of LANGUAGES."""
    for pattern, *words in (entry for game in games() for entry in game.words.actions):
        found = re.fullmatch(pattern, text)
        if found is not None:
            return words[LANGUAGES.index(lang)].format(*found.groups())
    return text


def event_words(event: Mapping[str, Any], lang: str = "en") -> str:
    """One event of a record or of a seat stream as a line of text."""
    language = LANGUAGES.index(lang)
    parts = {key: _plain(key, value, lang) for key, value in event.items()}
    if event["type"] == "act":
        words = action_words(event["action"], lang)
        cards = f" ({parts['cards']})" if "cards" in event else ""
        return f"{('seat ', '席')[language]}{event['seat']}: {words}{cards}"
    events = (entry for game in games() for entry in game.words.events)
    for kind, truth, *templates in (*events, *_EVENTS):
        if kind == event["type"] and truth in (None, event.get("truth")):
            try:
                return templates[language].format(**parts)
            except KeyError:  # another game's event of that name
                continue
    rest = ", ".join(f"{key} {parts[key]}" for key in event if key != "type")
    return f"{event['type']}: {rest}" if rest else str(event["type"])


def _plain(key: str, value: Any, lang: str) -> str:
    """A part of an event; of cards that are not seen only the number is known."""
    if key == "cards" and isinstance(value, int):
        return f"{value}枚" if lang == "ja" else f"{value} card{'' if value == 1 else 's'}"
    if isinstance(value, list):
        return " ".join(map(str, value)) or "–"
    return str(value)
