"""Advice in words, English and Japanese."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kuku_env.envs.words import LANGUAGES, action_words

SHOWN_ACTIONS = 3
SHOWN_PAIRS = 3
LEAST = 0.005  # chances that are lower are 0 %, and not worth a word

_WORDS = {
    "best_by_win": (
        "Best: {action} (win chance {win}).",
        "おすすめ: {action}(勝率{win})。",
    ),
    "best": (
        "{bot} prefers: {action} ({preference}). It does not tell win chances.",
        "{bot}の選択: {action}({preference})。勝率はわかりません。",
    ),
    "only": ("Only this can be done: {action}.", "できることは1つだけ: {action}。"),
    "others": ("Then: {list}.", "次に: {list}。"),
    "win": ("Win chance now: {chance}.", "現在の勝率: {chance}。"),
    "lie": ("The claim is a lie with a chance of {chance}.", "宣言が嘘である確率: {chance}。"),
    "pairs": ("Likely pairs: {list}.", "ありそうな2枚: {list}。"),
    "rated": ("{action} ({chance})", "{action}({chance})"),
    "pair": ("{0} and {1} ({chance})", "{0}と{1}({chance})"),
    "comma": (", ", "、"),
}


def advice_words(
    bot: str, actions: Sequence[Mapping[str, Any]], knowledge: Mapping[str, Any], lang: str
) -> str:
    """Advice as lines of text: ``actions`` best first, ``knowledge`` with win, lie and pairs."""
    language = LANGUAGES.index(lang)

    def say(key: str, *args: Any, **parts: Any) -> str:
        return _WORDS[key][language].format(*args, **parts)

    best = actions[0]
    by_win = best["win"] is not None
    chance = "win" if by_win else "preference"
    shown = {
        "action": action_words(best["action"], lang),
        "preference": percent(best["preference"]),
        "win": percent(best["win"]) if by_win else "",
    }
    if len(actions) == 1:
        lines = [say("only", **shown)]
    else:
        lines = [say("best_by_win" if by_win else "best", bot=bot, **shown)]
        others = [
            say("rated", action=action_words(entry["action"], lang), chance=percent(entry[chance]))
            for entry in actions[1 : 1 + SHOWN_ACTIONS]
            if entry[chance] is not None and entry[chance] >= LEAST
        ]
        lines += [say("others", list=say("comma").join(others))] if others else []
    for key in ("win", "lie"):
        if knowledge[key] is not None:
            lines.append(say(key, chance=percent(knowledge[key])))
    if knowledge["pairs"]:
        pairs = [say("pair", *pair[:2], chance=percent(pair[2])) for pair in knowledge["pairs"]]
        lines.append(say("pairs", list=say("comma").join(pairs[:SHOWN_PAIRS])))
    return "\n".join(lines)


def percent(chance: float) -> str:
    """A chance for people: ``0.613`` is ``61 %``."""
    return f"{100 * chance:.0f} %"
