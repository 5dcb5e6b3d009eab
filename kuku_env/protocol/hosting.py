"""Requests about games that the server holds: ``new`` deals one, ``play`` acts, ``now`` looks."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from typing import Any

from kuku_env.core.checks import shown
from kuku_env.core.game import Game, OptionError
from kuku_env.games import find_game, games
from kuku_env.protocol.request import MAX_NAME, bad_member, read_number, read_text
from kuku_env.protocol.table import KEY_BYTES
from kuku_env.protocol.tables import Tables
from kuku_env.protocol.wire import ProtocolError

MOST_SEATS = 16  # no table here has more
MOST_DECISIONS = 5000  # in a held game: each reply tells all of it, and all are kept


def host(tables: Tables, op: str, request: Mapping[str, Any]) -> dict[str, Any]:
    """The reply to a request. Raises ProtocolError."""
    if op == "new":
        return _new(tables, request)
    name = read_text("table", request.get("table"))
    if op == "play":
        decision = read_number("decision", request.get("decision"))
        action = read_text("action", request.get("action"))
        with tables.at(name) as table:
            tables.act(name, table, decision, action)
            return {"table": name, **table.update()}
    given = request.get("seat")
    seat = None if given is None else read_number("seat", given)
    with tables.at(name) as table:
        return {"table": name, **table.update(seat)}


def _new(tables: Tables, request: Mapping[str, Any]) -> dict[str, Any]:
    game, seats = _game(request.get("game")), _seats(request.get("seats"))
    options = _options(game, request.get("rules"), seats)
    seed = request.get("seed")
    if seed is None:
        key = secrets.token_bytes(KEY_BYTES)
    else:
        words = f"{read_number('seed', seed)}".encode()
        key = hashlib.blake2b(words, digest_size=KEY_BYTES).digest()
    sitting = [None] * options.num_players if seats is None else seats
    name, table = tables.new(game, options, sitting, key)
    return {"table": name, **table.update()}


def _game(given: Any) -> Game:
    try:
        return find_game(given)
    except KeyError:
        known = ", ".join(game.name for game in games())
        raise bad_member("game", given, known) from None


def _seats(given: Any) -> list[str | None] | None:
    if given is None:
        return None
    if isinstance(given, list) and 0 < len(given) <= MOST_SEATS:
        if all(one is None or (isinstance(one, str) and len(one) <= MAX_NAME) for one in given):
            return given
    raise bad_member("seats", given, "a list of bots' names or levels, null for an open seat")


def _options(game: Game, rules: Any, seats: list[str | None] | None) -> Any:
    """The table's options: the game's own but for those given; as many players as there are seats.

    Raises ProtocolError (bad_json, wrong_rules).
    """
    rules = {} if rules is None else rules
    if not isinstance(rules, dict):
        raise bad_member("rules", rules, "an object of options")
    size = {} if seats is None else {"num_players": len(seats)}
    try:
        options = game.make_options(**{**size, **rules})
        length = getattr(options, "max_decisions", 0)
        if length > MOST_DECISIONS:
            raise OptionError("max_decisions", length, f"at most {MOST_DECISIONS} in a held game")
    except OptionError as error:
        given = f"given {shown(error.value)}, allowed: {error.allowed}"
        raise ProtocolError("wrong_rules", given, f"rules.{error.name}") from None
    return options
