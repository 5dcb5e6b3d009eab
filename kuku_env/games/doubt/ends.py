"""Who is out, and how a game of Doubt ends (D4, D6, D7, D12)."""

from __future__ import annotations

from typing import Any

from kuku_env.core.jit import njit
from kuku_env.games.doubt.cards import MAX_CARDS, MAX_PLAYERS
from kuku_env.games.doubt.state import END, FORFEIT, OUT, OVER, note


@njit
def put_out(s: Any, seat: int) -> None:
    """D4, D12: of those out by the limit the later rank lower, of forfeiters the earlier.

    So a forfeiter's place is known at once; the other's only in the end.
    """
    s.outs += 1
    s.out[seat] = s.outs
    note(s, OUT, seat, 0, 0)
    if s.penalty == FORFEIT:
        pay(s, seat, s.living, reward_of(s, s.living))
    s.living -= 1


@njit
def decided(s: Any) -> bool:
    """D3, D12, D13: a hand in play is empty, or only one is left."""
    if s.living == 1:
        return True
    for seat in range(s.num_players):
        if s.out[seat] == 0 and s.hand_size[seat] == 0:
            return True
    return False


@njit
def rank_key(s: Any, seat: int) -> int:
    """The lower the better: cards in hand, then those who are out (D6)."""
    out = int(s.out[seat])
    if out == 0:
        return int(s.hand_size[seat])
    return MAX_CARDS + (MAX_PLAYERS - out if s.penalty == FORFEIT else out)


@njit
def reward_of(s: Any, place: int) -> float:
    """D6: linear from +1 to -1 by place, or +1 to the winner and -1/(n-1) to all others."""
    n = int(s.num_players)
    if s.win_only:
        return 1.0 if place == 1 else -1.0 / (n - 1)
    return 1.0 - 2.0 * (place - 1) / (n - 1)


@njit
def pay(s: Any, seat: int, place: int, reward: float) -> None:
    """A player's fate is known."""
    s.place[seat] = place
    s.rewards[seat] = reward
    s.returns[seat] = reward
    s.fates += 1


@njit
def end(s: Any) -> None:
    """Everybody gets a place; equal ones share it, and the average of the rewards (D6, D17)."""
    for seat in range(s.num_players):
        if s.place[seat] == 0:
            key, better, equal = rank_key(s, seat), 0, 0
            for other in range(s.num_players):
                better += rank_key(s, other) < key
                equal += rank_key(s, other) == key
            share = 0.0
            for k in range(equal):
                share += reward_of(s, better + 1 + k)
            pay(s, seat, better + 1, share / equal)
    s.phase = OVER
    note(s, END, 0, 0, 0)
