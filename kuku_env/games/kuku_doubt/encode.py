"""Record -> observation for one seat, by the layout's offsets: a whitelist of what the seat may know.

Public things are written for every seat; of private things only the seat's own rows are read.
"""

from __future__ import annotations

from typing import Any

from kuku_env.core.jit import njit
from kuku_env.games.kuku_doubt.cards import CLAIM_NUMBER, LIVES, MAX_PLAYERS, NUM_RANKS
from kuku_env.games.kuku_doubt.layout import HISTORY, LAYOUT, MANY, SECRETS, TALLIES
from kuku_env.games.kuku_doubt.rules import (
    BY,
    CHANCE,
    CLAIMING,
    DISCARDED,
    DISCARDING,
    NO_CARD,
    NUMBER,
    OVER,
    PASSED,
    SAW,
    STARTING,
    THROWN,
)

(
    PHASE, TO_ACT, PLAYERS, DECK, DUEL_LIVES, PLACEMENT, CONSISTENT, SUDDEN_DEATH, ACCEPTS_LEFT,
    HAND, SAW_NOW, THROWN_NOW, PASSED_LAST, LIFE_CARDS, LIVES_LEFT, FACE_UP, TABLE, PILE, BOX,
    CLAIMS_MADE, LAST_CLAIM, CLAIM_SEATS, CLAIM_NUMBERS, CLAIM_DISCARDS, CLAIM_SAW, CLAIM_THROWN,
    CLAIM_PASSED, MY_DISCARDS, SEEN_BEFORE,
) = (LAYOUT.start(field.name) for field in LAYOUT.fields[: -len(TALLIES)])  # fmt: skip
RECORDS = LAYOUT.start(TALLIES[0])
PAIR, HIDDEN_LIVES, PILE_CARDS, BOX_CARDS = (SECRETS.start(f.name) for f in SECRETS.fields)


@njit
def put_cards(out: Any, at: int, cards: Any) -> None:
    """Count the ranks of a pair."""
    for k in range(2):
        if cards[k] != NO_CARD:
            out[at + cards[k]] += 1


@njit
def put_counts(out: Any, at: int, counts: Any) -> None:
    for r in range(NUM_RANKS):
        out[at + r] = counts[r]


@njit
def encode(s: Any, me: int, out: Any) -> None:
    """Write the observation of seat ``me``, int8 (LAYOUT.size,)."""
    out[:] = 0
    encode_table(s, me, out)
    encode_seats(s, me, out)
    encode_claims(s, me, out)
    if s.turn == me and (s.phase == DISCARDING or s.phase == CLAIMING or s.phase == CHANCE):
        put_cards(out, HAND, s.pair)
        put_cards(out, SAW_NOW, s.saw)
        put_cards(out, THROWN_NOW, s.thrown)


@njit
def encode_table(s: Any, me: int, out: Any) -> None:
    n = s.num_players
    if s.phase <= STARTING:
        out[PHASE + s.phase] = 1
        out[TO_ACT + (s.turn - me) % n] = 1
    out[PLAYERS + n - 2] = 1
    put_counts(out, DECK, s.copies)
    out[DUEL_LIVES] = s.duel_lives
    out[PLACEMENT] = s.placement
    out[CONSISTENT] = s.consistent
    out[SUDDEN_DEATH] = s.living == 2 and not s.duel_lives and s.phase != OVER
    if s.max_accepts >= 0:
        left = s.max_accepts - s.accepts
        if left < 4:
            out[ACCEPTS_LEFT + left] = 1
    put_counts(out, TABLE, s.table)
    out[PILE] = s.pile_size
    out[BOX] = s.box_size


@njit
def encode_seats(s: Any, me: int, out: Any) -> None:
    n = s.num_players
    seat = me
    for k in range(n):
        out[LIVES_LEFT + k] = s.lives[seat]
        for j in range(LIVES):
            if s.face_up[seat, j]:
                out[FACE_UP + NUM_RANKS * k + s.life[seat, j]] += 1
        for j in range(len(TALLIES)):
            out[RECORDS + MAX_PLAYERS * j + k] = min(s.tallies[seat, j], MANY)
        seat += 1
        if seat == n:
            seat = 0
    for j in range(LIVES):
        if s.life[me, j] != NO_CARD:
            out[LIFE_CARDS + NUM_RANKS * j + s.life[me, j]] = 1
    put_counts(out, MY_DISCARDS, s.my_discards[me])
    put_counts(out, SEEN_BEFORE, s.seen_before[me])


@njit
def encode_claims(s: Any, me: int, out: Any) -> None:
    """The claims of this round, newest first; what I saw, discarded and passed where it was me."""
    n = s.num_players
    made = s.claims_made
    out[CLAIMS_MADE] = min(made, MANY)
    if made == 0:
        return
    out[LAST_CLAIM + s.claims[(made - 1) % HISTORY, NUMBER]] = 1
    passed_found = False
    for k in range(min(made, HISTORY)):
        c = s.claims[(made - 1 - k) % HISTORY]
        by = c[BY]
        out[CLAIM_SEATS + MAX_PLAYERS * k + (by - me) % n] = 1
        out[CLAIM_NUMBERS + k] = CLAIM_NUMBER[c[NUMBER]]
        out[CLAIM_DISCARDS + k] = c[DISCARDED]
        if by != me:
            continue
        for j in range(2):
            out[CLAIM_SAW + 2 * k + j] = c[SAW + j]
            out[CLAIM_THROWN + 2 * k + j] = c[THROWN + j]
            out[CLAIM_PASSED + 2 * k + j] = c[PASSED + j]
            if not passed_found:
                out[PASSED_LAST + c[PASSED + j] - 1] += 1
        passed_found = True


@njit
def encode_secrets(s: Any, me: int, out: Any) -> None:
    """Write what is hidden, int8 (SECRETS.size,), seats relative to ``me``: for critics only."""
    out[:] = 0
    put_cards(out, PAIR, s.pair)
    n = s.num_players
    for k in range(n):
        seat = (me + k) % n
        for j in range(LIVES):
            if s.life[seat, j] != NO_CARD and not s.face_up[seat, j]:
                out[HIDDEN_LIVES + NUM_RANKS * k + s.life[seat, j]] += 1
    put_counts(out, PILE_CARDS, s.pile)
    put_counts(out, BOX_CARDS, s.box)
