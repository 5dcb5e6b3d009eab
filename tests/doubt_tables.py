"""Tables of Doubt of all kinds, and its games with hidden cards exchanged, for shared suites."""

import json
import random
from itertools import combinations

from kuku_env.envs.records import replay
from kuku_env.games import find_game
from kuku_env.games.doubt.cards import CARD_NAMES
from kuku_env.games.doubt.options import PRESETS

GAME = find_game("doubt")

# Packs of few cards, so that games at random come to an end, hands run out and limits are passed.
FEW = {"ranks": 3, "suits": 2, "max_play": 2, "hand_limit": None, "max_decisions": 120}
SOME = {"ranks": 5, "suits": 3, "max_play": 3, "hand_limit": None, "max_decisions": 150}

TABLES = [
    {"num_players": 4, "max_decisions": 200},
    {**PRESETS["traditional"], "num_players": 2, "max_decisions": 80},
    {**PRESETS["kirakuken"], "num_players": 8, "max_decisions": 150},
    {**PRESETS["exchange"], "num_players": 3, "max_decisions": 150},
    {**PRESETS["cheat"], "num_players": 5, "max_decisions": 150},
    {**FEW, "num_players": 2, "jokers": 1, "call_order": "clockwise"},
    {**FEW, "num_players": 3, "reward": "win", "after_call": "repeat", "first_player": 2},
    {**SOME, "num_players": 3, "hand_limit": 6},
    {**SOME, "num_players": 4, "hand_limit": 5, "reward": "win", "check": "one", "jokers": 1},
    {**SOME, "num_players": 4, "penalty": "exchange", "call_order": "clockwise"},
    {**FEW, "num_players": 3, "penalty": "exchange", "check": "one", "max_play": None},
    {**SOME, "num_players": 5, "penalty": "forfeit", "jokers": 2},
    {**FEW, "num_players": 4, "penalty": "forfeit", "check": "one", "callers": "next"},
    {**SOME, "num_players": 3, "max_play": None, "hand_limit": 8, "callers": "next"},
    {"num_players": 8, "decks": 4, "jokers": 4, "max_play": None, "max_decisions": 150,
     "hand_limit": None},
    {"num_players": 2, "decks": 4, "jokers": 4, "max_play": 16, "max_decisions": 150,
     "hand_limit": 110},
    {**SOME, "num_players": 6, "hand_limit": 3, "after_call": "repeat", "max_decisions": 30},
    PRESETS["tiny"],
    {**FEW, "num_players": 8, "ranks": 2, "suits": 4, "max_play": 1},
]  # fmt: skip


def random_options(chance):
    """Legal options of any kind, from a ``random.Random``; games with them end soon."""
    n = chance.randint(2, 8)
    decks, jokers = chance.choice([1, 1, 1, 2, 4]), chance.choice([0, 0, 1, 2, 4])
    if chance.random() < 0.3:
        ranks, suits = 13, 4
    else:
        ranks, suits = chance.randint(2, 13), chance.randint(1, 4)
    while ranks * suits * decks + jokers < n:
        suits, ranks = min(4, suits + 1), min(13, ranks + 1)
    largest = -(-(ranks * suits * decks + jokers) // n)
    penalty = chance.choice(["pile", "pile", "pile", "exchange", "forfeit"])
    limits = [None, largest, largest + 1, largest + chance.randint(0, 9)]
    return {
        "num_players": n,
        "decks": decks,
        "jokers": jokers,
        "ranks": ranks,
        "suits": suits,
        "max_play": chance.choice([None, 1, chance.randint(1, suits * decks), suits * decks]),
        "callers": chance.choice(["anyone", "anyone", "next"]),
        "after_call": chance.choice(["advance", "repeat"]),
        "check": chance.choice(["all", "one"]),
        "penalty": penalty,
        "hand_limit": chance.choice(limits) if penalty == "pile" else None,
        "ends": "first_out",
        "call_order": chance.choice(["random", "clockwise"]),
        "reward": chance.choice(["rank", "win"]),
        "first_player": chance.choice([None, chance.randrange(n)]),
        "max_decisions": chance.choice([1, 10, 60, 200]),
    }


def is_complete(match):
    """Every card of the game is somewhere, and the sizes are those of the heaps."""
    s = match.record
    cards = s.stock + s.hands.sum(axis=0) + s.pile + s.aside
    sizes = [*s.hands.sum(axis=1), s.pile.sum(), s.aside.sum()]
    return [*cards] == [*s.copies] and sizes == [*s.hand_size, s.pile_size, s.aside_size]


# ---- exchanges of hidden cards ------------------------------------------------------------------


class Trace:
    """Which physical cards each event of a record moves.

    A card is a number; cards of one kind are told apart by nothing but their number. ``moved`` has
    a list for each event; ``heaps`` tells, by the number of events until then, which cards lay
    together where nobody's play was in progress.
    """

    def __init__(self, match):
        self.events = match.events()
        copies = match.record.copies
        self.kind = [k for k, count in enumerate(copies) for _ in range(count)]
        self.stock = set(range(len(self.kind)))
        self.hands = [set() for _ in range(match.num_players)]
        self.pile, self.aside, self.play = set(), set(), []
        self.heaps = {1: [set(self.stock)]}
        self.moved = []
        for number, event in enumerate(self.events):
            self.moved.append(self.follow(event))
            if event["type"] == "turn":
                self.play = []
                self.heaps[number + 1] = [set(hand) for hand in self.hands] + [set(self.aside)]

    def follow(self, event):
        kind = event["type"]
        if kind == "deal":
            return self.move(event["cards"], self.stock, self.hands[event["seat"]])
        if kind == "act" and event["action"].startswith("add"):
            left = self.hands[event["seat"]] - set(self.play)
            self.play += self.find([event["action"].removeprefix("add ")], left)
            return self.play[-1:]
        if kind == "act" and event["action"] == "put down":
            self.hands[event["seat"]] -= set(self.play)
            self.pile |= set(self.play)
            return list(self.play)
        if kind == "show":
            return self.find(event["cards"], set(self.play))
        if kind == "take":
            return self.move(event["cards"], self.pile, self.hands[event["seat"]])
        if kind == "exchange":
            return self.move(event["cards"], self.hands[event["from"]], self.hands[event["seat"]])
        if kind == "set_aside":
            return self.move(event["cards"], self.hands[event["seat"]], self.aside)
        if kind == "new_pile":
            return self.move(event["cards"], self.aside, self.pile)
        return []

    def find(self, names, heap):
        found = []
        for name in names:
            kind = CARD_NAMES.index(name)
            found.append(min(c for c in heap if self.kind[c] == kind and c not in found))
        return found

    def move(self, names, source, target):
        cards = self.find(names, source)
        source -= set(cards)
        target |= set(cards)
        return cards

    def seen_by(self, seat, since):
        """Cards that a seat has had before its eyes since so many events."""
        return {
            card
            for event, cards in zip(self.events[since:], self.moved[since:], strict=True)
            if seat in event.get("private", [seat])
            for card in cards
        }

    def exchanges(self, seat):
        """All (one, other, since) that are hidden from a seat and make another game of it."""
        for since, heaps in self.heaps.items():
            seen = self.seen_by(seat, since)
            told = {card: [] for heap in heaps for card in heap}  # by which events
            for number, cards in enumerate(self.moved[since:]):
                for card in cards:
                    told.setdefault(card, []).append(number)
            for heap in heaps:
                for one, other in combinations(sorted(heap - seen), 2):
                    if self.kind[one] != self.kind[other] and told[one] != told[other]:
                        yield one, other, since

    def exchanged(self, one, other, since):
        """The record with two cards in each other's place after so many events."""
        swap = {one: other, other: one}
        events = json.loads(json.dumps(self.events))
        for event, cards in zip(events[since:], self.moved[since:], strict=True):
            if not {one, other} & set(cards):
                continue
            kinds = sorted(self.kind[swap.get(card, card)] for card in cards)
            if "cards" in event:
                event["cards"] = [CARD_NAMES[kind] for kind in kinds]
            else:
                event["action"] = f"add {CARD_NAMES[kinds[0]]}"
        return events


def hidden_swaps(match, seat, count=4):
    """A few matches that differ from this one only in cards that are hidden from a seat."""
    trace = Trace(match)
    possible = list(trace.exchanges(seat))
    last = {card for cards in trace.moved[-6:] for card in cards}
    late = [exchange for exchange in possible if last & set(exchange[:2])]
    recent = [exchange for exchange in possible if exchange[2] > 1]
    chance = random.Random(len(match.moves))
    for choices in (late, recent, possible):
        for exchange in chance.sample(choices, min((count + 2) // 3, len(choices))):
            yield replay(trace.exchanged(*exchange))


def most_decisions(options):
    """D17: a play in progress is settled first: all its cards, put down, and all answers to it."""
    cards = options.cards if options.max_play is None else options.max_play
    return options.max_decisions + cards + options.num_players
