"""What an evaluation leaves behind: ``results.json`` with every figure, the same as tables in CSV,
and ``report.html`` to read."""

from __future__ import annotations

import csv
import dataclasses
import importlib.metadata
import io
import json
import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from kuku_env import __version__
from kuku_env.arena.external import Player
from kuku_env.arena.files import write_file
from kuku_env.arena.match import MatchResult, player_facts
from kuku_env.arena.ratings import ratings, skills
from kuku_env.arena.statistics import (
    Share,
    action_shares,
    head_to_head,
    measure_shares,
    shares_by_seat,
    standings,
)

FORMAT = 2


def evaluation_report(
    facts: Mapping[str, Any],
    results: Sequence[MatchResult],
    mirrors: Sequence[MatchResult] = (),
) -> dict[str, Any]:
    """All figures of an evaluation as plain JSON: ``facts``, every match, every self-play match."""
    return {
        "format": FORMAT,
        **facts,
        "versions": versions(),
        "ratings": rating_report(results) if results else [],
        "matches": [match_report(result) for result in results],
        "self_play": [style_match_report(result) for result in mirrors],
    }


def match_report(result: MatchResult) -> dict[str, Any]:
    """All figures of a match as plain JSON."""
    labels = result.labels
    seats = shares_by_seat(result)
    return {
        **style_match_report(result),
        "bots": [dataclasses.asdict(standing) for standing in standings(result)],
        "head_to_head": {
            label: dict(zip(labels, map(_plain, row), strict=True))
            for label, row in zip(labels, head_to_head(result), strict=True)
        },
        "seats": {
            label: [_plain(share) for share in row]
            for label, row in zip(labels, seats, strict=True)
        },
        "ratings": rating_report([result]),
        "openskill": [
            {**dataclasses.asdict(skill), "low": skill.low, "high": skill.high}
            for skill in (skills(result) if result.plan.num_players > 2 else [])
        ],
    }


def rating_report(results: Sequence[MatchResult]) -> list[dict[str, Any]]:
    """Ratings over one match or more."""
    return [dataclasses.asdict(rating) for rating in ratings(results)]


def style_match_report(result: MatchResult) -> dict[str, Any]:
    """What there is to tell of any match, one bot in all seats included."""
    return {
        "num_players": result.plan.num_players,
        "games": result.plan.games,
        "deals": result.plan.num_deals,
        "decisions_per_game": float(result.decisions.mean()),
        "truncated_games": int(result.truncated.sum()),
        "forfeits": [dataclasses.asdict(forfeit) for forfeit in result.forfeits],
        "rules": dataclasses.asdict(result.options),
        "style": style_report(result),
    }


def style_report(result: MatchResult) -> dict[str, Any]:
    """By bot: decisions; for each kind of action how often it was possible and chosen; the game's
    measures, shares of its public counts."""
    style, held, report = result.style, result.plan.line_ups, {}
    actions, measures = action_shares(result), measure_shares(result)
    for bot, label in enumerate(result.labels):
        report[label] = {
            "decisions": int(style.decisions[bot]),
            "decisions_per_seat": float(style.decisions[bot] / (held == bot).sum()),
            "actions": {
                block: {
                    "possible": int(style.possible[bot, k]),
                    "chosen": int(style.chosen[bot, k]),
                    "share": _plain(actions[bot][k]),
                }
                for k, block in enumerate(style.blocks)
            },
            "measures": {
                measure.name: _plain(share)
                for measure, share in zip(result.game.measures, measures[bot], strict=True)
            },
        }
    return report


def _plain(share: Share | None) -> dict[str, float] | None:
    return None if share is None else dataclasses.asdict(share)


def bot_report(label: str, given: str, bot: Player) -> dict[str, Any]:
    """Which bot this was: its label, how it was asked for, and an exported one's SHA-256."""
    return {"label": label, "given": given, **player_facts(bot)}


def versions() -> dict[str, str]:
    """Versions of what the numbers rest on."""
    libraries = ("numpy", "numba", "onnxruntime", "scipy", "openskill")
    found = {name: importlib.metadata.version(name) for name in libraries}
    return {"kuku-env": __version__, "python": platform.python_version(), **found}


def save(folder: Path, report: Mapping[str, Any]) -> None:
    """Write ``results.json``, ``report.html`` and the tables of an ``evaluation_report``."""
    from kuku_env.arena.page import page

    text = json.dumps(report, indent=1, allow_nan=False, ensure_ascii=False) + "\n"
    files = {"results.json": text, "report.html": page(report), **tables(report)}
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        write_file(folder / name, content.encode())


SHARE = ("share", "low", "high")


def tables(report: Mapping[str, Any]) -> dict[str, str]:
    """The figures as CSV, by the name of the file; a row a figure."""
    matches = report["matches"]
    columns = ("players", "bot", "seats", "wins", *SHARE, "times_fair", "mean_reward")
    found = {
        "standings.csv": _csv(columns, (row for match in matches for row in _standings(match))),
        "head_to_head.csv": _csv(
            ("players", "bot", "against", *SHARE),
            (
                (match["num_players"], bot, other, *_ends(share))
                for match in matches
                for bot, row in match["head_to_head"].items()
                for other, share in row.items()
                if share
            ),
        ),
        "seats.csv": _csv(
            ("players", "bot", "seat", *SHARE),
            (
                (match["num_players"], bot, seat, *_ends(share))
                for match in matches
                for bot, row in match["seats"].items()
                for seat, share in enumerate(row)
            ),
        ),
        "ratings.csv": _csv(("players", "bot", "model", "rating", "low", "high"), _ratings(report)),
    }
    found["style.csv"] = _csv(
        ("games", "players", "bot", "kind", "name", *SHARE),
        (
            (which, match["num_players"], bot, kind, name, *_ends(share))
            for which in ("matches", "self_play")
            for match in report[which]
            for bot, told in match["style"].items()
            for kind, name, share in _style(told)
        ),
    )
    return {name: text for name, text in found.items() if matches or name == "style.csv"}


def _standings(match: Mapping[str, Any]) -> Iterator[Sequence[Any]]:
    for bot in match["bots"]:
        counts = bot["label"], bot["seats"], bot["wins"]
        more = bot["times_fair"], bot["mean_reward"]
        yield match["num_players"], *counts, *_ends(bot["share"]), *more


def _ratings(report: Mapping[str, Any]) -> Iterator[Sequence[Any]]:
    for players, part in [("all", report), *((m["num_players"], m) for m in report["matches"])]:
        for row in part["ratings"]:
            yield players, row["label"], "elo", *_ends(row["elo"])
        for row in part.get("openskill", ()):
            yield players, row["label"], "openskill", row["mu"], row["low"], row["high"]


def _style(told: Mapping[str, Any]) -> Iterator[tuple[str, str, Any]]:
    for name, action in told["actions"].items():
        yield "action", name, action["share"]
    for name, share in told["measures"].items():
        yield "measure", name, share


def _ends(share: Mapping[str, float] | None) -> tuple[float | str, ...]:
    return ("", "", "") if share is None else (share["value"], share["low"], share["high"])


def _csv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return out.getvalue()
