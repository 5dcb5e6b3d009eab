"""What a seat remembers in two-player Kuku Doubt, for a table of all its situations.

It is coarse, so that so many sets are enough. Who responds knows the claim, about how far it is
above its own, how many claims there were, how many cards were discarded before this one, the pair
it passed itself, and about how likely all the cards that it has seen make the claim; who discards
knows its pair, the claim and how many there were; who claims knows its pair, the claim to beat, how
many there were, and which of its two cards the other has seen. Only pairs that make the claim are
named, for Doubt is better than any other.

A table is one flat array. A set has its *place* in it, its actions the *columns* from there on.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kuku_env.core.jit import njit
from kuku_env.games.kuku_doubt import cards, state
from kuku_env.games.kuku_doubt.layout import ACCEPT, CLAIM, DISCARD_LOW, DOUBT, HISTORY, SEE

_last_claim = state.last_claim
_RESPOND, _DISCARDING = state.RESPOND, state.DISCARDING
_NUMBER, _DISCARDED, _PASSED = state.NUMBER, state.DISCARDED, state.PASSED
_LOW, _HIGH = cards.PAIR_LOW, cards.PAIR_HIGH

CLAIMS, RANKS = cards.NUM_CLAIMS, cards.NUM_RANKS
PAIRS = cards.NUM_PAIRS
# The pairs that make each claim, as places among all pairs; -1 past the last.
WAYS = np.full((CLAIMS, 2), -1)
for _number, _row in zip(cards.CLAIMS, WAYS, strict=True):
    _makes = np.flatnonzero(np.equal(cards.PAIR_PRODUCT, _number))
    _row[: len(_makes)] = _makes
RESPONSES, DISCARDS = 2 + WAYS.shape[1], 3  # columns: accept, doubt, pairs; low, high, both

# How likely a claim is, by all that its responder has seen, beside what it is to somebody who knows
# the deck and the pair that was passed: under 5/8 of that, under 7/8, or more.
LIKELY = 3

FIRST_RESPONSES = 0
LATER_RESPONSES = FIRST_RESPONSES + CLAIMS * LIKELY * RESPONSES
DISCARDINGS = LATER_RESPONSES + CLAIMS * 2 * PAIRS * 3 * 3 * LIKELY * RESPONSES
FIRST_CLAIMS = DISCARDINGS + CLAIMS * PAIRS * 4 * DISCARDS
LATER_CLAIMS = FIRST_CLAIMS + PAIRS * CLAIMS
SIZE = LATER_CLAIMS + CLAIMS * PAIRS * 3 * 3 * CLAIMS


def pair_number(low: Any, high: Any) -> Any:
    """The place of a pair among all pairs: numbers, or tensors of them."""
    return low * RANKS - low * (low - 1) // 2 + high - low


_pair = njit(pair_number)


@njit
def place_in(s: Any) -> int:
    """The place of the information set in which the seat to decide stands."""
    made = s.claims_made
    if s.phase == _RESPOND:
        return response_place(s, made)
    hand = _pair(int(s.pair[0]), int(s.pair[1]))
    if made == 0:
        return FIRST_CLAIMS + hand * CLAIMS
    at = int(_last_claim(s)[_NUMBER]) * PAIRS + hand
    if s.phase == _DISCARDING:
        return DISCARDINGS + (at * 4 + min(made, 4) - 1) * DISCARDS
    return LATER_CLAIMS + ((at * 3 + known_card(s)) * 3 + min(made, 3) - 1) * CLAIMS


@njit
def response_place(s: Any, made: int) -> int:
    claim = _last_claim(s)
    number, discarded = int(claim[_NUMBER]), int(claim[_DISCARDED])
    if made == 1:
        likely = likely_claim(s, number, -1, -1, 2)
        return FIRST_RESPONSES + (number * LIKELY + likely) * RESPONSES
    mine = s.claims[(made - 2) % HISTORY]
    low, high = int(mine[_PASSED]) - 1, int(mine[_PASSED + 1]) - 1
    likely = likely_claim(s, number, low, high, discarded)
    at = (number * 2 + discarded - 1) * PAIRS + _pair(low, high)
    step = number - int(mine[_NUMBER])
    above = (step > 0) + (step > 3)  # the same number, one of the next three, or a higher one
    at = (at * 3 + above) * 3 + min(made, 4) - 2
    return LATER_RESPONSES + (at * LIKELY + likely) * RESPONSES


@njit
def likely_claim(s: Any, number: int, low: int, high: int, drawn: int) -> int:
    """How likely the claim is to the seat to move: see LIKELY.

    It passed the pair ``low``, ``high`` (-1: none), of which 2 - ``drawn`` cards were kept.
    """
    ways, of = ways_to_make(s, number, low, high, drawn, True)
    usual, of_usual = ways_to_make(s, number, low, high, drawn, False)
    mine, theirs = 8 * ways * of_usual, usual * of
    return int(mine >= 5 * theirs) + int(mine >= 7 * theirs)


@njit
def ways_to_make(s: Any, number: int, low: int, high: int, drawn: int, seen: bool) -> Any:
    """How many draws make the claim, and of how many: from all cards that were not passed, or,
    if ``seen``, from those of them of which the seat to move does not know where they are."""
    size = 0
    for rank in range(RANKS):
        size += left(s, rank, low, high, seen)
    ways = 0
    for pair in WAYS[number]:
        if pair < 0:
            continue
        a, b = int(_LOW[pair]), int(_HIGH[pair])
        of_a, of_b = left(s, a, low, high, seen), left(s, b, low, high, seen)
        if drawn == 2:
            ways += of_a * (of_a - 1) if a == b else 2 * of_a * of_b
        else:
            ways += of_b * int(a in (low, high))
            ways += of_a * int(b in (low, high) and a != b)
    return ways, size * (size - 1) if drawn == 2 else size


@njit
def left(s: Any, rank: int, low: int, high: int, seen: bool) -> int:
    """Copies of a rank that were not passed and, if ``seen``, are nowhere that the seat to move
    knows of."""
    count = int(s.copies[rank]) - int(rank == low) - int(rank == high)
    if seen:
        count -= int(s.table[rank]) + int(s.my_discards[s.turn, rank])
        for card in s.life[s.turn]:
            count -= int(card == rank)
    return count


@njit
def known_card(s: Any) -> int:
    """Which card of my pair the other passed to me: 0 the lower, 1 the higher, 2 none."""
    if s.thrown_count == 2:
        return 2
    kept = s.saw[1] if s.thrown[0] == s.saw[0] else s.saw[0]
    return 0 if kept == s.pair[0] else 1


@njit
def width_of(phase: int) -> int:
    """Columns of a set in which a decision of this phase is made."""
    if phase == _RESPOND:
        return RESPONSES
    return DISCARDS if phase == _DISCARDING else CLAIMS


@njit
def action_of(s: Any, column: int) -> int:
    """The action that a column stands for; -1 for none."""
    if s.phase == _DISCARDING:
        return DISCARD_LOW + column
    if s.phase != _RESPOND:
        return CLAIM + column
    if column < 2:
        return ACCEPT if column == 0 else DOUBT
    pair = WAYS[_last_claim(s)[_NUMBER], column - 2]
    return SEE + pair if pair >= 0 else -1
