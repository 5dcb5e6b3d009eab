"""The cards of Doubt, as tables that compiled code can read.

A card is its kind: 0 to 12 the ranks from ace to king, 13 the joker. Suits do not matter (D2), so
nothing tells two cards of one kind apart, and every heap of cards is kept as counts of kinds.
"""

from __future__ import annotations

NUM_RANKS = 13
JOKER = NUM_RANKS
NUM_KINDS = NUM_RANKS + 1

# D15: the most there can be; shapes are constants for it.
MIN_PLAYERS, MAX_PLAYERS = 2, 8
MAX_DECKS = 4
MAX_SUITS = 4
MAX_JOKERS = 4
MAX_COPIES = MAX_DECKS * MAX_SUITS
MAX_CARDS = NUM_RANKS * MAX_COPIES + MAX_JOKERS

NEW_PILE_CARDS = 13  # D4: set-aside cards that start a new pile
EXCHANGED = 2  # D11: cards that the loser of a doubt takes from the winner's hand

RANK_NAMES = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
CARD_NAMES = (*RANK_NAMES, "Joker")
