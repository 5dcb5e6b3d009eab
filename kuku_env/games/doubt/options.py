"""Options of Doubt: a frozen dataclass that checks itself, with named presets."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kuku_env.core.game import OptionError, check_choice, check_int
from kuku_env.games.doubt.cards import (
    JOKER,
    MAX_CARDS,
    MAX_DECKS,
    MAX_JOKERS,
    MAX_PLAYERS,
    MAX_SUITS,
    MIN_PLAYERS,
    NUM_RANKS,
)

CALLERS = ("anyone", "next")
AFTER_CALL = ("advance", "repeat")
CHECKS = ("all", "one")
PENALTIES = ("pile", "exchange", "forfeit")
CALL_ORDERS = ("random", "clockwise")
ENDS = ("first_out",)
REWARDS = ("rank", "win")


def _doc(default: Any, text: str) -> Any:
    return field(default=default, metadata={"doc": text})


@dataclass(frozen=True)
class Options:
    """Rules of one table. Raises OptionError, naming the option, for a value not allowed."""

    num_players: int = _doc(4, "players, 2 to 8")
    decks: int = _doc(1, "packs of cards, 1 to 4 (D15)")
    jokers: int = _doc(0, "jokers in all, 0 to 4: always true, whatever is called (D15)")
    max_play: int | None = _doc(
        4, "most cards put down at once, 1 to suits × decks; None: any number (D14)"
    )
    callers: str = _doc("anyone", "who may doubt: anyone, or next, the next player alone (D10)")
    after_call: str = _doc(
        "advance", "number after a doubt: advance to the next, or repeat the same (D18)"
    )
    check: str = _doc(
        "all", "a doubt turns up all cards put down, or one drawn at random (D5, D16)"
    )
    penalty: str = _doc(
        "pile",
        "loser of a doubt: pile, takes it; exchange, takes two cards of the winner (D11); "
        "forfeit, is out (D12)",
    )
    hand_limit: int | None = _doc(
        26, "who takes the pile and holds more than this is out (D4); None: no limit"
    )
    ends: str = _doc("first_out", "the game ends when a hand is empty (D3, D6)")
    call_order: str = _doc("random", "who is asked first: random, or clockwise (D1)")
    reward: str = _doc("rank", "rank: linear by place; win: +1 to the winner alone (D6, D17)")
    first_player: int | None = _doc(None, "seat that starts; None: drawn (D10)")
    max_decisions: int = _doc(2000, "decisions after which the game is truncated (D7, D17)")
    ranks: int = _doc(13, "ranks in a pack, 2 to 13: A, 2, and so on; fewer for small games")
    suits: int = _doc(4, "cards of each rank in a pack, 1 to 4; fewer for small games")

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            plain = int(value) if isinstance(value, np.integer) else value
            object.__setattr__(self, name, plain)
        check_int("num_players", self.num_players, MIN_PLAYERS, MAX_PLAYERS)
        check_int("decks", self.decks, 1, MAX_DECKS)
        check_int("jokers", self.jokers, 0, MAX_JOKERS)
        check_int("ranks", self.ranks, 2, NUM_RANKS)
        check_int("suits", self.suits, 1, MAX_SUITS)
        if self.max_play is not None:
            check_int("max_play", self.max_play, 1, self.suits * self.decks)
        check_choice("callers", self.callers, CALLERS)
        check_choice("after_call", self.after_call, AFTER_CALL)
        check_choice("check", self.check, CHECKS)
        check_choice("penalty", self.penalty, PENALTIES)
        check_choice("ends", self.ends, ENDS)
        check_choice("call_order", self.call_order, CALL_ORDERS)
        check_choice("reward", self.reward, REWARDS)
        if self.first_player is not None:
            check_int("first_player", self.first_player, 0, self.num_players - 1)
        check_int("max_decisions", self.max_decisions, 1, 1_000_000)
        if self.num_players > self.cards:
            allowed = f"at most {self.cards}, the cards there are: everybody is dealt one"
            raise OptionError("num_players", self.num_players, allowed)
        self._check_hand_limit()

    def _check_hand_limit(self) -> None:
        if self.hand_limit is None:
            return
        if self.penalty != "pile":
            allowed = f"None where the penalty is {self.penalty!r}: nobody takes the pile"
            raise OptionError("hand_limit", self.hand_limit, allowed)
        check_int("hand_limit", self.hand_limit, self.largest_hand, MAX_CARDS)

    @property
    def cards(self) -> int:
        """Cards in play."""
        return self.ranks * self.suits * self.decks + self.jokers

    @property
    def largest_hand(self) -> int:
        """Cards of the seat that is dealt most."""
        return -(-self.cards // self.num_players)

    def write(self, record: Any) -> None:
        """Set the option fields of a game's record."""
        record.num_players = self.num_players
        record.copies[:] = 0
        record.copies[: self.ranks] = self.suits * self.decks
        record.copies[JOKER] = self.jokers
        record.cards = self.cards
        record.ranks = self.ranks
        record.max_play = MAX_CARDS if self.max_play is None else self.max_play
        record.has_max_play = self.max_play is not None
        record.hand_limit = MAX_CARDS if self.hand_limit is None else self.hand_limit
        record.has_limit = self.hand_limit is not None
        record.next_only = self.callers == "next"
        record.repeats = self.after_call == "repeat"
        record.check_one = self.check == "one"
        record.penalty = PENALTIES.index(self.penalty)
        record.clockwise = self.call_order == "clockwise"
        record.win_only = self.reward == "win"
        record.fixed_first = -1 if self.first_player is None else self.first_player
        record.max_decisions = self.max_decisions


# The traditional game; the others say in what they differ.
_TRADITIONAL: dict[str, Any] = {
    "num_players": 4,
    "jokers": 0,
    "max_play": 1,
    "callers": "anyone",
    "after_call": "repeat",
    "check": "all",
    "penalty": "pile",
    "hand_limit": None,
}

# Two players and a handful of cards: small enough to solve exactly.
_SOLVABLE: dict[str, Any] = {
    "num_players": 2,
    "first_player": 0,
    "ranks": 2,
    "max_play": 1,
    "after_call": "repeat",
    "hand_limit": None,
}
PRESETS: dict[str, dict[str, Any]] = {
    "kirakuken": {**_TRADITIONAL, "max_play": 4, "after_call": "advance", "hand_limit": 26},
    "traditional": _TRADITIONAL,
    "cheat": {**_TRADITIONAL, "callers": "next", "after_call": "advance"},
    "exchange": {**_TRADITIONAL, "num_players": 3, "penalty": "exchange"},
    "tiny": {**_SOLVABLE, "suits": 1, "jokers": 1, "max_decisions": 9},
    "small": {**_SOLVABLE, "suits": 2, "max_decisions": 12},
    "medium": {**_SOLVABLE, "suits": 2, "max_decisions": 18},
}

# Information sets of the solvable presets, counted by kuku_env.envs.tree.measure_tree.
INFORMATION_SETS = {"tiny": 98, "small": 238, "medium": 1052}
