"""The record of a match of Liar's Cry: every field of it, and the numbers that stand in them."""

from __future__ import annotations

from typing import Any

import numpy as np

from kuku_env.core.game import record_type
from kuku_env.core.jit import njit
from kuku_env.games.liars_cry.cards import MAX_DEALS, MAX_DECK, MAX_PLAYERS, NUM_KINDS
from kuku_env.games.liars_cry.layout import TALLIES

# Phases: the three in which a player decides, then the two in which nobody does.
LEADING, ACTING, TAKING, OVER, CHANCE = range(5)
PHASES = ("lead", "act", "take", "over", "chance")

# What a chance phase is about.
DRAW_DEALER, DEAL_CARD = range(2)

# Why a deal ended: a hand held all Key Persons, a hand was empty, nothing could be led, L15.
GOES_ON, KEYS, EMPTY, NO_LEAD, CUT = range(5)
REASONS = ("", "key_persons", "empty_hand", "no_lead", "truncated")

# What happened in the last step, in order: rows of the record's log, a kind and seven cells.
# DEALT and HELD hold a seat and its hand, two kinds to a cell.
DEAL, DEALT, ACT, LOOKED, TOOK, SHOWN, TAKEN, OUT, HELD, DEAL_END, END = range(11)
LOG_CELLS = 2 + (NUM_KINDS + 1) // 2
# Most is logged where deals end at once (L11): the dealer, the hands and the end of each deal.
LOG_ROWS = (MAX_DEALS + 1) * (MAX_PLAYERS + 2) + 5

# A seat's public record.
TRUE_CARDS, LIES, DOUBTS_RIGHT, DOUBTS_WRONG = range(4)
NUM_TALLIES = len(TALLIES)

# Cards taken into hand in this deal: who took, whose card, which kind.
BY, FROM, KIND = range(3)

NOBODY = -1

# Single numbers are int64: one type, so that each function is compiled once.
STATE = record_type(
    [
        ("rng", np.uint64),
        ("rewards", np.float64, MAX_PLAYERS),  # of the last step, by seat
        ("returns", np.float64, MAX_PLAYERS),  # of the whole match so far
        # options
        ("max_decisions", np.int64),
        ("num_players", np.int64),
        ("fixed_first", np.int64),
        ("deals", np.int64),
        ("hand_size", np.int64),
        ("by_points", np.bool_),
        ("explicit_chance", np.bool_),
        ("copies", np.int8, NUM_KINDS),
        ("points", np.int8, NUM_KINDS),
        ("leads", np.int8, NUM_KINDS),
        # whose decision, and which
        ("decisions", np.int64),
        ("phase", np.int64),
        ("turn", np.int64),  # in a chance phase the seat that is dealt to
        ("chance", np.int64),
        ("todo", np.int64),  # random events left in this chance phase
        ("truncated", np.bool_),
        # the match
        ("dealer", np.int64),  # NOBODY until the first hand is dealt
        ("next_dealer", np.int64),
        ("deal_number", np.int64),  # from 1
        ("deal_start", np.int64),  # decisions before this deal
        ("scores", np.int64, MAX_PLAYERS),  # of the deals before
        ("lowest", np.int64),  # the lowest score
        ("deal_points", np.int64, MAX_PLAYERS),  # of the last deal that was played
        ("place", np.int8, MAX_PLAYERS),  # 0 while the match lasts
        ("tallies", np.int8, (MAX_PLAYERS, NUM_TALLIES)),  # each stops at MANY
        # cards of this deal
        ("pile", np.int8, NUM_KINDS),  # not dealt, or not yet
        ("pile_size", np.int64),
        ("dealing", np.int8, NUM_KINDS),  # the hand that is being dealt
        ("hands", np.int8, (MAX_PLAYERS, NUM_KINDS)),
        ("hand_sizes", np.int8, MAX_PLAYERS),
        ("taken", np.int8, (MAX_PLAYERS, NUM_KINDS)),
        ("taken_points", np.int64, MAX_PLAYERS),
        ("took", np.int8, (MAX_DECK, 3)),  # see BY, FROM, KIND
        ("took_count", np.int64),
        # the table, by position; what was taken from it stays written until it is covered
        ("table_size", np.int64),
        ("table_kind", np.int8, MAX_DECK),
        ("table_seat", np.int8, MAX_DECK),
        ("table_up", np.int8, MAX_DECK),
        ("last_down", np.int64),  # position of the last face-down card, or NOBODY
        ("down", np.int8, MAX_PLAYERS),  # face-down cards of each seat
        ("leaving", np.int64),  # whose last card can be doubted until the turn is over, or NOBODY
        ("out", np.int8, MAX_PLAYERS),
        ("playing", np.int64),  # seats that are not out
        # last step
        ("logged", np.int64),
        ("log", np.uint8, (LOG_ROWS, LOG_CELLS)),
    ]
)


@njit
def note(s: Any, kind: int, a: int = 0, b: int = 0, c: int = 0, d: int = 0) -> None:
    """Write down one happening of this step."""
    row = s.log[s.logged]
    row[0], row[1], row[2], row[3], row[4] = kind, a, b, c, d
    s.logged += 1


@njit
def note_hand(s: Any, kind: int, seat: int) -> None:
    """Write down a hand: no kind is there more than fifteen times, so that two fit into a cell."""
    row = s.log[s.logged]
    row[0], row[1] = kind, seat
    for cell in range(2, LOG_CELLS):
        row[cell] = 0
    for k in range(NUM_KINDS):
        row[2 + k // 2] += int(s.hands[seat, k]) << (4 * (k % 2))
    s.logged += 1
