"""Bots that take part in training, by name and table size.

An entry is what ``make_opponent`` knows: a name, say, or the path of an exported folder. With a
number before it, ``2:runs/duel/bot``, the bot is for tables of that size alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from agents.opponents import make_opponent
from kuku_env.bots import BotError, Policy
from kuku_env.core.game import Game


class Guest(NamedTuple):
    """A bot, and the table size that it is for; None: any."""

    size: int | None
    bot: Policy

    def sits_at(self, size: int) -> bool:
        return self.size in (None, size)


def find_guests(entries: Sequence[str], game: Game, tables: Sequence[Any]) -> list[Guest]:
    """The bots of these entries, in order.

    ``tables`` are the options of the tables in training. Raises BotError for a bot that there is
    not, or that does not play at one of the tables that it is for.
    """
    guests = []
    for entry in entries:
        size, colon, name = entry.partition(":")
        if colon and size.isdecimal():
            guest = Guest(int(size), make_opponent(name, game))
        else:
            guest = Guest(None, make_opponent(entry, game))
        if hasattr(guest.bot, "accepts"):
            for options in tables:
                if guest.sits_at(options.num_players):
                    _check(entry, guest.bot, options)
        guests.append(guest)
    return guests


def _check(entry: str, bot: Any, options: Any) -> None:
    try:
        bot.accepts(options)
    except BotError as error:
        raise BotError(f"{entry!r} cannot take part at every table: {error}") from None
