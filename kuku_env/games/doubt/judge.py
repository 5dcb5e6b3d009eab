"""A doubt is settled: cards are turned up, and whoever loses pays for it (D3 to D5, D11 to D13)."""

from __future__ import annotations

from typing import Any

from kuku_env.core.jit import njit
from kuku_env.games.doubt.cards import EXCHANGED, JOKER, NEW_PILE_CARDS, NUM_KINDS
from kuku_env.games.doubt.ends import decided, put_out
from kuku_env.games.doubt.knowledge import (
    pile_claims_go_to,
    pile_taken,
    saw_come,
    saw_leave,
    turned_up,
)
from kuku_env.games.doubt.state import (
    CAUGHT_LIES,
    DOUBTS_RIGHT,
    DOUBTS_WRONG,
    EXCHANGE,
    GAVE,
    GIVE_CARD,
    NEW_PILE,
    NEW_PILE_CARD,
    PILE,
    SET_ASIDE,
    SHOW_ONE,
    SHOWN,
    SHOWN_TRUE,
    TOOK,
    note_card,
    note_cards,
    tally,
)
from kuku_env.games.doubt.turns import clear_play, next_turn, stop_asking, wait_for_chance

# ---------------------------------------------------------------- cards are turned up


@njit
def doubt(s: Any) -> None:
    """The seat to act doubts: all cards put down are turned up, or one drawn from them (D5)."""
    stop_asking(s)
    if s.check_one:
        wait_for_chance(s, SHOW_ONE, 1)
    else:
        judge(s)


@njit
def shown_one(s: Any, card: int) -> None:
    """D16: the drawn card is shown to all; of the others nobody learns anything."""
    s.play[:] = 0
    s.play[card] = 1
    judge(s)


@njit
def is_true(s: Any, card: int) -> bool:
    """A joker never differs from the number."""
    return card == s.number or card == JOKER


@njit
def judge(s: Any) -> None:
    """The cards of ``play`` are turned up: if any differs from the number, the player loses."""
    truth = True
    for k in range(NUM_KINDS):
        if s.play[k] > 0:
            turned_up(s, k, int(s.play[k]))
            truth = truth and is_true(s, k)
    s.winner = s.player if truth else s.turn
    s.loser = s.turn if truth else s.player
    tally(s, s.player, SHOWN_TRUE if truth else CAUGHT_LIES)
    tally(s, s.turn, DOUBTS_WRONG if truth else DOUBTS_RIGHT)
    note_cards(s, SHOWN, s.loser, s.number, int(truth), s.play)
    clear_play(s)
    if s.penalty == PILE:
        take_pile(s)
    elif s.penalty == EXCHANGE:
        exchange(s)
    else:
        forfeit(s)


@njit
def settled(s: Any) -> None:
    """D18: the number advances after a doubt, or is called again."""
    next_turn(s, not s.repeats)


# ---------------------------------------------------------------- the pile is taken


@njit
def take_pile(s: Any) -> None:
    """D4, D13: whoever then holds more than the limit is out."""
    loser = s.loser
    note_cards(s, TOOK, loser, 0, 0, s.pile)
    pile_taken(s, loser)
    pile_claims_go_to(s, loser)
    s.hand_size[loser] += s.pile_size
    for k in range(NUM_KINDS):
        s.hands[loser, k] += s.pile[k]
    clear_pile(s)
    if s.hand_size[loser] > s.hand_limit:
        set_aside(s, loser)
    if s.aside_size > 0 and not decided(s):
        wait_for_chance(s, NEW_PILE_CARD, min(NEW_PILE_CARDS, s.aside_size))
    else:
        settled(s)


@njit
def clear_pile(s: Any) -> None:
    s.pile[:] = 0
    s.pile_size = 0
    s.pile_start = 0
    s.pile_from[:] = 0
    s.mine[:] = 0
    s.shown[:] = 0


@njit
def set_aside(s: Any, seat: int) -> None:
    """A hand goes to the cards set aside, face down, and its player is out."""
    note_cards(s, SET_ASIDE, seat, 0, 0, s.hands[seat])
    for k in range(NUM_KINDS):
        s.aside[k] += s.hands[seat, k]
        s.hands[seat, k] = 0
    s.aside_size += s.hand_size[seat]
    s.hand_size[seat] = 0
    put_out(s, seat)


@njit
def new_pile_card(s: Any, card: int) -> None:
    """D4: cards set aside start the new pile; nobody knows which."""
    note_card(s, NEW_PILE, 0, 0, card)
    s.aside[card] -= 1
    s.aside_size -= 1
    s.pile[card] += 1
    s.pile_size += 1
    s.pile_start += 1
    if s.todo == 0:
        settled(s)


# ---------------------------------------------------------------- cards change hands


@njit
def exchange(s: Any) -> None:
    """D11: the loser takes two cards at random from the winner's hand, or what there is."""
    count = min(EXCHANGED, int(s.hand_size[s.winner]))
    if count > 0:
        wait_for_chance(s, GIVE_CARD, count)
    else:
        settled(s)


@njit
def gave(s: Any, card: int) -> None:
    """Both parties know the card."""
    note_card(s, GAVE, s.loser, s.winner, card)
    saw_leave(s, s.loser, s.winner, card, 1)
    saw_come(s, s.winner, s.loser, card, 1)
    s.hands[s.winner, card] -= 1
    s.hands[s.loser, card] += 1
    s.hand_size[s.winner] -= 1
    s.hand_size[s.loser] += 1
    if s.todo == 0:
        settled(s)


# ---------------------------------------------------------------- a hand is given up


@njit
def forfeit(s: Any) -> None:
    """D12: the loser is out, even with an empty hand; the pile stays."""
    set_aside(s, s.loser)
    settled(s)
