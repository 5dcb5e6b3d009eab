"""What a run measured, as Markdown: for the terminal, the README and docs/benchmarks.md.

Everything is told from the JSON that the run left, so that documents say what was measured.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Report = Mapping[str, Any]

UNITS = {"per_cpu_second": "decisions/CPU s", "per_second": "decisions/s"}
HEADINGS = {
    "batch": "Batches",
    "games": "Our other games",
    "aec": "One game at a time, in Python",
    "training": "Training",
    "start": "Start",
    "memory": "Memory",
}
SUMMARY = [  # rows of the README: group, ours, beside
    ("batch", "batch", "pgx-leduc"),
    ("batch", "batch", "pgx-leduc-tuned"),
    ("batch", "batch", "pgx-connect-four"),
    ("batch", "batch", "pufferlib-tripletriad"),
    ("batch", "batch", "open-spiel-leduc-trajectories"),
    ("batch", "batch", "open-spiel-leduc-rollouts"),
    ("batch", "batch (2 cores)", "batch"),
    ("aec", "aec", "pettingzoo-leduc"),
    ("aec", "aec", "rlcard-leduc"),
    ("aec", "aec", "open-spiel-leduc-loop"),
    ("training", "training-64", "maskable-ppo"),
    ("training", "training-256", "maskable-ppo"),
]


def tables(report: Report) -> str:
    """Every group that was measured, with a heading."""
    return "\n\n".join(
        f"### {HEADINGS[group]}\n\n{table_of(report, group)}" for group in report["groups"]
    )


def table_of(report: Report, group: str) -> str:
    """One group's table, and what could not be measured of it."""
    rows = report["groups"][group]
    if "ratio" in rows[0]:
        table = _ratios(report, rows)
    elif rows[0]["figure"] == "seconds":
        table = _seconds(report, rows)
    else:
        table = _memory(report, rows)
    named = {row[key] for row in rows for key in ("subject", "beside") if key in row}
    subjects = {name: report["subjects"][name] for name in report["subjects"] if name in named}
    missing = [
        f"- Not measured: {subject['title']} (`{subject['missing']}`)"
        for subject in subjects.values()
        if subject["missing"]
    ]
    return "\n\n".join([table, *(["\n".join(missing)] if missing else [])])


def summary(report: Report) -> str:
    """The README's table: the most telling ratios."""
    found = {
        (group, row["subject"], row.get("beside")): row
        for group, rows in report["groups"].items()
        for row in rows
    }
    rows = [_shown(report, found[key], short=True) for key in SUMMARY]
    return markdown(["ours", "beside", "ours", "theirs", "unit", "ratio"], "--rr-r", rows)


def own_start(report: Report) -> str:
    """The README's seconds of a start: what we promise of it."""
    return _seconds(report, [row for row in report["groups"]["start"] if row["promise"]])


def surroundings(report: Report) -> str:
    """Command, machine and versions."""
    machine = report["machine"]
    versions = [f"{name} {number or '–'}" for name, number in machine["versions"].items()]
    return (
        f"`{report['command']}` on {report['date']}, {report['rounds']} rounds on each core.\n"
        f"{machine['processor']}, {machine['cores']} cores."
        f" Python {machine['python']}, {', '.join(versions)}."
    )


def _ratios(report: Report, rows: Sequence[Report]) -> str:
    heads = ["ours", "beside", "ours", "theirs", "unit", "ratio", "it writes, each time", "promise"]
    return markdown(heads, "--rr-r--", [_shown(report, row) for row in rows])


def _shown(report: Report, row: Report, short: bool = False) -> list[str]:
    ours, theirs = (report["subjects"][row[key]] for key in ("subject", "beside"))
    title = theirs["title"] + (f" ({theirs['note']})" if theirs["note"] and not short else "")
    if short and theirs["writes"] == "nothing":
        title += ", no observation or mask"
    cells = [
        ours["title"], title, _number(row["ours"], ",.0f"), _number(row["theirs"], ",.0f"),
        UNITS[row["figure"]], _number(row["ratio"], ".2f"),
    ]  # fmt: skip
    return cells if short else [*cells, theirs["writes"] or "–", _promise(row)]


def _seconds(report: Report, rows: Sequence[Report]) -> str:
    shown = [
        [report["subjects"][row["subject"]]["title"], _number(row["value"], ".2f"), _promise(row)]
        for row in rows
    ]
    return markdown(["what", "seconds", "promise"], "-r-", shown)


def _memory(report: Report, rows: Sequence[Report]) -> str:
    shown = []
    for row in rows:
        subject = report["subjects"][row["subject"]]
        first = subject["turns"][0] if subject["turns"] else None
        whole = "" if first is None else f"{first['process_bytes'] / 1e6:,.0f}"
        games = "" if first is None else f"{first['games']:,}"
        shown.append([subject["title"], _number(row["value"], ",.0f"), games, whole])
    heads = ["what", "bytes a game", "games", "MB of the process with them"]
    return markdown(heads, "-rrr", shown)


def _number(value: float | None, form: str) -> str:
    return "not measured" if value is None else format(value, form)


def _promise(row: Report) -> str:
    if row["promise"] is None:
        return ""
    held = {True: "held", False: "**not held**", None: "not measured"}[row["held"]]
    return f"{row['promise']}: {held}"


def markdown(heads: Sequence[str], sides: str, rows: Sequence[Sequence[str]]) -> str:
    """A table; ``sides`` has r for each column that stands right, - for the others."""
    rules = ["---:" if side == "r" else "---" for side in sides]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [list(heads), rules, *rows])
