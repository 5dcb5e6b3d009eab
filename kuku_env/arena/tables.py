"""Tables of a match for a terminal, made with rich."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Table

from kuku_env.arena.match import MatchResult
from kuku_env.arena.ratings import ratings
from kuku_env.arena.statistics import Share, head_to_head, measure_shares, standings

SHOWN_FORFEITS = 3


def print_match(console: Console, result: MatchResult) -> None:
    """Standings, head to head and style of one match; and who forfeited, with the first reasons."""
    console.print()
    console.print(standings_table(result))
    print_forfeits(console, result)
    if len(result.labels) > 1:
        console.print(ratings_table([result]))
    if len(result.labels) > 2:
        console.print(head_to_head_table(result))
    console.print(style_table([result], f"{result.plan.num_players} players: what the bots did"))


def print_forfeits(console: Console, result: MatchResult) -> None:
    for label in result.labels:
        lost = [forfeit for forfeit in result.forfeits if forfeit.label == label]
        if lost:
            console.print(f"{label} forfeited {len(lost):,} games:", markup=False)
        for forfeit in lost[:SHOWN_FORFEITS]:
            console.print(f"  game {forfeit.game}: {forfeit.reason}", markup=False)


def standings_table(result: MatchResult) -> Table:
    plan = result.plan
    fair = 100 / plan.num_players
    table = Table(
        title=f"{plan.num_players} players: {plan.games:,} games on {plan.num_deals:,} deals",
        caption=f"A fair share is {fair:.1f} %. {result.decisions.mean():.1f} decisions a game"
        + (f", {result.truncated.sum():,} games cut short." if result.truncated.any() else "."),
    )
    table.add_column("bot")
    for name in ("seats held", "wins", "wins per seat", "95 % interval", "times fair"):
        table.add_column(name, justify="right")
    for row in sorted(standings(result), key=lambda row: -row.share.value):
        table.add_row(
            row.label,
            f"{row.seats:,}",
            f"{row.wins:,.0f}",
            f"{100 * row.share.value:.1f} %",
            f"{100 * row.share.low:.1f} – {100 * row.share.high:.1f}",
            f"{row.times_fair:.2f}",
        )
    return table


def ratings_table(results: Sequence[MatchResult]) -> Table:
    """Ratings over one match or more, the strongest first."""
    sizes = ", ".join(str(result.plan.num_players) for result in results)
    table = Table(
        title=f"{sizes} players: ratings",
        caption="Bradley-Terry by maximum likelihood on Elo's scale; 0 is the mean of the bots.",
    )
    table.add_column("bot")
    table.add_column("Elo", justify="right")
    table.add_column("95 % interval", justify="right")
    for row in sorted(ratings(results), key=lambda row: -row.elo.value):
        elo = row.elo
        table.add_row(row.label, f"{elo.value:+.0f}", f"{elo.low:+.0f} – {elo.high:+.0f}")
    return table


def head_to_head_table(result: MatchResult) -> Table:
    table = Table(
        title=f"{result.plan.num_players} players: head to head, row against column",
        caption="Of the wins per seat of the two where both sat, the row's, in per cent.",
    )
    table.add_column("")
    for label in result.labels:
        table.add_column(label, justify="right")
    for label, row in zip(result.labels, head_to_head(result), strict=True):
        table.add_row(label, *map(_cell, row))
    return table


def style_table(results: Sequence[MatchResult], title: str) -> Table:
    """How often each bot took a kind of action when it could; a row a bot and match."""
    blocks = results[0].style.blocks
    shown = [k for k in range(len(blocks)) if any(r.style.contested()[k] for r in results)]
    measures = results[0].game.measures
    meanings = "".join(f"; {one.name}: {one.meaning}" for one in measures)
    table = Table(
        title=title,
        caption=f"How often each kind of action was taken when it was legal{meanings}.",
    )
    table.add_column("bot")
    table.add_column("players", justify="right")
    table.add_column("decisions a seat", justify="right")
    for k in shown:
        table.add_column(blocks[k], justify="right")
    for measure in measures:
        table.add_column(measure.name, justify="right")
    for cells in _style_rows(results, shown):
        table.add_row(*cells)
    return table


def _style_rows(results: Sequence[MatchResult], shown: Sequence[int]) -> Iterator[list[str]]:
    for result in results:
        style, rates, measures = result.style, result.style.rates(), measure_shares(result)
        for bot, label in enumerate(result.labels):
            seats = (result.plan.line_ups == bot).sum()
            cells = [
                "–" if math.isnan(rates[bot, k]) else f"{100 * rates[bot, k]:.1f} %" for k in shown
            ]
            cells += [
                "–" if share is None else f"{100 * share.value:.1f} %" for share in measures[bot]
            ]
            each = f"{style.decisions[bot] / seats:.1f}"
            yield [label, str(result.plan.num_players), each, *cells]


def _cell(share: Share | None) -> str:
    if share is None:
        return "–"
    return f"{100 * share.value:.1f} ({100 * share.low:.1f} – {100 * share.high:.1f})"
