"""Measure ourselves beside our peers, and print medians and ratios (``make bench``).

Subjects take turns, each in a fresh process, so that a busy machine slows all of them alike. In
each round they begin at another core; a ratio is the median of the ratios within each round.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results.json"
SHOWN_VERSIONS = ("kuku-env", "numpy", "numba", "torch", "jax", "pgx", "pettingzoo", "sb3-contrib")


@dataclass(frozen=True)
class Subject:
    """What is measured: ``python -m benchmarks.MODULE NAME`` on so many cores."""

    module: str
    name: str
    cores: int = 1

    def __str__(self) -> str:
        return self.name + (f" ({self.cores} cores)" if self.cores > 1 else "")


@dataclass(frozen=True)
class Ratio:
    """How many times faster ``ours`` is than ``other``, and what we promise (None: nothing)."""

    ours: Subject
    other: Subject
    figure: str
    promise: float | None = None


@dataclass(frozen=True)
class Limit:
    """Seconds that ``subject`` may take."""

    subject: Subject
    seconds: float


BATCH, BATCH_2 = Subject("ours", "batch"), Subject("ours", "batch", cores=2)
PPO = Subject("peers", "maskable-ppo")
GROUPS: dict[str, list[Ratio | Limit]] = {
    "batch": [
        Ratio(BATCH, Subject("peers", "pgx"), "per_cpu_second", 2.0),
        Ratio(BATCH, Subject("peers", "pgx-tuned"), "per_cpu_second"),
        Ratio(BATCH_2, BATCH, "per_second", 1.7),
    ],
    "aec": [Ratio(Subject("ours", "aec"), Subject("peers", "leduc"), "per_cpu_second", 15.0)],
    "start": [
        Limit(Subject("ours", "first-compilation"), 40.0),
        Limit(Subject("ours", "import-time"), 1.0),
        Limit(Subject("ours", "first-decision"), 1.5),
    ],
    "training": [
        Ratio(Subject("ours", "training-64"), PPO, "per_cpu_second", 25.0),
        Ratio(Subject("ours", "training-256"), PPO, "per_cpu_second"),
    ],
}
Measured = dict[Subject, list[dict[str, float] | None]]


def subjects_of(checks: list[Ratio | Limit]) -> list[Subject]:
    """Every subject once, in the order it is first needed."""
    found: dict[Subject, None] = {}
    for check in checks:
        for s in (check.ours, check.other) if isinstance(check, Ratio) else (check.subject,):
            found[s] = None
    return list(found)


def run(subject: Subject, cores: list[int]) -> dict[str, float] | None:
    """The figures of one fresh process, or None after saying why there are none."""
    if subject.cores > len(cores):
        print(f"{subject}: this machine lends {len(cores)} core(s)", file=sys.stderr)
        return None
    chosen = ",".join(map(str, cores[: subject.cores]))
    command = [sys.executable, "-m", f"benchmarks.{subject.module}", subject.name]
    done = subprocess.run(
        [*command, "--cores", chosen], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        reason = (done.stderr.strip() or "no output").splitlines()[-1]
        print(f"{subject}: {reason}", file=sys.stderr)
        return None
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    keys = ("per_cpu_second", "per_second", "seconds", "cpu_seconds")
    print(f"{subject}:", *(f"{k} {figures[k]:,.6g}" for k in keys if k in figures), file=sys.stderr)
    return {k: figures[k] for k in keys if k in figures}


def over_rounds(rounds: list[dict[str, float] | None], figure: str) -> list[float]:
    return [figures[figure] for figures in rounds if figures]


def row(check: Ratio | Limit, measured: Measured) -> dict[str, Any]:
    """One line of the report."""
    if isinstance(check, Limit):
        values = over_rounds(measured[check.subject], "seconds")
        worst = median(values) if values else None
        held = None if worst is None else worst <= check.seconds
        return {
            "subject": str(check.subject), "seconds": worst,
            "promise": f"at most {check.seconds} s", "held": held,
        }  # fmt: skip
    pairs = zip(measured[check.ours], measured[check.other], strict=True)
    ratios = [a[check.figure] / b[check.figure] for a, b in pairs if a and b]
    ratio = median(ratios) if ratios else None
    result: dict[str, Any] = {"subject": str(check.ours), "beside": str(check.other)}
    for key, subject in (("ours", check.ours), ("theirs", check.other)):
        values = over_rounds(measured[subject], check.figure)
        result[key] = median(values) if values else None
    result |= {"figure": check.figure, "ratio": ratio, "ratios": ratios}
    if check.promise is not None:
        held = None if ratio is None else ratio >= check.promise
        result |= {"promise": f"at least {check.promise}", "held": held}
    return result


def table(rows: list[dict[str, Any]]) -> str:
    """The report as a Markdown table."""

    def number(value: float | None, form: str) -> str:
        return "not measured" if value is None else format(value, form)

    lines = [
        "| subject | beside | ours | theirs | unit | ratio | promise | held |",
        "|---|---|---:|---:|---|---:|---|---|",
    ]
    for r in rows:
        if "seconds" in r:
            cells = ["", number(r["seconds"], ".2f"), "", "seconds", ""]
        else:
            unit = r["figure"].replace("per_cpu_second", "decisions/CPU s")
            unit = unit.replace("per_second", "decisions/s")
            cells = [
                r["beside"], number(r["ours"], ",.0f"), number(r["theirs"], ",.0f"), unit,
                number(r["ratio"], ".2f"),
            ]  # fmt: skip
        held = {True: "yes", False: "NO", None: ""}[r.get("held")]
        lines.append(f"| {' | '.join([r['subject'], *cells, r.get('promise', ''), held])} |")
    return "\n".join(lines)


def machine() -> dict[str, Any]:
    """What the figures depend on."""
    model = platform.processor()
    if (info := Path("/proc/cpuinfo")).exists():
        names = [s for s in info.read_text().splitlines() if s.startswith("model name")]
        model = names[0].split(":")[1].strip() if names else model
    return {
        "processor": model,
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "versions": {name: version(name) for name in SHOWN_VERSIONS},
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="measurements of each subject")
    parser.add_argument("--only", nargs="+", choices=GROUPS, default=list(GROUPS))
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    usable = getattr(os, "sched_getaffinity", lambda _: range(os.cpu_count() or 1))(0)
    cores = sorted(usable)
    checks = [check for name in GROUPS if name in options.only for check in GROUPS[name]]
    measured: Measured = {subject: [] for subject in subjects_of(checks)}
    for index in range(options.rounds):
        print(f"round {index + 1} of {options.rounds}", file=sys.stderr)
        first = index % len(cores)  # a subject of one core is measured on each in turn
        for subject, rounds in measured.items():
            rounds.append(run(subject, cores[first:] + cores[:first]))
    rows = [row(check, measured) for check in checks]
    print(table(rows))
    report = {
        "machine": machine(),
        "rounds": options.rounds,
        "rows": rows,
        "measured": {str(s): figures for s, figures in measured.items()},
    }
    part = options.output.with_suffix(".part")
    part.write_text(json.dumps(report, indent=1) + "\n")
    part.replace(options.output)
    return 1 if any(r.get("held") is False for r in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
