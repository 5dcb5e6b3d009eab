"""THE declaration of what a player of Liar's Cry observes, and of its actions.

Seats are relative to the observer (0 = me, 1 = my left, ...), padded to seven. Table cards are
told by their position: 0 is the lead, then one by one as they came.
"""

from __future__ import annotations

from kuku_env.core.game import Belief, Measure
from kuku_env.core.layout import ActionBlock, Field, Layout
from kuku_env.games.liars_cry.cards import (
    KIND_NAMES,
    MAX_COPIES,
    MAX_DEALS,
    MAX_DECK,
    MAX_HAND,
    MAX_PLAYERS,
    MAX_POINTS,
    MAX_TABLE,
    MIN_PLAYERS,
    NUM_KINDS,
)

GAME_ID = "kuku/LiarsCry-v0"
VERSION = 1

NEWEST = 8  # table cards whose player is told; of older ones only how many lie there of each seat
MOST_POINTS = 127  # points saturate here
MANY = 20  # public records saturate here

TALLIES = ("true_cards", "lies", "doubts_right", "doubts_wrong")

# What the tallies tell of a seat's style.
MEASURES = (
    Measure(
        "lies", "of its cards that were turned up, the lies", ("lies",), ("true_cards", "lies")
    ),
    Measure(
        "doubts right",
        "of its doubts, those of a lie",
        ("doubts_right",),
        ("doubts_right", "doubts_wrong"),
    ),
)


def _kinds(name: str, source: str, meaning: str, high: int = MAX_COPIES) -> Field:
    """Copies of each kind."""
    return Field(name, (NUM_KINDS,), high, source, "count", meaning, KIND_NAMES)


def _deck(name: str, high: int, meaning: str) -> Field:
    return Field(name, (NUM_KINDS,), high, f"rules.{name}", "vector", meaning)


def _each_seat(name: str, key: str, high: int, meaning: str) -> Field:
    return Field(name, (MAX_PLAYERS,), high, f"seats[relative].{key}", "scalar", meaning)


def _kinds_of_each_seat(name: str, key: str, meaning: str) -> Field:
    shape, source = (MAX_PLAYERS, NUM_KINDS), f"seats[relative].{key}"
    return Field(name, shape, MAX_COPIES, source, "count", meaning, KIND_NAMES)


FIELDS = (
    Field(
        "phase",
        (3,),
        1,
        "phase",
        "one_hot",
        "the decision that is waited for",
        ("lead", "act", "take", "over", "chance"),
    ),
    Field("to_act", (MAX_PLAYERS,), 1, "to_act?", "seat", "the seat that decides"),
    Field(
        "num_players",
        (MAX_PLAYERS - MIN_PLAYERS + 1,),
        1,
        "rules.num_players",
        "one_hot",
        "players at the table, 3 to 7",
        tuple(range(MIN_PLAYERS, MAX_PLAYERS + 1)),
    ),
    _deck("copies", MAX_COPIES, "copies of each kind in the deck"),
    _deck("points", MAX_POINTS, "points of each kind"),
    _deck("leads", 1, "kinds that can be led"),
    Field(
        "by_points",
        (1,),
        1,
        "rules.reward",
        "one_hot",
        "option reward='points' (L5)",
        ("points", "rank"),
    ),
    Field("dealer", (MAX_PLAYERS,), 1, "dealer?", "seat", "the dealer of this deal"),
    Field("deals_left", (1,), MAX_DEALS - 1, "deals_left", "scalar", "deals after this one"),
    _kinds("hand", "hand", "my hand"),
    Field("led", (NUM_KINDS,), 1, "lead?", "one_hot", "the kind that was led", KIND_NAMES),
    Field("table_size", (1,), MAX_TABLE, "table_size", "scalar", "table cards"),
    Field(
        "table_cards",
        (MAX_TABLE, NUM_KINDS),
        1,
        "table[oldest].card?",
        "one_hot",
        "the kind at each position, where I know it: face up, mine, or looked at now (L7)",
        KIND_NAMES,
    ),
    Field(
        "table_up", (MAX_TABLE, 1), 1, "table[oldest].face_up", "flag", "positions that lie face up"
    ),
    Field(
        "table_seats",
        (NEWEST, MAX_PLAYERS),
        1,
        "table[newest].seat",
        "seat",
        "who put the card there; newest first",
    ),
    Field(
        "last_down",
        (MAX_PLAYERS,),
        1,
        "last_face_down?",
        "seat",
        "who put down the last face-down card",
    ),
    _each_seat("down", "face_down", MAX_DECK, "face-down table cards"),
    _each_seat("hand_sizes", "hand", MAX_HAND, "cards in hand"),
    Field("out", (MAX_PLAYERS, 1), 1, "seats[relative].out", "flag", "gone out of this deal"),
    _kinds_of_each_seat("taken", "taken", "taken cards of this deal"),
    _each_seat(
        "taken_points", "points", MOST_POINTS, "points of these taken cards, saturating at 127"
    ),
    _each_seat("score", "score", MOST_POINTS, "points of the deals before, saturating at 127"),
    _each_seat("behind", "behind", MOST_POINTS, "score above the lowest, saturating at 127"),
    _kinds_of_each_seat(
        "took_mine",
        "took_mine",
        "how often others took a card of mine into hand in this deal, saturating (L13)",
    ),
    _kinds(
        "took",
        "took",
        "how often I took another's card into hand in this deal, saturating (L13)",
    ),
    Field(
        "record",
        (MAX_PLAYERS, len(TALLIES)),
        MANY,
        "seats[relative].record",
        "count",
        "public record over the match, saturating: face-down cards turned up that were as led and "
        "that were lies, doubts right, doubts wrong",
        TALLIES,
    ),
)

ACTIONS = (
    ActionBlock("lead", tuple(f"lead {kind}" for kind in KIND_NAMES), "lead a card face up"),
    ActionBlock("play", tuple(f"play {kind}" for kind in KIND_NAMES), "play a card face down"),
    ActionBlock("collect", ("collect",), "look at the face-down table cards and take the table"),
    ActionBlock("doubt", ("doubt",), "turn up the last face-down card: it is a lie"),
    ActionBlock("skip", ("skip",), "put Hanyu face up on the table"),
    ActionBlock(
        "take",
        tuple(f"take {position}" for position in range(1, MAX_TABLE)),
        "after collect: take the face-down card at this position into hand (L13)",
    ),
)

LAYOUT = Layout(GAME_ID, VERSION, FIELDS, ACTIONS)

# Action ids; position p is taken by TAKE + p - 1, for the lead at position 0 is never taken.
LEAD, PLAY, COLLECT, DOUBT, SKIP, TAKE = (LAYOUT.start(block.name) for block in ACTIONS)
NUM_ACTIONS = LAYOUT.num_actions


# What a centralised critic may see besides one seat's observation; never given to a bot.
SECRETS = Layout(
    f"{GAME_ID}/secrets",
    VERSION,
    (
        _kinds_of_each_seat("hands", "hand", "cards in each hand"),
        Field(
            "all_table_cards",
            (MAX_TABLE, NUM_KINDS),
            1,
            "table[oldest].card",
            "one_hot",
            "the kind at each position",
            KIND_NAMES,
        ),
        _kinds("leftover", "leftover", "cards out of the deal"),
        Field("lie", (1,), 1, "lie", "flag", "the last face-down card is not of the kind led"),
    ),
)

# What bots tell of the card that they may doubt.
BELIEFS = (Belief("lie", "doubt"),)
