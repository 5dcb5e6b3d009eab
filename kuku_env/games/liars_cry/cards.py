"""The cards of Liar's Cry, as tables that compiled code can read.

A card is its kind, a number from 0 to 10. Nothing tells two cards of one kind apart.
"""

from __future__ import annotations

MAX_PLAYERS = 7
MIN_PLAYERS = 3
MAX_DEALS = 7
MAX_DECK = 36  # the rulebook's number of cards
MAX_COPIES = 12
MAX_POINTS = 15

# L14: the names of the kinds.
KIND_NAMES = ("C1", "C2", "C3", "C4", "C5", "C6", "C7", "KeyA", "KeyB", "KeyC", "Hanyu")
NUM_KINDS = len(KIND_NAMES)
KEY_A, KEY_B, KEY_C, HANYU = range(7, 11)

# The rulebook names Hanyu and the Key Persons but prints no list of cards. This deck of 36 is a
# RECONSTRUCTION of this project: whoever knows the true one sets the options of these names.
RECONSTRUCTED_COPIES = (4, 4, 4, 4, 4, 4, 4, 1, 1, 1, 5)
RECONSTRUCTED_POINTS = (1, 2, 3, 4, 5, 6, 7, 5, 5, 5, 0)
RECONSTRUCTED_LEADS = (1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0)

# A hand grows by a card that is taken from the table, and the next act leads one.
MAX_HAND = MAX_DECK // MIN_PLAYERS + 1
# Whoever decides on a longer table still holds a card.
MAX_TABLE = MAX_DECK - 1
