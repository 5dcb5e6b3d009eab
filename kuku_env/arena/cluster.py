"""A match's games spread over a Ray cluster, with the same results as on one machine.

The plan stays here, where results are kept; machines of the cluster are sent portions of its games,
with the bots, and answer with rows of the ledger. A portion that is lost with its machine is played
again somewhere else.
"""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from kuku_env import __version__
from kuku_env.arena.external import ViewPlayer
from kuku_env.arena.ledger import Ledger
from kuku_env.arena.plan import ArenaError, Plan
from kuku_env.arena.worker import SAVE_SECONDS, Job, run
from kuku_env.core.game import Game
from kuku_env.core.layout import Layout

# A core gets several portions, so that none waits long for the last one, and little is lost with
# a machine; but in too small ones bots would be asked for few games at a time.
PORTIONS_A_CORE = 4
LEAST_PORTION = 128

KNOCK_SECONDS = 5.0  # until a machine that says nothing counts as not there


def knock(address: str | None) -> None:
    """Raise ConnectionError if ``HOST:PORT`` cannot be reached; other addresses are left to Ray.

    Ray itself tries again for many minutes.
    """
    host, _, port = (address or "").rpartition(":")
    if not host or "/" in host or not port.isdecimal():
        return
    try:
        bare = host.removeprefix("[").removesuffix("]")  # of IPv6
        socket.create_connection((bare, int(port)), KNOCK_SECONDS).close()
    except (OSError, OverflowError, UnicodeError) as error:
        raise ConnectionError(f"it cannot be reached ({error})") from None


class Cluster:
    """A Ray cluster to play matches on; use it as a context manager.

    ``address``: ``HOST:PORT``, or ``local`` for a Ray of its own on this machine; without one Ray
    takes ``RAY_ADDRESS``, or the cluster that this machine is in, or else this machine alone.

    Raises ModuleNotFoundError without Ray, ArenaError for a cluster that cannot be reached.
    """

    def __init__(self, address: str | None = None) -> None:
        try:
            import ray
        except ModuleNotFoundError as missing:
            raise ModuleNotFoundError(
                f"a cluster needs Ray ({missing}): pip install 'kuku-env[rllib]'"
            ) from missing
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        self._ray: Any = ray
        try:
            knock(address)
            ray.init(address, logging_level=logging.ERROR, log_to_driver=False)
        except (ConnectionError, ValueError, RuntimeError) as error:
            raise ArenaError(f"no Ray cluster at {address!r}: {error}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ray.shutdown()

    @property
    def cores(self) -> int:
        """CPUs of all machines that are there now."""
        return int(self._ray.cluster_resources().get("CPU", 1))

    def run(self, job: Job, batch_size: int, save: Callable[[], None]) -> None:
        """Play the job's games; ``save`` is called now and then, and in the end whatever happens.

        Raises what ``worker.run`` raises, and ArenaError for players that cannot be sent, or for
        machines with another version of this package.
        """
        ray = self._ray
        for label, bot in zip(job.labels, job.bots, strict=True):
            if isinstance(bot, ViewPlayer):
                raise ArenaError(f"{label} is a program of this machine: it cannot play elsewhere")
        # Without limit: that a machine is lost is nothing that the games have brought about.
        play = ray.remote(num_cpus=1, max_retries=-1)(play_portion)
        version = (__version__, job.game.layout.id)
        shared = ray.put((version, job.game, job.options, job.bots, job.labels))
        games = np.array(job.todo, np.int64)
        job.todo.clear()
        waiting = {
            play.remote(shared, *portion_of(job, some), batch_size): some
            for some in portions(games, self.cores)
        }
        try:
            while waiting:
                done, _ = ray.wait(list(waiting), timeout=SAVE_SECONDS)
                for answer in done:
                    take_in(job, waiting.pop(answer), self._result(answer))
                save()
        finally:
            for answer in waiting:
                ray.cancel(answer, force=True)
            save()

    def _result(self, answer: Any) -> Any:
        try:
            return self._ray.get(answer)
        except self._ray.exceptions.RayTaskError as error:
            raise error.cause from None  # as it was raised there


def portions(games: NDArray[np.int64], cores: int) -> list[NDArray[np.int64]]:
    """Games in runs of about equal length."""
    count = min(cores * PORTIONS_A_CORE, -(-len(games) // LEAST_PORTION))
    return np.array_split(games, count) if len(games) else []


def portion_of(job: Job, games: NDArray[np.int64]) -> tuple[Plan, Any]:
    """Some games of a job as a plan of their own, each with a deal, and the chance of these."""
    plan = job.plan
    own = Plan(plan.seed, plan.line_ups[games], np.arange(len(games)), plan.rotation[games])
    return own, (job.deal_seeds[plan.deal[games]], job.dice_keys[games])


def play_portion(
    shared: tuple[tuple[str, str], Game, Any, Any, tuple[str, ...]],
    plan: Plan,
    chance: Any,
    batch_size: int,
) -> Ledger:
    """What came of a portion, its games numbered from 0; on whatever machine.

    Raises ArenaError where that has another version of the package: its games might be others.
    """
    (version, layout), game, options, bots, labels = shared
    here: Layout = game.layout
    if (version, layout) != (__version__, here.id):
        raise ArenaError(
            f"the cluster has kuku-env {__version__} ({here.id}), this machine {version} ({layout})"
        )
    job = Job(game, options, bots, labels, plan, lambda _: None, chance=chance)
    run(job, 1, batch_size, lambda: None)
    return job.ledger


def take_in(job: Job, games: NDArray[np.int64], ledger: Ledger) -> None:
    """Write what came of a portion into the job's own ledger."""
    for name, column in job.ledger.columns().items():
        column[games] = getattr(ledger, name)
    job.done.extend(games.tolist())
    job.progress(len(games))
