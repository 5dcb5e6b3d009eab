"""The games: every folder here that defines ``GAME`` is one.

``games()`` finds them; ``find_game`` looks one up by id or short name; ``add_game`` adds one that
lives elsewhere.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from kuku_env.core.game import KNOWN_GAMES, Game


@cache
def _find_all() -> None:
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        if module.ispkg:
            game = importlib.import_module(module.name).GAME
            KNOWN_GAMES[game.id] = game


def games() -> list[Game]:
    """Every known game, in the order of their ids."""
    _find_all()
    return [KNOWN_GAMES[game_id] for game_id in sorted(KNOWN_GAMES)]


def add_game(game: Game) -> None:
    """Make a game known under its id. Raises ValueError if another has that id or name."""
    for known in games():
        if known is not game and (known.id == game.id or known.name == game.name):
            raise ValueError(f"the id {game.id!r} or name {game.name!r} is taken by {known.id!r}")
    KNOWN_GAMES[game.id] = game


def find_game(game: str | Game) -> Game:
    """A game by its id, its short name, or itself. Raises KeyError for an unknown one."""
    if isinstance(game, Game):
        return game
    for known in games():
        if game in (known.id, known.name):
            return known
    raise KeyError(f"unknown game {game!r}; known: {[known.id for known in games()]}")
