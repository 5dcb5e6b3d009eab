"""A run: learn, keep checkpoints, measure, export. Everything it leaves lies in one folder.

``RUN/config.toml`` the options, ``RUN/checkpoints`` what is needed to go on, ``RUN/events*`` for
TensorBoard, ``RUN/snapshots`` bots on the way, where the options ask for them, and in the end
``RUN/bot``, the exported bot: a run that has it is finished.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

import kuku_env
from agents.checkpoint import load_checkpoint, newest_checkpoint, read_card, save_checkpoint
from agents.config import note_options, options_from
from agents.export import check_target, export_bot
from agents.maskable_ppo import PpoLearner, PpoOptions
from agents.measure import choice_rates, win_shares
from agents.network import NetworkPolicy
from agents.options import Options
from agents.progress import Reporter
from agents.rllib_options import NAME as RLLIB
from agents.rllib_options import RllibOptions
from agents.selfplay import SelfPlay
from kuku_env.bots import make_policy
from kuku_env.core.game import Game, Policy

if TYPE_CHECKING:  # Ray is needed for its own runs alone
    from agents.rllib import RllibLearner

CHECKPOINT_SECONDS = 60.0
MEASURE_SECONDS = 30.0
LAST_GAMES = 2000  # of each measurement after the run


class RunError(ValueError):
    """A folder that a run cannot use."""


Learner = SelfPlay | PpoLearner


def start(options: Options | PpoOptions | RllibOptions, folder: Path, console: Console) -> Path:
    """A new run in ``folder``, of the learner whose options these are; the exported bot's folder.

    Raises RunError for a folder that holds something already, or that cannot be written; and what
    the learner raises for options that do not fit the game, or ClusterError where Ray's cluster
    cannot be had.
    """
    _check_unfinished(folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise RunError(f"{folder} is not empty: choose another folder, or resume the run in it")
    if isinstance(options, RllibOptions):
        return _start_rllib(options, folder, console)
    _check_writable(folder)
    learner = SelfPlay(options) if isinstance(options, Options) else PpoLearner(options)
    note_options(learner.name, options, folder, console)
    save_checkpoint(learner, folder / "checkpoints")  # from now on it can be resumed
    return _go_on(learner, folder, console)


def _start_rllib(options: RllibOptions, folder: Path, console: Console) -> Path:
    from agents.rllib_run import learn as learn_on_ray  # before anything is written

    _check_writable(folder)
    return _finish(learn_on_ray(options, folder, console, MEASURE_SECONDS), folder, console)


def resume(folder: Path, console: Console) -> Path:
    """Go on with the run in ``folder`` from its newest checkpoint; the exported bot's folder.

    Raises RunError for a finished run, CheckpointError where there is no sound checkpoint.
    """
    _check_unfinished(folder)
    checkpoint = newest_checkpoint(folder / "checkpoints")
    card = read_card(checkpoint)
    if card.get("learner") == RLLIB:
        return _resume_rllib(card, checkpoint, folder, console)
    learner = load_checkpoint(checkpoint)
    _check_writable(folder)
    return _go_on(learner, folder, console)


def _resume_rllib(card: dict[str, Any], checkpoint: Path, folder: Path, console: Console) -> Path:
    from agents.rllib_run import learn as learn_on_ray

    options = options_from(RllibOptions, card["options"])
    _check_writable(folder)
    learner = learn_on_ray(options, folder, console, MEASURE_SECONDS, checkpoint)
    return _finish(learner, folder, console)


def _check_unfinished(folder: Path) -> None:
    if (folder / "bot").exists():
        raise RunError(f"{folder} holds a finished run: choose another folder, or remove it first")


def _check_writable(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".probe"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise RunError(f"cannot write to {folder}: {error.strerror}") from None


def _go_on(learner: Learner, folder: Path, console: Console) -> Path:
    checkpoints = folder / "checkpoints"
    check_target(folder / "bot")
    saved = time.perf_counter()
    with Reporter(learner, folder, console, MEASURE_SECONDS) as reporter:
        while learner.progress() < 1:
            reporter.tell(learner.update(reporter.habits))
            leave_snapshot(learner, folder)
            if time.perf_counter() - saved > CHECKPOINT_SECONDS:
                save_checkpoint(learner, checkpoints)
                saved = time.perf_counter()
    save_checkpoint(learner, checkpoints)
    return _finish(learner, folder, console)


def leave_snapshot(learner: Learner, folder: Path) -> None:
    """Export the averaged network to ``RUN/snapshots`` when the next one is due."""
    due = int(learner.progress() * learner.options.snapshots)
    bot = folder / "snapshots" / f"{due:02}"
    if due and not bot.exists():
        _export(learner, bot, f"{folder.resolve().name}-{due:02}", {})


def _finish(learner: Learner | RllibLearner, folder: Path, console: Console) -> Path:
    """Measure what was learned and export it; the bot's folder."""
    bot, options = folder / "bot", learner.options
    strength = measure(
        learner.game, NetworkPolicy(learner.average, learner.game), options.players, LAST_GAMES,
        seed=options.seed + 1, threads=options.threads,
    )  # fmt: skip
    show(strength, console)
    _export(learner, bot, folder.resolve().name, strength)
    return bot


def _export(
    learner: Learner | RllibLearner, bot: Path, name: str, strength: dict[str, Any]
) -> None:
    export_bot(
        learner.average, learner.game, bot, name=name, tables=learner.options.tables(),
        origin=origin(learner), strength=strength,
    )  # fmt: skip


def measure(
    game: Game, bot: Policy, sizes: Iterable[int], games: int, *, seed: int, threads: int
) -> dict[str, Any]:
    """Figures of a bot at each table size, for ``bot.json``."""
    others = [make_policy(name, game) for name in ("random", *game.scripted)]
    sizes = sorted(set(sizes))
    return {
        "wins": win_shares(game, bot, others, sizes, games, seed=seed, threads=threads),
        "self_play": choice_rates(game, bot, sizes, games, seed=seed, threads=threads),
    }


def show(strength: dict[str, Any], console: Console) -> None:
    """Print the figures as two tables."""
    wins = Table(title="share of wins of one bot among others of one kind (95 % interval)")
    for heading in ("players", "against", "wins", "interval", "fair"):
        wins.add_column(heading, justify="right")
    for f in strength["wins"]:
        interval = f"{f['low']:.1%} to {f['high']:.1%}"
        fair = f"{1 / f['players']:.1%}"
        wins.add_row(str(f["players"]), f["against"], f"{f['wins']:.1%}", interval, fair)
    console.print(wins)
    kinds = list(dict.fromkeys(kind for f in strength["self_play"] for kind in f["rates"]))
    habits = Table(title="among its equals: how often it chooses what it may")
    for heading in ("players", *kinds, "decisions a game"):
        habits.add_column(heading, justify="right")
    for f in strength["self_play"]:
        rates = [f"{f['rates'][kind]:.1%}" if kind in f["rates"] else "" for kind in kinds]
        habits.add_row(str(f["players"]), *rates, f"{f['decisions']:.1f}")
    console.print(habits)


def origin(learner: Learner | RllibLearner) -> dict[str, Any]:
    """What made a bot, for ``bot.json``."""
    return {
        "software": f"kuku-env {kuku_env.__version__}",
        "learner": learner.name,
        "commit": commit(),
        "options": asdict(learner.options),
        "decisions": learner.decisions,
        "updates": learner.updates,
        "seconds": round(learner.seconds, 1),
        "cores": os.cpu_count(),
    }


def commit() -> str | None:
    """The commit of this clone; None where git or the clone is missing."""
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None
