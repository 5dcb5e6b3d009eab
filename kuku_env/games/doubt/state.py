"""The record of a game of Doubt: every field of it, and the numbers that stand in them."""

from __future__ import annotations

from typing import Any

import numpy as np

from kuku_env.core.game import record_type
from kuku_env.core.jit import njit
from kuku_env.games.doubt.cards import MAX_PLAYERS, NUM_KINDS, NUM_RANKS
from kuku_env.games.doubt.layout import MANY, TALLIES

# Phases: the two in which a player decides, then the two in which nobody does.
PLAYING, RESPOND, OVER, CHANCE = range(4)
PHASES = ("play", "respond", "over", "chance")

# What a chance phase is about.
DRAW_FIRST, DEAL_CARD, ASK_NEXT, SHOW_ONE, GIVE_CARD, NEW_PILE_CARD = range(6)

# Penalties, in the order of the options.
PILE, EXCHANGE, FORFEIT = range(3)

# What happened in the last step, in order: rows of the record's log. A row is its kind, a seat, two
# numbers more and cards as counts of kinds, where it tells of any.
START, DEALT, TURN, ACT, ASKED, SHOWN, TOOK, GAVE, SET_ASIDE, OUT, NEW_PILE, END = range(12)
LOG_HEAD = 4
LOG_ROWS = 12  # a deal writes most: the start, eight hands, the first turn

# A seat's public record.
PLAYS, SHOWN_TRUE, CAUGHT_LIES, DOUBTS_RIGHT, DOUBTS_WRONG = range(5)
NUM_TALLIES = len(TALLIES)

_BY_SEAT = (MAX_PLAYERS, NUM_KINDS)

# Single numbers are int64: one type, so that each function is compiled once.
STATE = record_type(
    [
        ("rng", np.uint64),
        ("rewards", np.float64, MAX_PLAYERS),  # of the last step, by seat
        ("returns", np.float64, MAX_PLAYERS),  # of the whole game so far
        # options
        ("num_players", np.int64),
        ("cards", np.int64),  # in the game
        ("ranks", np.int64),
        ("max_play", np.int64),
        ("hand_limit", np.int64),
        ("penalty", np.int64),
        ("fixed_first", np.int64),
        ("max_decisions", np.int64),
        ("has_max_play", np.bool_),
        ("has_limit", np.bool_),
        ("next_only", np.bool_),
        ("repeats", np.bool_),
        ("check_one", np.bool_),
        ("clockwise", np.bool_),
        ("win_only", np.bool_),
        ("explicit_chance", np.bool_),
        ("copies", np.int8, NUM_KINDS),
        # whose decision, and which
        ("decisions", np.int64),
        ("phase", np.int64),
        ("turn", np.int64),
        ("chance", np.int64),
        ("todo", np.int64),  # cards still to be moved in this chance phase
        ("truncated", np.bool_),
        # cards
        ("stock", np.int8, NUM_KINDS),  # not yet dealt
        ("hands", np.int8, _BY_SEAT),
        ("hand_size", np.int16, MAX_PLAYERS),
        ("pile", np.int8, NUM_KINDS),
        ("pile_size", np.int64),
        ("pile_start", np.int64),  # cards of it that came from those set aside
        ("pile_from", np.int16, MAX_PLAYERS),  # cards of it that each seat put there
        ("aside", np.int8, NUM_KINDS),
        ("aside_size", np.int64),
        # this play: cards added, which are still in hand, or put down, which are in the pile
        ("player", np.int64),
        ("number", np.int64),
        ("play", np.int8, NUM_KINDS),
        ("play_size", np.int64),
        ("put_size", np.int64),  # cards put down and not yet judged
        ("to_ask", np.int8, MAX_PLAYERS),
        ("left_to_ask", np.int64),
        ("winner", np.int64),  # of the last doubt
        ("loser", np.int64),
        # players
        ("living", np.int64),
        ("outs", np.int64),
        ("fates", np.int64),  # places that are known
        ("out", np.int8, MAX_PLAYERS),  # 0 in play, else k for the k-th to be out
        ("place", np.int8, MAX_PLAYERS),
        ("tallies", np.int8, (MAX_PLAYERS, NUM_TALLIES)),  # each stops at MANY
        # what seats know: see the layout
        ("mine", np.int8, _BY_SEAT),
        ("shown", np.int8, NUM_KINDS),
        ("known", np.int8, (MAX_PLAYERS, MAX_PLAYERS, NUM_KINDS)),  # of observer, of hand
        ("claims", np.int8, (MAX_PLAYERS, NUM_RANKS)),
        ("took", np.int8, (MAX_PLAYERS, NUM_RANKS)),
        # last step
        ("logged", np.int64),
        ("log", np.int8, (LOG_ROWS, LOG_HEAD + NUM_KINDS)),
    ]
)


@njit
def note(s: Any, kind: int, seat: int, a: int, b: int) -> Any:
    """Write down one happening of this step; its row, where cards may be added."""
    row = s.log[s.logged]
    row[0], row[1], row[2], row[3] = kind, seat, a, b
    for k in range(LOG_HEAD, LOG_HEAD + NUM_KINDS):
        row[k] = 0
    s.logged += 1
    return row


@njit
def note_cards(s: Any, kind: int, seat: int, a: int, b: int, cards: Any) -> None:
    """Write down what happened to several cards."""
    row = note(s, kind, seat, a, b)
    for k in range(NUM_KINDS):
        row[LOG_HEAD + k] = cards[k]


@njit
def note_card(s: Any, kind: int, seat: int, a: int, card: int) -> None:
    """Write down what happened to a card; cards that come one after the other share a row."""
    last = s.log[max(0, s.logged - 1)]
    if s.logged == 0 or last[0] != kind or last[1] != seat:
        last = note(s, kind, seat, a, 0)
    last[LOG_HEAD + card] += 1


@njit
def tally(s: Any, seat: int, which: int) -> None:
    """Add to a seat's public record, which stops at MANY."""
    s.tallies[seat, which] = min(int(s.tallies[seat, which]) + 1, MANY)


@njit
def next_in_play(s: Any, seat: int) -> int:
    """The next seat to the left that is not out."""
    seat = (seat + 1) % s.num_players
    while s.out[seat] > 0:
        seat = (seat + 1) % s.num_players
    return int(seat)
