"""How a deal of Liar's Cry ends, what it costs, and how a match ends."""

from __future__ import annotations

from typing import Any

from kuku_env.core.jit import njit
from kuku_env.games.liars_cry.cards import KEY_A, KEY_B, KEY_C, NUM_KINDS
from kuku_env.games.liars_cry.state import (
    CUT,
    DEAL_END,
    EMPTY,
    END,
    GOES_ON,
    HELD,
    KEYS,
    NO_LEAD,
    OVER,
    note,
    note_hand,
)


@njit
def can_lead(s: Any, seat: int) -> bool:
    for k in range(NUM_KINDS):
        if s.hands[seat, k] > 0 and s.leads[k] == 1:
            return True
    return False


@njit
def ending(s: Any, to_lead: int) -> int:
    """The check after a Collect or Doubt: why the deal ends, or GOES_ON."""
    for seat in range(s.num_players):
        hand = s.hands[seat]
        if hand[KEY_A] > 0 and hand[KEY_B] > 0 and hand[KEY_C] > 0:
            return KEYS
    for seat in range(s.num_players):  # L8: whether it is out or not
        if s.hand_sizes[seat] == 0:
            return EMPTY
    return GOES_ON if can_lead(s, to_lead) else NO_LEAD


@njit
def score_deal(s: Any, reason: int) -> None:
    """Points of taken cards plus hand; L4, L15: of nothing else.

    The hands of a deal that ended before anybody acted (L11) are those dealt: told already.
    """
    played = s.decisions > s.deal_start
    s.lowest = -1
    for seat in range(s.num_players):
        cost = s.taken_points[seat]
        for k in range(NUM_KINDS):
            cost += int(s.hands[seat, k]) * int(s.points[k])
        s.scores[seat] += cost
        if s.lowest < 0 or s.scores[seat] < s.lowest:
            s.lowest = s.scores[seat]
        if played:
            s.deal_points[seat] = cost
            note_hand(s, HELD, seat)
    note(s, DEAL_END, reason, int(played))


@njit
def truncate(s: Any) -> None:
    """L6, L15: the running deal scores what has been taken and what is held."""
    score_deal(s, CUT)
    s.truncated = True
    finish(s)


@njit
def finish(s: Any) -> None:
    """The lowest total wins; L5: ties share a place, and the average of what it pays."""
    n = int(s.num_players)
    for seat in range(n):
        better, equal = 0, 0
        for other in range(n):
            better += s.scores[other] < s.scores[seat]
            equal += s.scores[other] == s.scores[seat]
        s.place[seat] = better + 1
        if s.by_points:
            s.rewards[seat] = reward_of_points(s, seat)
        else:
            s.rewards[seat] = 1.0 - (2.0 * better + equal - 1.0) / (n - 1)
        s.returns[seat] = s.rewards[seat]
    s.phase = OVER
    note(s, END)


@njit
def reward_of_points(s: Any, seat: int) -> float:
    """L5: the mean of the others' points minus one's own, over 40 a deal."""
    n = int(s.num_players)
    total = 0
    for other in range(n):
        total += s.scores[other]
    others = (total - s.scores[seat]) / (n - 1)
    return (others - s.scores[seat]) / (40.0 * s.deals)
