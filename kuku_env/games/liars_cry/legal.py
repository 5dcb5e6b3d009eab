"""What a player of Liar's Cry may do: one action asked for, or the whole mask."""

from __future__ import annotations

from typing import Any

from kuku_env.core.jit import njit
from kuku_env.games.liars_cry.cards import HANYU, NUM_KINDS
from kuku_env.games.liars_cry.layout import COLLECT, DOUBT, LEAD, NUM_ACTIONS, PLAY, SKIP, TAKE
from kuku_env.games.liars_cry.state import ACTING, LEADING, NOBODY, TAKING


@njit
def is_legal(s: Any, action: int) -> bool:
    """Whether the player to decide may take this action."""
    if action < 0 or action >= NUM_ACTIONS:
        return False
    if s.phase == LEADING:
        return action < PLAY and may_lead(s, action - LEAD)
    if s.phase == ACTING:
        if action == COLLECT:
            return True
        if action == DOUBT:
            return may_doubt(s)
        if action == SKIP:
            return s.hands[s.turn, HANYU] > 0
        return PLAY <= action < COLLECT and s.hands[s.turn, action - PLAY] > 0
    if s.phase == TAKING:
        position = action - TAKE + 1
        return 0 < position < s.table_size and s.table_up[position] == 0
    return False


@njit
def may_lead(s: Any, kind: int) -> bool:
    return s.hands[s.turn, kind] > 0 and s.leads[kind] == 1


@njit
def may_doubt(s: Any) -> bool:
    """L9: the last face-down card, unless it is one's own or its player is out."""
    if s.last_down == NOBODY:
        return False
    owner = s.table_seat[s.last_down]
    return owner != s.turn and s.out[owner] == 0


@njit
def legal_actions(s: Any, mask: Any) -> None:
    """Write the action mask of the player to decide, int8 (NUM_ACTIONS,); all zero for nobody.

    The same as ``is_legal`` for every action, block by block for speed.
    """
    mask[:] = 0
    hand = s.hands[s.turn]
    if s.phase == LEADING:
        for k in range(NUM_KINDS):
            mask[LEAD + k] = (hand[k] > 0) & (s.leads[k] == 1)
    elif s.phase == ACTING:
        for k in range(NUM_KINDS):
            mask[PLAY + k] = hand[k] > 0
        mask[COLLECT] = 1
        mask[DOUBT] = may_doubt(s)
        mask[SKIP] = hand[HANYU] > 0
    elif s.phase == TAKING:
        for position in range(1, s.table_size):
            mask[TAKE + position - 1] = 1 - s.table_up[position]
