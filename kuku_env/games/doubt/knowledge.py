"""What the seats of Doubt learn when cards move (D8).

``mine``: a seat's own cards in the pile that nobody else has seen; ``shown``: cards in the pile
that all have seen; ``known[x, y]``: cards that seat x saw go to the hand of seat y and has not seen
since. What becomes of a seat's knowledge depends on nothing that it has not seen.
"""

from __future__ import annotations

from typing import Any

from kuku_env.core.jit import njit
from kuku_env.games.doubt.cards import NUM_KINDS
from kuku_env.games.doubt.layout import MOST


@njit
def saw_leave(s: Any, observer: int, seat: int, card: int, count: int) -> None:
    """So many cards of a kind were seen to leave a hand, or may have left it."""
    s.known[observer, seat, card] = max(0, int(s.known[observer, seat, card]) - count)


@njit
def saw_come(s: Any, observer: int, seat: int, card: int, count: int) -> None:
    """So many cards of a kind were seen to go to a hand."""
    known = int(s.known[observer, seat, card]) + count
    s.known[observer, seat, card] = min(known, int(s.copies[card]))


@njit
def turned_up(s: Any, card: int, count: int) -> None:
    """Cards of the play were turned up: all see what had left the player's hand."""
    s.mine[s.player, card] -= count
    s.shown[card] += count
    for x in range(s.num_players):
        saw_leave(s, x, s.player, card, count)


@njit
def pile_taken(s: Any, taker: int) -> None:
    """The taker sees the whole pile; the others know what they put in or was turned up."""
    for x in range(s.num_players):
        if x != taker:
            for k in range(NUM_KINDS):
                saw_come(s, x, taker, k, int(s.mine[x, k]) + int(s.shown[k]))
    for k in range(NUM_KINDS):
        new = int(s.pile[k]) - int(s.mine[taker, k]) - int(s.shown[k])
        if s.pile[k] > 0:
            may_have_left(s, taker, k, new)


@njit
def may_have_left(s: Any, taker: int, card: int, new: int) -> None:
    """Cards that a taker had not known to be in the pile may be those it had seen go to a hand.

    As many as that seat put there, or, where it is out, as came from the cards set aside. And no
    hand holds a card that is in the taker's.
    """
    elsewhere = int(s.copies[card]) - int(s.hands[taker, card]) - int(s.pile[card])
    for y in range(s.num_players):
        if y != taker and s.known[taker, y, card] > 0:
            put = int(s.pile_from[y]) + (int(s.pile_start) if s.out[y] > 0 else 0)
            saw_leave(s, taker, y, card, min(new, put))
            s.known[taker, y, card] = min(int(s.known[taker, y, card]), elsewhere)


@njit
def pile_claims_go_to(s: Any, taker: int) -> None:
    """What was called of the cards taken; a new pile has no claims."""
    for r in range(s.ranks):
        called = int(s.took[taker, r])
        for y in range(s.num_players):
            called += int(s.claims[y, r])
            s.claims[y, r] = 0
        s.took[taker, r] = min(called, MOST)


@njit
def called(s: Any, seat: int, number: int, count: int) -> None:
    """A seat has put down so many cards as a number."""
    s.claims[seat, number] = min(int(s.claims[seat, number]) + count, MOST)
    s.took[seat, number] = max(int(s.took[seat, number]) - count, 0)
