"""Record -> observation for one seat, by the layout's offsets: a whitelist of what it may know.

Public things are written for every seat; of private things only the seat's own rows are read.
"""

from __future__ import annotations

from typing import Any

from kuku_env.core.jit import njit
from kuku_env.games.kuku_doubt.cards import CLAIM_NUMBER, LIVES, MAX_PLAYERS, NUM_RANKS, TRUE_CLAIM
from kuku_env.games.kuku_doubt.layout import HISTORY, LAYOUT, MANY, SECRETS
from kuku_env.games.kuku_doubt.state import (
    BY,
    CHANCE,
    CLAIMING,
    DISCARDED,
    DISCARDING,
    NO_CARD,
    NUM_TALLIES,
    NUMBER,
    OVER,
    PASSED,
    RESPOND,
    SAW,
    STARTING,
    THROWN,
    last_claim,
)

(
    PHASE, TO_ACT, PLAYERS, DECK, DUEL_LIVES, PLACEMENT, CONSISTENT, SUDDEN_DEATH, ACCEPTS_LEFT,
    HAND, PRODUCT, SAW_NOW, THROWN_NOW, PASSED_LAST, LIFE_CARDS, LIVES_LEFT, FACE_UP, TABLE, PILE,
    BOX, CLAIMS_MADE, LAST_CLAIM, CLAIM_SEATS, CLAIM_NUMBERS, CLAIM_DISCARDS, CLAIM_SAW,
    CLAIM_THROWN, CLAIM_PASSED, MY_DISCARDS, SEEN_BEFORE, RECORD,
) = (LAYOUT.start(field.name) for field in LAYOUT.fields)  # fmt: skip
PAIR, HIDDEN_LIVES, PILE_CARDS, BOX_CARDS, LIE, PAIRS = (
    SECRETS.start(field.name) for field in SECRETS.fields
)


@njit
def put_cards(out: Any, at: int, cards: Any, shown: int) -> None:
    """Count the ranks of a pair if it is shown (1, else 0).

    Sums instead of branches, here and below: branches that cannot be foreseen cost most.
    """
    for k in range(2):
        out[at + max(0, int(cards[k]))] += shown * (cards[k] != NO_CARD)


@njit
def put_product(out: Any, pair: Any, shown: int) -> None:
    """Mark the true claim on a pair if it is shown (1, else 0); a missing card reads as a Liar."""
    claim = int(TRUE_CLAIM[max(0, int(pair[0])), max(0, int(pair[1]))])
    out[PRODUCT + max(0, claim)] += shown * (claim >= 0)


@njit
def put_counts(out: Any, at: int, c: Any) -> None:
    """Copy ten counts. All are read before any is written, so that they move as few words."""
    c0, c1, c2, c3, c4, c5, c6, c7, c8, c9 = (
        c[0],
        c[1],
        c[2],
        c[3],
        c[4],
        c[5],
        c[6],
        c[7],
        c[8],
        c[9],
    )
    out[at], out[at + 1], out[at + 2], out[at + 3], out[at + 4] = c0, c1, c2, c3, c4
    out[at + 5], out[at + 6], out[at + 7], out[at + 8], out[at + 9] = c5, c6, c7, c8, c9


@njit
def put_tallies(out: Any, at: int, t: Any) -> None:
    """Copy a seat's public record, read before written as in ``put_counts``."""
    t0, t1, t2, t3, t4, t5, t6 = t[0], t[1], t[2], t[3], t[4], t[5], t[6]
    out[at], out[at + 1], out[at + 2], out[at + 3] = t0, t1, t2, t3
    out[at + 4], out[at + 5], out[at + 6] = t4, t5, t6


@njit
def encode(s: Any, me: int, out: Any) -> None:
    """Write the observation of seat ``me``, int8 (LAYOUT.size,)."""
    out[:] = 0
    encode_table(s, me, out)
    encode_seats(s, me, out)
    encode_claims(s, me, out)
    holding = (s.phase == DISCARDING) | (s.phase == CLAIMING) | (s.phase == CHANCE)
    mine = int(holding & (s.turn == me))
    put_cards(out, HAND, s.pair, mine)
    put_product(out, s.pair, mine)
    put_cards(out, SAW_NOW, s.saw, mine)
    put_cards(out, THROWN_NOW, s.thrown, mine)


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
            out[FACE_UP + NUM_RANKS * k + max(0, int(s.life[seat, j]))] += s.face_up[seat, j]
        put_tallies(out, RECORD + NUM_TALLIES * k, s.tallies[seat])
        seat += 1
        if seat == n:
            seat = 0
    for j in range(LIVES):
        if s.life[me, j] != NO_CARD:
            out[LIFE_CARDS + NUM_RANKS * j + int(s.life[me, j])] = 1
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
    out[LAST_CLAIM + int(s.claims[(made - 1) % HISTORY, NUMBER])] = 1
    newer = 0  # claims of mine already written: the newest tells what I passed last
    for k in range(min(made, HISTORY)):
        c = s.claims[(made - 1 - k) % HISTORY]
        by = int(c[BY])
        out[CLAIM_SEATS + MAX_PLAYERS * k + (by - me) % n] = 1
        out[CLAIM_NUMBERS + k] = CLAIM_NUMBER[c[NUMBER]]
        out[CLAIM_DISCARDS + k] = c[DISCARDED]
        mine = int(by == me)
        for j in range(2):
            out[CLAIM_SAW + 2 * k + j] = mine * c[SAW + j]
            out[CLAIM_THROWN + 2 * k + j] = mine * c[THROWN + j]
            out[CLAIM_PASSED + 2 * k + j] = mine * c[PASSED + j]
            out[PASSED_LAST + int(c[PASSED + j]) - 1] += mine * (newer == 0)
        newer += mine


@njit
def encode_secrets(s: Any, me: int, out: Any) -> None:
    """Write what is hidden, int8 (SECRETS.size,), seats relative to ``me``: for critics only."""
    out[:] = 0
    put_cards(out, PAIR, s.pair, 1)
    n = s.num_players
    for k in range(n):
        seat = (me + k) % n
        for j in range(LIVES):
            if s.life[seat, j] != NO_CARD and not s.face_up[seat, j]:
                out[HIDDEN_LIVES + NUM_RANKS * k + int(s.life[seat, j])] += 1
    put_counts(out, PILE_CARDS, s.pile)
    put_counts(out, BOX_CARDS, s.box)
    if s.phase == RESPOND:
        encode_claimed_pair(s, out)


@njit
def encode_claimed_pair(s: Any, out: Any) -> None:
    """Whether the claim that waits for an answer is a lie, and the pair it is about."""
    low, high = int(s.pair[0]), int(s.pair[1])
    out[LIE] = CLAIM_NUMBER[last_claim(s)[NUMBER]] != low * high  # a Liar makes 0: any claim lies
    out[PAIRS + NUM_RANKS * low - low * (low - 1) // 2 + high - low] = 1
