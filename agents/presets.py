"""How long a run may take, and what is particular to training each game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agents.options import Options
from kuku_env.core.game import OptionError
from kuku_env.games import find_game

BUDGETS: dict[str, dict[str, Any]] = {
    # A decent bot in at most five minutes.
    "demo": {"decisions": 15_000_000, "minutes": 5.0},
    # For a bot to ship: half a day on two cores.
    "strong": {"decisions": 100_000_000, "widths": (256, 256), "snapshots": 10},
    # To see that everything works: a bot after half a minute, not a good one.
    "quick": {"decisions": 1_000_000, "minutes": 0.5, "widths": (64, 64)},
}

OF_GAME: dict[str, dict[str, Any]] = {
    "kuku-doubt": {
        "magnet": "scripted-normal",
        "opening_bot": "scripted-easy",
        # Against honest scripts alone it would learn to name pairs so boldly that it loses to play
        # without any sense.
        "rivals": ("scripted-easy", "scripted-normal", *("random",) * 8),
        "rival_share": 0.65,
        # Naming a pair that does not make the claim is a waste. Where it is not allowed there is
        # less to learn; the last variant teaches not to do it where it is.
        "variants": ("see_through=consistent", "see_through=consistent", "see_through=any"),
    },
    "doubt": {
        "magnet": "scripted-normal",
        "rivals": ("scripted-normal", "scripted-easy", "random"),
        "rival_share": 0.5,
        "players": (3, 4, 5, 6),
        "variants": ("preset=kirakuken", "preset=traditional"),
    },
    "liars-cry": {
        "magnet": "scripted-normal",
        "rivals": ("scripted-normal", "scripted-easy", "random"),
        "rival_share": 0.5,
        "players": (3, 4, 5, 6, 7),
    },
}


def told_apart(names: Sequence[str], game: str) -> tuple[str, str | None]:
    """A budget (demo where none is named), and a preset of the game's rules or None, in any order.

    Raises OptionError for an unknown name, or two of a kind.
    """
    rules = sorted(find_game(game).presets)
    found: dict[bool, str] = {}
    for name in names:
        if name not in (*BUDGETS, *rules) or (name in BUDGETS) in found:
            allowed = f"at most one of {', '.join(BUDGETS)}, and one of {', '.join(rules)}"
            raise OptionError("preset", " ".join(names), allowed)
        found[name in BUDGETS] = name
    return found.get(True, "demo"), found.get(False)


def make_options(budget: str, game: str = "kuku-doubt", preset: str | None = None) -> Options:
    """The options of a budget for a game, by a preset of its rules where one is given.

    Raises KeyError for an unknown budget.
    """
    settings = {"game": game, **OF_GAME.get(game, {}), **BUDGETS[budget]}
    if preset is not None:
        settings["variants"] = (f"preset={preset}",)
    return Options(**settings)
