"""The benchmark's report: medians, promises, and what could not be measured. Nothing is timed."""

import importlib
import json
import re

import pytest

from benchmarks import run, tables, turns
from benchmarks.plot import speeds_plot
from benchmarks.run import GROUPS, Limit, Ratio, about, row, subjects_of
from benchmarks.turns import BenchmarkError, Measured, Subject, measure_turns

OURS, PEER = Subject("ours", "one", title="ours"), Subject("peers.x", "two", title="a peer")


def rates(*values):
    return [{"per_cpu_second": value} for value in values]


def report(group, checks, measured):
    named = {str(s): about(s, measured) for s in subjects_of(checks)}
    return {"groups": {group: [row(check, measured) for check in checks]}, "subjects": named}


@pytest.mark.parametrize("subject", {s for checks in GROUPS.values() for s in subjects_of(checks)})
def test_every_subject_is_there_and_named_for_readers(subject):
    assert subject.name in importlib.import_module(f"benchmarks.{subject.module}").SUBJECTS
    assert subject.title


def test_names_of_subjects_are_unique():
    """Results are kept by name."""
    subjects = {s for checks in GROUPS.values() for s in subjects_of(checks)}
    assert len({str(s) for s in subjects}) == len(subjects)


def test_a_ratio_is_the_median_within_rounds_and_broken_promises_show():
    checks = [Ratio(OURS, PEER, "per_cpu_second", 2.0)]
    measured = Measured({OURS: rates(10, 2, 9), PEER: rates(5, 4, 6)}, {})
    told = row(checks[0], measured)
    assert (told["ours"], told["theirs"], told["ratio"], told["held"]) == (9, 5, 1.5, False)
    text = tables.table_of(report("batch", checks, measured), "batch")
    assert "| ours | a peer | 9 | 5 | decisions/CPU s | 1.50 |" in text
    assert "at least 2.0: **not held**" in text


def test_a_peer_that_is_not_installed_is_listed():
    checks = [Ratio(OURS, PEER, "per_cpu_second", 2.0)]
    measured = Measured({OURS: rates(10), PEER: []}, {PEER: "No module named 'x'"})
    text = tables.table_of(report("batch", checks, measured), "batch")
    assert "| 10 | not measured |" in text
    assert "at least 2.0: not measured" in text
    assert "- Not measured: a peer (`No module named 'x'`)" in text


def test_a_limit_is_told_with_its_promise():
    checks = [Limit(OURS, 1.0), Limit(PEER)]
    measured = Measured({OURS: [{"seconds": s} for s in (0.5, 0.9, 2.0)], PEER: []}, {PEER: "x"})
    text = tables.table_of(report("start", checks, measured), "start")
    assert "| ours | 0.90 | at most 1.0 s: held |" in text
    assert "| a peer | not measured |  |" in text


class Falling:
    """A subject's process that dies in its second turn."""

    def __init__(self, subject, cores):
        self.subject, self.turns = subject, 0

    def line(self):
        return "ready\n"

    def turn(self):
        self.turns += 1
        if self.subject == PEER and self.turns == 2:
            raise BenchmarkError("killed")
        return {"per_cpu_second": 1.0}

    def end(self):
        pass


def test_a_subject_that_dies_has_no_figures_and_stops_nobody(monkeypatch):
    monkeypatch.setattr(turns, "Running", Falling)
    found = measure_turns([OURS, PEER], [0], rounds=3)
    found.add(Measured({OURS: rates(1), PEER: rates(1)}, {}))
    assert len(found.figures[OURS]) == 4
    assert found.missing == {PEER: "killed"}
    assert row(Ratio(OURS, PEER, "per_cpu_second"), found)["ratio"] is None


def test_a_part_is_not_recorded(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["run.py", "--record", "--only", "batch"])
    with pytest.raises(SystemExit):
        run.main()
    assert "leave --only out" in capsys.readouterr().err


def test_the_recorded_run_is_whole_and_its_plot_names_what_was_measured():
    recorded = json.loads(run.RECORD.read_text("utf-8"))
    assert list(recorded["groups"]) == list(GROUPS)
    plot = speeds_plot(recorded)
    for group in ("batch", "aec"):
        for told in recorded["groups"][group]:
            title = recorded["subjects"][told["beside"]]["title"]
            if told["theirs"] is not None and told["figure"] == "per_cpu_second":
                assert re.sub("'", ".", title) in re.sub("'|&apos;|&#x27;", ".", plot)
