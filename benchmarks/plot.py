"""The plot of docs/benchmarks.md: speeds of a recorded run, on a scale of powers of ten."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

OURS, PEERS, LIGHTER = "#0d84c4", "#8c8c8c", "#d6d6d6"
PANELS = {"batch": "batches, one core", "aec": "one game at a time, in Python"}


def speeds_plot(report: Mapping[str, Any]) -> str:
    """SVG. Peers that write less than an observation and a mask every decision are paler."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    panels = {title: _bars(report, group) for group, title in PANELS.items()}
    settings = {"svg.fonttype": "none", "svg.hashsalt": "speeds", "font.size": 9}
    with mpl.rc_context(settings):
        counts = [len(bars) for bars in panels.values()]
        figure = Figure(figsize=(8, 1.4 + 0.26 * sum(counts)), layout="constrained")
        axes = figure.subplots(len(panels), 1, height_ratios=counts, sharex=True)
        for one, (title, bars) in zip(axes, panels.items(), strict=True):
            names, values, colours = zip(*bars, strict=True)
            one.barh(range(len(bars)), values, color=colours)
            one.set_yticks(range(len(bars)), names)
            one.invert_yaxis()
            one.set_xscale("log")
            one.set_title(title, loc="left", fontsize=10)
            one.spines[["top", "right"]].set_visible(False)
            for place, value in enumerate(values):
                one.text(value, place, f" {value:,.0f}", va="center", fontsize=8)
        axes[-1].set_xlabel("decisions a second of CPU time")
        axes[-1].set_xlim(
            left=1e3, right=6 * max(value for bars in panels.values() for _, value, _ in bars)
        )
        out = io.StringIO()
        figure.savefig(out, format="svg", facecolor="white", metadata={"Date": None})
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def _bars(report: Mapping[str, Any], group: str) -> list[tuple[str, float, str]]:
    """Name, speed and colour of everything that was measured in CPU time, the fastest first."""
    found: dict[str, tuple[str, float, str]] = {}
    for row in report["groups"][group]:
        if row["figure"] != "per_cpu_second":
            continue
        for key, figure in (("subject", "ours"), ("beside", "theirs")):
            subject = report["subjects"][row[key]]
            full = subject["writes"].startswith("observation, mask")
            colour = OURS if key == "subject" else PEERS if full else LIGHTER
            if row[figure] is not None:
                found[row[key]] = (subject["title"], row[figure], colour)
    return sorted(found.values(), key=lambda bar: -bar[1])
