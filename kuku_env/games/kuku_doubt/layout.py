"""THE declaration of what a player of Kuku Doubt observes, and of its actions.

Seats are relative to the observer (0 = me, 1 = my left, ...), padded to six.
"""

from __future__ import annotations

from kuku_env.core.game import Belief, Measure
from kuku_env.core.layout import ActionBlock, Field, Layout
from kuku_env.games.kuku_doubt.cards import (
    CARD_NAMES,
    CLAIMS,
    LIVES,
    MAX_COPIES,
    MAX_PLAYERS,
    NUM_CLAIMS,
    NUM_PAIRS,
    NUM_RANKS,
    PAIRS,
)

GAME_ID = "kuku/KukuDoubt-v0"
VERSION = 1

HISTORY = 12  # claims of this round that are remembered
DECK_MAX = NUM_RANKS * MAX_COPIES
MANY = 20  # public records and the number of claims saturate here

TALLIES = (
    "true_claims",
    "caught_lies",
    "doubts_right",
    "doubts_wrong",
    "sees_right",
    "sees_wrong",
    "accepts",
)

# What the tallies tell of a seat's style.
MEASURES = (
    Measure(
        "lies",
        "of its claims that were shown, the lies",
        ("caught_lies",),
        ("true_claims", "caught_lies"),
    ),
    Measure(
        "doubts right",
        "of its doubts, those of a lie",
        ("doubts_right",),
        ("doubts_right", "doubts_wrong"),
    ),
    Measure(
        "sees right",
        "of the pairs it named, those that lay there",
        ("sees_right",),
        ("sees_right", "sees_wrong"),
    ),
)


def _cards(name: str, source: str, meaning: str, high: int = 2) -> Field:
    """Copies of each rank: the Liar, then 1 to 9."""
    return Field(name, (NUM_RANKS,), high, source, "count", meaning, CARD_NAMES)


def _my_pair(name: str, source: str, meaning: str) -> Field:
    cards = "1 + rank of the lower and the higher card (1 = Liar), where that was me; newest first"
    return Field(name, (HISTORY, 2), NUM_RANKS, source, "index", f"{meaning}: {cards}", CARD_NAMES)


FIELDS = (
    Field(
        "phase",
        (5,),
        1,
        "phase",
        "one_hot",
        "the decision that is waited for",
        ("respond", "discard", "claim", "flip", "start", "over", "chance"),
    ),
    Field("to_act", (MAX_PLAYERS,), 1, "to_act?", "seat", "the seat that decides"),
    Field(
        "num_players",
        (MAX_PLAYERS - 1,),
        1,
        "rules.num_players",
        "one_hot",
        "players at the table, 2 to 6",
        tuple(range(2, MAX_PLAYERS + 1)),
    ),
    Field("deck", (NUM_RANKS,), MAX_COPIES, "rules.copies", "vector", "copies of L, 1, ..., 9"),
    Field("duel_lives", (1,), 1, "rules.duel_lives", "flag", "option duel_lives (K5)"),
    Field(
        "placement",
        (1,),
        1,
        "rules.reward",
        "one_hot",
        "option reward='placement' (K13)",
        ("placement", "winner"),
    ),
    Field(
        "consistent",
        (1,),
        1,
        "rules.see_through",
        "one_hot",
        "option see_through='consistent' (K8)",
        ("consistent", "any"),
    ),
    Field("sudden_death", (1,), 1, "sudden_death", "flag", "the next loser is out (K5)"),
    Field(
        "accepts_left",
        (4,),
        1,
        "accepts_left?",
        "cell",
        "accepts left in this round, 0 to 3; all zero: more, or no limit (K7)",
    ),
    _cards("hand", "hand?", "the pair I hold"),
    Field(
        "product",
        (NUM_CLAIMS,),
        1,
        "hand?",
        "product",
        "the true claim on the pair I hold, as a place among the 36 products; all zero with a Liar",
        CLAIMS,
    ),
    _cards("saw", "saw?", "the pair I took in this turn, as I saw it"),
    _cards("thrown", "discarded_cards?", "what I discarded in this turn"),
    _cards("passed", "passed?", "the pair I passed on last in this round"),
    Field(
        "life_cards",
        (LIVES, NUM_RANKS),
        1,
        "lives",
        "each_one_hot",
        "my life cards in the order dealt, face up or not",
        CARD_NAMES,
    ),
    Field("lives", (MAX_PLAYERS,), LIVES, "seats[relative].lives", "scalar", "lives left"),
    Field(
        "face_up",
        (MAX_PLAYERS, NUM_RANKS),
        LIVES,
        "seats[relative].face_up",
        "count",
        "life cards turned up",
        CARD_NAMES,
    ),
    _cards("table", "table", "table cards", MAX_COPIES),
    Field("pile", (1,), DECK_MAX, "pile", "scalar", "cards in the draw pile"),
    Field("discards", (1,), DECK_MAX, "discards", "scalar", "cards in the box"),
    Field("claims_made", (1,), MANY, "claims_made", "scalar", "claims in this round, saturating"),
    Field(
        "last_claim",
        (NUM_CLAIMS,),
        1,
        "claims[-1].number",
        "one_hot",
        "the last claim of this round, as a place among the 36 products",
        CLAIMS,
    ),
    Field(
        "claim_seats",
        (HISTORY, MAX_PLAYERS),
        1,
        "claims[newest].seat",
        "seat",
        "who claimed; newest first",
    ),
    Field(
        "claim_numbers",
        (HISTORY,),
        max(CLAIMS),
        "claims[newest].number",
        "scalar",
        "the number claimed; newest first",
        CLAIMS,
    ),
    Field(
        "claim_discards",
        (HISTORY,),
        2,
        "claims[newest].discarded",
        "scalar",
        "cards the claimant had discarded; newest first",
        (0, 1, 2),
    ),
    _my_pair("claim_saw", "claims[newest].saw?", "the pair I saw before claiming"),
    _my_pair("claim_thrown", "claims[newest].discarded_cards?", "what I discarded"),
    _my_pair("claim_passed", "claims[newest].passed?", "the pair I claimed on and passed"),
    _cards("my_discards", "my_discards", "my discards since the last reshuffle", MAX_COPIES),
    _cards(
        "seen_before",
        "seen_before_reshuffle",
        "cards that went into a reshuffle before my eyes: my discards, and table cards where "
        "those were shuffled in; the most of each rank in any one reshuffle",
        MAX_COPIES,
    ),
    Field(
        "record",
        (MAX_PLAYERS, len(TALLIES)),
        MANY,
        "seats[relative].record",
        "count",
        "public record over the game, saturating: claims shown true and shown to be lies (K19), "
        "doubts right, doubts wrong, pairs rightly named, pairs wrongly named, pairs accepted",
        TALLIES,
    ),
)

ACTIONS = (
    ActionBlock("accept", ("accept",), "take the pair and look at it"),
    ActionBlock("doubt", ("doubt",), "turn the pair up: the claim is a lie"),
    ActionBlock(
        "see",
        tuple(f"see {CARD_NAMES[low]} {CARD_NAMES[high]}" for low, high in PAIRS),
        "see through: name the pair, lower card first, the Liar lowest",
    ),
    ActionBlock(
        "discard",
        ("discard low", "discard high", "discard both"),
        "discard the lower card, the higher, or both; two equal cards: low stands for either (K9)",
    ),
    ActionBlock("claim", tuple(f"claim {number}" for number in CLAIMS), "claim a product"),
    ActionBlock("flip", ("flip first", "flip second"), "turn up a life card, in the order dealt"),
    ActionBlock(
        "start",
        tuple(f"start {{{k}}}" for k in range(MAX_PLAYERS)),
        "name the next start player, relative to me",
    ),
)

LAYOUT = Layout(GAME_ID, VERSION, FIELDS, ACTIONS)

# Action ids.
ACCEPT, DOUBT, SEE = (LAYOUT.start(name) for name in ("accept", "doubt", "see"))
DISCARD_LOW = LAYOUT.start("discard")
DISCARD_HIGH, DISCARD_BOTH = DISCARD_LOW + 1, DISCARD_LOW + 2
CLAIM, FLIP, START = (LAYOUT.start(name) for name in ("claim", "flip", "start"))
NUM_ACTIONS = LAYOUT.num_actions


# What a centralised critic may see besides one seat's observation; never given to a bot.
SECRETS = Layout(
    f"{GAME_ID}/secrets",
    VERSION,
    (
        _cards("pair", "pair", "the pair that is held or passed"),
        Field(
            "hidden_lives",
            (MAX_PLAYERS, NUM_RANKS),
            LIVES,
            "hidden_lives[relative]",
            "count",
            "face-down life cards of each seat",
            CARD_NAMES,
        ),
        _cards("pile_cards", "pile_cards", "cards in the draw pile", MAX_COPIES),
        _cards("box_cards", "box_cards", "cards in the box", MAX_COPIES),
        Field("lie", (1,), 1, "lie", "flag", "the claim that waits for an answer is a lie"),
        Field(
            "pairs",
            (NUM_PAIRS,),
            1,
            "pair",
            "one_hot",
            "the pair that it is about, in the order of the actions that name one",
            PAIRS,
        ),
    ),
)

# What bots tell of the claim that they may answer.
BELIEFS = (Belief("lie", "doubt"), Belief("pairs", "doubt"))
