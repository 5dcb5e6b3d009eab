"""Options of Liar's Cry: a frozen dataclass that checks itself, with named presets."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kuku_env.core.game import OptionError, check_choice, check_int
from kuku_env.games.liars_cry.cards import (
    MAX_COPIES,
    MAX_DEALS,
    MAX_DECK,
    MAX_PLAYERS,
    MAX_POINTS,
    MIN_PLAYERS,
    NUM_KINDS,
    RECONSTRUCTED_COPIES,
    RECONSTRUCTED_LEADS,
    RECONSTRUCTED_POINTS,
)


def _doc(default: Any, text: str) -> Any:
    return field(default=default, metadata={"doc": text})


def _plain(value: Any) -> Any:
    """Lists (of JSON and command lines) as tuples, numpy's integers as Python's."""
    if isinstance(value, list | tuple):
        return tuple(_plain(part) for part in value)
    return int(value) if isinstance(value, np.integer) else value


@dataclass(frozen=True)
class Options:
    """Rules of one table. Raises OptionError, naming the option, for a value not allowed.

    The default deck (``copies``, ``points``, ``leads``) is this project's reconstruction: the
    rulebook prints none.
    """

    num_players: int = _doc(4, "players, 3 to 7")
    first_player: int | None = _doc(None, "seat that deals first; None: drawn (L14)")
    deals: int | None = _doc(None, "deals of a match, 1 to 7; None: as many as players")
    reward: str = _doc(
        "rank",
        "rank: +1 to -1, linear by place; points: the others' mean minus one's own, "
        "over 40 a deal (L5)",
    )
    max_decisions: int = _doc(1000, "decisions after which the match is truncated (L6)")
    copies: tuple[int, ...] = _doc(
        RECONSTRUCTED_COPIES,
        "copies of C1 to C7, KeyA, KeyB, KeyC and Hanyu; the default is a reconstruction",
    )
    points: tuple[int, ...] = _doc(
        RECONSTRUCTED_POINTS, "points of each kind; the default is a reconstruction"
    )
    leads: tuple[int, ...] = _doc(
        RECONSTRUCTED_LEADS, "1 for each kind that can be led; the default is a reconstruction"
    )

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            object.__setattr__(self, name, _plain(value))
        check_int("num_players", self.num_players, MIN_PLAYERS, MAX_PLAYERS)
        if self.first_player is not None:
            check_int("first_player", self.first_player, 0, self.num_players - 1)
        if self.deals is not None:
            check_int("deals", self.deals, 1, MAX_DEALS)
        check_choice("reward", self.reward, ("rank", "points"))
        check_int("max_decisions", self.max_decisions, 1, 1_000_000)
        self._check_kinds("copies", MAX_COPIES)
        self._check_kinds("points", MAX_POINTS)
        self._check_kinds("leads", 1)
        if not any(c and led for c, led in zip(self.copies, self.leads, strict=True)):
            raise OptionError("leads", self.leads, "a 1 for some kind of which there are copies")
        if not self.num_players <= sum(self.copies) <= MAX_DECK:
            raise OptionError(
                "copies",
                self.copies,
                f"from {self.num_players} cards in all, one for each player, to {MAX_DECK}",
            )

    def _check_kinds(self, name: str, high: int) -> None:
        value = getattr(self, name)
        allowed = f"{NUM_KINDS} numbers from 0 to {high}: C1 to C7, KeyA, KeyB, KeyC, Hanyu"
        if not isinstance(value, tuple) or len(value) != NUM_KINDS:
            raise OptionError(name, value, allowed)
        for number in value:
            if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= high:
                raise OptionError(name, value, allowed)

    @property
    def num_deals(self) -> int:
        return self.num_players if self.deals is None else self.deals

    @property
    def hand_size(self) -> int:
        """Cards dealt to each player; what is left over stays out of the deal."""
        return sum(self.copies) // self.num_players

    @property
    def most_reward(self) -> float:
        """How far from zero a reward can be; by points: one player gets all cards of every deal."""
        if self.reward != "points":
            return 1.0
        deck = zip(self.copies, self.points, strict=True)
        return sum(copies * points for copies, points in deck) / 40.0

    def write(self, record: Any) -> None:
        """Set the option fields of a game's record."""
        record.num_players = self.num_players
        record.fixed_first = -1 if self.first_player is None else self.first_player
        record.deals = self.num_deals
        record.by_points = self.reward == "points"
        record.max_decisions = self.max_decisions
        record.hand_size = self.hand_size
        record.copies[:] = self.copies
        record.points[:] = self.points
        record.leads[:] = self.leads


# Single deals of two cards a hand, small enough to be solved exactly; seat 0 deals.
_SOLVABLE: dict[str, Any] = {
    "num_players": 3,
    "deals": 1,
    "first_player": 0,
    "reward": "points",
}
PRESETS: dict[str, dict[str, Any]] = {
    "single": {"deals": 1},
    "tiny": {**_SOLVABLE, "copies": (3, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1)},
    "small": {**_SOLVABLE, "copies": (3, 0, 0, 0, 0, 0, 3, 0, 0, 0, 2)},
}

# Information sets of each preset, counted by kuku_env.envs.tree.measure_tree.
INFORMATION_SETS = {"tiny": 342, "small": 1173}
