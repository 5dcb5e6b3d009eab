"""The cards, the claims and the pairs of Kuku Doubt, as tables that compiled code can read.

A card is its rank: 0 is the Liar, 1 to 9 the numbers. Nothing tells two cards of one rank apart.
"""

from __future__ import annotations

import numpy as np

NUM_RANKS = 10
LIAR = 0
MIN_PLAYERS, MAX_PLAYERS = 2, 6
LIVES = 2
MAX_COPIES = 4

# Material of the rulebook: three Liars, three each of 1, 2, 8, 9, four each of 3 to 7.
COPIES = (3, 3, 3, 4, 4, 4, 4, 4, 3, 3)

# K7: a claim is one of the products of the times table.
CLAIMS = tuple(sorted({a * b for a in range(1, 10) for b in range(1, 10)}))
NUM_CLAIMS = len(CLAIMS)

# K8: every unordered pair of ranks can be named, a Liar being the lowest rank.
PAIRS = tuple((low, high) for low in range(NUM_RANKS) for high in range(low, NUM_RANKS))
NUM_PAIRS = len(PAIRS)

CLAIM_NUMBER = np.array(CLAIMS, np.int16)
PAIR_LOW = np.array([low for low, _ in PAIRS], np.int16)
PAIR_HIGH = np.array([high for _, high in PAIRS], np.int16)
PAIR_PRODUCT = PAIR_LOW * PAIR_HIGH  # 0 with a Liar: no claim

# The true claim on two ranks, as a place among the claims; -1 with a Liar.
TRUE_CLAIM = np.array(
    [[CLAIMS.index(a * b) if a * b else -1 for b in range(NUM_RANKS)] for a in range(NUM_RANKS)],
    np.int16,
)

CARD_NAMES: tuple[str | int, ...] = ("L", *range(1, 10))
