"""``report.html``: an evaluation to read, in one file that needs no other and no network."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from kuku_env.arena.plots import COLOURS, ratings_plot, seats_plot


def page(report: Mapping[str, Any]) -> str:
    """The page of an ``evaluation_report``. Needs jinja2, and matplotlib for the plots."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"percent": percent, "points": points, "colour": colour}
    source = (files("kuku_env.arena") / "report.html.jinja").read_text("utf-8")
    labels = [bot["label"] for bot in report["bots"]]
    matches = [
        {
            **match,
            "plot": Markup(ratings_plot(match["ratings"], f"ratings-{match['num_players']}")),
            "seats_plot": Markup(seats_plot(match["seats"], f"seats-{match['num_players']}")),
            "places": sorted(match["bots"], key=lambda bot: -bot["share"]["value"]),
            "elo": {row["label"]: row["elo"] for row in match["ratings"]},
            "skill": {row["label"]: row for row in match["openskill"]},
        }
        for match in report["matches"]
    ]
    overall = Markup(ratings_plot(report["ratings"], "ratings")) if len(matches) > 1 else None
    text: str = environment.from_string(source).render(
        report=report,
        matches=matches,
        styles=[*matches, *report["self_play"]],
        labels=labels,
        overall=overall,
        shown=_contested(report),
        colours={label: COLOURS[k % len(COLOURS)] for k, label in enumerate(labels)},
    )
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


def _contested(report: Mapping[str, Any]) -> list[str]:
    """Kinds of action that some bot passed over for another; others tell nothing of style."""
    found: dict[str, bool] = {}
    for match in [*report["matches"], *report["self_play"]]:
        for told in match["style"].values():
            for name, action in told["actions"].items():
                found[name] = found.get(name, False) or action["chosen"] < action["possible"]
    return [name for name, told in found.items() if told]


def percent(share: Mapping[str, float] | None) -> Any:
    """A share in per cent, its interval below."""
    from markupsafe import Markup

    if share is None:
        return "–"
    value, low, high = (100 * share[name] for name in ("value", "low", "high"))
    return Markup(f"{value:.1f} %<small>{low:.1f} – {high:.1f}</small>")


def points(rating: Mapping[str, float]) -> Any:
    """A rating, its interval below."""
    from markupsafe import Markup

    value, low, high = (rating[name] for name in ("value", "low", "high"))
    return Markup(f"{value:+.0f}<small>{low:+.0f} – {high:+.0f}</small>")


def colour(share: Mapping[str, float] | None) -> str:
    """The ground of a cell of the matrix: above a half one colour, below another."""
    if share is None:
        return "transparent"
    lead = share["value"] - 0.5
    return f"rgba({'13,132,196' if lead > 0 else '214,90,31'},{min(0.6, abs(lead) * 1.2):.2f})"
