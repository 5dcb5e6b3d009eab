"""Measure ourselves beside our peers, and print medians and ratios (``make bench``).

The subjects of a group are alive together, each in a process of its own, and take turns of about a
second: the speed of a machine that others use changes within seconds, by half. A ratio is the
median of the ratios within each round of turns. One-core subjects stand on the same core; half of
the rounds are held on one core and half on another.

What was measured is left in runs/bench/results.json; with --record it becomes
benchmarks/results.json, from which the documentation takes its figures.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # benchmarks/ is run from the clone, never installed

from benchmarks.tables import tables  # noqa: E402
from benchmarks.turns import BOTH, Measured, Subject, measure_once, measure_turns  # noqa: E402

RECORD = ROOT / "benchmarks" / "results.json"
RESULTS = ROOT / "runs" / "bench" / "results.json"
SHOWN_VERSIONS = (
    *("kuku-env", "numpy", "numba", "torch", "jax", "pgx", "pettingzoo", "rlcard", "open_spiel"),
    *("stable-baselines3", "sb3-contrib"),
)


@dataclass(frozen=True)
class Ratio:
    """How many times faster ``ours`` is than ``other``, and what we promise (None: nothing)."""

    ours: Subject
    other: Subject
    figure: str
    promise: float | None = None


@dataclass(frozen=True)
class Limit:
    """What ``subject`` takes, of seconds or bytes a game, and the most that we promise."""

    subject: Subject
    most: float | None = None
    figure: str = "seconds"


CPU = "per_cpu_second"
BATCH = Subject("ours", "batch", title="BatchEnv, Kuku Doubt")
BATCH_2 = Subject("ours", "batch", cores=2, title="BatchEnv, Kuku Doubt, 2 cores")
RULES = Subject("ours", "rules", title="Kuku Doubt's rules alone, no observation", writes="mask")
AEC = Subject("ours", "aec", title="AEC environment, Kuku Doubt")
PGX = Subject("peers.pgx", "pgx-leduc", title="Pgx leduc_holdem", note="its own auto_reset")
TUNED = Subject(
    "peers.pgx", "pgx-leduc-tuned", title="Pgx leduc_holdem, tuned by us",
    note="deals for finished games alone",
)  # fmt: skip
CONNECT_FOUR = Subject(
    "peers.pgx", "pgx-connect-four", title="Pgx connect_four", note="no card game; its auto_reset"
)
TRIPLETRIAD = Subject(
    "peers.pufferlib", "pufferlib-tripletriad", title="PufferLib tripletriad",
    writes="observation, mask of places alone", note="the opponent's answers not counted",
)  # fmt: skip
PPO = Subject("peers.sb3", "maskable-ppo", title="MaskablePPO, 64×64", writes="")
OUR_PPO = Subject(
    "ours", "ppo-quick", title="MaskablePPO on SeatsVecEnv, preset quick, 64×64", writes=""
)
SPIEL_GAMES = {"leduc": "leduc_poker", "liars-dice": "liars_dice"}


def spiel(kind: str, says: str, writes: str = BOTH, note: str = "") -> list[Subject]:
    return [
        Subject(
            "peers.open_spiel", f"open-spiel-{name}-{kind}", title=f"OpenSpiel {game}, {says}",
            writes=writes, note=note,
        )
        for name, game in SPIEL_GAMES.items()
    ]  # fmt: skip


def pettingzoo(name: str, game: str) -> Subject:
    return Subject("peers.pettingzoo", f"pettingzoo-{name}", title=f"PettingZoo {game}")


def rlcard(game: str) -> Subject:
    writes = "observation, legal actions as a dictionary"
    return Subject("peers.rlcard", f"rlcard-{game}", title=f"RLCard {game}", writes=writes)


BATCHED = [
    *spiel("trajectories", "record_batched_trajectories", note="C++, playing a policy's table"),
    *spiel("vector", "SyncVectorEnv", writes="observations of both seats, legal actions as lists"),
    TRIPLETRIAD,
]
ROLLOUTS = spiel("rollouts", "rollouts in C++ alone", writes="nothing")
ONE_BY_ONE = [
    pettingzoo("texas", "texas_holdem_v4"),
    pettingzoo("texas-no-limit", "texas_holdem_no_limit_v6"),
    pettingzoo("hanabi", "hanabi_v5"),
    *map(rlcard, ("leduc", "uno", "doudizhu", "gin-rummy")),
    *spiel("loop", "Python loop"),
]


def once(module: str, name: str, title: str) -> Subject:
    return Subject(module, name, title=title, writes="")


LIBRARIES = {
    "pettingzoo": "PettingZoo",
    "rlcard": "RLCard",
    "open_spiel": "OpenSpiel",
    "pgx": "Pgx",
}
MEMORY = [
    once("ours", "batch-memory", "BatchEnv, Kuku Doubt"),
    once("ours", "aec-memory", "AEC environment, Kuku Doubt"),
    once("peers.pgx", "pgx-leduc-memory", "Pgx leduc_holdem"),
    once("peers.pgx", "pgx-connect-four-memory", "Pgx connect_four"),
    once("peers.pufferlib", "pufferlib-tripletriad-memory", "PufferLib tripletriad"),
    once("peers.open_spiel", "open-spiel-leduc-memory", "OpenSpiel leduc_poker, rl_environment"),
    once("peers.pettingzoo", "pettingzoo-leduc-memory", "PettingZoo leduc_holdem_v4"),
]
GROUPS: dict[str, list[Ratio | Limit]] = {
    "batch": [
        Ratio(BATCH, PGX, CPU, 2.0),
        Ratio(BATCH, TUNED, CPU),
        Ratio(BATCH, CONNECT_FOUR, CPU, 2.0),
        *(Ratio(BATCH, peer, CPU, 1.0) for peer in BATCHED),
        *(Ratio(BATCH, peer, CPU, 1.0) for peer in ROLLOUTS),
        *(Ratio(RULES, peer, CPU) for peer in ROLLOUTS),
        Ratio(BATCH_2, BATCH, "per_second", 1.7),
    ],
    "games": [
        Ratio(Subject("ours", name, title=title), PGX, CPU, 0.6)
        for name, title in (
            ("batch-doubt", "BatchEnv, Doubt"),
            ("batch-liars-cry", "BatchEnv, Liar's Cry"),
        )
    ],
    "aec": [
        Ratio(AEC, pettingzoo("leduc", "leduc_holdem_v4"), CPU, 15.0),
        *(Ratio(AEC, peer, CPU) for peer in ONE_BY_ONE),
    ],
    "start": [
        Limit(once("ours", "first-compilation", "first compilation, once an installation"), 40.0),
        Limit(once("ours", "import-time", "importing kuku_env"), 1.0),
        Limit(once("ours", "first-decision", "first decision of a process"), 1.5),
        *(
            Limit(once(f"peers.{module}", f"{name}-first-decision", f"the same, {library}"))
            for module, library in LIBRARIES.items()
            for name in [module.replace("_", "-")]
        ),
    ],
    "memory": [Limit(subject, figure="bytes_per_game") for subject in MEMORY],
    "training": [
        Ratio(Subject("ours", "training-64", title="self-play, 64×64", writes=""), PPO, CPU, 25.0),
        Ratio(Subject("ours", "training-256", title="self-play, 256×256", writes=""), PPO, CPU),
        Ratio(OUR_PPO, PPO, CPU, 5.0),
    ],
}


def subjects_of(checks: list[Ratio | Limit]) -> list[Subject]:
    """Every subject once, in the order it is first needed."""
    found: dict[Subject, None] = {}
    for check in checks:
        for s in (check.ours, check.other) if isinstance(check, Ratio) else (check.subject,):
            found[s] = None
    return list(found)


def measure_group(checks: list[Ratio | Limit], cores: list[int], rounds: int) -> Measured:
    """Figures of every subject of a group."""
    subjects, found = subjects_of(checks), Measured({}, {})
    if isinstance(checks[0], Limit):
        for subject in subjects:
            found.add(measure_once(subject, cores, rounds))
        return found
    able = [subject for subject in subjects if subject.cores <= len(cores)]
    for order in (cores, cores[::-1]):
        found.add(measure_turns(able, order, rounds))
    for subject in set(subjects) - set(able):
        found.miss(subject, f"this machine lends {len(cores)} core(s)")
    return found


def row(check: Ratio | Limit, measured: Measured) -> dict[str, Any]:
    """What was found of one promise, or of what is merely shown."""
    turns = measured.figures
    if isinstance(check, Limit):
        values = [figures[check.figure] for figures in turns[check.subject]]
        value = median(values) if values else None
        held = None if value is None or check.most is None else value <= check.most
        promise = None if check.most is None else f"at most {check.most} s"
        return {
            "subject": str(check.subject), "figure": check.figure, "value": value,
            "promise": promise, "held": held,
        }  # fmt: skip
    pairs = zip(turns[check.ours], turns[check.other], strict=False)  # one may be missing
    ratios = [a[check.figure] / b[check.figure] for a, b in pairs]
    ratio = median(ratios) if ratios else None
    result: dict[str, Any] = {"subject": str(check.ours), "beside": str(check.other)}
    for key, subject in (("ours", check.ours), ("theirs", check.other)):
        values = [figures[check.figure] for figures in turns[subject]]
        result[key] = median(values) if values else None
    held = None if ratio is None or check.promise is None else ratio >= check.promise
    promise = None if check.promise is None else f"at least {check.promise}"
    return {
        **result, "figure": check.figure, "ratio": ratio, "ratios": ratios,
        "promise": promise, "held": held,
    }  # fmt: skip


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
        "versions": {name: installed(name) for name in SHOWN_VERSIONS},
    }


def installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def about(subject: Subject, measured: Measured) -> dict[str, Any]:
    """What the tables tell of a subject, and its figures turn by turn."""
    return {
        "title": subject.title, "writes": subject.writes, "note": subject.note,
        "missing": measured.missing.get(subject), "turns": measured.figures[subject],
    }  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--rounds", type=int, default=4, help="measurements of each subject on a core"
    )
    parser.add_argument("--only", nargs="+", choices=GROUPS, default=list(GROUPS))
    parser.add_argument(
        "--record", action="store_true", help="for the documentation; needs all groups"
    )
    options = parser.parse_args()
    if options.record and len(options.only) < len(GROUPS):
        parser.error("--record takes all groups: leave --only out")
    cores = sorted(getattr(os, "sched_getaffinity", lambda _: range(os.cpu_count() or 1))(0))
    began = time.perf_counter()
    groups: dict[str, list[dict[str, Any]]] = {}
    subjects: dict[str, Any] = {}
    for name in options.only:
        measured = measure_group(GROUPS[name], cores, options.rounds)
        groups[name] = [row(check, measured) for check in GROUPS[name]]
        subjects |= {str(s): about(s, measured) for s in subjects_of(GROUPS[name])}
    report = {
        "command": " ".join(["python", "benchmarks/run.py", *sys.argv[1:]]),
        "date": time.strftime("%Y-%m-%d"),
        "machine": machine(),
        "rounds": options.rounds,
        "groups": groups,
        "subjects": subjects,
    }
    print(tables(report))
    target = RECORD if options.record else RESULTS
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_suffix(".part")
    part.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    part.replace(target)
    minutes = (time.perf_counter() - began) / 60
    print(f"\n{target.relative_to(ROOT)}, after {minutes:.1f} minutes", file=sys.stderr)
    broken = [r for rows in groups.values() for r in rows if r["held"] is False]
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
