"""The rules of Kuku Doubt on a structured record; K-numbers are rulings of docs/kuku_doubt.md.

A pile is kept as counts of ranks: no one knows its order, so drawing a rank with probability
count/size is the same game as shuffling. Every random event is a chance phase: resolved at once
from the record's generator, or, with ``explicit_chance``, left to the caller (``resolve``).
"""

from __future__ import annotations

from typing import Any

from kuku_env.core.chance import below, pick
from kuku_env.core.jit import njit
from kuku_env.games.kuku_doubt.cards import (
    CLAIM_NUMBER,
    LIVES,
    NUM_RANKS,
    PAIR_HIGH,
    PAIR_LOW,
)
from kuku_env.games.kuku_doubt.layout import (
    ACCEPT,
    CLAIM,
    DISCARD_BOTH,
    DISCARD_HIGH,
    DISCARD_LOW,
    DOUBT,
    FLIP,
    HISTORY,
    MANY,
    SEE,
    START,
)
from kuku_env.games.kuku_doubt.lives import (
    ask,
    flip,
    lose_life,
)
from kuku_env.games.kuku_doubt.state import (
    ACCEPTS,
    ACT,
    BY,
    CAUGHT_LIES,
    CHANCE,
    CLAIMING,
    DEAL_LIFE,
    DISCARDED,
    DISCARDING,
    DOUBTS_RIGHT,
    DOUBTS_WRONG,
    DRAW_CARD,
    DRAW_FIRST,
    DREW,
    FLIPPING,
    LIFE,
    LOOK,
    NO_CARD,
    NUMBER,
    PASSED,
    RECYCLED,
    RESHUFFLED,
    RESPOND,
    REVEAL_CARD,
    REVEALED,
    ROUND,
    SAW,
    SEES_RIGHT,
    SEES_WRONG,
    SHOWN,
    THREW,
    THROWN,
    TRUE_CLAIMS,
    last_claim,
    note,
)

# ---------------------------------------------------------------- set-up


@njit
def deal(s: Any) -> None:
    """Start a game: shuffle, deal the life cards, find the first start player."""
    s.logged = 0
    s.rewards[:] = 0.0
    s.returns[:] = 0.0
    s.decisions = 0
    s.truncated = False
    s.box[:] = 0
    s.table[:] = 0
    s.pile_size = 0
    for r in range(NUM_RANKS):
        s.pile[r] = s.copies[r]
        s.pile_size += s.copies[r]
    s.box_size = 0
    s.table_size = 0
    s.pair[:] = NO_CARD
    s.living = s.num_players
    s.lives[:] = 0
    s.lives[: s.num_players] = LIVES
    s.life[:] = NO_CARD
    s.face_up[:] = 0
    s.place[:] = 0
    s.tallies[:] = 0
    s.my_discards[:] = 0
    s.seen_before[:] = 0
    s.turn = 0
    s.claims_made = 0
    s.accepts = 0
    start_turn(s)
    if s.life_cards > 0:
        wait_for_chance(s, DEAL_LIFE, s.num_players * s.life_cards)
    else:
        find_first(s)
    settle(s)


@njit
def find_first(s: Any) -> None:
    """K2: the first start player is drawn, or fixed."""
    if s.fixed_first >= 0:
        start_round(s, s.fixed_first)
    else:
        wait_for_chance(s, DRAW_FIRST, 1)


@njit
def start_round(s: Any, seat: int) -> None:
    """The start player draws two cards, and will claim."""
    note(s, ROUND, seat)
    s.claims_made = 0
    s.accepts = 0
    s.turn = seat
    start_turn(s)
    if s.pile_size + s.box_size < 2:
        recycle_table(s)
    draw(s, 2)


@njit
def start_turn(s: Any) -> None:
    s.saw[:] = NO_CARD
    s.thrown[:] = NO_CARD
    s.thrown_count = 0


# ---------------------------------------------------------------- the draw pile


@njit
def draw(s: Any, count: int) -> None:
    wait_for_chance(s, DRAW_CARD, count)


@njit
def remember_reshuffle(s: Any, seat: int, with_table: bool) -> None:
    """What a seat knew of the discards is void; that it saw these cards is not."""
    for r in range(NUM_RANKS):
        seen = s.my_discards[seat, r]
        if with_table:
            seen += s.table[r]
        s.seen_before[seat, r] = max(s.seen_before[seat, r], seen)
        s.my_discards[seat, r] = 0


@njit
def reshuffle(s: Any) -> None:
    """K6: all discards become the new pile."""
    note(s, RESHUFFLED, s.box_size)
    for seat in range(s.num_players):
        remember_reshuffle(s, seat, False)
    move_cards(s.box, s.pile)
    s.pile_size += s.box_size
    s.box_size = 0


@njit
def move_cards(source: Any, target: Any) -> None:
    """A loop, because numba takes seconds to compile array arithmetic."""
    for r in range(NUM_RANKS):
        target[r] += source[r]
        source[r] = 0


@njit
def recycle_table(s: Any) -> None:
    """K6, K18: pile, discards and table cards become one pile."""
    note(s, RECYCLED, s.table_size)
    for seat in range(s.num_players):
        remember_reshuffle(s, seat, True)
    move_cards(s.box, s.pile)
    move_cards(s.table, s.pile)
    s.pile_size += s.box_size + s.table_size
    s.box_size = 0
    s.table_size = 0


# ---------------------------------------------------------------- chance


@njit
def wait_for_chance(s: Any, kind: int, count: int) -> None:
    """Enter a chance phase of ``count`` random events; K6: an empty pile is filled when needed."""
    s.phase = CHANCE
    s.chance = kind
    s.todo = count
    if kind != DRAW_FIRST and s.pile_size == 0:
        reshuffle(s)


@njit
def settle(s: Any) -> None:
    """Resolve chance from the record's own generator, unless the caller wants to."""
    while s.phase == CHANCE and not s.explicit_chance:
        if s.chance == DRAW_FIRST:
            resolve(s, below(s, s.num_players))
        else:
            resolve(s, pick(s, s.pile, s.pile_size))


@njit
def chance_weights(s: Any, weights: Any) -> None:
    """Relative probabilities of the outcomes of a chance phase, int64 (NUM_RANKS,)."""
    weights[:] = 0
    if s.chance == DRAW_FIRST:
        weights[: s.num_players] = 1
    else:
        for r in range(NUM_RANKS):
            weights[r] = s.pile[r]


@njit
def resolve(s: Any, outcome: int) -> None:
    """One random event has happened: a rank left the pile, or a seat was drawn."""
    s.todo -= 1
    if s.chance == DRAW_FIRST:
        start_round(s, outcome)
        return
    s.pile[outcome] -= 1
    s.pile_size -= 1
    if s.chance == DEAL_LIFE:
        dealt_life(s, outcome)
    elif s.chance == DRAW_CARD:
        drew(s, outcome)
    else:
        revealed(s, outcome)


@njit
def dealt_life(s: Any, rank: int) -> None:
    k = 0
    while s.life[s.turn, k] != NO_CARD:
        k += 1
    s.life[s.turn, k] = rank
    note(s, LIFE, s.turn, rank)
    if k + 1 == s.life_cards:
        s.turn += 1
    if s.todo == 0:
        find_first(s)
    else:
        wait_for_chance(s, DEAL_LIFE, s.todo)


@njit
def drew(s: Any, rank: int) -> None:
    note(s, DREW, s.turn, rank)
    s.pair[0 if s.pair[0] == NO_CARD else 1] = rank
    if s.todo > 0:
        draw(s, s.todo)
        return
    if s.pair[0] > s.pair[1]:
        s.pair[0], s.pair[1] = s.pair[1], s.pair[0]
    ask(s, CLAIMING, s.turn)


@njit
def revealed(s: Any, rank: int) -> None:
    note(s, REVEALED, rank)
    s.table[rank] += 1
    s.table_size += 1
    reveal(s, s.todo)


@njit
def reveal(s: Any, count: int) -> None:
    """Turn up cards from the pile, as many as there are (K6), then pass the pair on."""
    if count > 0 and s.pile_size + s.box_size > 0:
        wait_for_chance(s, REVEAL_CARD, count)
    else:
        pass_on(s)


# ---------------------------------------------------------------- decisions


@njit
def step(s: Any, action: int) -> None:
    """Carry out a legal action of the player to decide, and all that follows from it."""
    s.logged = 0
    s.rewards[:] = 0.0
    s.decisions += 1
    note(s, ACT, s.turn, action)
    if s.phase == RESPOND:
        if action == ACCEPT:
            accept(s)
        elif action == DOUBT:
            doubt(s)
        else:
            see_through(s, action - SEE)
    elif s.phase == DISCARDING:
        discard(s, action)
    elif s.phase == CLAIMING:
        claim(s, action - CLAIM)
    elif s.phase == FLIPPING:
        flip(s, s.turn, action - FLIP)
    else:
        start_round(s, (s.turn + action - START) % s.num_players)
    settle(s)


@njit
def count(s: Any, seat: int, tally: int) -> None:
    """Add to a seat's public record, which stops at MANY."""
    s.tallies[seat, tally] = min(s.tallies[seat, tally] + 1, MANY)


@njit
def accept(s: Any) -> None:
    """Take the pair and look at it."""
    s.accepts += 1
    count(s, s.turn, ACCEPTS)
    start_turn(s)
    s.saw[0], s.saw[1] = s.pair[0], s.pair[1]
    note(s, LOOK, s.turn, s.pair[0], s.pair[1])
    ask(s, DISCARDING, s.turn)


@njit
def discard(s: Any, action: int) -> None:
    """Discard one or both face down, and draw as many."""
    if action == DISCARD_LOW or action == DISCARD_BOTH:
        throw(s, 0)
    if action == DISCARD_HIGH or action == DISCARD_BOTH:
        throw(s, 1)
    note(s, THREW, s.turn, s.thrown_count, s.thrown[0], s.thrown[1])
    draw(s, s.thrown_count)


@njit
def throw(s: Any, which: int) -> None:
    rank = s.pair[which]
    s.pair[which] = NO_CARD
    s.thrown[s.thrown_count] = rank
    s.thrown_count += 1
    s.box[rank] += 1
    s.box_size += 1
    s.my_discards[s.turn, rank] += 1


@njit
def claim(s: Any, index: int) -> None:
    """Claim a number; whoever discarded both cards then reveals two; the pair is passed on."""
    c = s.claims[s.claims_made % HISTORY]
    c[BY], c[NUMBER], c[DISCARDED] = s.turn, index, s.thrown_count
    for k in range(2):
        c[SAW + k] = s.saw[k] + 1
        c[THROWN + k] = s.thrown[k] + 1
        c[PASSED + k] = s.pair[k] + 1
    s.claims_made += 1
    reveal(s, 2 if s.thrown_count == 2 else 0)


@njit
def pass_on(s: Any) -> None:
    """K10: the next living seat on the left responds."""
    seat = (s.turn + 1) % s.num_players
    while s.place[seat] > 0:
        seat = (seat + 1) % s.num_players
    ask(s, RESPOND, seat)


@njit
def doubt(s: Any) -> None:
    """The claim was true: the doubter loses; it was a lie: the previous player loses."""
    loser = s.turn
    if pair_is_as_claimed(s):
        count(s, s.turn, DOUBTS_WRONG)
    else:
        count(s, s.turn, DOUBTS_RIGHT)
        loser = last_claim(s)[BY]
    show(s, loser)


@njit
def see_through(s: Any, named: int) -> None:
    """The named pair is right: the previous player loses; wrong: the caller loses."""
    loser = s.turn
    if s.pair[0] == PAIR_LOW[named] and s.pair[1] == PAIR_HIGH[named]:
        count(s, s.turn, SEES_RIGHT)
        loser = last_claim(s)[BY]
    else:
        count(s, s.turn, SEES_WRONG)
    show(s, loser)


@njit
def pair_is_as_claimed(s: Any) -> bool:
    """A Liar is rank 0, and no claim is 0: a pair that holds one is always a lie."""
    return int(s.pair[0]) * int(s.pair[1]) == CLAIM_NUMBER[last_claim(s)[NUMBER]]


@njit
def show(s: Any, loser: int) -> None:
    """The pair is turned up and becomes table cards; the loser loses a life."""
    c = last_claim(s)
    note(s, SHOWN, s.pair[0], s.pair[1], c[NUMBER], loser)
    count(s, c[BY], TRUE_CLAIMS if pair_is_as_claimed(s) else CAUGHT_LIES)
    for k in range(2):
        s.table[s.pair[k]] += 1
    s.table_size += 2
    s.pair[:] = NO_CARD
    start_turn(s)
    s.claims_made = 0
    lose_life(s, loser)
