"""Record -> observation for one seat, by the layout's offsets: a whitelist of what it may know.

Public things are written for every seat; of private things only the seat's own rows are read.
"""

from __future__ import annotations

from typing import Any

from kuku_env.core.jit import njit
from kuku_env.games.doubt.cards import JOKER, NUM_KINDS, NUM_RANKS
from kuku_env.games.doubt.layout import LAYOUT, MOST, SECRETS
from kuku_env.games.doubt.state import (
    ASK_NEXT,
    CHANCE,
    NUM_TALLIES,
    PLAYING,
    RESPOND,
)

(
    PHASE, TO_ACT, PLAYER, NUMBER, PUT, PLAYERS, DECK, MAX_PLAY, NEXT_ONLY, REPEAT, CHECK_ONE,
    PENALTY, HAND_LIMIT, CLOCKWISE, WIN_ONLY, HAND, ADDED, PILE, PILE_START, PILE_MINE, PILE_SHOWN,
    ASIDE, IN_PLAY, CARDS, KNOWN, CLAIMS, TOOK, RECORD,
) = (LAYOUT.start(field.name) for field in LAYOUT.fields)  # fmt: skip
HANDS, PLAY, PILE_CARDS, ASIDE_CARDS, TO_ASK, LIE = (
    SECRETS.start(field.name) for field in SECRETS.fields
)


@njit
def put_kinds(out: Any, at: int, c: Any) -> None:
    """Copy fourteen counts. All are read before any is written, so that they move as few words."""
    c0, c1, c2, c3, c4, c5, c6 = c[0], c[1], c[2], c[3], c[4], c[5], c[6]
    c7, c8, c9, c10, c11, c12, c13 = c[7], c[8], c[9], c[10], c[11], c[12], c[13]
    out[at], out[at + 1], out[at + 2], out[at + 3], out[at + 4] = c0, c1, c2, c3, c4
    out[at + 5], out[at + 6], out[at + 7], out[at + 8], out[at + 9] = c5, c6, c7, c8, c9
    out[at + 10], out[at + 11], out[at + 12], out[at + 13] = c10, c11, c12, c13


@njit
def put_ranks(out: Any, at: int, c: Any) -> None:
    """Copy thirteen counts, read before written as in ``put_kinds``."""
    c0, c1, c2, c3, c4, c5, c6 = c[0], c[1], c[2], c[3], c[4], c[5], c[6]
    c7, c8, c9, c10, c11, c12 = c[7], c[8], c[9], c[10], c[11], c[12]
    out[at], out[at + 1], out[at + 2], out[at + 3], out[at + 4] = c0, c1, c2, c3, c4
    out[at + 5], out[at + 6], out[at + 7], out[at + 8], out[at + 9] = c5, c6, c7, c8, c9
    out[at + 10], out[at + 11], out[at + 12] = c10, c11, c12


@njit
def put_tallies(out: Any, at: int, t: Any) -> None:
    """Copy a seat's public record, read before written as in ``put_kinds``."""
    t0, t1, t2, t3, t4 = t[0], t[1], t[2], t[3], t[4]
    out[at], out[at + 1], out[at + 2], out[at + 3], out[at + 4] = t0, t1, t2, t3, t4


@njit
def shown_phase(s: Any) -> int:
    """That the next to be asked is still to be drawn is nobody's business (D1)."""
    return RESPOND if s.phase == CHANCE and s.chance == ASK_NEXT else int(s.phase)


@njit
def encode(s: Any, me: int, out: Any) -> None:
    """Write the observation of seat ``me``, int8 (LAYOUT.size,)."""
    out[:] = 0
    encode_options(s, out)
    encode_turn(s, me, out)
    encode_pile(s, me, out)
    encode_seats(s, me, out)


@njit
def encode_options(s: Any, out: Any) -> None:
    out[PLAYERS + s.num_players - 2] = 1
    put_kinds(out, DECK, s.copies)
    out[MAX_PLAY] = s.max_play * int(s.has_max_play)
    out[NEXT_ONLY] = s.next_only
    out[REPEAT] = s.repeats
    out[CHECK_ONE] = s.check_one
    out[PENALTY + s.penalty] = 1
    out[HAND_LIMIT] = min(s.hand_limit, MOST) * int(s.has_limit)
    out[CLOCKWISE] = s.clockwise
    out[WIN_ONLY] = s.win_only


@njit
def encode_turn(s: Any, me: int, out: Any) -> None:
    phase = shown_phase(s)
    if phase <= RESPOND:
        player = (s.player - me) % s.num_players
        out[PHASE + phase] = 1
        out[PLAYER + player] = 1
        out[NUMBER + s.number] = 1
        if s.phase == PLAYING:
            out[TO_ACT + player] = 1
        elif s.phase == RESPOND and s.turn == me:
            out[TO_ACT] = 1
    out[PUT] = min(s.put_size, MOST)
    put_kinds(out, HAND, s.hands[me])
    if s.phase == PLAYING and s.turn == me:
        put_kinds(out, ADDED, s.play)


@njit
def encode_pile(s: Any, me: int, out: Any) -> None:
    out[PILE] = min(s.pile_size, MOST)
    out[PILE_START] = s.pile_start
    put_kinds(out, PILE_MINE, s.mine[me])
    put_kinds(out, PILE_SHOWN, s.shown)
    out[ASIDE] = min(s.aside_size, MOST)


@njit
def encode_seats(s: Any, me: int, out: Any) -> None:
    n = s.num_players
    known = s.known[me]
    seat = me
    for k in range(n):
        out[IN_PLAY + k] = s.out[seat] == 0
        out[CARDS + k] = min(int(s.hand_size[seat]), MOST)
        put_kinds(out, KNOWN + NUM_KINDS * k, known[seat])
        put_ranks(out, CLAIMS + NUM_RANKS * k, s.claims[seat])
        put_ranks(out, TOOK + NUM_RANKS * k, s.took[seat])
        put_tallies(out, RECORD + NUM_TALLIES * k, s.tallies[seat])
        seat += 1
        if seat == n:
            seat = 0


@njit
def encode_secrets(s: Any, me: int, out: Any) -> None:
    """Write what is hidden, int8 (SECRETS.size,), seats relative to ``me``: for critics only."""
    out[:] = 0
    n = s.num_players
    for k in range(n):
        seat = (me + k) % n
        put_kinds(out, HANDS + NUM_KINDS * k, s.hands[seat])
        out[TO_ASK + k] = s.to_ask[seat]
    put_kinds(out, PLAY, s.play)
    put_kinds(out, PILE_CARDS, s.pile)
    put_kinds(out, ASIDE_CARDS, s.aside)
    if s.phase == RESPOND:
        true = int(s.play[s.number]) + int(s.play[JOKER])
        out[LIE] = true < s.put_size
