"""What a player of Kuku Doubt may do: one action asked for, or the whole mask."""

from __future__ import annotations

from typing import Any

from kuku_env.core.jit import njit
from kuku_env.games.kuku_doubt.cards import (
    CLAIM_NUMBER,
    LIVES,
    NUM_CLAIMS,
    NUM_PAIRS,
    PAIR_PRODUCT,
)
from kuku_env.games.kuku_doubt.layout import (
    ACCEPT,
    CLAIM,
    DISCARD_BOTH,
    DISCARD_HIGH,
    DISCARD_LOW,
    DOUBT,
    FLIP,
    NUM_ACTIONS,
    SEE,
    START,
)
from kuku_env.games.kuku_doubt.state import (
    CLAIMING,
    DISCARDING,
    FLIPPING,
    NUMBER,
    RESPOND,
    STARTING,
    last_claim,
)


@njit
def is_legal(s: Any, action: int) -> bool:
    """Whether the player to decide may take this action."""
    if action < 0 or action >= NUM_ACTIONS:
        return False
    phase = s.phase
    if phase == RESPOND:
        if action == ACCEPT:
            return s.max_accepts < 0 or s.accepts < s.max_accepts
        if action == DOUBT:
            return True
        return action < DISCARD_LOW and may_name(s, action - SEE)
    if phase == DISCARDING:
        if action == DISCARD_HIGH:  # K9
            return s.pair[0] != s.pair[1]
        return action == DISCARD_LOW or action == DISCARD_BOTH
    if phase == CLAIMING:
        return CLAIM <= action < FLIP and may_claim(s, action - CLAIM)
    if phase == FLIPPING:  # K17
        return FLIP <= action < START
    if phase == STARTING:
        k = action - START
        return 0 <= k < s.num_players and s.place[(s.turn + k) % s.num_players] == 0
    return False


@njit
def may_name(s: Any, pair: int) -> bool:
    """K8: any pair, or only those that multiply to the claim."""
    return not s.consistent or PAIR_PRODUCT[pair] == CLAIM_NUMBER[last_claim(s)[NUMBER]]


@njit
def may_claim(s: Any, index: int) -> bool:
    """An allowed number, not lower than the previous claim of this round."""
    return s.allowed[index] == 1 and (s.claims_made == 0 or index >= last_claim(s)[NUMBER])


@njit
def legal_actions(s: Any, mask: Any) -> None:
    """Write the action mask of the player to decide, int8 (NUM_ACTIONS,); all zero for nobody.

    The same as ``is_legal`` for every action, block by block for speed.
    """
    mask[:] = 0
    if s.phase == RESPOND:
        mask[ACCEPT] = s.max_accepts < 0 or s.accepts < s.max_accepts
        mask[DOUBT] = 1
        if s.consistent:
            number = CLAIM_NUMBER[last_claim(s)[NUMBER]]
            for k in range(NUM_PAIRS):
                mask[SEE + k] = PAIR_PRODUCT[k] == number
        else:
            mask[SEE : SEE + NUM_PAIRS] = 1
    elif s.phase == DISCARDING:
        mask[DISCARD_LOW : DISCARD_BOTH + 1] = 1
        mask[DISCARD_HIGH] = s.pair[0] != s.pair[1]
    elif s.phase == CLAIMING:
        floor = 0 if s.claims_made == 0 else int(last_claim(s)[NUMBER])
        for k in range(floor, NUM_CLAIMS):
            mask[CLAIM + k] = s.allowed[k]
    elif s.phase == FLIPPING:
        mask[FLIP : FLIP + LIVES] = 1
    elif s.phase == STARTING:
        for k in range(s.num_players):
            mask[START + k] = s.place[(s.turn + k) % s.num_players] == 0
