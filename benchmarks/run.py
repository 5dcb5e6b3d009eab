"""Measure ourselves beside our peers, and print medians and ratios (``make bench``).

The subjects of a group are alive together, each in a process of its own, and take turns of about a
second: the speed of a machine that others use changes within seconds, by half. A ratio is the
median of the ratios within each round of turns. One-core subjects stand on the same core; half of
the rounds are held on one core and half on another.
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
    "games": [
        Ratio(Subject("ours", name), Subject("peers", "pgx"), "per_cpu_second", 0.6)
        for name in ("batch-doubt", "batch-liars-cry")
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
Measured = dict[Subject, list[dict[str, float]]]

TURN = 1.0  # seconds of CPU time


def subjects_of(checks: list[Ratio | Limit]) -> list[Subject]:
    """Every subject once, in the order it is first needed."""
    found: dict[Subject, None] = {}
    for check in checks:
        for s in (check.ours, check.other) if isinstance(check, Ratio) else (check.subject,):
            found[s] = None
    return list(found)


class Running:
    """The process of a subject."""

    def __init__(self, subject: Subject, cores: list[int]) -> None:
        chosen = ",".join(map(str, cores[: subject.cores]))
        command = [sys.executable, "-m", f"benchmarks.{subject.module}", subject.name]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            [*command, "--cores", chosen], cwd=ROOT, text=True, stdin=pipe, stdout=pipe, stderr=pipe
        )
        self.subject = subject

    def line(self) -> str:
        """What it says next. Raises BenchmarkError where it has ended instead."""
        line = self.process.stdout.readline()
        if line:
            return line
        reason = (self.process.communicate()[1].strip() or "no output").splitlines()[-1]
        raise BenchmarkError(f"{self.subject}: {reason}")

    def turn(self) -> dict[str, float]:
        """Its figures over the next second."""
        self.process.stdin.write(f"{TURN}\n")
        self.process.stdin.flush()
        return dict(json.loads(self.line()))

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()


class BenchmarkError(RuntimeError):
    """A subject could not be measured."""


def measure_turns(subjects: list[Subject], cores: list[int], rounds: int) -> Measured:
    """Figures of subjects that go on, round by round; empty for one that cannot be measured."""
    found: Measured = {subject: [] for subject in subjects}
    running = []
    try:
        for subject in subjects:
            running.append(Running(subject, cores))
            try:
                running[-1].line()  # it is ready
            except BenchmarkError as error:
                print(error, file=sys.stderr)
                running.pop().end()
        for _ in range(rounds):
            for one in running:
                found[one.subject].append(told(one.subject, one.turn()))
    finally:
        for one in running:
            one.end()
    return found


def measure_once(subject: Subject, cores: list[int], rounds: int) -> list[dict[str, float]]:
    """Figures of what happens once in a process, in so many processes."""
    found = []
    for _ in range(rounds):
        one = Running(subject, cores)
        try:
            found.append(told(subject, json.loads(one.line())))
        except BenchmarkError as error:
            print(error, file=sys.stderr)
        finally:
            one.end()
    return found


def told(subject: Subject, figures: dict[str, float]) -> dict[str, float]:
    keys = ("per_cpu_second", "per_second", "seconds", "cpu_seconds")
    print(f"{subject}:", *(f"{k} {figures[k]:,.6g}" for k in keys if k in figures), file=sys.stderr)
    return figures


def measure_group(checks: list[Ratio | Limit], cores: list[int], rounds: int) -> Measured:
    """Figures of every subject of a group."""
    subjects = subjects_of(checks)
    if isinstance(checks[0], Limit):
        return {subject: measure_once(subject, cores, rounds) for subject in subjects}
    able = [subject for subject in subjects if subject.cores <= len(cores)]
    for subject in set(subjects) - set(able):
        print(f"{subject}: this machine lends {len(cores)} core(s)", file=sys.stderr)
    halves = [measure_turns(able, cores, rounds), measure_turns(able, cores[::-1], rounds)]
    return {s: [figures for half in halves for figures in half.get(s, [])] for s in subjects}


def row(check: Ratio | Limit, measured: Measured) -> dict[str, Any]:
    """One line of the report."""
    if isinstance(check, Limit):
        values = [figures["seconds"] for figures in measured[check.subject]]
        worst = median(values) if values else None
        held = None if worst is None else worst <= check.seconds
        return {
            "subject": str(check.subject), "seconds": worst,
            "promise": f"at most {check.seconds} s", "held": held,
        }  # fmt: skip
    pairs = zip(measured[check.ours], measured[check.other], strict=False)  # one may be missing
    ratios = [a[check.figure] / b[check.figure] for a, b in pairs]
    ratio = median(ratios) if ratios else None
    result: dict[str, Any] = {"subject": str(check.ours), "beside": str(check.other)}
    for key, subject in (("ours", check.ours), ("theirs", check.other)):
        values = [figures[check.figure] for figures in measured[subject]]
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
    parser.add_argument(
        "--rounds", type=int, default=5, help="measurements of each subject on a core"
    )
    parser.add_argument("--only", nargs="+", choices=GROUPS, default=list(GROUPS))
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    usable = getattr(os, "sched_getaffinity", lambda _: range(os.cpu_count() or 1))(0)
    cores = sorted(usable)
    rows, measured = [], {}
    for name, checks in GROUPS.items():
        if name in options.only:
            found = measure_group(checks, cores, options.rounds)
            rows += [row(check, found) for check in checks]
            measured |= found
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
