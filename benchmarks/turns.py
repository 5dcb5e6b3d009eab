"""Subjects in processes of their own, measured in turns."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TURN = 1.0  # seconds of CPU time
BOTH = "observation, mask"


@dataclass(frozen=True)
class Subject:
    """What is measured: ``python -m benchmarks.MODULE NAME`` on so many cores.

    ``title`` is what readers call it, ``writes`` what it writes for every decision, and ``note``
    what else they should know.
    """

    module: str
    name: str
    cores: int = 1
    title: str = ""
    writes: str = BOTH
    note: str = ""

    def __str__(self) -> str:
        return self.name + (f" ({self.cores} cores)" if self.cores > 1 else "")


Figures = dict[str, float]


@dataclass
class Measured:
    """Figures of every subject, turn by turn, and why there are none of some."""

    figures: dict[Subject, list[Figures]]
    missing: dict[Subject, str]

    def add(self, other: Measured) -> None:
        for subject, turns in other.figures.items():
            self.figures.setdefault(subject, []).extend(turns)
        for subject, reason in {**self.missing, **other.missing}.items():
            self.figures[subject] = []
            self.missing[subject] = reason

    def miss(self, subject: Subject, reason: object) -> None:
        """From now on it has no figures: those of some turns would stand beside other turns'."""
        self.figures[subject] = []
        self.missing[subject] = str(reason)
        print(f"{subject}: {reason}", file=sys.stderr)


class BenchmarkError(RuntimeError):
    """A subject could not be measured."""


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
        raise BenchmarkError(reason)

    def turn(self) -> Figures:
        """Its figures over the next second."""
        self.process.stdin.write(f"{TURN}\n")
        self.process.stdin.flush()
        return dict(json.loads(self.line()))

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()


def measure_turns(subjects: list[Subject], cores: list[int], rounds: int) -> Measured:
    """Figures of subjects that go on, alive together, round by round."""
    found = Measured({subject: [] for subject in subjects}, {})
    running = []
    try:
        for subject in subjects:
            running.append(Running(subject, cores))
            try:
                running[-1].line()  # it is ready
            except BenchmarkError as error:
                running.pop().end()
                found.miss(subject, error)
        for _ in range(rounds):
            for one in running:
                if one.subject in found.missing:
                    continue
                try:
                    found.figures[one.subject].append(told(one.subject, one.turn()))
                except BenchmarkError as error:
                    found.miss(one.subject, error)
    finally:
        for one in running:
            one.end()
    return found


def measure_once(subject: Subject, cores: list[int], rounds: int) -> Measured:
    """Figures of what happens once in a process, in so many processes."""
    found = Measured({subject: []}, {})
    for _ in range(rounds):
        one = Running(subject, cores)
        try:
            found.figures[subject].append(told(subject, json.loads(one.line())))
        except BenchmarkError as error:
            found.miss(subject, error)
            break
        finally:
            one.end()
    return found


def told(subject: Subject, figures: Figures) -> Figures:
    told = (f"{key} {value:,.6g}" for key, value in figures.items() if key != "decisions")
    print(f"{subject}:", *told, file=sys.stderr)
    return figures
