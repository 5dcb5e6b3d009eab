"""Solve Kuku Doubt at two players, and make a bot of it.

    python -m agents.duel runs/duel --minutes 10

leaves ``solver.npz``, from which the same command goes on, and ``bot``, which plays wherever an
exported bot does. How: see ``agents.duel_solver``.
"""

from __future__ import annotations

import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import torch
import tyro
from numpy.typing import NDArray
from rich.console import Console
from torch import Tensor, nn

import kuku_env
from agents import duel_sets as sets
from agents.duel_sets import pair_number
from agents.duel_solver import DuelSolver, SolverError
from agents.export import ExportError, check_target, export_bot
from agents.measure import choice_rates
from agents.network import NetworkPolicy
from agents.run import commit, measure, show
from kuku_env.core.game import Policy
from kuku_env.games.kuku_doubt import layout as words
from kuku_env.games.kuku_doubt import state
from kuku_env.games.kuku_doubt.cards import CLAIMS, LIVES, PAIR_HIGH, PAIR_LOW
from kuku_env.games.kuku_doubt.layout import LAYOUT

SAVE_SECONDS = 30.0  # between two lines of progress; the table is saved then, too
GAMES = 2000  # of each measurement


def table_columns() -> NDArray[np.int64]:
    """The column of each action, int64 (CLAIMS + 2, A), -1 for none.

    By row: a response to each claim, a discard, a claim.
    """
    columns = np.full((sets.CLAIMS + 2, LAYOUT.num_actions), -1)
    for number in range(sets.CLAIMS):
        columns[number, [words.ACCEPT, words.DOUBT]] = 0, 1
        for k, pair in enumerate(sets.WAYS[number]):
            if pair >= 0:
                columns[number, words.SEE + pair] = 2 + k
    for row, first, count in (
        (sets.CLAIMS, words.DISCARD_LOW, sets.DISCARDS),
        (sets.CLAIMS + 1, words.CLAIM, sets.CLAIMS),
    ):
        columns[row, first : first + count] = np.arange(count)
    return columns


class Choice(NamedTuple):
    """``probabilities`` float32 (N, A)."""

    probabilities: Tensor


class DuelTable(nn.Module):
    """A solver's average strategy as a module that plays as a network does.

    A set that was never reached is played evenly.
    """

    shares: Tensor
    columns: Tensor

    def __init__(self, shares: NDArray[np.uint8]) -> None:
        """``shares`` uint8 (SIZE,): see DuelSolver.average."""
        super().__init__()
        self.register_buffer("shares", torch.from_numpy(shares))
        self.register_buffer("columns", torch.from_numpy(table_columns()))

    def forward(self, observation: Tensor, action_mask: Tensor) -> Choice:
        """``observation`` int8 (N, D), ``action_mask`` int8 (N, A)."""
        columns = self.columns[kinds(observation)]
        sensible = (columns >= 0) * action_mask
        weights = (
            self.shares[places(observation)[:, None] + columns.clamp(min=0)].float() * sensible
        )
        sums = weights.sum(1, keepdim=True)
        even = sensible / sensible.sum(1, keepdim=True)
        return Choice(torch.where(sums > 0, weights / sums.clamp(min=1e-9), even))


def field(observation: Tensor, name: str) -> Tensor:
    """The cells of a field, int64 (N, cells)."""
    return observation[:, LAYOUT.offsets[name]].long()


def two_players(observation: Tensor) -> Tensor:
    """At which tables two play, bool (N, 1)."""
    return field(observation, "num_players")[:, :1] == 1


def kinds(observation: Tensor) -> Tensor:
    """Which row of ``table_columns`` tells the columns of each decision, int64 (N,)."""
    phase = field(observation, "phase")
    kind = torch.where(phase[:, state.DISCARDING] == 1, sets.CLAIMS, sets.CLAIMS + 1)
    return torch.where(phase[:, state.RESPOND] == 1, last_claim(observation), kind)


def last_claim(observation: Tensor) -> Tensor:
    """The place of the last claim among the products, int64 (N,), 0 where there is none."""
    return field(observation, "last_claim") @ torch.arange(sets.CLAIMS)


def low_high(counts: Tensor) -> tuple[Tensor, Tensor]:
    """The ranks of a pair that is given as counts of ranks (N, 10), each int64 (N,)."""
    passed = counts.cumsum(1)
    return (passed < 1).sum(1), (passed < 2).sum(1)


def likely_claims(observation: Tensor, number: Tensor, drawn: Tensor) -> Tensor:
    """How likely the claim is to who answers it, int64 (N,): see ``sets.LIKELY``."""
    passed = field(observation, "passed")
    deck = field(observation, "deck") - passed
    lives = field(observation, "life_cards").reshape(-1, LIVES, sets.RANKS).sum(1)
    seen = field(observation, "table") + field(observation, "my_discards") + lives
    ways, of = ways_to_make(deck - seen, passed, number, drawn)
    usual, of_usual = ways_to_make(deck, passed, number, drawn)
    mine, theirs = 8 * ways * of_usual, usual * of
    return (mine >= 5 * theirs).long() + (mine >= 7 * theirs).long()


def ways_to_make(
    left: Tensor, passed: Tensor, number: Tensor, drawn: Tensor
) -> tuple[Tensor, Tensor]:
    """How many draws of ``left`` (N, ranks) make the claim, and of how many, each int64 (N,)."""
    ways = torch.tensor(sets.WAYS)[number]  # (N, ways)
    low, high = (torch.tensor(ranks).long()[ways.clamp(min=0)] for ranks in (PAIR_LOW, PAIR_HIGH))
    of_low, of_high, double = left.gather(1, low), left.gather(1, high), low == high
    two = torch.where(double, of_low * (of_low - 1), 2 * of_low * of_high)
    kept_low, kept_high = passed.gather(1, low) > 0, passed.gather(1, high) > 0
    one = of_high * kept_low + of_low * (kept_high & ~double)
    made = (torch.where(drawn[:, None] == 2, two, one) * (ways >= 0)).sum(1)
    size = left.sum(1)
    return made, torch.where(drawn == 2, size * (size - 1), size)


def places(observation: Tensor) -> Tensor:
    """The place of each decision's set in the table, int64 (N,), as ``place_in`` has it."""
    made = field(observation, "claims_made")[:, 0]
    number = last_claim(observation)
    responding = field(observation, "phase")[:, state.RESPOND] == 1
    discarding = field(observation, "phase")[:, state.DISCARDING] == 1

    discarded = field(observation, "claim_discards")[:, 0]
    passed = pair_number(*low_high(field(observation, "passed")))
    likely = likely_claims(observation, number, torch.where(made == 1, 2, discarded))
    own = field(observation, "claim_numbers")[:, 1:2]
    step = number - (torch.tensor(CLAIMS) < own).sum(1)
    above = (step > 0).long() + (step > 3).long()
    at = ((number * 2 + discarded - 1) * sets.PAIRS + passed) * 3 + above
    at = (at * 3 + made.clamp(2, 4) - 2) * sets.LIKELY + likely
    first = sets.FIRST_RESPONSES + (number * sets.LIKELY + likely) * sets.RESPONSES
    response = torch.where(made == 1, first, sets.LATER_RESPONSES + at * sets.RESPONSES)

    low, high = low_high(field(observation, "hand"))
    hand = pair_number(low, high)
    at = number * sets.PAIRS + hand
    discard = sets.DISCARDINGS + (at * 4 + made.clamp(1, 4) - 1) * sets.DISCARDS

    thrown = field(observation, "thrown")
    kept, _ = low_high(field(observation, "saw") - thrown)
    known = torch.where(kept == low, 0, torch.where(thrown.sum(1) == 2, 2, 1))
    later = sets.LATER_CLAIMS + ((at * 3 + known) * 3 + made.clamp(1, 3) - 1) * sets.CLAIMS
    claim = torch.where(made == 0, sets.FIRST_CLAIMS + hand * sets.CLAIMS, later)

    place = torch.where(responding, response, torch.where(discarding, discard, claim))
    return place.clamp(0, sets.SIZE - sets.CLAIMS)


def duel_policy(solver: DuelSolver, name: str = "duel") -> Policy:
    """The average strategy of a solver as a bot."""
    return NetworkPolicy(DuelTable(solver.average()), solver.game, name)


# ---------------------------------------------------------------- the command


@dataclass(frozen=True)
class Command:
    run: Annotated[Path, tyro.conf.Positional]
    """Folder of the run: a new one, or one to go on with."""
    minutes: float = 10.0
    """How long to go on."""
    seed: int = 0
    """Of the deals; a run that goes on keeps its own."""


def main() -> int:
    command = tyro.cli(Command, prog="python -m agents.duel", description=__doc__)
    try:
        solve(command.run, command.minutes, command.seed)
    except (SolverError, ExportError, OSError) as error:
        print(f"agents.duel: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(
            "\nagents.duel: stopped; the same command goes on from the last save", file=sys.stderr
        )
        return 130
    return 0


def solve(run: Path, minutes: float, seed: int) -> None:
    """Go on with the run in a folder, or begin it, and export its bot."""
    table, bot = run / "solver.npz", run / "bot"
    check_target(bot)
    run.mkdir(parents=True, exist_ok=True)
    solver = DuelSolver.load(table) if table.exists() else DuelSolver(seed)
    until = time.monotonic() + 60 * minutes
    while (left := until - time.monotonic()) > 0:
        work_for(solver, min(left, SAVE_SECONDS))
        solver.save(table)
        tell(solver)
    export(solver, bot)
    print(f"the bot: {bot}")


def work_for(solver: DuelSolver, seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        solver.iterate()


def tell(solver: DuelSolver) -> None:
    """A line of progress: who wins, and how, where the average strategy plays itself."""
    [habits] = choice_rates(
        solver.game, duel_policy(solver), [2], GAMES, seed=solver.iterations, threads=1
    )
    rates = ", ".join(f"{kind} {rate:.1%}" for kind, rate in habits["rates"].items())
    print(
        f"{solver.iterations:,} deals in {solver.seconds:.0f} s; "
        f"{habits['decisions']} decisions a game; {rates}",
        flush=True,
    )


def export(solver: DuelSolver, folder: Path) -> None:
    """Measure the average strategy and write it as an exported bot."""
    game, bot = solver.game, duel_policy(solver)
    options = asdict(solver.options)
    tables = [{**options, "see_through": rule} for rule in ("any", "consistent")]
    strength = measure(game, bot, [2], GAMES, seed=solver.seed + 1, threads=1)
    show(strength, Console())
    export_bot(
        DuelTable(solver.average()), game, folder, name="duel", tables=tables,
        origin=origin_of(solver), strength=strength,
    )  # fmt: skip


def origin_of(solver: DuelSolver) -> dict[str, Any]:
    """What made the table, for ``bot.json``."""
    return {
        "software": f"kuku-env {kuku_env.__version__}",
        "learner": "regret minimisation with coarse information",
        "commit": commit(),
        "seed": solver.seed,
        "iterations": solver.iterations,
        "seconds": round(solver.seconds, 1),
    }


if __name__ == "__main__":
    sys.exit(main())
