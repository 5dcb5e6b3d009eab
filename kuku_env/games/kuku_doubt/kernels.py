"""Loops over Kuku Doubt's own functions: what environments call, on an array of records.

Every game has these kernels under these names (see kuku_env.core.game.Kernels). The loops name
their game's functions as globals, because a loop that takes them as arguments is compiled anew in
every process.
"""

from __future__ import annotations

from typing import Any

from kuku_env.core.crew import (
    claim,
    first_game,
    first_order,
    is_step,
    next_order,
    report,
    see_to_actions,
)
from kuku_env.core.game import FATES_KNOWN, ILLEGAL, PLAYED
from kuku_env.core.jit import njit
from kuku_env.core.masks import keep
from kuku_env.games.kuku_doubt import legal, rules, state
from kuku_env.games.kuku_doubt.encode import encode, encode_secrets

_deal, _step, _resolve, _settle = rules.deal, rules.step, rules.resolve, rules.settle
_is_legal, _legal_actions, _weights = legal.is_legal, legal.legal_actions, rules.chance_weights
_OVER, _STARTING = state.OVER, state.STARTING


@njit
def deal(S: Any, i: int) -> None:
    _deal(S[i])


@njit
def step(S: Any, i: int, action: int) -> int:
    """Act if it is legal. ILLEGAL (nothing has changed), PLAYED, or FATES_KNOWN."""
    s = S[i]
    if not _is_legal(s, action):
        return ILLEGAL
    living = s.living
    _step(s, action)
    return FATES_KNOWN if s.living < living or s.phase == _OVER else PLAYED


@njit
def resolve(S: Any, i: int, outcome: int) -> None:
    """Give a chance phase its outcome, which must have a positive weight."""
    s = S[i]
    s.logged = 0
    s.rewards[:] = 0.0
    _resolve(s, outcome)
    _settle(s)


@njit
def chance_weights(S: Any, i: int, weights: Any) -> None:
    _weights(S[i], weights)


@njit
def observe(S: Any, i: int, seat: int, observation: Any, action_mask: Any) -> None:
    s = S[i]
    encode(s, seat, observation)
    if s.turn == seat:
        _legal_actions(s, action_mask)
    else:
        action_mask[:] = 0


@njit
def secrets(S: Any, i: int, seat: int, out: Any) -> None:
    encode_secrets(S[i], seat, out)


@njit
def step_range(
    S: Any,
    actions: Any,
    autoreset: bool,
    start: int,
    stop: int,
    observation: Any,
    action_mask: Any,
    seat: Any,
    rewards: Any,
    terminated: Any,
    truncated: Any,
) -> None:
    """Step games start to stop - 1 with legal actions, and observe the seat that decides next.

    ``observation`` and ``action_mask`` are ``rows``, the other arrays plain. A game whose action
    is -1 is left as it is.
    """
    for i in range(start, stop):
        s = S[i]
        if actions[i] < 0:
            rewards[i, :] = 0.0
            terminated[i] = False
            truncated[i] = False
            continue
        _step(s, actions[i])
        for k in range(rewards.shape[1]):
            rewards[i, k] = s.rewards[k]
        over = s.phase == _OVER
        terminated[i] = over and not s.truncated
        truncated[i] = over and s.truncated
        if over and autoreset:
            _deal(s)
        observe_decider(s, i, observation, action_mask, seat)


@njit
def observe_range(
    S: Any, start: int, stop: int, observation: Any, action_mask: Any, seat: Any
) -> None:
    """Observe the seat that decides in each of games start to stop - 1."""
    for i in range(start, stop):
        observe_decider(S[i], i, observation, action_mask, seat)


@njit
def observe_decider(s: Any, i: int, observation: Any, action_mask: Any, seat: Any) -> None:
    if s.phase > _STARTING:
        seat[i] = -1
        observation[i].cells[:] = 0
        action_mask[i].cells[:] = 0
    else:
        seat[i] = s.turn
        encode(s, s.turn, observation[i].cells)
        _legal_actions(s, action_mask[i].cells)


@njit
def secrets_range(S: Any, start: int, stop: int, seat: Any, out: Any) -> None:
    """What is hidden in each of games start to stop - 1, relative to ``seat``."""
    for i in range(start, stop):
        encode_secrets(S[i], max(seat[i], 0), out[i].cells)


@njit
def serve(board: Any, member: int, job: int, games: Any, turns: Any, choice: Any) -> None:
    """What a member of a crew does: its share of one order after the other."""
    S, actions, autoreset = games
    order = first_order(board, member, job)
    while order >= 0:
        k = claim(board, member, order)
        while k >= 0:
            start, stop = first_game(board, k), first_game(board, k + 1)
            if is_step(order):
                step_range(S, actions, autoreset, start, stop, *turns)
                keep(turns[1], choice[0], start, stop)
            else:
                see_to_actions(board, order, k, start, stop, actions, autoreset, choice)
            report(board, k, order)
            k = claim(board, member, order)
        order = next_order(board, member, order, choice)
