"""The rules of Liar's Cry on a structured record; L-numbers are rulings of docs/liars_cry.md.

Hands are counts of kinds, dealt card by card from the counts of the deck: the same game as
shuffling. Every random event is a chance phase: resolved at once from the record's generator, or,
with ``explicit_chance``, left to the caller (``resolve``).
"""

from __future__ import annotations

from typing import Any

from kuku_env.core.chance import below, pick
from kuku_env.core.jit import njit
from kuku_env.games.liars_cry.cards import HANYU, NUM_KINDS
from kuku_env.games.liars_cry.layout import COLLECT, DOUBT, LEAD, MANY, PLAY, SKIP, TAKE
from kuku_env.games.liars_cry.score import can_lead, ending, finish, score_deal, truncate
from kuku_env.games.liars_cry.state import (
    ACT,
    ACTING,
    BY,
    CHANCE,
    DEAL,
    DEAL_CARD,
    DEALT,
    DOUBTS_RIGHT,
    DOUBTS_WRONG,
    DRAW_DEALER,
    FROM,
    GOES_ON,
    KIND,
    LEADING,
    LIES,
    LOOKED,
    NO_LEAD,
    NOBODY,
    OUT,
    SHOWN,
    TAKEN,
    TAKING,
    TOOK,
    TRUE_CARDS,
    note,
    note_hand,
)

# ---------------------------------------------------------------- set-up


@njit
def deal(s: Any) -> None:
    """Start a match: find the first dealer, then deal."""
    s.log[:] = 0
    s.logged = 0
    s.rewards[:] = 0.0
    s.returns[:] = 0.0
    s.decisions = 0
    s.truncated = False
    s.deal_number = 1
    s.dealer = NOBODY
    s.next_dealer = NOBODY
    s.deal_start = 0
    s.scores[:] = 0
    s.lowest = 0
    s.deal_points[:] = 0
    s.place[:] = 0
    s.tallies[:] = 0
    s.took[:] = 0
    s.table_kind[:] = 0
    s.table_seat[:] = 0
    s.table_up[:] = 0
    s.turn = 0
    gather_cards(s)
    if s.fixed_first >= 0:
        start_deal(s, s.fixed_first)
    else:
        wait_for_chance(s, DRAW_DEALER, 1)
    settle(s)


@njit
def gather_cards(s: Any) -> None:
    """All cards are in the pile."""
    s.pile_size = 0
    for k in range(NUM_KINDS):
        s.pile[k] = s.copies[k]
        s.pile_size += s.copies[k]
    s.dealing[:] = 0
    s.hands[:] = 0
    s.hand_sizes[:] = 0
    s.taken[:] = 0
    s.taken_points[:] = 0
    s.took_count = 0
    s.out[:] = 0
    s.playing = s.num_players
    clear_table(s)


@njit
def clear_table(s: Any) -> None:
    s.table_size = 0
    s.last_down = NOBODY
    s.down[:] = 0
    s.leaving = NOBODY


@njit
def start_deal(s: Any, dealer: int) -> None:
    """All cards are dealt equally; what is left over stays in the pile (L4)."""
    s.dealer = NOBODY  # until the first hand is dealt: nobody is told before
    s.next_dealer = dealer
    s.deal_start = s.decisions
    s.turn = 0
    gather_cards(s)
    note(s, DEAL, dealer)
    wait_for_chance(s, DEAL_CARD, s.num_players * s.hand_size)


# ---------------------------------------------------------------- chance


@njit
def wait_for_chance(s: Any, kind: int, count: int) -> None:
    """Enter a chance phase of ``count`` random events."""
    s.phase = CHANCE
    s.chance = kind
    s.todo = count


@njit
def settle(s: Any) -> None:
    """Resolve chance from the record's own generator, unless the caller wants to."""
    while s.phase == CHANCE and not s.explicit_chance:
        if s.chance == DRAW_DEALER:
            resolve(s, below(s, s.num_players))
        else:
            resolve(s, pick(s, s.pile, s.pile_size))


@njit
def chance_weights(s: Any, weights: Any) -> None:
    """Relative probabilities of the outcomes of a chance phase, int64 (NUM_KINDS,)."""
    weights[:] = 0
    if s.chance == DRAW_DEALER:
        weights[: s.num_players] = 1
    else:
        for k in range(NUM_KINDS):
            weights[k] = s.pile[k]


@njit
def resolve(s: Any, outcome: int) -> None:
    """One random event has happened: the dealer was drawn, or a card of some kind was dealt."""
    s.todo -= 1
    if s.chance == DRAW_DEALER:
        start_deal(s, outcome)
        return
    s.pile[outcome] -= 1
    s.pile_size -= 1
    s.dealing[outcome] += 1
    if s.todo % s.hand_size == 0:
        hand_out(s)
    if s.todo == 0:
        start_play(s)


@njit
def hand_out(s: Any) -> None:
    """A hand is complete: its seat picks it up."""
    s.dealer = s.next_dealer
    for k in range(NUM_KINDS):
        s.hands[s.turn, k] = s.dealing[k]
        s.dealing[k] = 0
    s.hand_sizes[s.turn] = s.hand_size
    note_hand(s, DEALT, s.turn)
    s.turn += 1


@njit
def start_play(s: Any) -> None:
    """The dealer leads; L11: with nothing to lead the deal ends at once."""
    s.turn = s.dealer
    if can_lead(s, s.dealer):
        ask(s, LEADING, s.dealer)
    else:
        end_deal(s, NO_LEAD)


# ---------------------------------------------------------------- decisions


@njit
def ask(s: Any, phase: int, seat: int) -> None:
    """Wait for a player's decision; L6: too many of them truncate the match."""
    s.phase = phase
    s.turn = seat
    if s.decisions >= s.max_decisions:
        truncate(s)


@njit
def step(s: Any, action: int) -> None:
    """Carry out a legal action of the player to decide, and all that follows from it."""
    s.logged = 0
    s.rewards[:] = 0.0
    s.decisions += 1
    note(s, ACT, s.turn, action)
    if s.phase == LEADING:
        lead(s, action - LEAD)
    elif s.phase == TAKING:
        take(s, action - TAKE + 1)
    elif action == COLLECT:
        collect(s)
    elif action == DOUBT:
        doubt(s)
    elif action == SKIP:
        skip(s)
    else:
        play(s, action - PLAY)
    settle(s)


@njit
def put(s: Any, kind: int, up: int) -> None:
    """A card goes from the hand of the player to decide onto the table."""
    s.hands[s.turn, kind] -= 1
    s.hand_sizes[s.turn] -= 1
    s.table_kind[s.table_size] = kind
    s.table_seat[s.table_size] = s.turn
    s.table_up[s.table_size] = up
    s.table_size += 1


@njit
def lead(s: Any, kind: int) -> None:
    """Whoever leads acts again; L12: even where that was the last card."""
    put(s, kind, 1)
    ask(s, ACTING, s.turn)


@njit
def play(s: Any, kind: int) -> None:
    """L2: a card of any kind, face down."""
    s.last_down = s.table_size
    s.down[s.turn] += 1
    put(s, kind, 0)
    end_turn(s, s.turn if s.hand_sizes[s.turn] == 0 else NOBODY)


@njit
def skip(s: Any) -> None:
    """Hanyu face up; L10: a player whose last card it was is out before anybody else."""
    put(s, HANYU, 1)
    if s.hand_sizes[s.turn] == 0:
        go_out(s, s.turn)
    end_turn(s, NOBODY)


@njit
def end_turn(s: Any, leaving: int) -> None:
    """Whoever was leaving cannot be doubted any more and is out; the next player acts."""
    if s.leaving != NOBODY and s.playing > 1:
        go_out(s, s.leaving)
    s.leaving = leaving
    if s.playing == 1:
        take_the_rest(s)
    else:
        ask(s, ACTING, next_seat(s, s.turn))


@njit
def go_out(s: Any, seat: int) -> None:
    s.out[seat] = 1
    s.playing -= 1
    note(s, OUT, seat)


@njit
def next_seat(s: Any, seat: int) -> int:
    """The next player on the left who is not out."""
    seat = (seat + 1) % s.num_players
    while s.out[seat] == 1:
        seat = (seat + 1) % s.num_players
    return int(seat)


@njit
def take_the_rest(s: Any) -> None:
    """The only player left takes the table, before the check: hands are empty, the deal ends."""
    seat = next_seat(s, s.turn)
    take_table(s, seat, NOBODY)
    check(s, seat)


@njit
def collect(s: Any) -> None:
    """Look at the face-down cards and take one of them, if there is any (L1, L13)."""
    if s.last_down == NOBODY:
        take_table(s, s.turn, NOBODY)
        check(s, s.turn)
    else:
        note(s, LOOKED, s.turn)
        ask(s, TAKING, s.turn)


@njit
def take(s: Any, position: int) -> None:
    """One face-down card goes into hand, all others are turned up and taken."""
    kind, owner = int(s.table_kind[position]), int(s.table_seat[position])
    s.hands[s.turn, kind] += 1
    s.hand_sizes[s.turn] += 1
    took = s.took[s.took_count]
    took[BY], took[FROM], took[KIND] = s.turn, owner, kind
    s.took_count += 1
    note(s, TOOK, s.turn, owner, kind)
    take_table(s, s.turn, position)
    check(s, s.turn)


@njit
def doubt(s: Any) -> None:
    """L3: as the lead: the doubter takes the table, and the next player acts on; a lie: its player
    takes it, and the doubter acts on."""
    kind, owner = int(s.table_kind[s.last_down]), int(s.table_seat[s.last_down])
    true = kind == int(s.table_kind[0])
    note(s, SHOWN, owner, s.last_down, kind, int(true))
    count(s, s.turn, DOUBTS_WRONG if true else DOUBTS_RIGHT)
    to_lead = next_seat(s, s.turn) if true else int(s.turn)
    take_table(s, s.turn if true else owner, NOBODY)
    check(s, to_lead)


@njit
def count(s: Any, seat: int, tally: int) -> None:
    """Add to a seat's public record, which stops at MANY."""
    s.tallies[seat, tally] = min(s.tallies[seat, tally] + 1, MANY)


@njit
def take_table(s: Any, seat: int, but: int) -> None:
    """All table cards, but the one that went into hand, are turned up and become taken cards."""
    note(s, TAKEN, seat, s.table_size, but + 1)
    for p in range(s.table_size):
        if p == but:
            continue
        kind = int(s.table_kind[p])
        s.taken[seat, kind] += 1
        s.taken_points[seat] += s.points[kind]
        if s.table_up[p] == 0:
            true = kind == int(s.table_kind[0])
            count(s, int(s.table_seat[p]), TRUE_CARDS if true else LIES)
    clear_table(s)


@njit
def check(s: Any, to_lead: int) -> None:
    """The check of the end after the table was taken; else the next lead."""
    reason = ending(s, to_lead)
    if reason == GOES_ON:
        ask(s, LEADING, to_lead)
    else:
        s.turn = to_lead
        end_deal(s, reason)


@njit
def end_deal(s: Any, reason: int) -> None:
    """L14: the next deal is dealt by the player on the left; after the last one the match ends."""
    score_deal(s, reason)
    if s.deal_number == s.deals:
        finish(s)
    else:
        s.deal_number += 1
        start_deal(s, (s.dealer + 1) % s.num_players)
