"""Scripted players of Kuku Doubt: readable, stateless, playing from fields of the observation.

``easy`` plays like a beginner: it tells the truth when it may, believes low numbers and doubts high
ones. ``normal`` counts cards: it weighs every pair the claimant can hold by the cards it has not
seen and by how people claim, and picks the response that wins most often; it lies with numbers that
are plausible and hard to name.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kuku_env.core.jit import njit
from kuku_env.games.kuku_doubt.cards import (
    CLAIM_NUMBER,
    CLAIMS,
    LIAR,
    MAX_PLAYERS,
    NUM_CLAIMS,
    NUM_PAIRS,
    NUM_RANKS,
    PAIR_HIGH,
    PAIR_LOW,
    PAIR_PRODUCT,
    PAIRS,
)
from kuku_env.games.kuku_doubt.layout import (
    ACCEPT,
    CLAIM,
    DISCARD_BOTH,
    DISCARD_HIGH,
    DISCARD_LOW,
    DOUBT,
    FLIP,
    LAYOUT,
    NUM_ACTIONS,
    SEE,
    START,
)
from kuku_env.games.kuku_doubt.state import (
    CAUGHT_LIES,
    CLAIMING,
    DISCARDING,
    FLIPPING,
    NUM_TALLIES,
    RESPOND,
    TRUE_CLAIMS,
)

_PHASE, _DECK, _HAND = (LAYOUT.start(name) for name in ("phase", "deck", "hand"))
_LIFE, _FACE_UP, _TABLE = (LAYOUT.start(name) for name in ("life_cards", "face_up", "table"))
_MINE, _PASSED = LAYOUT.start("my_discards"), LAYOUT.start("passed")
_NUMBERS, _DISCARDS = LAYOUT.start("claim_numbers"), LAYOUT.start("claim_discards")
_SEATS, _RECORD = LAYOUT.start("claim_seats"), LAYOUT.start("record")
_CLAIM_PASSED, _PLAYERS = LAYOUT.start("claim_passed"), LAYOUT.start("num_players")
_LIVES = 2

# The number of pairs that make each claim: 12 = 2x6 = 3x4 is harder to name than 49 = 7x7.
WAYS = np.array([sum(a * b == number for a, b in PAIRS) for number in CLAIMS], np.int64)

# How scripted-normal thinks people claim, and how it claims itself.
HONESTY = 0.6  # truth where it is allowed, before anything is known of the claimant
TRUST = 5.0  # shown claims after which the claimant's own record counts as much
NEARNESS = 0.8  # a lie n products above the lowest allowed is NEARNESS**n as likely
WILD = 0.5  # share of lies that may be any allowed number
DECISIVENESS = 25.0  # weight of a choice grows as exp(DECISIVENESS * win chance)


@njit
def phase_of(obs: Any) -> int:
    for k in range(5):
        if obs[_PHASE + k] == 1:
            return k
    return -1


@njit
def my_product(obs: Any) -> int:
    """Product of the pair in hand; 0 with a Liar."""
    product = 1
    for rank in range(NUM_RANKS):
        for _ in range(obs[_HAND + rank]):
            product *= rank
    return product


@njit
def normalise(mask: Any, out: Any) -> None:
    """Turn non-negative weights into probabilities over the legal actions."""
    total = 0.0
    for a in range(NUM_ACTIONS):
        if mask[a] == 0 or not out[a] > 0.0:
            out[a] = 0.0
        total += out[a]
    legal = 0
    for a in range(NUM_ACTIONS):
        legal += mask[a]
    for a in range(NUM_ACTIONS):
        if total > 0.0:
            out[a] /= total
        elif mask[a]:
            out[a] = 1.0 / legal


# ---------------------------------------------------------------- easy


@njit
def easy(obs: Any, mask: Any, out: Any) -> None:
    """A beginner's probabilities, float64 (NUM_ACTIONS,)."""
    out[:] = 0.0
    phase = phase_of(obs)
    if phase == RESPOND:
        easy_response(obs, mask, out)
    elif phase == CLAIMING:
        easy_claim(obs, mask, out)
    elif phase == DISCARDING:
        out[DISCARD_LOW] = 1.0
    else:
        out[FLIP:] = 1.0
    normalise(mask, out)


@njit
def easy_response(obs: Any, mask: Any, out: Any) -> None:
    """Doubt grows with the number; now and then name a pair that makes it."""
    number = obs[_NUMBERS]
    doubt = min(0.9, 0.1 + number / 60.0)
    out[ACCEPT] = 1.0 - doubt
    out[DOUBT] = 0.75 * doubt
    ways = 0
    for pair in range(NUM_PAIRS):
        ways += PAIR_PRODUCT[pair] == number
    for pair in range(NUM_PAIRS):
        if PAIR_PRODUCT[pair] == number:
            out[SEE + pair] = 0.25 * doubt / ways


@njit
def easy_claim(obs: Any, mask: Any, out: Any) -> None:
    """The truth where it is allowed, else one of the four lowest allowed numbers."""
    product = my_product(obs)
    lowest = 4
    for k in range(NUM_CLAIMS):
        if mask[CLAIM + k] and CLAIM_NUMBER[k] == product:
            out[:] = 0.0
            out[CLAIM + k] = 1.0
            return
        if mask[CLAIM + k] and lowest > 0:
            out[CLAIM + k] = 1.0
            lowest -= 1


# ---------------------------------------------------------------- normal


@njit
def normal(obs: Any, mask: Any, out: Any) -> None:
    """The card counter's probabilities, float64 (NUM_ACTIONS,)."""
    out[:] = 0.0
    phase = phase_of(obs)
    if phase == RESPOND:
        normal_response(obs, out)
    elif phase == CLAIMING:
        normal_claim(obs, mask, out)
    elif phase == DISCARDING:
        normal_discard(obs, mask, out)
    elif phase == FLIPPING:
        out[FLIP:START] = 1.0
    else:  # whoever starts, the farther on my left I sit the later I am asked
        out[START + 1] = 1.0
    normalise(mask, out)


@njit
def unseen_cards(obs: Any) -> Any:
    """Copies of each rank that may be in the pile or in somebody's hand, as far as I can know."""
    unseen = np.empty(NUM_RANKS, np.float64)
    for rank in range(NUM_RANKS):
        seen = obs[_HAND + rank] + obs[_TABLE + rank] + obs[_MINE + rank]
        for k in range(_LIVES):
            seen += obs[_LIFE + NUM_RANKS * k + rank]
        for seat in range(1, MAX_PLAYERS):  # my own face-up cards are among my life cards
            seen += obs[_FACE_UP + NUM_RANKS * seat + rank]
        if obs[_HAND + rank] == 0:
            seen += obs[_PASSED + rank]  # in the box, or in the pair that was passed to me
        unseen[rank] = max(0, obs[_DECK + rank] - seen)
    return unseen


@njit
def lie_weight(index: int, floor: int) -> float:
    """How likely a lie is this number: near the floor, and made by more than one pair."""
    return float(WAYS[index]) * NEARNESS ** (index - floor)


@njit
def floor_of(number: int) -> int:
    """Place of the first claim that is not lower than a number."""
    k = 0
    while CLAIM_NUMBER[k] < number:
        k += 1
    return k


@njit
def honesty_of_claimant(obs: Any) -> float:
    """Share of true claims, by the claimant's public record and what is usual."""
    seat = 1
    while obs[_SEATS + seat] == 0:
        seat += 1
    at = _RECORD + NUM_TALLIES * seat
    true, lies = obs[at + TRUE_CLAIMS], obs[at + CAUGHT_LIES]
    return (HONESTY * TRUST + true) / (TRUST + true + lies)


@njit
def pair_weights(obs: Any) -> Any:
    """Probability of each pair the claimant may hold, given the claim, float64 (NUM_PAIRS,)."""
    unseen = unseen_cards(obs)
    kept_one_of_mine = obs[_DISCARDS] == 1 and obs[_CLAIM_PASSED + 2] > 0
    claimed, floor = floor_of(obs[_NUMBERS]), floor_of(obs[_NUMBERS + 1])
    honesty = honesty_of_claimant(obs)
    lies = 0.0
    for k in range(floor, NUM_CLAIMS):
        lies += lie_weight(k, floor)
    near = lie_weight(claimed, floor) / lies
    lie = WILD / (NUM_CLAIMS - floor) + (1.0 - WILD) * near
    weights = np.empty(NUM_PAIRS, np.float64)
    total = 0.0
    for pair in range(NUM_PAIRS):
        a, b = PAIR_LOW[pair], PAIR_HIGH[pair]
        if kept_one_of_mine:
            weight = kept_chance(obs, unseen, a, b)
        elif a == b:
            weight = unseen[a] * max(0.0, unseen[a] - 1.0) / 2.0
        else:
            weight = unseen[a] * unseen[b]
        product = PAIR_PRODUCT[pair]
        if product == CLAIM_NUMBER[claimed]:
            weight *= honesty + (1.0 - honesty) * lie
        elif a != LIAR and product >= CLAIM_NUMBER[floor]:
            weight *= (1.0 - honesty) * lie
        else:
            weight *= lie
        weights[pair] = weight
        total += weight
    if total > 0.0:
        for pair in range(NUM_PAIRS):
            weights[pair] /= total
    return weights


@njit
def kept_chance(obs: Any, unseen: Any, a: int, b: int) -> float:
    """Weight of a pair of which one card is one of the two I had passed, the other a fresh one."""
    weight = 0.0
    for k in range(2):
        mine = obs[_CLAIM_PASSED + 2 + k] - 1
        if mine == a:
            weight += unseen[b]
        elif mine == b:
            weight += unseen[a]
    return weight


@njit
def normal_response(obs: Any, out: Any) -> None:
    """Weigh doubting, naming each pair, and accepting by the chance not to lose the round."""
    weights = pair_weights(obs)
    number = obs[_NUMBERS]
    true = 0.0
    for pair in range(NUM_PAIRS):
        if PAIR_PRODUCT[pair] == number:
            true += weights[pair]
            out[SEE + pair] = np.exp(DECISIVENESS * weights[pair])
    out[DOUBT] = np.exp(DECISIVENESS * (1.0 - true))
    out[ACCEPT] = np.exp(DECISIVENESS * accept_value(obs, number))


@njit
def accept_value(obs: Any, number: int) -> float:
    """Chance to get through after accepting: good while there is room above the number.

    At larger tables the risk goes on to others. Fitted by play against variants of itself.
    """
    room = (NUM_CLAIMS - floor_of(number)) / NUM_CLAIMS
    table = 0.02 * (obs[_PLAYERS] == 0)
    return 0.42 + 0.2 * room - table


@njit
def normal_claim(obs: Any, mask: Any, out: Any) -> None:
    """The truth more often than not; lies as ``lie_weight`` says, where cards for them are left."""
    product = my_product(obs)
    unseen = unseen_cards(obs)
    for rank in range(NUM_RANKS):
        unseen[rank] += obs[_HAND + rank]  # others cannot know what I hold
    floor = 0
    while floor < NUM_CLAIMS - 1 and mask[CLAIM + floor] == 0:
        floor += 1
    total, truth = 0.0, -1
    for k in range(floor, NUM_CLAIMS):
        if mask[CLAIM + k] == 0:
            continue
        if CLAIM_NUMBER[k] == product:
            truth = k
        out[CLAIM + k] = lie_weight(k, floor) / WAYS[k] * supply(unseen, CLAIM_NUMBER[k])
        total += out[CLAIM + k]
    if truth >= 0:  # a product of one pair only is easily seen through
        honesty = 0.85 if WAYS[truth] > 1 else 0.65
        if total > 0.0:
            for k in range(floor, NUM_CLAIMS):
                out[CLAIM + k] *= (1.0 - honesty) / total
        out[CLAIM + truth] += honesty


@njit
def supply(unseen: Any, number: int) -> float:
    """How many pairs of unseen cards make a number."""
    pairs = 0.0
    for pair in range(NUM_PAIRS):
        if PAIR_PRODUCT[pair] == number:
            a, b = PAIR_LOW[pair], PAIR_HIGH[pair]
            pairs += unseen[a] * (unseen[b] if a != b else max(0.0, unseen[b] - 1.0) / 2.0)
    return pairs


@njit
def normal_discard(obs: Any, mask: Any, out: Any) -> None:
    """Prefer the discard after which the truth can most likely be told."""
    unseen = unseen_cards(obs)
    number = obs[_NUMBERS]
    low, high = 0, 0
    for rank in range(NUM_RANKS - 1, -1, -1):
        if obs[_HAND + rank] > 0:
            low = rank
            high = max(high, rank)
    out[DISCARD_LOW] = np.exp(DECISIVENESS * truth_chance(unseen, high, number) / 2.0)
    out[DISCARD_HIGH] = np.exp(DECISIVENESS * truth_chance(unseen, low, number) / 2.0)
    both, cards = 0.0, max(1.0, unseen.sum())
    for rank in range(NUM_RANKS):
        both += unseen[rank] / cards * truth_chance(unseen, rank, number)
    out[DISCARD_BOTH] = np.exp(DECISIVENESS * both / 2.0)


@njit
def truth_chance(unseen: Any, kept: int, number: int) -> float:
    """Chance that a kept card and a fresh one make at least a number."""
    good, cards = 0.0, max(1.0, unseen.sum())
    for rank in range(NUM_RANKS):
        if kept * rank >= number:
            good += unseen[rank]
    return good / cards


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
