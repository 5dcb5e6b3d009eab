"""Doubt, version 0, by PettingZoo's convention: ``env()`` and ``raw_env()``."""

from __future__ import annotations

from typing import Any

from kuku_env.envs.aec import BluffingEnv


def env(
    num_players: int = 4,
    preset: str | None = None,
    render_mode: str | None = None,
    **options: Any,
) -> BluffingEnv:
    """One game of Doubt as an AEC environment; options as in docs/doubt.md.

    With a preset, its number of players stands unless another than 4 is asked for. Nothing is
    wrapped: all checks are inside. Raises OptionError for a value that is not allowed.
    """
    if preset is None or num_players != 4:
        options["num_players"] = num_players
    return BluffingEnv("kuku/Doubt-v0", preset=preset, render_mode=render_mode, **options)


raw_env = env
