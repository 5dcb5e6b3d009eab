"""The bots that a server offers: by name, or by level."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Lock
from typing import Any

from kuku_env.bots import BotError, ExportedPolicy, bot_names, make_policy
from kuku_env.core.checks import shown
from kuku_env.core.game import Game, Policy
from kuku_env.games import games
from kuku_env.protocol.request import table_sizes
from kuku_env.protocol.wire import ProtocolError

LEVELS = ("easy", "normal", "strong")


class Bots:
    """All bots that come with the package, and exported folders given by whoever starts the server.

    A request names a bot, never a path. Networks are loaded when first asked for. ``default`` is
    who answers a request that names nobody. Raises BotError for a folder without a good bot, or one
    whose name is taken, or a default that is no bot.
    """

    def __init__(self, folders: Sequence[str | Path] = (), default: str | None = None) -> None:
        self._lock = Lock()
        self._loaded: dict[tuple[str, str], Policy] = {}
        self._packaged: dict[str, list[str]] = {}  # by game: looked up on the disk once
        self._levels: dict[str, list[tuple[str, Policy, str | None]]] = {}  # by game, once asked
        self.default = default
        for folder in folders:
            bot = ExportedPolicy(folder)
            if bot.name in self.names(bot.game):
                raise BotError(f"{folder}: there is already a bot called {bot.name!r}")
            self._loaded[bot.game.id, bot.name] = bot
        if default is not None and not any(default in self.names(game) for game in games()):
            raise BotError(f"no bot is called {default!r}")

    def names(self, game: Game) -> list[str]:
        """Names of all bots of a game."""
        more = [name for known, name in self._loaded if known == game.id]
        if game.id not in self._packaged:
            self._packaged[game.id] = bot_names(game)
        return list(dict.fromkeys([*self._packaged[game.id], *more]))

    def find(self, game: Game, name: str) -> Policy:
        """A bot by its name. Raises ProtocolError (unknown_bot)."""
        if name not in self.names(game):
            known = ", ".join(self.names(game))
            raise ProtocolError("unknown_bot", f"given {shown(name)}; {game.id} has {known}", "bot")
        return self._load(game, name)

    def of_level(self, game: Game, level: str) -> Policy:
        """The first bot of a level. Raises ProtocolError (unknown_bot)."""
        if level not in LEVELS:
            allowed = f"given {shown(level)}, allowed: {', '.join(LEVELS)}"
            raise ProtocolError("unknown_bot", allowed, "level")
        for _, bot, its_level in self.levels(game):
            if its_level == level:
                return bot
        raise ProtocolError("unknown_bot", f"{game.id} has no bot of level {level}", "level")

    def best(self, game: Game, options: Any) -> Policy:
        """The bot of the highest level that plays at a table with these options."""
        fit = [entry for entry in self.levels(game) if accepts(entry[1], options)]
        ranks = [LEVELS.index(level) if level is not None else -1 for _, _, level in fit]
        return fit[ranks.index(max(ranks))][1]

    def asked_for(self, game: Game, options: Any, name: str | None, level: str | None) -> Policy:
        """Whom a request means; raises as the others do."""
        if level is not None:
            return self.of_level(game, level)
        name = self.default if name is None else name
        return self.best(game, options) if name is None else self.find(game, name)

    def seated(self, game: Game, name: str, options: Any, field: str) -> Policy:
        """A bot by level or name, for a seat at a table with these options.

        Raises ProtocolError (unknown_bot, wrong_rules), with the field of the request.
        """
        find = self.of_level if name in LEVELS else self.find
        try:
            bot = find(game, name)
            check_table(bot, options)
        except ProtocolError as error:
            raise ProtocolError(error.code, error.message, field) from None
        return bot

    def levels(self, game: Game) -> list[tuple[str, Policy, str | None]]:
        """Every bot of a game by name, with its level; trained ones first, among them added ones.

        A trained bot's is what its ``bot.json`` says, a script's the end of its name. Where no bot
        says that it is strong, trained ones that say nothing are: they are the best there is.
        """
        if game.id not in self._levels:
            self._levels[game.id] = self._leveled(game)
        return self._levels[game.id]

    def _leveled(self, game: Game) -> list[tuple[str, Policy, str | None]]:
        bots = [(name, self._load(game, name)) for name in self.names(game)]
        packaged = self._packaged[game.id]
        bots.sort(key=lambda entry: (not hasattr(entry[1], "card"), entry[0] in packaged))
        said = [_level(bot) for _, bot in bots]
        silent = None if "strong" in said else "strong"
        return [
            (name, bot, silent if level is None and hasattr(bot, "card") else level)
            for (name, bot), level in zip(bots, said, strict=True)
        ]

    def listed(self) -> list[dict[str, Any]]:
        """What ``hello`` tells of every bot."""
        return [entry for game in games() for entry in self._entries(game)]

    def _entries(self, game: Game) -> Iterator[dict[str, Any]]:
        for name, bot, level in self.levels(game):
            card = getattr(bot, "card", {})
            rules = card.get("rules", {})
            yield {
                "name": name,
                "game": game.id,
                "players": rules.get("num_players", table_sizes(game)),
                "level": level,
                "strength": card.get("strength"),
                "rules": rules,
                "gives": ["probabilities", *getattr(bot, "outputs", ())],
            }

    def _load(self, game: Game, name: str) -> Policy:
        with self._lock:
            if (game.id, name) not in self._loaded:
                self._loaded[game.id, name] = make_policy(name, game)
            return self._loaded[game.id, name]


def check_table(bot: Any, options: Any) -> None:
    """Raise ProtocolError (wrong_rules) unless a bot plays at a table with these options."""
    if hasattr(bot, "accepts"):
        try:
            bot.accepts(options)
        except BotError as error:
            raise ProtocolError("wrong_rules", str(error), "rules") from None


def accepts(bot: Any, options: Any) -> bool:
    """Whether a bot plays at a table with these options."""
    try:
        check_table(bot, options)
    except ProtocolError:
        return False
    return True


def _level(bot: Policy) -> str | None:
    if hasattr(bot, "card"):
        level = bot.card.get("level")
    else:
        level = bot.name.rpartition("-")[2]
    return level if level in LEVELS else None
