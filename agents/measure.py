"""Quick figures of a bot in the making: shares of wins, and what it does among its equals.

``evaluate.py`` gives the thorough ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kuku_env.arena import play_match, self_play, standings
from kuku_env.core.game import Game, Policy


def win_shares(
    game: Game,
    bot: Policy,
    others: Sequence[Policy],
    sizes: Sequence[int],
    games: int,
    *,
    seed: int,
    threads: int,
    **rules: Any,
) -> list[dict[str, Any]]:
    """How often one ``bot`` wins at tables of each of the others, by table size.

    ``rules``: options of the tables. Each figure as plain JSON: ``against``, ``players``,
    ``games``, ``wins`` (share of the games, to be held against 1/players), ``low`` and ``high``
    (its 95 % interval).
    """
    figures = []
    for size in sizes:
        for other in others:
            result = play_match(
                game, [bot, other], size, games, seed, labels=["bot", "others"],
                teams=[(0, *(1,) * (size - 1))], threads=threads, **rules,
            )  # fmt: skip
            share = standings(result)[0].share
            figures.append(
                {
                    "against": other.name,
                    "players": size,
                    "games": result.plan.games,
                    "wins": round(share.value, 4),
                    "low": round(share.low, 4),
                    "high": round(share.high, 4),
                }
            )
    return figures


def choice_rates(
    game: Game, bot: Policy, sizes: Sequence[int], games: int, *, seed: int, threads: int
) -> list[dict[str, Any]]:
    """How often a bot chooses each kind of action where it may, in games against itself.

    As plain JSON by table size: ``players``, ``games``, ``rates`` (by kind of action, of those that
    it ever passed over for another), ``decisions`` (a game).
    """
    figures = []
    for size in sizes:
        result = self_play(game, bot, size, games, seed, threads=threads)
        style = result.style
        kinds = zip(style.blocks, style.rates()[0], style.contested(), strict=True)
        figures.append(
            {
                "players": size,
                "games": result.plan.games,
                "rates": {kind: round(float(rate), 4) for kind, rate, told in kinds if told},
                "decisions": round(float(result.decisions.mean()), 2),
            }
        )
    return figures
