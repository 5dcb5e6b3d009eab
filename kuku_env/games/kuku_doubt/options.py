"""Options of Kuku Doubt: a frozen dataclass that checks itself, with named presets."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kuku_env.core.game import OptionError, check_choice, check_int
from kuku_env.games.kuku_doubt.cards import (
    CLAIMS,
    COPIES,
    LIVES,
    MAX_COPIES,
    MAX_PLAYERS,
    MIN_PLAYERS,
    NUM_RANKS,
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
    """Rules of one table. Raises OptionError, naming the option, for a value not allowed."""

    num_players: int = _doc(4, "players, 2 to 6 (K1)")
    first_player: int | None = _doc(None, "seat that starts round 1; None: drawn (K2)")
    duel_lives: bool = _doc(False, "two players play until two lives are lost (K5)")
    see_through: str = _doc(
        "any", "pairs that may be named: any, or consistent with the claim (K8)"
    )
    reward: str = _doc("winner", "winner: +1 to the last player; placement: linear by place (K13)")
    max_decisions: int = _doc(1000, "decisions after which the game is truncated (K12)")
    claims: tuple[int, ...] | None = _doc(None, "allowed claims; None: all 36 products (K7)")
    max_accepts: int | None = _doc(None, "accepts allowed in a round; None: no limit (K7)")
    copies: tuple[int, ...] = _doc(COPIES, "copies of the Liar and of ranks 1 to 9 (K7)")
    life_cards: int = _doc(2, "life cards dealt to each player; further lives are counters (K7)")

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            object.__setattr__(self, name, _plain(value))
        check_int("num_players", self.num_players, MIN_PLAYERS, MAX_PLAYERS)
        if self.first_player is not None:
            check_int("first_player", self.first_player, 0, self.num_players - 1)
        check_choice("duel_lives", self.duel_lives, (False, True))
        if self.duel_lives and self.num_players != 2:
            raise OptionError("duel_lives", self.duel_lives, "False unless num_players is 2")
        check_choice("see_through", self.see_through, ("any", "consistent"))
        check_choice("reward", self.reward, ("winner", "placement"))
        check_int("max_decisions", self.max_decisions, 1, 1_000_000)
        if self.max_accepts is not None:
            check_int("max_accepts", self.max_accepts, 0, 1000)
        check_int("life_cards", self.life_cards, 0, LIVES)
        self._check_claims()
        self._check_copies()

    def _check_claims(self) -> None:
        if self.claims is None:
            return
        allowed = f"a non-empty ascending tuple of products of the times table, from {CLAIMS}"
        if not isinstance(self.claims, tuple) or not self.claims:
            raise OptionError("claims", self.claims, allowed)
        for number in self.claims:
            if isinstance(number, bool) or not isinstance(number, int) or number not in CLAIMS:
                raise OptionError("claims", self.claims, allowed)
        if list(self.claims) != sorted(set(self.claims)):
            raise OptionError("claims", self.claims, allowed)

    def _check_copies(self) -> None:
        allowed = (
            f"{NUM_RANKS} numbers from 0 to {MAX_COPIES}: the Liar's copies, then those of 1 to 9"
        )
        if not isinstance(self.copies, tuple) or len(self.copies) != NUM_RANKS:
            raise OptionError("copies", self.copies, allowed)
        for number in self.copies:
            if isinstance(number, bool) or not isinstance(number, int):
                raise OptionError("copies", self.copies, allowed)
            if not 0 <= number <= MAX_COPIES:
                raise OptionError("copies", self.copies, allowed)
        needed = self.num_players * self.life_cards + 2
        if sum(self.copies) < needed:
            raise OptionError(
                "copies",
                self.copies,
                f"at least {needed} cards in all: {self.life_cards} life cards for each of "
                f"{self.num_players} players, and a pair to claim on",
            )

    def write(self, record: Any) -> None:
        """Set the option fields of a game's record."""
        claims = CLAIMS if self.claims is None else self.claims
        record.num_players = self.num_players
        record.fixed_first = -1 if self.first_player is None else self.first_player
        record.duel_lives = self.duel_lives
        record.consistent = self.see_through == "consistent"
        record.placement = self.reward == "placement"
        record.max_decisions = self.max_decisions
        record.allowed[:] = [number in claims for number in CLAIMS]
        record.max_accepts = -1 if self.max_accepts is None else self.max_accepts
        record.copies[:] = self.copies
        record.life_cards = self.life_cards


# Two-player games small enough to solve exactly: one round, no life cards, seat 0 starts.
_SOLVABLE: dict[str, Any] = {
    "num_players": 2,
    "life_cards": 0,
    "first_player": 0,
    "see_through": "consistent",
}
PRESETS: dict[str, dict[str, Any]] = {
    "tiny": {
        **_SOLVABLE,
        "copies": (1, 1, 2, 1, 0, 0, 0, 0, 0, 0),
        "claims": (2, 3, 4, 6),
        "max_accepts": 0,
    },
    "small": {
        **_SOLVABLE,
        "copies": (1, 1, 2, 1, 0, 0, 0, 0, 0, 0),
        "claims": (2, 3, 4, 6),
        "max_accepts": 1,
    },
    "medium": {
        **_SOLVABLE,
        "copies": (1, 1, 2, 2, 1, 0, 0, 0, 0, 0),
        "claims": (2, 3, 4, 6, 8),
        "max_accepts": 1,
    },
}

# Information sets of each preset, counted by kuku_env.envs.tree.measure_tree.
INFORMATION_SETS = {"tiny": 17, "small": 1069, "medium": 5627}
