"""Levels of Kuku Doubt: bots to ship, from a run of self-play and the solver's table.

    python -m agents.levels runs/strong --level strong --table runs/duel/solver.npz --out strong
    python -m agents.levels runs/strong --level normal --lapses 0.1 --out normal

A bot is one graph. The network decides; at two players the table does, if there is one, which is
harder to exploit. A lower level is the same bot with lapses: in so many of its decisions it takes
any kind of action, as somebody whose thoughts are elsewhere. What it tells of the game (chances to
win, what lies hidden) is the network's at every level.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import torch
import tyro
from rich.console import Console
from torch import Tensor, nn

from agents.checkpoint import CheckpointError, load_checkpoint, newest_checkpoint
from agents.duel import Choice, DuelTable, origin_of, two_players
from agents.duel_solver import DuelSolver, SolverError
from agents.export import FREE_OPTIONS, ExportError, check_target, export_bot
from agents.network import PolicyValueNetwork
from agents.run import measure, origin, show
from agents.selfplay import SelfPlay
from kuku_env.bots import ExportedPolicy
from kuku_env.core.game import OptionError

GAMES = 10_000  # of each measurement


class Level(nn.Module):
    """A network, with a table for two players, and lapses: a bot to export.

    ``lapses``, from 0 to 1: how much of a decision is the network's even policy.
    """

    def __init__(self, network: PolicyValueNetwork, table: DuelTable | None, lapses: float) -> None:
        super().__init__()
        self.network, self.table, self.lapses = network, table, lapses

    def answers(self, observation: Tensor, action_mask: Tensor) -> Mapping[str, Tensor]:
        """As PolicyValueNetwork.answers."""
        told = self.network.answers(observation, action_mask)
        chances = told["probabilities"]
        if self.table is not None:
            duel = self.table(observation, action_mask).probabilities
            chances = torch.where(two_players(observation), duel, chances)
        if self.lapses:
            even = self.network.even(action_mask).exp() * action_mask.float()
            chances = (1 - self.lapses) * chances + self.lapses * even
        return {**told, "probabilities": chances}

    def forward(self, observation: Tensor, action_mask: Tensor) -> Choice:
        """``observation`` int8 (N, D), ``action_mask`` int8 (N, A)."""
        return Choice(self.answers(observation, action_mask)["probabilities"])


@dataclass(frozen=True)
class Command:
    run: Annotated[Path, tyro.conf.Positional]
    """A run of self-play, whose averaged network it is."""
    out: Path
    """Folder of the bot: a new one, or a bot to be replaced."""
    level: Literal["easy", "normal", "strong"]
    """What it is to be called."""
    table: Path | None = None
    """What the solver of the two-player game saved; without it the network plays there, too."""
    lapses: float = 0.0
    """Share of its decisions that are any kind of action."""
    seed: int = 1
    """Of the deals on which it is measured."""

    def __post_init__(self) -> None:
        if not 0 <= self.lapses <= 1:
            raise OptionError("lapses", self.lapses, "from 0 to 1")


def main() -> int:
    try:
        make(tyro.cli(Command, prog="python -m agents.levels", description=__doc__))
    except (CheckpointError, SolverError, ExportError, OptionError, OSError) as error:
        print(f"agents.levels: {error}", file=sys.stderr)
        return 1
    return 0


def make(command: Command) -> None:
    """Put a level together, write it, and measure what was written.

    Raises CheckpointError for a folder without a run of self-play, SolverError for a table of
    another game or of other rules, ExportError where the bot cannot be written.
    """
    check_target(command.out)
    learner = load_checkpoint(newest_checkpoint(command.run / "checkpoints"))
    if not isinstance(learner, SelfPlay):
        raise CheckpointError(f"{command.run} is a run of {learner.name}: self-play is needed")
    made_by, table = {**origin(learner), "lapses": command.lapses}, None
    if command.table is not None:
        solver = DuelSolver.load(command.table)
        check_rules(solver, learner)
        table, made_by["table"] = DuelTable(solver.average()), origin_of(solver)

    def write(strength: Mapping[str, Any]) -> None:
        export_bot(
            Level(learner.average, table, command.lapses), learner.game, command.out,
            name=command.level, tables=learner.options.tables(), origin=made_by, strength=strength,
            level=command.level, small=True,
        )  # fmt: skip

    write({})
    strength = measure(
        learner.game, ExportedPolicy(command.out), learner.options.players, GAMES,
        seed=command.seed, threads=1,
    )  # fmt: skip
    show(strength, Console())
    write(strength)


def check_rules(solver: DuelSolver, learner: SelfPlay) -> None:
    """Raise SolverError unless the table is for every two-player table of the run."""
    if solver.game.id != learner.game.id:
        raise SolverError(f"the table is for {solver.game.id}, the run for {learner.game.id}")
    free = {*FREE_OPTIONS, "see_through"}  # only pairs that make the claim are ever named
    solved = asdict(solver.options)
    for table in learner.options.tables():
        options = asdict(learner.game.make_options(**table))
        wrong = [name for name in options if name not in free and options[name] != solved[name]]
        if options["num_players"] == 2 and wrong:
            told = ", ".join(
                f"{name} {options[name]} (the table: {solved[name]})" for name in wrong
            )
            raise SolverError(f"the run has two-player tables with {told}")


if __name__ == "__main__":
    sys.exit(main())
