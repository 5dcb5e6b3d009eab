"""Requests, checked: what is asked, of which bot, in which situation."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kuku_env.core.checks import ViewError, shown
from kuku_env.core.encoder import ViewEncoder
from kuku_env.core.game import Game, OptionError
from kuku_env.envs.words import LANGUAGES
from kuku_env.games import find_game, games
from kuku_env.protocol.keys import view_keys
from kuku_env.protocol.wire import ProtocolError

LARGEST = 2**53 - 1  # integers up to here are exact in every JSON reader
MAX_TEMPERATURE = 100.0
MAX_NAME = 200  # characters of an id, or of a bot's name

_ASKING = ("bot", "level", "view", "events", "seed", "temperature", "lang")
_KEYS = {
    "hello": (),
    "act": _ASKING,
    "advise": _ASKING,
    "repair": ("view", "events", "act", "lang"),
    "new": ("game", "rules", "seats", "seed"),
    "play": ("table", "decision", "action"),
    "now": ("table", "seat"),
    "quit": (),
}
OPS = tuple(_KEYS)
HELD = ("new", "play", "now")  # about games that the server holds


@dataclass(frozen=True)
class Seen:
    """What one seat knows of a table, whether it has a decision to make or not: ``observation``
    int8 (1, D), ``mask`` int8 (1, A)."""

    game: Game
    options: Any
    view: Mapping[str, Any]
    observation: NDArray[np.int8]
    mask: NDArray[np.int8]


@dataclass(frozen=True)
class Situation(Seen):
    """A decision of one seat: its legal actions, ids to texts, ascending."""

    legal: Mapping[int, str]


@dataclass(frozen=True)
class Question:
    """An ``act`` or ``advise`` request but for its situation; ``seed`` None: by chance."""

    bot: str | None
    level: str | None
    seed: int | None
    temperature: float
    lang: str


def read_id(request: Any) -> str | int | None:
    """The request's id, which every reply repeats. Raises ProtocolError (bad_json)."""
    if not isinstance(request, dict):
        raise ProtocolError("bad_json", f"a request is a JSON object, given {shown(request)}")
    given = request.get("id")
    if given is None or (isinstance(given, str) and len(given) <= MAX_NAME):
        return given
    if type(given) is int and abs(given) <= LARGEST:
        return given
    allowed = f"a string of at most {MAX_NAME} characters, an integer of at most 53 bits, or null"
    raise ProtocolError("bad_json", f"given {shown(given)}, allowed: {allowed}", "id")


def read_op(request: Mapping[str, Any]) -> str:
    """What is asked for; no other keys than that request has. Raises ProtocolError."""
    op = request.get("op")
    if not isinstance(op, str) or op not in OPS:
        raise ProtocolError("unknown_op", f"given {shown(op)}, allowed: {', '.join(OPS)}", "op")
    known = ("id", "op", *_KEYS[op])
    for key in request:
        if key not in known:
            words = f"the key {shown(key)} is not known; {op} has {', '.join(known)}"
            raise ProtocolError("bad_json", words)
    return op


def read_question(request: Mapping[str, Any]) -> Question:
    """The members beside the situation. Raises ProtocolError (bad_json, unknown_bot)."""
    bot, level = request.get("bot"), request.get("level")
    for key, name in (("bot", bot), ("level", level)):
        if name is not None and (not isinstance(name, str) or len(name) > MAX_NAME):
            raise ProtocolError("unknown_bot", f"given {shown(name)}, a name is needed", key)
    if bot is not None and level is not None:
        raise ProtocolError("unknown_bot", "give either bot or level", "level")
    seed = request.get("seed")
    seed = None if seed is None else read_number("seed", seed)
    heat = request.get("temperature")
    heat = 1.0 if heat is None else heat
    is_number = type(heat) in (int, float) and 0 <= heat <= MAX_TEMPERATURE
    if not is_number or not math.isfinite(heat):
        raise bad_member("temperature", heat, f"a number from 0 to {MAX_TEMPERATURE:g}")
    return Question(bot, level, seed, float(heat), read_lang(request))


def read_lang(request: Mapping[str, Any]) -> str:
    """The language of ``words``. Raises ProtocolError (bad_json)."""
    lang = request.get("lang")
    lang = "en" if lang is None else lang
    if not isinstance(lang, str) or lang not in LANGUAGES:
        raise bad_member("lang", lang, " or ".join(LANGUAGES))
    return lang


def read_number(key: str, value: Any) -> int:
    """A member that is a whole number. Raises ProtocolError (bad_json)."""
    if type(value) is int and 0 <= value <= LARGEST:
        return value
    raise bad_member(key, value, "an integer from 0 to 2^53 - 1")


def read_text(key: str, value: Any) -> str:
    """A member that is a short text. Raises ProtocolError (bad_json)."""
    if isinstance(value, str) and 0 < len(value) <= MAX_NAME:
        return value
    raise bad_member(key, value, f"a text of 1 to {MAX_NAME} characters")


def bad_member(key: str, value: Any, allowed: str) -> ProtocolError:
    """The error of a member that has a wrong value."""
    return ProtocolError("bad_json", f"given {shown(value)}, allowed: {allowed}", key)


def read_situation(request: Mapping[str, Any]) -> Situation:
    """The decision that a request's ``view`` or ``events`` describe.

    Raises ProtocolError as ``read_seen`` does, and illegal_action where the seat is not asked to
    decide anything.
    """
    seen = read_seen(request)
    game, seat, players = seen.game, seen.view["seat"], seen.options.num_players
    if not seen.mask.any():
        raise ProtocolError("illegal_action", f"seat {seat} has no decision to make here")
    legal = np.flatnonzero(seen.mask[0])
    texts = {int(a): game.telling.action_text(int(a), seat, players) for a in legal}
    return Situation(**vars(seen), legal=texts)


def read_seen(request: Mapping[str, Any]) -> Seen:
    """What a request's ``view`` or ``events`` tell of a table.

    Raises ProtocolError (bad_view) with the path of what is wrong.
    """
    given, events = request.get("view"), request.get("events")
    if (given is None) == (events is None):
        raise ProtocolError("bad_view", "give either view or events", "view")
    try:
        game, view = _view(given) if events is None else _view_of_events(events)
        options = _options(game, view.get("rules"))
        if events is None:
            view_keys(game.id).check(view)
        encoder = _encoder(game.id)
        observation, mask = encoder.observation(view), encoder.action_mask(view)
    except ViewError as error:
        raise ProtocolError("bad_view", error.message, error.field) from None
    if mask.any() and view.get("to_act", view["seat"]) != view["seat"]:
        words = f"given actions, but seat {view['seat']} is not the one to act"
        raise ProtocolError("bad_view", words, "legal")
    return Seen(game, options, view, observation[None], mask[None])


@cache
def _encoder(game_id: str) -> ViewEncoder:
    return ViewEncoder(find_game(game_id).layout.to_json())


def _view(view: Any) -> tuple[Game, Mapping[str, Any]]:
    if not isinstance(view, dict):
        raise ViewError("view", f"given {shown(view)}, an object is needed")
    return _game("game", view), view


def _view_of_events(events: Any) -> tuple[Game, Mapping[str, Any]]:
    if not isinstance(events, list) or not events or not isinstance(events[0], dict):
        raise ViewError("events", "a list of events is needed, the game event first")
    game = _game("events[0].game", events[0])
    return game, game.telling.view_of_stream(events)


def _game(path: str, holder: Mapping[str, Any]) -> Game:
    given = holder.get("game")
    if isinstance(given, str) and given in [game.id for game in games()]:
        return find_game(given)
    known = ", ".join(game.id for game in games())
    raise ViewError(path, f"given {shown(given)}, allowed: {known}")


def _options(game: Game, rules: Any) -> Any:
    """The table's options, all of which must be given."""
    if not isinstance(rules, dict):
        raise ViewError("rules", f"given {shown(rules)}, an object is needed")
    names = [field.name for field in dataclasses.fields(game.options)]
    for name in names:
        if name not in rules:
            raise ViewError(f"rules.{name}", "is missing")
    for name in rules:
        if name not in names:
            raise ViewError("rules", f"given {shown(name)}, which is no option of {game.id}")
    try:
        return game.make_options(**rules)
    except OptionError as error:
        given = f"given {shown(error.value)}, allowed: {error.allowed}"
        raise ViewError(f"rules.{error.name}", given) from None


def known_games(chosen: Sequence[Game]) -> list[dict[str, Any]]:
    """What ``hello`` tells of games."""
    return [
        {
            "game": game.id,
            "name": game.name,
            "layout": game.layout.id,
            "players": table_sizes(game),
            "presets": dict(game.presets),
            "rules": dataclasses.asdict(game.make_options()),
        }
        for game in chosen
    ]


def table_sizes(game: Game) -> list[int]:
    """Numbers of players that the game can have."""
    return list(range(game.min_players, game.max_players + 1))
