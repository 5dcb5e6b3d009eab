"""Actions and events of the games in words, English and Japanese.

What is not listed here is told as it stands in records, so that a game works before its words are
added.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

LANGUAGES = ("en", "ja")

# Pattern of an action's text; the words for it, with what the pattern caught.
_ACTIONS = (
    (r"accept", "accept", "受け取る"),
    (r"doubt", "doubt", "ダウト"),
    (r"see (\S+) (\S+)", "see through: {0} and {1}", "見破る({0}と{1})"),
    (r"discard low", "discard the lower card", "小さいほうを捨てる"),
    (r"discard high", "discard the higher card", "大きいほうを捨てる"),
    (r"discard one", "discard one card", "1枚捨てる"),
    (r"discard both", "discard both cards", "2枚とも捨てる"),
    (r"claim (\S+)", "claim {0}", "「{0}」と宣言"),
    (r"flip first", "turn up the first life card", "1枚目のライフを表にする"),
    (r"flip second", "turn up the second life card", "2枚目のライフを表にする"),
    (r"start (\d)", "seat {0} starts the next round", "次のラウンドは席{0}から"),
    (r"let go", "let it go", "見送る"),
    (r"put down", "put the cards down", "伏せて出す"),
    (r"add (\S+)", "add {0} to what is put down", "出す札に{0}を加える"),
    (r"lead (\S+)", "lead {0} face up", "{0}を表で出す"),
    (r"play (\S+)", "play {0} face down", "{0}を伏せて出す"),
    (r"play", "play a card face down", "1枚伏せて出す"),
    (r"collect", "collect the table", "場を回収する"),
    (r"take (\d+)", "take card {0} of the table into hand", "場の{0}枚目を手札に入れる"),
    (r"skip", "skip", "スキップ"),
)

# Type of an event, and what its "truth" is, if that matters; of several that fit, the first whose
# parts the event has.
_EVENTS: tuple[tuple[str, bool | None, str, str], ...] = (
    ("game", None, "{game}", "{game}"),
    ("lives", None, "seat {seat} is dealt life cards: {cards}", "席{seat}にライフカード: {cards}"),
    ("deal", None, "seat {seat} is dealt {cards}", "席{seat}に配る: {cards}"),
    ("start", None, "seat {seat} starts", "席{seat}から始める"),
    ("round", None, "— a round, seat {start} starts —", "― ラウンド開始、席{start}から ―"),
    ("turn", None, "— seat {seat}, number {number} —", "― 席{seat}の番、数は{number} ―"),
    ("ask", None, "seat {seat} may call", "席{seat}は止めるか"),
    ("draw", None, "seat {seat} draws {cards}", "席{seat}が引く: {cards}"),
    ("look", None, "seat {seat} looks at {cards}", "席{seat}が見る: {cards}"),
    ("reveal", None, "turned up onto the table: {cards}", "場に表向きで出る: {cards}"),
    ("show", True, "turned up: {cards}; {claim} is true, seat {loser} loses",
     "札を公開: {cards}。「{claim}」は本当、席{loser}の負け"),
    ("show", False, "turned up: {cards}; {claim} is a lie, seat {loser} loses",
     "札を公開: {cards}。「{claim}」は嘘、席{loser}の負け"),
    ("show", True, "turned up: {cards}; {number} is true, seat {loser} loses",
     "札を公開: {cards}。「{number}」は本当、席{loser}の負け"),
    ("show", False, "turned up: {cards}; {number} is a lie, seat {loser} loses",
     "札を公開: {cards}。「{number}」は嘘、席{loser}の負け"),
    ("show", True, "seat {seat}'s card is turned up: {card}, which is true",
     "席{seat}の札を公開: {card}、本当"),
    ("show", False, "seat {seat}'s card is turned up: {card}, which is a lie",
     "席{seat}の札を公開: {card}、嘘"),
    ("flip", None, "seat {seat} loses a life: {card}", "席{seat}のライフが表に: {card}"),
    ("take", None, "seat {seat} takes the pile: {cards}", "席{seat}が山を取る: {cards}"),
    ("taken", None, "seat {seat} takes the table: {cards}", "席{seat}が場札を取る: {cards}"),
    ("exchange", None, "seat {seat} gets from seat {from}: {cards}",
     "席{from}から席{seat}へ: {cards}"),
    ("set_aside", None, "seat {seat}'s cards are set aside: {cards}",
     "席{seat}の札を脇へ: {cards}"),
    ("new_pile", None, "a new pile is begun: {cards}", "新しい山: {cards}"),
    ("reshuffle", None, "the discards are shuffled, a pile of {cards}", "捨て札を山札に: {cards}"),
    ("table_recycled", None, "the table is shuffled in, {cards}", "場の札も山札に: {cards}"),
    ("deal_end", None, "the deal is over; points by seat: {points}",
     "ディール終了。点数(席順): {points}"),
    ("out", None, "seat {seat} is out", "席{seat}が抜ける"),
    ("end", None, "the game is over; places by seat: {places}",
     "ゲーム終了。順位(席順): {places}"),
)  # fmt: skip


def action_words(text: str, lang: str = "en") -> str:
    """An action's text in words of a language of LANGUAGES."""
    for pattern, *words in _ACTIONS:
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
    for kind, truth, *templates in _EVENTS:
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
