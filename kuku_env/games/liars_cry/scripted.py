"""Scripted players of Liar's Cry: readable, stateless, playing from fields of the observation.

``easy`` plays like a beginner: as was led where it can, and it doubts now and then. ``normal``
counts cards: it estimates how likely the last face-down card is a lie and what lies on the table,
and takes the choice that costs least.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kuku_env.core.jit import njit
from kuku_env.games.liars_cry.cards import HANYU, MAX_PLAYERS, MAX_TABLE, MIN_PLAYERS, NUM_KINDS
from kuku_env.games.liars_cry.layout import (
    COLLECT,
    DOUBT,
    LAYOUT,
    LEAD,
    NUM_ACTIONS,
    PLAY,
    SKIP,
    TAKE,
)
from kuku_env.games.liars_cry.state import ACTING, LEADING, LIES, NUM_TALLIES, TRUE_CARDS

_PHASE, _PLAYERS, _HAND = (LAYOUT.start(name) for name in ("phase", "num_players", "hand"))
_COPIES, _POINTS, _LED = (LAYOUT.start(name) for name in ("copies", "points", "led"))
_SIZE, _CARDS, _TAKEN = (LAYOUT.start(name) for name in ("table_size", "table_cards", "taken"))
_LAST, _DOWN, _SIZES = (LAYOUT.start(name) for name in ("last_down", "down", "hand_sizes"))
_TOOK_MINE, _RECORD = LAYOUT.start("took_mine"), LAYOUT.start("record")

# How scripted-normal judges; fitted by play against variants of itself.
SHED = 0.6  # share of a card's points that putting it on the table saves
DOUBTED = 0.3  # how often the next player doubts
TRUSTED = 4.0  # cards turned up after which a player's own record counts as much as what is usual
TEMPO = 0.5  # worth of leading next, in points
HANYU_WORTH = 1.5  # worth of a Hanyu in hand, in points
SHARPNESS = 4.0  # the weight of a choice falls as exp(-SHARPNESS * points it costs)


@njit
def held(obs: Any, start: int, size: int) -> int:
    """Place of the 1 in a one-hot field, or -1."""
    for k in range(size):
        if obs[start + k] == 1:
            return k
    return -1


@njit
def normalise(mask: Any, out: Any) -> None:
    """Turn non-negative weights into probabilities over the legal actions."""
    total, legal = 0.0, 0
    for a in range(NUM_ACTIONS):
        if mask[a] == 0 or not out[a] > 0.0:
            out[a] = 0.0
        total += out[a]
        legal += mask[a]
    for a in range(NUM_ACTIONS):
        if total > 0.0:
            out[a] /= total
        elif mask[a]:
            out[a] = 1.0 / legal


@njit
def kind_at(obs: Any, position: int) -> int:
    """The kind of a table card, or -1 where I do not know it."""
    return held(obs, _CARDS + NUM_KINDS * position, NUM_KINDS)


# ---------------------------------------------------------------- easy


@njit
def easy(obs: Any, mask: Any, out: Any) -> None:
    """A beginner's probabilities, float64 (NUM_ACTIONS,)."""
    out[:] = 0.0
    phase = held(obs, _PHASE, 3)
    if phase == LEADING:
        for k in range(NUM_KINDS):
            out[LEAD + k] = 1.0 + obs[_HAND + k]
    elif phase == ACTING:
        easy_act(obs, out)
    else:
        out[TAKE:] = 1.0
    normalise(mask, out)


@njit
def easy_act(obs: Any, out: Any) -> None:
    """As was led where that is held, else any card; now and then something else."""
    led = held(obs, _LED, NUM_KINDS)
    if obs[_HAND + led] > 0:
        out[PLAY + led] = 4.0
    else:
        for k in range(NUM_KINDS):
            out[PLAY + k] = 0.5
    out[COLLECT] = 0.5
    out[DOUBT] = 1.0
    out[SKIP] = 1.0


# ---------------------------------------------------------------- normal


@njit
def normal(obs: Any, mask: Any, out: Any) -> None:
    """The card counter's probabilities, float64 (NUM_ACTIONS,)."""
    out[:] = 0.0
    phase = held(obs, _PHASE, 3)
    if phase == LEADING:
        normal_lead(obs, out)
    elif phase == ACTING:
        normal_act(obs, out)
    else:
        normal_take(obs, out)
    normalise(mask, out)


@njit
def weight(cost: float) -> float:
    return np.exp(-SHARPNESS * cost)


@njit
def normal_lead(obs: Any, out: Any) -> None:
    """A kind held twice, so that the next play can be as led, or any with a Hanyu to skip."""
    for k in range(NUM_KINDS):
        alone = obs[_HAND + k] < 2 and obs[_HAND + HANYU] == 0
        out[LEAD + k] = weight(0.5 + 0.5 * obs[_POINTS + k] if alone else 0.0)


@njit
def normal_take(obs: Any, out: Any) -> None:
    """The dearest card may yet be got rid of; a Hanyu is of use."""
    for position in range(1, MAX_TABLE - 1):
        k = kind_at(obs, position)
        if k >= 0:
            worth = 4.0 if k == HANYU else float(obs[_POINTS + k])
            out[TAKE + position - 1] = weight(-worth)


@njit
def unseen_cards(obs: Any, unseen: Any) -> int:
    """Copies of each kind that I have not seen in this deal, and how many that are."""
    total = 0
    for k in range(NUM_KINDS):
        seen = int(obs[_HAND + k])
        for seat in range(MAX_PLAYERS):
            seen += obs[_TAKEN + NUM_KINDS * seat + k]
        unseen[k] = obs[_COPIES + k] - seen
    for position in range(obs[_SIZE]):
        k = kind_at(obs, position)
        if k >= 0:
            unseen[k] -= 1
    for k in range(NUM_KINDS):
        total += unseen[k]
    return total


@njit
def table_points(obs: Any, unseen: Any, total: int) -> float:
    """Points on the table, an unknown card counting as the mean of those I have not seen."""
    mean = 0.0
    for k in range(NUM_KINDS):
        mean += unseen[k] * obs[_POINTS + k] / max(1, total)
    points = 0.0
    for position in range(obs[_SIZE]):
        k = kind_at(obs, position)
        points += obs[_POINTS + k] if k >= 0 else mean
    return points


@njit
def lie_chance(obs: Any, led: int, unseen: Any, total: int) -> float:
    """How likely the last face-down card is not as led."""
    seat = held(obs, _LAST, MAX_PLAYERS)
    if seat <= 0 or unseen[led] <= 0:
        return 1.0
    cards = obs[_SIZES + seat] + obs[_DOWN + seat]
    had_one = 1.0 - (1.0 - unseen[led] / total) ** cards
    if obs[_TOOK_MINE + NUM_KINDS * seat + led] > 0:
        had_one = max(had_one, 0.8)
    at = _RECORD + NUM_TALLIES * seat
    true, lies = obs[at + TRUE_CARDS], obs[at + LIES]
    honesty = (0.5 * TRUSTED + true) / (TRUSTED + true + lies)
    return 1.0 - had_one * (0.5 + 0.5 * honesty)


@njit
def normal_act(obs: Any, out: Any) -> None:
    """Weigh each choice by the points that it costs me more than it costs the others."""
    unseen = np.empty(NUM_KINDS, np.int64)
    total = unseen_cards(obs, unseen)
    led = held(obs, _LED, NUM_KINDS)
    table = table_points(obs, unseen, total)
    share = 1.0 / (MIN_PLAYERS - 1 + held(obs, _PLAYERS, MAX_PLAYERS - MIN_PLAYERS + 1))
    lie = lie_chance(obs, led, unseen, total)
    out[DOUBT] = weight((1.0 - lie) * table - lie * (table * share + TEMPO))
    out[SKIP] = weight(HANYU_WORTH)
    out[COLLECT] = weight(table - TEMPO)
    for k in range(NUM_KINDS):
        saved = SHED * obs[_POINTS + k]
        if k == HANYU:
            saved -= HANYU_WORTH
        if k == led:
            out[PLAY + k] = weight(-saved - DOUBTED * table * share)
        else:
            out[PLAY + k] = weight(DOUBTED * table - (1.0 - DOUBTED) * saved)


# ---------------------------------------------------------------- loops over a batch


@njit
def easy_rows(observation: Any, action_mask: Any, probabilities: Any) -> None:
    for i in range(observation.shape[0]):
        easy(observation[i], action_mask[i], probabilities[i])


@njit
def normal_rows(observation: Any, action_mask: Any, probabilities: Any) -> None:
    for i in range(observation.shape[0]):
        normal(observation[i], action_mask[i], probabilities[i])


SCRIPTED = {"scripted-easy": easy_rows, "scripted-normal": normal_rows}
