"""How long a run may take, and what is particular to training each game."""

from __future__ import annotations

from typing import Any

from agents.options import Options

BUDGETS: dict[str, dict[str, Any]] = {
    # A decent bot in at most five minutes.
    "demo": {"decisions": 15_000_000, "minutes": 5.0},
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


def make_options(budget: str, game: str = "kuku-doubt", preset: str | None = None) -> Options:
    """The options of a budget for a game, by a preset of its rules where one is given.

    Raises KeyError for an unknown budget.
    """
    settings = {"game": game, **OF_GAME.get(game, {}), **BUDGETS[budget]}
    if preset is not None:
        settings["variants"] = (f"preset={preset}",)
    return Options(**settings)
