"""The rules of Doubt on a structured record; D-numbers are rulings of docs/doubt.md.

Heaps of cards are counts of kinds: no one knows their order. Every random event is a chance phase:
resolved at once from the record's generator, or, with ``explicit_chance``, left to the caller
(``resolve``). A turn is in ``turns``, a doubt in ``judge``, the end in ``ends``.
"""

from __future__ import annotations

from typing import Any

from kuku_env.core.chance import below, pick
from kuku_env.core.jit import njit
from kuku_env.games.doubt.cards import NUM_KINDS
from kuku_env.games.doubt.judge import doubt, gave, new_pile_card, shown_one
from kuku_env.games.doubt.layout import ADD, DOUBT, LET_GO, PUT_DOWN
from kuku_env.games.doubt.state import (
    ACT,
    ASK_NEXT,
    CHANCE,
    DEAL_CARD,
    DEALT,
    DRAW_FIRST,
    GIVE_CARD,
    NEW_PILE_CARD,
    SHOW_ONE,
    START,
    note,
    note_card,
    note_cards,
)
from kuku_env.games.doubt.turns import (
    add,
    ask,
    ask_next,
    clear_play,
    put_down,
    start_turn,
    stop_asking,
    wait_for_chance,
)

# ---------------------------------------------------------------- set-up


@njit
def deal(s: Any) -> None:
    """Start a game: find the first player, deal all cards."""
    clear_table(s)
    clear_seats(s)
    if s.fixed_first >= 0:
        start(s, s.fixed_first)
    else:
        wait_for_chance(s, DRAW_FIRST, 1)
    settle(s)


@njit
def clear_table(s: Any) -> None:
    s.logged = 0
    s.decisions = 0
    s.truncated = False
    s.turn = 0
    s.player = 0
    s.number = 0
    s.winner = 0
    s.loser = 0
    for k in range(NUM_KINDS):
        s.stock[k] = s.copies[k]
    s.pile[:] = 0
    s.pile_size = 0
    s.pile_start = 0
    s.pile_from[:] = 0
    s.shown[:] = 0
    s.aside[:] = 0
    s.aside_size = 0
    clear_play(s)
    stop_asking(s)


@njit
def clear_seats(s: Any) -> None:
    s.rewards[:] = 0.0
    s.returns[:] = 0.0
    s.living = s.num_players
    s.outs = 0
    s.fates = 0
    s.out[:] = 0
    s.place[:] = 0
    s.hands[:] = 0
    s.hand_size[:] = 0
    s.tallies[:] = 0
    s.mine[:] = 0
    s.known[:] = 0
    s.claims[:] = 0
    s.took[:] = 0


@njit
def start(s: Any, seat: int) -> None:
    """D10: dealing starts at the first player."""
    note(s, START, seat, 0, 0)
    s.player = seat
    s.turn = seat
    wait_for_chance(s, DEAL_CARD, s.cards)


@njit
def dealt(s: Any, card: int) -> None:
    """One hand after the other: nobody knows the order, so it is the same as going round."""
    note_card(s, DEALT, s.turn, 0, card)
    s.stock[card] -= 1
    s.hands[s.turn, card] += 1
    s.hand_size[s.turn] += 1
    if s.todo == 0:
        start_turn(s, s.player)
    elif s.hand_size[s.turn] == cards_for(s, s.turn):
        s.turn = (s.turn + 1) % s.num_players


@njit
def cards_for(s: Any, seat: int) -> int:
    """D10: the first seats hold any extra card."""
    n = s.num_players
    return int(s.cards // n + int((seat - s.player) % n < s.cards % n))


# ---------------------------------------------------------------- chance


@njit
def settle(s: Any) -> None:
    """Resolve chance from the record's own generator, unless the caller wants to."""
    while s.phase == CHANCE and not s.explicit_chance:
        resolve(s, draw(s))


@njit
def draw(s: Any) -> int:
    """An outcome of the chance phase, by the record's generator."""
    if s.chance == ASK_NEXT:
        return pick(s, s.to_ask, s.left_to_ask)
    if s.chance == DEAL_CARD:
        return pick(s, s.stock, s.todo)
    if s.chance == DRAW_FIRST:
        return below(s, s.num_players)
    if s.chance == SHOW_ONE:
        return pick(s, s.play, s.play_size)
    if s.chance == GIVE_CARD:
        return pick(s, s.hands[s.winner], int(s.hand_size[s.winner]))
    return pick(s, s.aside, s.aside_size)


@njit
def chance_weights(s: Any, weights: Any) -> None:
    """Relative probabilities of the outcomes of a chance phase, int64 (NUM_KINDS,)."""
    weights[:] = 0
    for seat in range(s.num_players):
        if s.chance == DRAW_FIRST:
            weights[seat] = 1
        elif s.chance == ASK_NEXT:
            weights[seat] = s.to_ask[seat]
    for k in range(NUM_KINDS):
        if s.chance == DEAL_CARD:
            weights[k] = s.stock[k]
        elif s.chance == SHOW_ONE:
            weights[k] = s.play[k]
        elif s.chance == GIVE_CARD:
            weights[k] = s.hands[s.winner, k]
        elif s.chance == NEW_PILE_CARD:
            weights[k] = s.aside[k]


@njit
def resolve(s: Any, outcome: int) -> None:
    """One random event has happened: a seat was drawn, or a card."""
    s.todo -= 1
    if s.chance == ASK_NEXT:
        ask(s, outcome)
    elif s.chance == DEAL_CARD:
        dealt(s, outcome)
    elif s.chance == DRAW_FIRST:
        start(s, outcome)
    elif s.chance == SHOW_ONE:
        shown_one(s, outcome)
    elif s.chance == GIVE_CARD:
        gave(s, outcome)
    else:
        new_pile_card(s, outcome)


# ---------------------------------------------------------------- decisions


@njit
def step(s: Any, action: int) -> None:
    """Carry out a legal action of the player to decide, and all that follows from it."""
    s.logged = 0
    s.rewards[:] = 0.0
    s.decisions += 1
    if action == PUT_DOWN:
        note_cards(s, ACT, s.turn, action, 0, s.play)
        put_down(s)
    else:
        note(s, ACT, s.turn, action, 0)
        if action == LET_GO:
            ask_next(s)
        elif action == DOUBT:
            doubt(s)
        else:
            add(s, action - ADD)
    settle(s)
