"""What a server plays: the game and its rules, and who may sit at its tables."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from kuku_env.bots import ExportedPolicy
from kuku_env.core.game import Game, OptionError
from kuku_env.protocol import LEVELS, Bots, ProtocolError

SEAT = 0  # the player's; who starts is drawn


class House:
    """The rules of all games here, and the bots.

    ``lineups``: who may sit in the other seats, in turn, each by level or name; the first is the
    default. Without any, every level that the game has, the best first. ``players``: the table size
    that is proposed. ``in_browser``: exported bots are asked by the page, which then sees the views
    of their seats.

    Raises OptionError or KeyError for rules that are none, ProtocolError for a bot that is none or
    does not play by them.
    """

    def __init__(
        self,
        game: Game,
        bots: Bots,
        *,
        preset: str | None = None,
        rules: Mapping[str, Any] | None = None,
        players: int | None = None,
        lineups: Sequence[Sequence[str]] = (),
        in_browser: bool = False,
    ) -> None:
        self.game, self.bots, self.in_browser = game, bots, in_browser
        self._preset, self._rules = preset, dict(rules or {})
        asked = {} if players is None else {"num_players": players}
        options = game.make_options(preset, **{**self._rules, **asked})
        self.players = int(options.num_players)
        self.sizes = [n for n in range(2, game.max_players + 1) if self._fits(n)]
        found = {level for _, _, level in bots.levels(game)}
        levels = [[level] for level in reversed(LEVELS) if level in found]
        named = [list(lineup) for lineup in lineups]
        self.lineups = [*named, *(level for level in levels if level not in named)]
        for name in self.lineups[0]:
            bots.seated(game, name, options, "bots")

    def choices(self) -> dict[str, Any]:
        """What the page may offer for a new game."""
        return {
            "game": self.game.id,
            "players": self.sizes,
            "default_players": self.players,
            "bots": self.lineups,
            "start": self._has_start(),
        }

    def options(self, players: int | None, me_first: bool) -> Any:
        """The options of a new table. Raises ProtocolError (wrong_rules)."""
        more: dict[str, Any] = {} if players is None else {"num_players": players}
        more |= {"first_player": SEAT} if me_first and self._has_start() else {}
        try:
            size = {"num_players": self.players}
            return self.game.make_options(self._preset, **{**self._rules, **size, **more})
        except OptionError as error:
            field = "players" if error.name == "num_players" else error.name
            raise ProtocolError("wrong_rules", str(error), field) from None

    def folder(self, name: str) -> Any:
        """The folder of an exported bot that the page may ask, by its name; None: it may not."""
        if not self.in_browser or name not in self.bots.names(self.game):
            return None
        bot = self.bots.find(self.game, name)
        return bot.folder if isinstance(bot, ExportedPolicy) else None

    def _has_start(self) -> bool:
        return any(f.name == "first_player" for f in dataclasses.fields(self.game.options))

    def _fits(self, players: int) -> bool:
        try:
            self.game.make_options(self._preset, **{**self._rules, "num_players": players})
        except OptionError:
            return False
        return True
