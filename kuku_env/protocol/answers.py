"""What is said of a situation, as replies: a bot decides (``act``) or explains (``advise``), and
the rules say what an irregular act stands for (``repair``)."""

from __future__ import annotations

import hashlib
import math
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kuku_env.core.chance import choose
from kuku_env.core.checks import shown
from kuku_env.core.game import Policy
from kuku_env.core.layout import ActionBlock, Layout
from kuku_env.envs.words import LANGUAGES
from kuku_env.protocol.request import Question, Seen, Situation
from kuku_env.protocol.wire import ProtocolError
from kuku_env.protocol.words import advice_words

SHOWN_PAIRS = 10
LEAST_PAIR = 0.005  # pairs that are less likely are not listed
DIGITS = 6

Pair = tuple[int | str, int | str]


@dataclass(frozen=True)
class Opinion:
    """What a bot thinks of a situation; None is what it does not tell, and ``reasons`` say why.

    ``preferences`` float64 (A,): probabilities of the actions, 0 where illegal. ``values`` float64
    (A,): my win chance after each. ``win``: my win chance now. ``lie``: the chance that the claim I
    may answer is a lie. ``pairs``: which two cards lie there, with probabilities, likeliest first.
    """

    preferences: NDArray[np.float64]
    values: NDArray[np.float64] | None
    win: float | None
    lie: float | None
    pairs: list[tuple[Pair, float]] | None
    reasons: dict[str, str]


def opinion(bot: Policy, situation: Situation) -> Opinion:
    """Ask a bot. Raises ProtocolError (internal) for one that gives no probabilities."""
    given = _outputs(bot, situation)
    preferences = given["probabilities"] * (situation.mask[0] > 0)
    total = float(preferences.sum())
    if not math.isfinite(total) or total <= 0 or (preferences < 0).any():
        raise ProtocolError("internal", f"the bot {bot.name} gave no probabilities")
    reasons = {
        name: f"{bot.name} does not tell"
        for name, output in (("win", "value"), ("lie", "lie"), ("pairs", "pairs"))
        if output not in given
    }
    for name in ("lie", "pairs"):
        why = _why_not_asked(situation, name)
        if why is not None:
            reasons.setdefault(name, why)
    return Opinion(
        preferences / total,
        given.get("action_values"),
        None if "win" in reasons else _chance(given["value"][0]),
        None if "lie" in reasons else _chance(given["lie"][0]),
        None if "pairs" in reasons else _likeliest(given["pairs"], _pair_names(situation)),
        reasons,
    )


def _outputs(bot: Policy, situation: Situation) -> dict[str, NDArray[np.float64]]:
    """All that the bot gives, each flat."""
    asked = (situation.observation, situation.mask)
    if hasattr(bot, "answers"):
        given = bot.answers(*asked)
    else:
        given = {"probabilities": bot.probabilities(*asked)}
    return {name: np.ravel(array).astype(np.float64) for name, array in given.items()}


def _why_not_asked(situation: Situation, name: str) -> str | None:
    """Why there is nothing to believe of a name here; None where there is something."""
    game = situation.game
    when = [belief.when for belief in game.beliefs if belief.name == name]
    if not when:
        return "this game has nothing of the kind"
    if not situation.mask[0, game.layout.ids(when[0])].any():
        return "no claim waits for an answer here"
    return None


def _chance(value: float) -> float | None:
    return round(min(1.0, max(0.0, float(value))), DIGITS) if math.isfinite(value) else None


# ---------------------------------------------------------------- pairs of cards


@cache
def _pair_block(layout: Layout) -> ActionBlock | None:
    """The action block whose actions each name two cards, if the game has one."""
    for block in layout.actions:
        if all(re.fullmatch(r"\w+ \w+ \w+", text) for text in block.texts):
            return block
    return None


def _pair_names(situation: Situation) -> list[Pair]:
    def card(word: str) -> int | str:
        return int(word) if word.isdecimal() else word

    block = _pair_block(situation.game.layout)
    words = [text.split()[1:] for text in block.texts] if block is not None else []
    return [(card(low), card(high)) for low, high in words]


def _likeliest(chances: NDArray[np.float64], names: list[Pair]) -> list[tuple[Pair, float]] | None:
    if len(chances) != len(names) or not np.isfinite(chances).all():
        return None
    order = np.argsort(-chances, kind="stable")[:SHOWN_PAIRS]
    return [(names[k], round(float(chances[k]), DIGITS)) for k in order if chances[k] >= LEAST_PAIR]


# ---------------------------------------------------------------- replies


def act(bot: Policy, situation: Situation, question: Question) -> dict[str, Any]:
    """The reply to ``act``: an action drawn from the bot's probabilities, and what it knows.

    The probabilities are those it was drawn from, temperature applied.
    """
    thought = opinion(bot, situation)
    chances = tempered(thought.preferences, question.temperature)
    action = int(choose(chances[None], np.array([_roll(situation, question.seed)]))[0])
    return {
        "bot": bot.name,
        "action": situation.legal[action],
        "action_id": action,
        "probabilities": {text: round(float(chances[a]), 9) for a, text in situation.legal.items()},
        **_knowledge(thought),
    }


def advise(bot: Policy, situation: Situation, question: Question) -> dict[str, Any]:
    """The reply to ``advise``: every legal action, best first, and the same in words.

    Best is the highest win chance where the bot tells it, otherwise what it prefers.
    """
    thought = opinion(bot, situation)
    actions = [_rated(thought, a, text) for a, text in situation.legal.items()]
    actions.sort(key=lambda entry: (-(entry["win"] or 0.0), -entry["preference"]))
    knowledge = _knowledge(thought)
    return {
        "bot": bot.name,
        "best": actions[0]["action"],
        "actions": actions,
        **knowledge,
        "lang": question.lang,
        "words": advice_words(bot.name, actions, knowledge, question.lang),
    }


def _rated(thought: Opinion, action: int, text: str) -> dict[str, Any]:
    win = None if thought.values is None else _chance(thought.values[action])
    preference = round(float(thought.preferences[action]), DIGITS)
    return {"action": text, "action_id": action, "win": win, "preference": preference}


def _knowledge(thought: Opinion) -> dict[str, Any]:
    pairs = thought.pairs
    known = {
        "win": thought.win,
        "lie": thought.lie,
        "pairs": None if pairs is None else [[low, high, p] for (low, high), p in pairs],
    }
    return {**known, "not_told": thought.reasons} if thought.reasons else known


def repair(seen: Seen, act: Any, lang: str) -> dict[str, Any]:
    """The reply to ``repair``: what an act of the seat whose view this is stands for.

    Raises ProtocolError: illegal_action where the game's rules repair nothing, bad_json for a text
    that is no action's.
    """
    if seen.game.repair is None:
        raise ProtocolError("illegal_action", f"the rules of {seen.game.id} repair no acts", "act")
    try:
        found = seen.game.repair(seen.view, act)
    except ValueError:
        allowed = "the text of an action is needed, legal or not"
        raise ProtocolError("bad_json", f"given {shown(act)}; {allowed}", "act") from None
    words = found.words[LANGUAGES.index(lang)]
    return {"acts": list(found.acts), "within": found.within, "lang": lang, "words": words}


def tempered(chances: NDArray[np.float64], temperature: float) -> NDArray[np.float64]:
    """Probabilities float64 (A,) to the power of 1 / temperature, summing to 1.

    At 0 the likeliest action alone is left, the first of several. What is 0 stays 0.
    """
    if temperature == 1.0:
        return chances
    out = np.zeros_like(chances)
    best = int(np.argmax(chances))
    if temperature == 0.0:
        out[best] = 1.0
        return out
    some = chances > 0
    with np.errstate(over="ignore"):  # a tiny temperature makes -inf, whose power is 0, as it must
        out[some] = np.exp(np.log(chances[some] / chances[best]) / temperature)
    return np.asarray(out / out.sum())


def _roll(situation: Situation, seed: int | None) -> float:
    """A number in [0, 1): by chance, or settled by the seed and by what the seat observes.

    The situation is in it so that one seed serves for a whole game.
    """
    if seed is None:
        return float(np.random.default_rng().random())
    seen = hashlib.sha256(f"{situation.game.layout.id} {seed} ".encode())
    seen.update(situation.observation.tobytes())
    seen.update(situation.mask.tobytes())
    return (int.from_bytes(seen.digest()[:8], "big") >> 12) * 2.0**-52
