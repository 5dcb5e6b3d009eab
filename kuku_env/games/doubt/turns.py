"""A turn of Doubt: cards are put down, and the others are asked whether they doubt (D1, D2)."""

from __future__ import annotations

from typing import Any

from kuku_env.core.jit import njit
from kuku_env.games.doubt.cards import NUM_KINDS
from kuku_env.games.doubt.ends import decided, end
from kuku_env.games.doubt.knowledge import called
from kuku_env.games.doubt.state import (
    ASK_NEXT,
    ASKED,
    CHANCE,
    PLAYING,
    PLAYS,
    RESPOND,
    TURN,
    next_in_play,
    note,
    tally,
)


@njit
def wait_for_chance(s: Any, kind: int, count: int) -> None:
    """Enter a chance phase of ``count`` random events."""
    s.phase = CHANCE
    s.chance = kind
    s.todo = count


# ---------------------------------------------------------------- whose turn it is


@njit
def clear_play(s: Any) -> None:
    s.play[:] = 0
    s.play_size = 0
    s.put_size = 0


@njit
def start_turn(s: Any, seat: int) -> None:
    """D17: decisions are counted only between plays; too many of them truncate the game."""
    if s.decisions >= s.max_decisions:
        s.truncated = True
        end(s)
        return
    s.phase = PLAYING
    s.player = seat
    s.turn = seat
    note(s, TURN, seat, s.number, 0)


@njit
def next_turn(s: Any, advance: bool) -> None:
    """D13, D10: the game has ended, or the next seat on the left of the player's acts."""
    if decided(s):
        end(s)
        return
    if advance:
        s.number = (s.number + 1) % s.ranks
    start_turn(s, next_in_play(s, s.player))


# ---------------------------------------------------------------- cards are put down


@njit
def add(s: Any, card: int) -> None:
    """D2: an added card stays in hand until it is put down."""
    s.play[card] += 1
    s.play_size += 1


@njit
def put_down(s: Any) -> None:
    """The added cards go on the pile, face down, as the number called."""
    seat, count = s.player, s.play_size
    for k in range(NUM_KINDS):
        s.hands[seat, k] -= s.play[k]
        s.pile[k] += s.play[k]
        s.mine[seat, k] += s.play[k]
    s.hand_size[seat] -= count
    s.pile_size += count
    s.pile_from[seat] += count
    s.put_size = count
    called(s, seat, s.number, count)
    tally(s, seat, PLAYS)
    ask_others(s)


# ---------------------------------------------------------------- who doubts


@njit
def ask_others(s: Any) -> None:
    """All others in play will be asked, or the next alone (D10)."""
    if s.next_only:
        s.to_ask[next_in_play(s, s.player)] = 1
        s.left_to_ask = 1
    else:
        for seat in range(s.num_players):
            s.to_ask[seat] = s.out[seat] == 0 and seat != s.player
        s.left_to_ask = s.living - 1
    ask_next(s)


@njit
def ask_next(s: Any) -> None:
    """D1: one after the other, in an order that is drawn, or clockwise."""
    if s.left_to_ask == 0:
        clear_play(s)
        next_turn(s, True)  # nobody doubts
    elif s.left_to_ask == 1 or s.clockwise:
        seat = next_in_play(s, s.player)
        while s.to_ask[seat] == 0:
            seat = next_in_play(s, seat)
        ask(s, seat)
    else:
        wait_for_chance(s, ASK_NEXT, 1)


@njit
def ask(s: Any, seat: int) -> None:
    s.to_ask[seat] = 0
    s.left_to_ask -= 1
    s.phase = RESPOND
    s.turn = seat
    note(s, ASKED, seat, 0, 0)


@njit
def stop_asking(s: Any) -> None:
    """The first to doubt ends it (D1)."""
    s.to_ask[:] = 0
    s.left_to_ask = 0
