"""THE declaration of what a player of Doubt observes, and of its actions.

Seats are relative to the observer (0 = me, 1 = my left, ...), padded to eight.
"""

from __future__ import annotations

from kuku_env.core.game import Belief, Measure
from kuku_env.core.layout import ActionBlock, Field, Layout
from kuku_env.games.doubt.cards import (
    CARD_NAMES,
    MAX_COPIES,
    MAX_PLAYERS,
    NEW_PILE_CARDS,
    NUM_KINDS,
    NUM_RANKS,
    RANK_NAMES,
)

GAME_ID = "kuku/Doubt-v0"
VERSION = 1

MOST = 127  # what int8 holds: sizes and numbers of claims saturate here
MANY = 50  # public records saturate here

TALLIES = ("plays", "shown_true", "caught_lies", "doubts_right", "doubts_wrong")

# What the tallies tell of a seat's style.
MEASURES = (
    Measure(
        "lies",
        "of its plays that were doubted, the lies",
        ("caught_lies",),
        ("shown_true", "caught_lies"),
    ),
    Measure(
        "doubts right",
        "of its doubts, those of a lie",
        ("doubts_right",),
        ("doubts_right", "doubts_wrong"),
    ),
)


def _cards(name: str, source: str, meaning: str) -> Field:
    """Cards of each kind: A, 2, ..., K, Joker."""
    return Field(name, (NUM_KINDS,), MAX_COPIES, source, "count", meaning, CARD_NAMES)


def _size(name: str, source: str, meaning: str, high: int = MOST) -> Field:
    return Field(name, (1,), high, source, "scalar", meaning)


def _option(name: str, value: str, other: str, field: str, meaning: str) -> Field:
    """1 where an option that knows two values has the first."""
    return Field(name, (1,), 1, f"rules.{field}", "one_hot", meaning, (value, other))


def _seats(
    name: str, width: int, high: int, how: str, meaning: str, values: tuple[str, ...] = ()
) -> Field:
    """A row of so many cells for each seat."""
    shape = (MAX_PLAYERS, width) if width > 1 else (MAX_PLAYERS,)
    return Field(name, shape, high, f"seats[relative].{name}", how, meaning, values)


FIELDS = (
    Field(
        "phase",
        (2,),
        1,
        "phase",
        "one_hot",
        "the decision that is waited for: what to put down, or whether to doubt",
        ("play", "respond", "over", "chance"),
    ),
    Field(
        "to_act",
        (MAX_PLAYERS,),
        1,
        "to_act?",
        "seat",
        "the seat that decides; while others may doubt nobody is told who is asked (D1)",
    ),
    Field(
        "player",
        (MAX_PLAYERS,),
        1,
        "player?",
        "seat",
        "the seat whose turn it is, or who put down the cards that may be doubted",
    ),
    Field("number", (NUM_RANKS,), 1, "number?", "one_hot", "the number called", RANK_NAMES),
    _size("put", "put", "cards put down that may still be doubted, saturating"),
    Field(
        "num_players",
        (MAX_PLAYERS - 1,),
        1,
        "rules.num_players",
        "one_hot",
        "players at the table, 2 to 8",
        tuple(range(2, MAX_PLAYERS + 1)),
    ),
    _cards("deck", "deck", "cards in the game"),
    _size("max_play", "rules.max_play?", "option max_play; 0: any number (D14)", MAX_COPIES),
    _option("next_only", "next", "anyone", "callers", "option callers='next' (D10)"),
    _option("repeat", "repeat", "advance", "after_call", "option after_call='repeat' (D18)"),
    _option("check_one", "one", "all", "check", "option check='one' (D5, D16)"),
    Field(
        "penalty",
        (3,),
        1,
        "rules.penalty",
        "one_hot",
        "option penalty: pile, exchange (D11), forfeit (D12)",
        ("pile", "exchange", "forfeit"),
    ),
    _size("hand_limit", "rules.hand_limit?", "option hand_limit, saturating; 0: no limit (D4)"),
    _option("clockwise", "clockwise", "random", "call_order", "option call_order (D1)"),
    _option("win_only", "win", "rank", "reward", "option reward='win' (D6)"),
    _cards("hand", "hand", "the cards I hold, those added to a play included (D2)"),
    _cards("added", "added", "the cards I have added to my play and not yet put down (D2)"),
    _size("pile", "pile", "cards in the pile, saturating"),
    _size("pile_start", "pile_start", "set-aside cards that the pile began with", NEW_PILE_CARDS),
    _cards("pile_mine", "pile_mine", "my cards in the pile that nobody else has seen (D8)"),
    _cards("pile_shown", "pile_shown", "cards in the pile that were turned up (D11, D12)"),
    _size("aside", "aside", "cards set aside face down, saturating (D4, D12)"),
    _seats("in_play", 1, 1, "flag", "seats that are not out"),
    _seats("cards", 1, MOST, "scalar", "cards in hand, saturating"),
    _seats(
        "known",
        NUM_KINDS,
        MAX_COPIES,
        "count",
        "cards that I saw go to that hand and have not seen since: still there, unless put down "
        "face down; with a seat that is out: set aside (D8)",
        CARD_NAMES,
    ),
    _seats(
        "claims",
        NUM_RANKS,
        MOST,
        "count",
        "cards that seat put into this pile as each number, saturating",
        RANK_NAMES,
    ),
    _seats(
        "took",
        NUM_RANKS,
        MOST,
        "count",
        "cards put down as each number in the piles that seat took, less what it has put down as "
        "that number since, saturating",
        RANK_NAMES,
    ),
    _seats(
        "record",
        len(TALLIES),
        MANY,
        "count",
        "public record over the game, saturating: plays, plays shown true, lies caught, doubts "
        "right, doubts wrong",
        TALLIES,
    ),
)

ACTIONS = (
    ActionBlock("let_go", ("let go",), "do not doubt"),
    ActionBlock("doubt", ("doubt",), "turn the cards up: they are not all of the number called"),
    ActionBlock("put_down", ("put down",), "put the added cards on the pile (D2)"),
    ActionBlock(
        "add",
        tuple(f"add {name}" for name in CARD_NAMES),
        "add a card to those that will be put down; it cannot be taken back (D2)",
    ),
)

LAYOUT = Layout(GAME_ID, VERSION, FIELDS, ACTIONS)

# Action ids.
LET_GO, DOUBT, PUT_DOWN, ADD = (LAYOUT.start(block.name) for block in ACTIONS)
NUM_ACTIONS = LAYOUT.num_actions


# What a centralised critic may see besides one seat's observation; never given to a bot.
SECRETS = Layout(
    f"{GAME_ID}/secrets",
    VERSION,
    (
        Field(
            "hands",
            (MAX_PLAYERS, NUM_KINDS),
            MAX_COPIES,
            "hands[relative]",
            "count",
            "cards in each hand",
            CARD_NAMES,
        ),
        _cards("play", "play", "cards added to a play, or put down and not yet judged"),
        _cards("pile_cards", "pile_cards", "cards in the pile"),
        _cards("aside_cards", "aside_cards", "cards set aside"),
        Field(
            "to_ask",
            (MAX_PLAYERS,),
            1,
            "to_ask[relative]",
            "flag",
            "seats that are still to be asked whether they doubt",
        ),
        Field("lie", (1,), 1, "lie", "flag", "a card put down and not yet judged is not as called"),
    ),
)

# What bots tell of the cards that they may doubt.
BELIEFS = (Belief("lie", "doubt"),)
