"""What runs are made of."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kuku_env.core.game import OptionError, check_choice
from kuku_env.games import find_game, games


@dataclass(frozen=True)
class RunOptions:
    """What every run is made of, whoever learns.

    Raises OptionError, naming the option, for a value that cannot be; so do all kinds of options.
    """

    game: str = "kuku-doubt"
    """Short name or id of the game."""
    seed: int = 0
    """Seed of the deals and of the network's first weights."""
    decisions: int = 20_000_000
    """Decisions to learn from; the schedules run over them."""
    minutes: float | None = None
    """Wall time after which the run ends all the same; the schedules then run over the time."""
    widths: tuple[int, ...] = (128, 128)
    """Units in each hidden layer of the network."""
    players: tuple[int, ...] = (2, 3, 4, 5, 6)
    """Table sizes, dealt in turn; a size named twice gets twice the games."""
    variants: tuple[str, ...] = ("",)
    """Rules of the tables, dealt in turn: option=value (JSON or a word), joined by commas;
    preset=NAME stands for the options of a preset."""
    games: int = 2048
    """Games played side by side."""
    steps: int = 16
    """Decisions that each game adds to a round of collecting, before the network learns from it."""
    passes: int = 2
    """How often each decision is learned from."""
    minibatch: int = 1024
    """Decisions in one step of the optimiser."""
    learning_rate: float = 4e-3
    """Step size of Adam at the start; it falls linearly to a tenth."""
    clip: float = 0.2
    """Change of a probability ratio beyond which a decision pulls no more."""
    trace: float = 0.95
    """How far later rewards are trusted over the value of the seat's next decision (lambda)."""
    snapshots: int = 0
    """Copies of the averaged network that the run leaves as bots, at equal distances."""
    threads: int = os.cpu_count() or 1
    """Processor cores to use."""

    def __post_init__(self) -> None:
        known = [name for found in games() for name in (found.name, found.id)]
        check_choice("game", self.game, known)
        self._positive("decisions", "games", "steps", "passes", "minibatch", "learning_rate",
                       "clip", "threads")  # fmt: skip
        self._not_negative("seed", "snapshots")
        self._shares("trace")
        self._not_empty("players", "variants")
        self._check("widths", bool(self.widths) and min(self.widths) > 0, "at least one, over 0")
        self._check("minutes", self.minutes is None or self.minutes > 0, "None, or over 0")

    def _positive(self, *names: str) -> None:
        for name in names:
            self._check(name, getattr(self, name) > 0, "over 0")

    def _not_negative(self, *names: str) -> None:
        for name in names:
            self._check(name, getattr(self, name) >= 0, "at least 0")

    def _shares(self, *names: str) -> None:
        for name in names:
            self._check(name, 0 <= getattr(self, name) <= 1, "from 0 to 1")

    def _not_empty(self, *names: str) -> None:
        for name in names:
            self._check(name, len(getattr(self, name)) > 0, "at least one")

    def _check(self, name: str, is_allowed: bool, allowed: str) -> None:
        if not is_allowed:
            raise OptionError(name, getattr(self, name), allowed)

    def tables(self) -> list[dict[str, Any]]:
        """The options of each kind of table: every variant at every size."""
        return tables_of(self.game, self.variants, self.players)


@dataclass(frozen=True)
class Options(RunOptions):
    """What a run of self-play is made of."""

    value_weight: float = 0.5
    """Weight of the value's squared error beside the policy's loss."""
    guess_weight: float = 0.5
    """Weight of the guesses' losses (who wins, what is hidden) beside the policy's."""
    critic_sees: bool = False
    """Whether the critic, which judges decisions in training, sees what is hidden."""
    pull_start: float = 1.0
    """Weight of the pull to the reference policy at the start."""
    pull_end: float = 0.02
    """That weight in the end; it falls geometrically."""
    magnet: str | None = None
    """Bot that the reference policy follows, by name or folder; where it does not, and without one,
    it finds all kinds of legal action alike, and all actions of a kind. With commas several, each
    for a table size: 2:runs/duel/bot,scripted-normal."""
    magnet_share: float = 0.8
    """Share of its decisions in which the reference policy follows the magnet."""
    average: float = 0.1
    """How far back the averaged network looks, which is exported: a share of the run so far."""
    opening_bot: str | None = None
    """Scripted bot that plays the opening of some games; nothing is learned from its moves."""
    opening_share: float = 0.5
    """Share of games with such an opening."""
    opening_length: int = 8
    """Most decisions in an opening; their number is drawn from 1 up."""
    rivals: tuple[str, ...] = ()
    """Bots that hold some seats of some games, by name or folder, 2:BOT at tables of two alone; one
    named twice comes up twice as often."""
    rival_share: float = 0.25
    """Share of games with such seats."""
    rival_seats: str = "some"
    """How many seats they hold there: some, or all but one."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._positive("pull_start", "pull_end", "opening_length")
        self._not_negative("value_weight", "guess_weight")
        self._shares("average", "opening_share", "rival_share")
        # Some of the even policy keeps the reference from finding anything impossible.
        self._check("magnet_share", 0 <= self.magnet_share < 1, "from 0 to below 1")
        check_choice("rival_seats", self.rival_seats, ("some", "all but one"))


def tables_of(game: str, variants: Sequence[str], players: Sequence[int]) -> list[dict[str, Any]]:
    """The options of every variant at every size.

    ``preset=kirakuken,jokers=1`` are the options of a preset, and changes to them. Raises
    OptionError for an unknown preset, or a part without ``=``.
    """
    presets = find_game(game).presets
    tables = []
    for changes in map(_parse_variant, variants):
        preset = changes.pop("preset", None)
        if preset is not None:
            check_choice("preset", preset, sorted(presets))
        basis = presets[preset] if preset is not None else {}
        tables += [{**basis, "num_players": n, **changes} for n in players]
    return tables


def _parse_variant(text: str) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        name, equals, value = part.partition("=")
        if not equals:
            raise OptionError("variants", text, "option=value, joined by commas")
        try:
            options[name.strip()] = json.loads(value)
        except json.JSONDecodeError:
            options[name.strip()] = value.strip()
    return options
