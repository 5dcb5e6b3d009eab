"""Plots of a report as SVG that stands in a page: no fonts or files of its own, and the page's
colour of text, so that it reads on light and on dark."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from typing import Any

# Told apart on white and on black, and by most who do not see all colours (after Okabe and Ito).
COLOURS = ("#0d84c4", "#d98200", "#0a9c76", "#cf6da0", "#d65a1f", "#4aa3d9", "#a39b1f", "#8a7fd8")
_TEXT = "#010203"  # stands for the page's colour of text
_WIDTH = 5.4  # inches; narrow, so that words stay readable on a phone


def _settings(name: str) -> Any:
    parts = ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color")
    return {
        **dict.fromkeys(parts, _TEXT),
        "svg.fonttype": "none",
        "svg.hashsalt": name,  # ids differ between the plots of a page, and never between runs
        "font.family": "sans-serif",
        "font.size": 11,
        "axes.spines.top": False,
        "axes.spines.right": False,
    }


def ratings_plot(rows: Sequence[Mapping[str, Any]], name: str) -> str:
    """Elo ratings with their intervals, the strongest above."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(_settings(name)):
        figure = Figure(figsize=(_WIDTH, 0.9 + 0.38 * len(rows)), layout="constrained")
        axes = figure.subplots()
        order = sorted(range(len(rows)), key=lambda k: -rows[k]["elo"]["value"])
        for place, k in enumerate(order):
            elo = rows[k]["elo"]
            ends = [[elo["value"] - elo["low"]], [elo["high"] - elo["value"]]]
            colour = COLOURS[k % len(COLOURS)]
            axes.errorbar([elo["value"]], [place], xerr=ends, fmt="o", capsize=4, color=colour)
        axes.set_yticks(range(len(rows)), [_short(rows[k]["label"]) for k in order])
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.axvline(0, color=_TEXT, linewidth=0.6, alpha=0.5)
        axes.set_xlabel("Elo, 0 is the mean of the bots")
        return _svg(figure)


def seats_plot(seats: Mapping[str, Sequence[Mapping[str, float] | None]], name: str) -> str:
    """Wins per game at every seat, in per cent, with intervals."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    players = len(next(iter(seats.values())))
    with mpl.rc_context(_settings(name)):
        figure = Figure(figsize=(_WIDTH, 3.2), layout="constrained")
        axes = figure.subplots()
        for k, (label, row) in enumerate(seats.items()):
            known = [(seat, share) for seat, share in enumerate(row) if share]
            shift = (k - (len(seats) - 1) / 2) * 0.6 / max(1, len(seats))
            axes.errorbar(
                [seat + shift for seat, _ in known],
                [100 * share["value"] for _, share in known],
                yerr=[
                    [100 * (share["value"] - share["low"]) for _, share in known],
                    [100 * (share["high"] - share["value"]) for _, share in known],
                ],
                fmt="o", markersize=5, capsize=3, color=COLOURS[k % len(COLOURS)],
                label=_short(label),
            )  # fmt: skip
        axes.axhline(100 / players, color=_TEXT, linestyle="--", linewidth=0.8, alpha=0.6)
        axes.set_xticks(range(players), [f"seat {seat}" for seat in range(players)])
        axes.set_ylim(bottom=0)
        axes.set_ylabel("wins, per cent")
        figure.legend(loc="outside upper left", ncols=2, frameon=False, fontsize=10)
        return _svg(figure)


def _short(label: str) -> str:
    return label if len(label) <= 24 else f"{label[:23]}…"


def _svg(figure: Any) -> str:
    out = io.StringIO()
    figure.savefig(out, format="svg", transparent=True, metadata={"Date": None})
    text = out.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r' xmlns(:\w+)?="[^"]*"', "", text)  # HTML knows them
    text = re.sub(r'<svg width="[^"]*" height="[^"]*"', '<svg role="img"', text)
    return text.replace(_TEXT, "currentColor").strip()
