"""Learning curves over several seeds, from the TensorBoard files of runs:

    python -m agents.curves runs/seed-* --out docs/curves.svg

The runs differ in their seed alone. For each table size and each script that they were measured
against: the share of wins by decisions, the mean of the runs as a line, Student's 95 % interval of
that mean as a band, each run as a thin line. What the curves end with is printed as a table.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tyro
from numpy.typing import NDArray
from scipy.stats import t as student
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

Points = NDArray[np.float64]  # (N, 2): decisions, ascending, and the share of wins
_TAG = re.compile(r"wins_(?P<players>\d+)_players/(?P<against>.+)")
_PLACES = 101  # of a curve, where runs were measured at different numbers of decisions
_COLOURS = ("#0d84c4", "#d98200", "#0a9c76", "#cf6da0", "#d65a1f")


class CurvesError(ValueError):
    """Runs that give no common curve."""


@dataclass(frozen=True)
class Curve:
    """One measurement over all runs: ``decisions`` (P,), ``shares`` (runs, P), wins as shares."""

    players: int
    against: str
    decisions: NDArray[np.float64]
    shares: NDArray[np.float64]

    @property
    def mean(self) -> NDArray[np.float64]:
        return self.shares.mean(0)

    @property
    def margin(self) -> NDArray[np.float64]:
        """Half of the 95 % interval of the mean, (P,); of a single run there is none: NaN."""
        runs = len(self.shares)
        if runs < 2:
            return np.full(self.shares.shape[1], np.nan)
        return student.ppf(0.975, runs - 1) * self.shares.std(0, ddof=1) / np.sqrt(runs)


def read_run(folder: Path) -> dict[tuple[int, str], Points]:
    """What a run measured, by table size and opponent.

    A run that was resumed began again at a checkpoint: points that lie beyond it and were written
    before are dropped. Raises CurvesError where no shares of wins were written.
    """
    events = EventAccumulator(str(folder), size_guidance={"scalars": 0})
    if folder.is_dir():
        events.Reload()
    found = {}
    for tag in events.Tags().get("scalars", []):
        if named := _TAG.fullmatch(tag):
            told = sorted(events.Scalars(tag), key=lambda event: event.wall_time)
            kept: list[tuple[float, float]] = []
            for event in reversed(told):
                if not kept or event.step < kept[-1][0]:
                    kept.append((event.step, event.value))
            found[int(named["players"]), named["against"]] = np.array(kept[::-1], float)
    if not found:
        raise CurvesError(f"{folder} holds no measurements of a run (tags wins_N_players/BOT)")
    return found


def common_curves(folders: Sequence[Path]) -> list[Curve]:
    """The curves of what all runs measured, over the decisions that all of them cover.

    Raises CurvesError where they measured nothing in common, or at no common time.
    """
    runs = [read_run(folder) for folder in folders]
    shared = [key for key in runs[0] if all(key in run for run in runs)]
    if not shared:
        told = "; ".join(
            f"{folder}: {sorted(run)}" for folder, run in zip(folders, runs, strict=True)
        )
        raise CurvesError(f"the runs measured nothing in common: {told}")
    curves = []
    for key in sorted(shared):
        points = [run[key] for run in runs]
        first, last = max(p[0, 0] for p in points), min(p[-1, 0] for p in points)
        if first > last:
            raise CurvesError(f"{key[1]} at {key[0]} players was never measured at a common time")
        at = np.linspace(first, last, _PLACES)
        shares = np.array([np.interp(at, p[:, 0], p[:, 1]) for p in points])
        curves.append(Curve(*key, at, shares))
    return curves


def draw(curves: Sequence[Curve]) -> Any:
    """A matplotlib figure with a panel for each table size."""
    from matplotlib.figure import Figure

    sizes = sorted({curve.players for curve in curves})
    bots = sorted({curve.against for curve in curves})
    figure = Figure(figsize=(4.2 * len(sizes), 3.6), layout="constrained")
    panels = np.atleast_1d(figure.subplots(1, len(sizes)))
    for panel, players in zip(panels, sizes, strict=True):
        for curve in (c for c in curves if c.players == players):
            colour = _COLOURS[bots.index(curve.against) % len(_COLOURS)]
            millions, mean = curve.decisions / 1e6, 100 * curve.mean
            panel.plot(millions, 100 * curve.shares.T, color=colour, linewidth=0.5, alpha=0.4)
            panel.plot(millions, mean, color=colour, label=f"against {curve.against}")
            margin = 100 * curve.margin
            panel.fill_between(millions, mean - margin, mean + margin, color=colour, alpha=0.2)
        panel.axhline(100 / players, color="black", linestyle="--", linewidth=0.8, alpha=0.6)
        panel.set_title(f"{players} players", loc="left", fontsize=10)
        panel.set_xlabel("million decisions")
        panel.set_ylim(bottom=0)
        panel.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("wins of one bot, per cent")
    handles, labels = panels[0].get_legend_handles_labels()
    side_by_side = len(bots) if len(sizes) > 1 else 1  # one panel is too narrow for it
    figure.legend(handles, labels, loc="outside upper left", ncols=side_by_side, frameon=False)
    return figure


def table(curves: Sequence[Curve]) -> str:
    """What the curves end with, as Markdown."""
    lines = ["| players | against | runs | decisions | wins | 95 % interval |"]
    lines += ["|---:|---|---:|---:|---:|---:|"]
    for curve in curves:
        mean, margin = 100 * curve.mean[-1], 100 * curve.margin[-1]
        interval = "–" if np.isnan(margin) else f"{mean - margin:.1f} – {mean + margin:.1f}"
        lines.append(
            f"| {curve.players} | {curve.against} | {len(curve.shares)}"
            f" | {curve.decisions[-1]:,.0f} | {mean:.1f} % | {interval} |"
        )
    return "\n".join(lines)


def save(figure: Any, out: Path) -> None:
    """Write a figure, SVG or PNG by the name's ending, whole or not at all."""
    import matplotlib as mpl

    out.parent.mkdir(parents=True, exist_ok=True)
    part = out.with_name(f"{out.name}.part")
    settings = {"svg.fonttype": "none", "svg.hashsalt": out.name}
    kind = out.suffix[1:]
    metadata = {"Date": None} if kind == "svg" else {}
    with mpl.rc_context(settings):
        figure.savefig(part, format=kind, facecolor="white", dpi=150, metadata=metadata)
    part.replace(out)


@dataclass(frozen=True)
class Command:
    runs: tyro.conf.Positional[tuple[Path, ...]]
    """Folders of runs that differ in their seed alone."""
    out: Annotated[Path, tyro.conf.arg(metavar="FILE")]
    """Where to write the plot: .svg or .png."""


def main() -> int:
    command = tyro.cli(Command, description=__doc__)
    try:
        if command.out.suffix not in (".svg", ".png"):
            raise CurvesError(f"--out was given {command.out}; allowed: a name ending .svg or .png")
        if not command.runs:
            raise CurvesError("no runs were given")
        curves = common_curves(command.runs)
        save(draw(curves), command.out)
    except (CurvesError, OSError) as error:
        print(f"agents.curves: {error}", file=sys.stderr)
        return 1
    print(table(curves))
    return 0


if __name__ == "__main__":
    sys.exit(main())
