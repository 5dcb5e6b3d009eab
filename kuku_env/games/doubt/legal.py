"""What a player of Doubt may do: one action asked for, or the whole mask."""

from __future__ import annotations

from typing import Any

from kuku_env.core.jit import njit
from kuku_env.games.doubt.cards import NUM_KINDS
from kuku_env.games.doubt.layout import ADD, DOUBT, LET_GO, NUM_ACTIONS, PUT_DOWN
from kuku_env.games.doubt.state import PLAYING, RESPOND


@njit
def is_legal(s: Any, action: int) -> bool:
    """Whether the player to decide may take this action."""
    if action < 0 or action >= NUM_ACTIONS:
        return False
    if s.phase == RESPOND:
        return action == LET_GO or action == DOUBT
    if s.phase == PLAYING:
        if action == PUT_DOWN:
            return s.play_size > 0
        return action >= ADD and s.play_size < s.max_play and left_in_hand(s, action - ADD) > 0
    return False


@njit
def left_in_hand(s: Any, card: int) -> int:
    """D2: cards of a kind that have not been added to the play."""
    return int(s.hands[s.turn, card]) - int(s.play[card])


@njit
def legal_actions(s: Any, mask: Any) -> None:
    """Write the action mask of the player to decide, int8 (NUM_ACTIONS,); all zero for nobody.

    The same as ``is_legal`` for every action. Sums and products instead of branches, for speed.
    """
    responding = int(s.phase == RESPOND)
    playing = int(s.phase == PLAYING)
    mask[LET_GO] = responding
    mask[DOUBT] = responding
    mask[PUT_DOWN] = playing * int(s.play_size > 0)
    more = playing * int(s.play_size < s.max_play)
    hand = s.hands[s.turn]
    for card in range(NUM_KINDS):
        mask[ADD + card] = more * int(hand[card] > s.play[card])
