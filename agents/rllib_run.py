"""A run of RLlib while Ray is there: progress, curves, checkpoints, and what befell the runners."""

from __future__ import annotations

import time
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
from torch.utils.tensorboard import SummaryWriter

from agents.config import note_options
from agents.measure import win_shares
from agents.network import NetworkPolicy
from agents.rllib import RllibLearner, ray_of
from agents.rllib_options import RllibOptions
from kuku_env.bots import make_policy

CHECKPOINT_SECONDS = 60.0
CURVE_GAMES = 400  # of each measurement during the run


def learn(
    options: RllibOptions,
    folder: Path,
    console: Console,
    measure_seconds: float,
    checkpoint: Path | None = None,
) -> RllibLearner:
    """A run to its end, new or from a checkpoint; ``average`` is what it learned.

    Options and curves for TensorBoard go to ``folder``, checkpoints to ``folder/checkpoints``.
    Raises ClusterError, and what RllibLearner raises; then nothing has been written.
    """
    with ray_of(options):
        learner = RllibLearner(options, checkpoint)
        try:
            if checkpoint is None:
                note_options(learner.name, options, folder, console)
            _learn(learner, folder, console, measure_seconds)
        finally:
            learner.algorithm.stop()
    return learner


def _learn(learner: RllibLearner, folder: Path, console: Console, measure_seconds: float) -> None:
    checkpoints = folder / "checkpoints"
    learner.save(checkpoints)  # from now on it can be resumed
    saved = time.perf_counter()
    with Watch(learner, folder, console, measure_seconds) as watch:
        while learner.progress() < 1:
            watch.tell(learner.update())
            if time.perf_counter() - saved > CHECKPOINT_SECONDS:
                learner.save(checkpoints)
                saved = time.perf_counter()
    learner.save(checkpoints)


class Watch:
    """Shows and logs a run, and measures it now and then; use it as a context manager."""

    def __init__(
        self, learner: RllibLearner, folder: Path, console: Console, measure_seconds: float
    ) -> None:
        self.learner, self.console, self.measure_seconds = learner, console, measure_seconds
        self.judges = [make_policy(name, learner.game) for name in learner.game.scripted]
        self.writer = SummaryWriter(str(folder))
        self.bar = Progress(
            BarColumn(bar_width=12), TaskProgressColumn(), TimeElapsedColumn(),
            TextColumn("{task.fields[told]}"), console=console,
        )  # fmt: skip
        self._task = self.bar.add_task("RLlib", total=1.0, told="")
        self._measured = self._last = time.perf_counter()
        self._decisions, self._wins, self._runners = learner.decisions, "", learner.runners

    def __enter__(self) -> Watch:
        self.bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.bar.stop()
        self.writer.close()

    def tell(self, losses: dict[str, float]) -> None:
        """Show where the run stands after a round, and add a point to the curves."""
        learner = self.learner
        now = time.perf_counter()
        speed = (learner.decisions - self._decisions) / (now - self._last)
        self._last, self._decisions = now, learner.decisions
        values = {f"learning/{name}": loss for name, loss in losses.items()}
        self._write({**values, "speed/decisions_a_second": speed, "runners": learner.runners})
        self._tell_runners()
        if now - self._measured > self.measure_seconds:
            self._measure()
        told = f"{learner.decisions / 1e6:.2f}M decisions {speed / 1e3:.1f}k/s {self._wins}"
        self.bar.update(self._task, completed=learner.progress(), told=told)

    def _tell_runners(self) -> None:
        """Whoever runs a cluster wants to know what is lost, and that it came back."""
        there, before = self.learner.runners, self._runners
        if there != before:
            change = "lost" if there < before else "back"
            told = f"{there} of {self.learner.options.runners} runners play on"
            self.console.print(f"[yellow]{abs(there - before)} runners {change}: {told}")
        self._runners = there

    def _measure(self) -> None:
        learner, options = self.learner, self.learner.options
        size = options.players[0]
        figures = win_shares(
            learner.game, NetworkPolicy(learner.average, learner.game), self.judges, [size],
            CURVE_GAMES, seed=options.seed, threads=options.threads,
        )  # fmt: skip
        self._write({f"wins/{f['against']}/{size} players": f["wins"] for f in figures})
        self._wins = ", ".join(f"{f['wins']:.0%} against {f['against']}" for f in figures)
        if not self.console.is_terminal:  # where no bar is drawn
            self.console.print(f"{learner.progress():.0%} {self._wins} at {size} players")
        self._measured = self._last = time.perf_counter()

    def _write(self, values: dict[str, float]) -> None:
        for name, value in values.items():
            self.writer.add_scalar(name, value, self.learner.decisions)
        self.writer.flush()  # rounds are long, and somebody may be looking
