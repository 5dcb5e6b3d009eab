"""What a run of RLlib is made of; apart from the learner, so that reading them needs no Ray."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields
from typing import Any

from agents.options import tables_of
from agents.presets import OF_GAME
from kuku_env.core.game import OptionError, check_choice
from kuku_env.games import find_game, games

NAME = "rllib"  # of the learner


class ClusterError(ValueError):
    """A Ray cluster that cannot be reached, or has no room for a run."""


@dataclass(frozen=True)
class RllibOptions:
    """What a run is made of. Raises OptionError, naming the option, for a value that cannot be."""

    game: str = "kuku-doubt"
    """Short name or id of the game."""
    seed: int = 0
    """Seed of the deals and of the network's first weights."""
    address: str | None = None
    """A Ray cluster to use: HOST:PORT, or auto for the one this machine is in; None: a Ray of its
    own on this machine, for this run alone."""
    runners: int = 2
    """Processes that play, on any machines of the cluster; each takes one of its CPUs."""
    decisions: int = 5_000_000
    """Decisions of the network to learn from."""
    minutes: float | None = None
    """Wall time after which the run ends all the same; None: no limit."""
    widths: tuple[int, ...] = (128, 128)
    """Units in each hidden layer."""
    players: tuple[int, ...] = (2, 3, 4, 5, 6)
    """Table sizes, dealt in turn; a size named twice gets twice the games."""
    variants: tuple[str, ...] = ("",)
    """Rules of the tables, dealt in turn: option=value (JSON or a word), joined by commas;
    preset=NAME stands for the options of a preset."""
    games: int = 256
    """Games played side by side by each runner."""
    batch: int = 16_384
    """Decisions that are played before the network learns from them."""
    passes: int = 4
    """How often each decision is learned from."""
    minibatch: int = 2048
    """Decisions in one step of the optimiser."""
    learning_rate: float = 1e-3
    """Step size of Adam at the start; it falls linearly to a tenth with the decisions."""
    clip: float = 0.2
    """Change of a probability ratio beyond which a decision pulls no more."""
    trace: float = 0.95
    """How far later rewards are trusted over the value of the next decision (lambda)."""
    pull_start: float = 1.0
    """Weight of the pull to the policy that finds all kinds of action alike, at the start."""
    pull_end: float = 0.02
    """That weight in the end; it falls geometrically."""
    rivals: tuple[str, ...] = ("scripted-normal", "scripted-easy", "random")
    """Bots that hold some seats of some games; nothing is learned from their moves."""
    rival_share: float = 0.65
    """Share of the games with a rival; the network holds all seats of the others."""
    threads: int = os.cpu_count() or 1
    """Processor cores of this machine to learn and to measure with."""

    def __post_init__(self) -> None:
        known = [name for found in games() for name in (found.name, found.id)]
        check_choice("game", self.game, known)
        positive = ("runners", "decisions", "games", "batch", "passes", "minibatch",
                    "learning_rate", "clip", "pull_start", "pull_end", "threads")  # fmt: skip
        for name in positive:
            self._check(name, getattr(self, name) > 0, "over 0")
        self._check("seed", self.seed >= 0, "at least 0")
        for name in ("trace", "rival_share"):
            self._check(name, 0 <= getattr(self, name) <= 1, "from 0 to 1")
        for name in ("players", "variants"):
            self._check(name, len(getattr(self, name)) > 0, "at least one")
        self._check("widths", bool(self.widths) and min(self.widths) > 0, "at least one, over 0")
        self._check("minutes", self.minutes is None or self.minutes > 0, "None, or over 0")

    def _check(self, name: str, is_allowed: bool, allowed: str) -> None:
        if not is_allowed:
            raise OptionError(name, getattr(self, name), allowed)

    def tables(self) -> list[dict[str, Any]]:
        """The options of each kind of table: every variant at every size."""
        return tables_of(self.game, self.variants, self.players)


def make_rllib_options(budget: str, game: str, preset: str | None = None) -> RllibOptions:
    """The options of a budget (demo, quick) for a game; ``preset``: of its rules, to play by.

    Raises KeyError for an unknown budget or game.
    """
    found = find_game(game)
    settings: dict[str, dict[str, Any]] = {
        "demo": {"minutes": 5.0},
        "quick": {"decisions": 200_000, "minutes": 1.0, "widths": (64, 64), "batch": 8192},
    }
    scripts = tuple(name for name in ("scripted-normal", "scripted-easy") if name in found.scripted)
    sizes = tuple(n for n in range(2, 7) if found.min_players <= n <= found.max_players)
    known = [field.name for field in fields(RllibOptions)]
    particular = {name: v for name, v in OF_GAME.get(found.name, {}).items() if name in known}
    general = {"game": game, "rivals": (*scripts, "random"), "players": sizes}
    if preset is not None:
        particular["variants"] = (f"preset={preset}",)
    return RllibOptions(**{**general, **particular, **settings[budget]})
