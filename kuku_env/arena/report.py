"""What an evaluation leaves behind: ``results.json`` with every number, and a plot."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import io
import json
import math
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kuku_env import __version__
from kuku_env.arena.external import Player
from kuku_env.arena.files import write_file
from kuku_env.arena.match import MatchResult
from kuku_env.arena.statistics import Share, head_to_head, standings

FORMAT = 1


def match_report(result: MatchResult) -> dict[str, Any]:
    """All figures of a match as plain JSON."""
    return {
        "num_players": result.plan.num_players,
        "games": result.plan.games,
        "deals": result.plan.num_deals,
        "decisions_per_game": float(result.decisions.mean()),
        "truncated_games": int(result.truncated.sum()),
        "forfeits": [dataclasses.asdict(forfeit) for forfeit in result.forfeits],
        "rules": dataclasses.asdict(result.options),
        "bots": [dataclasses.asdict(standing) for standing in standings(result)],
        "head_to_head": _matrix(result),
        "style": style_report(result),
    }


def style_report(result: MatchResult) -> dict[str, Any]:
    """By bot: decisions, and for each action block how often it was possible and chosen."""
    style, rates, held = result.style, result.style.rates(), result.plan.line_ups
    report = {}
    for bot, label in enumerate(result.labels):
        blocks = {
            block: {
                "possible": int(style.possible[bot, k]),
                "chosen": int(style.chosen[bot, k]),
                "rate": None if math.isnan(rates[bot, k]) else float(rates[bot, k]),
            }
            for k, block in enumerate(style.blocks)
        }
        report[label] = {
            "decisions": int(style.decisions[bot]),
            "decisions_per_seat": float(style.decisions[bot] / (held == bot).sum()),
            "blocks": blocks,
        }
    return report


def _matrix(result: MatchResult) -> dict[str, dict[str, Any]]:
    def plain(share: Share | None) -> dict[str, float] | None:
        return None if share is None else dataclasses.asdict(share)

    rows = zip(result.labels, head_to_head(result), strict=True)
    return {
        label: {other: plain(share) for other, share in zip(result.labels, row, strict=True)}
        for label, row in rows
    }


def bot_report(label: str, given: str, policy: Player) -> dict[str, Any]:
    """Which bot this was: its label, how it was asked for, and an exported one's SHA-256."""
    card: Mapping[str, Any] = getattr(policy, "card", {})
    return {"label": label, "given": given, "name": policy.name, "sha256": card.get("sha256")}


def versions() -> dict[str, str]:
    """Versions of what the numbers rest on."""
    libraries = ("numpy", "numba", "onnxruntime")
    found = {name: importlib.metadata.version(name) for name in libraries}
    return {"kuku-env": __version__, "python": platform.python_version(), **found}


def save(
    folder: Path, facts: Mapping[str, Any], results: Sequence[MatchResult],
    mirrors: Sequence[MatchResult] = (),
) -> None:  # fmt: skip
    """Write ``results.json`` (``facts``, every match, every self-play match) and ``shares.png``."""
    report = {
        "format": FORMAT,
        **facts,
        "versions": versions(),
        "matches": [match_report(result) for result in results],
        "self_play": [self_play_report(result) for result in mirrors],
    }
    text = json.dumps(report, indent=1, allow_nan=False, ensure_ascii=False) + "\n"
    picture = plot(results) if results else None
    folder.mkdir(parents=True, exist_ok=True)
    write_file(folder / "results.json", text.encode())
    if picture is not None:
        write_file(folder / "shares.png", picture)


def self_play_report(result: MatchResult) -> dict[str, Any]:
    """What there is to tell of one bot in all seats."""
    whole = match_report(result)
    return {key: whole[key] for key in whole if key not in ("bots", "head_to_head")}


def plot(results: Sequence[MatchResult]) -> bytes:
    """A PNG picture: wins per seat held against the fair share, a panel for each match."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    bots = max(len(result.labels) for result in results)
    figure = Figure(figsize=(2 + 3.6 * len(results), 1.6 + 0.4 * bots), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(1, len(results), sharey=True, squeeze=False)[0]
    for axes, result in zip(panels, results, strict=True):
        _panel(axes, result)
    panels[0].set_ylim(bots - 0.5, -0.5)
    figure.suptitle(f"{results[0].game.id}: wins per seat held, 95 % intervals")
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=150)
    return out.getvalue()


def _panel(axes: Any, result: MatchResult) -> None:
    fair = 1 / result.plan.num_players
    axes.axvline(100 * fair, color="0.5", linestyle="--", linewidth=1)
    for row, standing in enumerate(standings(result)):
        share = standing.share
        error = [[100 * (share.value - share.low)], [100 * (share.high - share.value)]]
        axes.errorbar([100 * share.value], [row], xerr=error, fmt="o", capsize=4)
    axes.set_yticks(range(len(result.labels)), result.labels)
    axes.set_xlim(left=0)
    axes.set_xlabel("per cent")
    axes.set_title(f"{result.plan.num_players} players, fair: {100 * fair:.1f} %", fontsize=10)
    axes.grid(axis="x", alpha=0.3)
