"""Record -> observation for one seat, by the layout's offsets: a whitelist of what it may know.

Public things are written for every seat; of private things only the seat's own are read, and of
table cards only those it knows (L7).
"""

from __future__ import annotations

from typing import Any

from kuku_env.core.jit import njit
from kuku_env.games.liars_cry.cards import MAX_COPIES, MAX_PLAYERS, MIN_PLAYERS, NUM_KINDS
from kuku_env.games.liars_cry.layout import LAYOUT, MOST_POINTS, NEWEST, SECRETS
from kuku_env.games.liars_cry.state import BY, FROM, KIND, NOBODY, NUM_TALLIES, OVER, TAKING

(
    PHASE, TO_ACT, PLAYERS, COPIES, POINTS, LEADS, BY_POINTS, DEALER, DEALS_LEFT, HAND, LED,
    TABLE_SIZE, TABLE_CARDS, TABLE_UP, TABLE_SEATS, LAST_DOWN, DOWN, HAND_SIZES, GONE, TAKEN,
    TAKEN_POINTS, SCORE, BEHIND, TOOK_MINE, TOOK, RECORD,
) = (LAYOUT.start(field.name) for field in LAYOUT.fields)  # fmt: skip
HANDS, ALL_CARDS, LEFTOVER, LIE = (SECRETS.start(field.name) for field in SECRETS.fields)


@njit
def put_kinds(out: Any, at: int, c: Any) -> None:
    """Copy counts of kinds. All are read before any is written, so that they move as few words."""
    c0, c1, c2, c3, c4, c5 = c[0], c[1], c[2], c[3], c[4], c[5]
    c6, c7, c8, c9, c10 = c[6], c[7], c[8], c[9], c[10]
    out[at], out[at + 1], out[at + 2], out[at + 3] = c0, c1, c2, c3
    out[at + 4], out[at + 5], out[at + 6], out[at + 7] = c4, c5, c6, c7
    out[at + 8], out[at + 9], out[at + 10] = c8, c9, c10


@njit
def encode(s: Any, me: int, out: Any) -> None:
    """Write the observation of seat ``me``, int8 (LAYOUT.size,)."""
    out[:] = 0
    encode_match(s, me, out)
    encode_seats(s, me, out)
    encode_table(s, me, out)
    encode_took(s, me, out)
    put_kinds(out, HAND, s.hands[me])


@njit
def encode_match(s: Any, me: int, out: Any) -> None:
    n = s.num_players
    if s.phase < OVER:
        out[PHASE + s.phase] = 1
        out[TO_ACT + (s.turn - me) % n] = 1
    out[PLAYERS + n - MIN_PLAYERS] = 1
    put_kinds(out, COPIES, s.copies)
    put_kinds(out, POINTS, s.points)
    put_kinds(out, LEADS, s.leads)
    out[BY_POINTS] = s.by_points
    if s.dealer != NOBODY:
        out[DEALER + (s.dealer - me) % n] = 1
    out[DEALS_LEFT] = s.deals - s.deal_number


@njit
def encode_seats(s: Any, me: int, out: Any) -> None:
    n = s.num_players
    seat = me
    for k in range(n):
        out[DOWN + k] = s.down[seat]
        out[HAND_SIZES + k] = s.hand_sizes[seat]
        out[GONE + k] = s.out[seat]
        put_kinds(out, TAKEN + NUM_KINDS * k, s.taken[seat])
        out[TAKEN_POINTS + k] = min(s.taken_points[seat], MOST_POINTS)
        out[SCORE + k] = min(s.scores[seat], MOST_POINTS)
        out[BEHIND + k] = min(s.scores[seat] - s.lowest, MOST_POINTS)
        for t in range(NUM_TALLIES):
            out[RECORD + NUM_TALLIES * k + t] = s.tallies[seat, t]
        seat += 1
        if seat == n:
            seat = 0


@njit
def encode_table(s: Any, me: int, out: Any) -> None:
    """Table cards from the lead on; their kinds where they are up, mine, or looked at by me."""
    size = s.table_size
    out[TABLE_SIZE] = size
    if size == 0:
        return
    n = s.num_players
    looking = int((s.phase == TAKING) & (s.turn == me))
    out[LED + int(s.table_kind[0])] = 1
    for p in range(size):
        mine = int(s.table_seat[p] == me)
        up = int(s.table_up[p])
        out[TABLE_CARDS + NUM_KINDS * p + int(s.table_kind[p])] = up | mine | looking
        out[TABLE_UP + p] = up
    for k in range(min(size, NEWEST)):
        out[TABLE_SEATS + MAX_PLAYERS * k + (s.table_seat[size - 1 - k] - me) % n] = 1
    if s.last_down != NOBODY:
        out[LAST_DOWN + (s.table_seat[s.last_down] - me) % n] = 1


@njit
def encode_took(s: Any, me: int, out: Any) -> None:
    """L13: cards that went into a hand, where they were mine or I took them from another."""
    n = s.num_players
    for k in range(s.took_count):
        t = s.took[k]
        by, owner, kind = int(t[BY]), int(t[FROM]), int(t[KIND])
        other = by != owner
        at = TOOK_MINE + NUM_KINDS * ((by - me) % n) + kind
        out[at] = min(out[at] + (other & (owner == me)), MAX_COPIES)
        out[TOOK + kind] = min(out[TOOK + kind] + (other & (by == me)), MAX_COPIES)


@njit
def encode_secrets(s: Any, me: int, out: Any) -> None:
    """Write what is hidden, int8 (SECRETS.size,), seats relative to ``me``: for critics only."""
    out[:] = 0
    n = s.num_players
    for k in range(n):
        put_kinds(out, HANDS + NUM_KINDS * k, s.hands[(me + k) % n])
    for p in range(s.table_size):
        out[ALL_CARDS + NUM_KINDS * p + int(s.table_kind[p])] = 1
    put_kinds(out, LEFTOVER, s.pile)
    if s.last_down != NOBODY:
        out[LIE] = s.table_kind[s.last_down] != s.table_kind[0]
