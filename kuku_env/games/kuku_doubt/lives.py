"""Who is asked, who loses a life, and how a game of Kuku Doubt ends."""

from __future__ import annotations

from typing import Any

from kuku_env.core.jit import njit
from kuku_env.games.kuku_doubt.state import (
    END,
    FLIPPED,
    FLIPPING,
    OUT,
    OVER,
    STARTING,
    note,
)


@njit
def ask(s: Any, phase: int, seat: int) -> None:
    """Wait for a player's decision; K12: too many of them truncate the game."""
    s.phase = phase
    s.turn = seat
    if s.decisions >= s.max_decisions:
        truncate(s)


@njit
def face_down(s: Any, seat: int) -> int:
    return int(s.life_cards - s.face_up[seat, 0] - s.face_up[seat, 1])


@njit
def lose_life(s: Any, loser: int) -> None:
    if s.living == 2 and not s.duel_lives:  # K5, K16: sudden death
        s.lives[loser] = 0
        eliminate(s, loser)
        return
    hidden = face_down(s, loser)
    if s.lives[loser] > hidden:  # a life without a card
        s.lives[loser] -= 1
        after_loss(s, loser)
    elif hidden == 1:  # K3: nothing to choose
        flip(s, loser, 1 if s.face_up[loser, 0] else 0)
    else:
        ask(s, FLIPPING, loser)


@njit
def flip(s: Any, loser: int, which: int) -> None:
    """Turn up a life card. Its rank stays in ``life``: what is up is public."""
    s.face_up[loser, which] = 1
    s.lives[loser] -= 1
    note(s, FLIPPED, loser, s.life[loser, which])
    after_loss(s, loser)


@njit
def after_loss(s: Any, loser: int) -> None:
    """K15: elimination, then the end, and only then the next start player (K4)."""
    if s.lives[loser] == 0:
        eliminate(s, loser)
    if s.phase != OVER:
        ask(s, STARTING, loser)


@njit
def eliminate(s: Any, seat: int) -> None:
    note(s, OUT, seat)
    finish(s, seat, s.living)
    s.living -= 1
    first, second = living_pair(s)
    if s.living == 1:
        finish(s, first, 1)
        end(s)
    elif s.living == 2 and s.lives[first] != s.lives[second]:
        winner, other = (first, second) if s.lives[first] > s.lives[second] else (second, first)
        finish(s, other, 2)
        finish(s, winner, 1)
        s.living = 1
        end(s)


@njit
def living_pair(s: Any) -> tuple[int, int]:
    """The first two seats still playing (the second -1 where there is one)."""
    first, second = -1, -1
    for seat in range(s.num_players):
        if s.place[seat] == 0:
            if first < 0:
                first = seat
            elif second < 0:
                second = seat
    return first, second


@njit
def reward_of(s: Any, place: int) -> float:
    """K13: +1 to the winner and -1/(n-1) to all others, or linear by place."""
    n = int(s.num_players)
    if s.placement:
        return 1.0 - 2.0 * (place - 1) / (n - 1)
    return 1.0 if place == 1 else -1.0 / (n - 1)


@njit
def finish(s: Any, seat: int, place: int) -> None:
    pay(s, seat, place, reward_of(s, place))


@njit
def pay(s: Any, seat: int, place: int, reward: float) -> None:
    """A player's fate is known."""
    s.place[seat] = place
    s.rewards[seat] = reward
    s.returns[seat] = reward


@njit
def truncate(s: Any) -> None:
    """K12, K13, K20: the survivors share the win, or the average of the top places."""
    share = 0.0
    for place in range(1, s.living + 1):
        share += reward_of(s, place) / s.living
    for seat in range(s.num_players):
        if s.place[seat] == 0:
            pay(s, seat, 1, share)
    s.truncated = True
    end(s)


@njit
def end(s: Any) -> None:
    s.phase = OVER
    note(s, END)
