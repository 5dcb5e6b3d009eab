"""What a run tells while it goes on: a progress bar, an alarm, and curves for TensorBoard."""

from __future__ import annotations

import time
from pathlib import Path
from types import TracebackType
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
from torch.utils.tensorboard import SummaryWriter

from agents.habits import Habits
from agents.maskable_ppo import PpoLearner
from agents.measure import win_shares
from agents.network import NetworkPolicy
from agents.selfplay import SelfPlay
from kuku_env.bots import make_policy

CURVE_SECONDS = 10.0  # between two points of the curves


class Reporter:
    """Shows and logs a run; use it as a context manager.

    Attributes: ``habits`` counts the choices of self-play and is to be given to the learner's
    updates. ``measure_seconds``: how often to play against the game's scripted bots.
    """

    def __init__(
        self,
        learner: SelfPlay | PpoLearner,
        folder: Path,
        console: Console,
        measure_seconds: float,
    ) -> None:
        self.learner, self.console, self.measure_seconds = learner, console, measure_seconds
        self.habits = Habits(learner.game, learner.num_players)
        self.scripts = [make_policy(name, learner.game) for name in learner.game.scripted]
        self.writer = SummaryWriter(str(folder))
        self.bar = Progress(
            BarColumn(bar_width=12), TaskProgressColumn(), TimeElapsedColumn(),
            TextColumn("{task.fields[told]}"), console=console,
        )  # fmt: skip
        self._task = self.bar.add_task(learner.name, total=1.0, told="")
        self._wins = ""
        self._alarmed: set[str] = set()
        self._start_curves()
        self._measured = time.perf_counter()

    def __enter__(self) -> Reporter:
        self.bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.bar.stop()
        self.writer.close()

    def tell(self, losses: dict[str, float]) -> None:
        """Show where the run stands; now and then add points to the curves."""
        learner = self.learner
        if time.perf_counter() - self._since > CURVE_SECONDS:
            self._add_curves(losses)
        if time.perf_counter() - self._measured > self.measure_seconds:
            self._measure()
        self.bar.update(self._task, completed=learner.progress(), told=self._told())

    def _told(self) -> str:
        return f"{self.learner.decisions / 1e6:.1f}M decisions {self._speed} {self._wins}"

    def _start_curves(self) -> None:
        self.habits.clear()
        self._since, self._decisions = time.perf_counter(), self.learner.decisions
        self._speed = getattr(self, "_speed", "")

    def _add_curves(self, losses: dict[str, float]) -> None:
        habits = self.habits
        speed = (self.learner.decisions - self._decisions) / (time.perf_counter() - self._since)
        self._speed = f"{speed / 1e3:.0f}k/s"
        values = {"speed/decisions_a_second": speed}
        values |= {f"learning/{name}": loss for name, loss in losses.items()}
        values |= {f"choice_{n}_players/{kind}": rate for (kind, n), rate in habits.rates().items()}
        values |= {f"true_{n}_players/{name}": s for (name, n), s in habits.shares_true().items()}
        values |= {f"decisions_a_game/{n}_players": mean for n, mean in habits.lengths().items()}
        values |= {f"entropy/{kinds}": nats for kinds, nats in habits.entropies().items()}
        self._write(values)
        for line in habits.collapsed():
            if line.partition(":")[0] not in self._alarmed:
                self._alarmed.add(line.partition(":")[0])
                self.console.print(f"[yellow]warning: self-play all but gave up {line}")
        self._start_curves()

    def _measure(self) -> None:
        learner = self.learner
        sizes = sorted(set(learner.options.players))[:3:2]  # two of them tell enough
        bot = NetworkPolicy(learner.average, learner.game)
        figures = win_shares(
            learner.game, bot, self.scripts, sizes, 500, seed=1, threads=learner.options.threads
        )
        self._write({f"wins_{f['players']}_players/{f['against']}": f["wins"] for f in figures})
        self._wins = "wins " + ", ".join(
            f"{f['wins']:.0%} at {f['players']} vs {f['against']}" for f in figures
        )
        if not self.console.is_terminal:  # where no bar is drawn
            self.console.print(f"{learner.progress():.0%} {self._told()}")
        self._measured = time.perf_counter()
        # What was measured is not part of the learner's speed.
        self._start_curves()

    def _write(self, values: dict[str, Any]) -> None:
        for name, value in values.items():
            self.writer.add_scalar(name, value, self.learner.decisions)
