"""Bots by name: ``random``, a game's scripts, shipped bots, or the path of an exported folder."""

from __future__ import annotations

from pathlib import Path

from kuku_env.bots.exported import BotError, ExportedPolicy
from kuku_env.bots.simple import RandomPolicy, ScriptedPolicy
from kuku_env.core.game import Game, Policy
from kuku_env.games import find_game

SHIPPED = Path(__file__).parent / "shipped"


def _shipped(game: Game) -> dict[str, Path]:
    folders = (SHIPPED / game.name).glob("*/bot.json")
    return {path.parent.name: path.parent for path in sorted(folders)}


def bot_names(game: str | Game) -> list[str]:
    """Names of all bots of a game that come with this package."""
    found = find_game(game)
    return ["random", *found.scripted, *_shipped(found)]


def make_policy(bot: str | Path, game: str | Game) -> Policy:
    """A bot by name or folder.

    Raises BotError for an unknown name, a folder without a bot, or a bot of another game or layout.
    """
    found = find_game(game)
    if bot == "random":
        return RandomPolicy(found)
    if bot in found.scripted:
        return ScriptedPolicy(found, str(bot))
    folder = _shipped(found).get(str(bot), Path(bot))
    if not folder.is_dir():
        raise BotError(f"no bot {str(bot)!r}: known are {bot_names(found)}, or an exported folder")
    return ExportedPolicy(folder, found)
