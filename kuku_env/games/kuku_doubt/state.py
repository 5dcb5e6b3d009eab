"""The record of a game of Kuku Doubt: every field of it, and the numbers that stand in them."""

from __future__ import annotations

from typing import Any

import numpy as np

from kuku_env.core.game import record_type
from kuku_env.core.jit import njit
from kuku_env.games.kuku_doubt.cards import (
    LIVES,
    MAX_PLAYERS,
    NUM_CLAIMS,
    NUM_RANKS,
)
from kuku_env.games.kuku_doubt.layout import (
    HISTORY,
    TALLIES,
)

# Phases: the five in which a player decides, then the two in which nobody does.
RESPOND, DISCARDING, CLAIMING, FLIPPING, STARTING, OVER, CHANCE = range(7)
PHASES = ("respond", "discard", "claim", "flip", "start", "over", "chance")

# What a chance phase is about.
DEAL_LIFE, DRAW_FIRST, DRAW_CARD, REVEAL_CARD = range(4)

# What happened in the last step, in order: rows of the record's log (kind, four numbers).
LIFE, ROUND, DREW, ACT, LOOK, THREW, REVEALED, SHOWN, FLIPPED, RESHUFFLED, RECYCLED, OUT, END = (
    range(13)
)
LOG_ROWS = 16  # a deal writes most: twelve life cards, the round, two cards drawn

# A seat's public record (K19).
TRUE_CLAIMS, CAUGHT_LIES, DOUBTS_RIGHT, DOUBTS_WRONG, SEES_RIGHT, SEES_WRONG, ACCEPTS = range(7)
NUM_TALLIES = len(TALLIES)

# A claim of this round: its seat, its number, the cards discarded before it and, known to its seat
# alone, the pair it saw, the cards it discarded and the pair it passed (as rank + 1, 0 = none).
NO_CARD = -1
BY, NUMBER, DISCARDED, SAW, THROWN, PASSED, CLAIM_CELLS = 0, 1, 2, 3, 5, 7, 9

# Single numbers are int64: one type, so that each function is compiled once.
STATE = record_type(
    [
        ("rng", np.uint64),
        ("rewards", np.float64, MAX_PLAYERS),  # of the last step, by seat
        ("returns", np.float64, MAX_PLAYERS),  # of the whole game so far
        # options
        ("max_decisions", np.int64),
        ("max_accepts", np.int64),
        ("num_players", np.int64),
        ("fixed_first", np.int64),
        ("life_cards", np.int64),
        ("duel_lives", np.bool_),
        ("consistent", np.bool_),
        ("placement", np.bool_),
        ("explicit_chance", np.bool_),
        ("copies", np.int8, NUM_RANKS),
        ("allowed", np.int8, NUM_CLAIMS),
        # whose decision, and which
        ("decisions", np.int64),
        ("phase", np.int64),
        ("turn", np.int64),
        ("chance", np.int64),
        ("todo", np.int64),  # random events left in this chance phase
        ("truncated", np.bool_),
        # cards
        ("pile", np.int8, NUM_RANKS),
        ("box", np.int8, NUM_RANKS),  # the discards
        ("table", np.int8, NUM_RANKS),
        ("pile_size", np.int64),
        ("box_size", np.int64),
        ("table_size", np.int64),
        ("pair", np.int8, 2),  # held or passed: there is only one in the game
        # players
        ("living", np.int64),
        ("lives", np.int8, MAX_PLAYERS),
        ("life", np.int8, (MAX_PLAYERS, LIVES)),  # in the order dealt
        ("face_up", np.int8, (MAX_PLAYERS, LIVES)),
        ("place", np.int8, MAX_PLAYERS),  # 0 while playing
        ("tallies", np.int8, (MAX_PLAYERS, NUM_TALLIES)),  # each stops at MANY
        ("my_discards", np.int8, (MAX_PLAYERS, NUM_RANKS)),  # since the last reshuffle
        ("seen_before", np.int8, (MAX_PLAYERS, NUM_RANKS)),  # gone into a reshuffle
        # this round
        ("accepts", np.int64),
        ("claims_made", np.int64),
        ("claims", np.int8, (HISTORY, CLAIM_CELLS)),  # a ring, claim k at k % HISTORY
        ("saw", np.int8, 2),  # by the seat to move, in its present turn
        ("thrown", np.int8, 2),
        ("thrown_count", np.int64),
        # last step
        ("logged", np.int64),
        ("log", np.int8, (LOG_ROWS, 5)),
    ]
)


@njit
def note(s: Any, kind: int, a: int = 0, b: int = 0, c: int = 0, d: int = 0) -> None:
    """Write down one happening of this step."""
    row = s.log[s.logged]
    row[0], row[1], row[2], row[3], row[4] = kind, a, b, c, d
    s.logged += 1


@njit
def last_claim(s: Any) -> Any:
    return s.claims[(s.claims_made - 1) % HISTORY]
