"""Tables of Liar's Cry of all kinds, and copies of a match in which hidden cards are exchanged."""

import copy

from kuku_env.envs.records import RecordError, replay
from kuku_env.games import find_game

GAME = find_game("liars-cry")
KINDS = ["C1", "C2", "C3", "C4", "C5", "C6", "C7", "KeyA", "KeyB", "KeyC", "Hanyu"]


def deck(**copies):
    """``deck(C1=3, Hanyu=1)``: so many copies of each kind, none of the others."""
    assert copies.keys() <= set(KINDS)
    return [copies.get(kind, 0) for kind in KINDS]


FEW = deck(C1=2, C2=2, C7=2, KeyA=1, KeyB=1, KeyC=1, Hanyu=3)
SKIPS = deck(C1=4, C4=2, Hanyu=8)
KEYS = deck(C3=6, KeyA=3, KeyB=3, KeyC=3)
ALIKE = deck(C1=12, C2=12, C3=12)

# Somebody is asked in nearly all matches on these: in others, a test of its own.
TABLES = [
    *({"num_players": n, "max_decisions": 150} for n in range(3, 8)),
    {"num_players": 3, "copies": FEW, "first_player": 2, "max_decisions": 150},
    {"num_players": 4, "copies": FEW, "deals": 7, "reward": "points", "max_decisions": 150},
    {"num_players": 3, "copies": SKIPS, "deals": 6, "max_decisions": 120},
    {"num_players": 4, "copies": KEYS, "deals": 7, "reward": "points", "max_decisions": 100},
    {"num_players": 3, "copies": ALIKE, "deals": 1, "max_decisions": 150},
    {"num_players": 5, "copies": deck(C1=3, C5=2, Hanyu=1), "deals": 7, "max_decisions": 60},
    {"num_players": 7, "copies": deck(C2=4, C6=4, KeyA=1, Hanyu=1), "max_decisions": 80},
    {"num_players": 3, "copies": deck(C1=4, KeyA=3), "deals": 7, "max_decisions": 30},
    {
        "num_players": 4,
        "points": [15, 0, 1, 2, 3, 9, 7, 15, 4, 0, 6],
        "leads": [1, 0, 1, 0, 1, 1, 0, 1, 0, 0, 1],
        "deals": 2,
        "max_decisions": 120,
    },
    {"num_players": 6, "reward": "points", "max_decisions": 25},
    {"num_players": 3, "max_decisions": 1},
]


def random_options(chance):
    """Any legal options."""
    players = chance.randrange(3, 8)
    copies, most = [0] * 11, chance.randrange(players, 37)
    copies[chance.randrange(7)] = 1
    while sum(copies) < most:
        kind = chance.randrange(11)
        copies[kind] = min(12, copies[kind] + chance.choice([1, 1, 4]))
        copies[kind] -= max(0, sum(copies) - most)
    leads = [int(kind < 7 or chance.random() < 0.2) for kind in range(11)]
    return {
        "num_players": players,
        "first_player": chance.choice([None, chance.randrange(players)]),
        "deals": chance.choice([None, chance.randrange(1, 8)]),
        "reward": chance.choice(["rank", "points"]),
        "max_decisions": chance.choice([1000, 1000, 120, 40, 7, 1]),
        "copies": copies,
        "points": [chance.randrange(16) for _ in range(11)],
        "leads": leads,
    }


def somebody_is_asked(options):
    """L11: every dealer holds a card to lead, whatever is dealt."""
    stuck = sum(c for c, led in zip(options.copies, options.leads, strict=True) if not led)
    return stuck < options.hand_size


def is_complete(match):
    """Every card of the deck is somewhere, and the sizes are those of the heaps."""
    s = match.record
    cards = s.pile.astype(int) + s.dealing + s.hands.sum(axis=0) + s.taken.sum(axis=0)
    for kind in s.table_kind[: s.table_size]:
        cards[kind] += 1
    down = [
        (s.table_up[: s.table_size] == 0) & (s.table_seat[: s.table_size] == k) for k in range(7)
    ]
    return (
        cards.tolist() == [*match.options.copies]
        and s.pile.sum() == s.pile_size
        and s.hands.sum(axis=1).tolist() == s.hand_sizes.tolist()
        and [int(placed.sum()) for placed in down] == s.down.tolist()
    )


# ---- exchanging hidden cards --------------------------------------------------------------------


class _Deal:
    """The cards of the deal that a record is in, each a number, and what each event moves.

    Nothing tells two cards of one kind apart but their number, so any one may be the one played.
    ``moved`` has a list for each event, ``hands`` is where cards are now, ``left`` the kinds of
    cards that were not dealt.
    """

    def __init__(self, events):
        self.events = events
        dealt = [k for k, event in enumerate(events) if event["type"] == "deal"]
        players = events[0]["rules"]["num_players"]
        self.start = dealt[-1] + 1 - players
        self.kind, self.hands, self.table, self.up = [], [], [], set()
        self.left = dict(zip(KINDS, events[0]["rules"]["copies"], strict=True))
        self.moved = [self.follow(event) for event in events[self.start :]]

    def follow(self, event):
        kind = event["type"]
        if kind == "deal":
            cards = range(len(self.kind), len(self.kind) + len(event["cards"]))
            self.kind += event["cards"]
            for card in event["cards"]:
                self.left[card] -= 1
            self.hands.append(list(cards))
            return list(cards)
        if kind == "act":
            return self.act(event["seat"], *event["action"].split())
        if kind == "look":
            return [card for card in self.table if card not in self.up]
        if kind == "show":
            return [self.table[event["position"]]]
        if kind == "taken":
            cards, self.table = self.table, []
            return cards
        return [card for hand in self.hands for card in hand] if kind == "deal_end" else []

    def act(self, seat, word, what=None):
        if word == "take":
            card = self.table.pop(int(what))
            self.hands[seat].append(card)
            return [card]
        if word not in ("lead", "play", "skip"):
            return []
        kind = "Hanyu" if word == "skip" else what
        card = next(card for card in self.hands[seat] if self.kind[card] == kind)
        self.hands[seat].remove(card)
        self.table.append(card)
        if word != "play":
            self.up.add(card)
        return [card]

    def hidden_from(self, seat):
        """Cards that a seat has never had before its eyes in this deal."""
        seen = set()
        for event, cards in zip(self.events[self.start :], self.moved, strict=True):
            if seat in event.get("private", [seat]):
                seen |= set(cards)
        return [card for card in range(len(self.kind)) if card not in seen]

    def exchanged(self, new):
        """The record with other kinds for some cards: ``new`` maps a card to its kind."""
        kind = [new.get(card, was) for card, was in enumerate(self.kind)]
        events = copy.deepcopy(self.events)
        for event, cards in zip(events[self.start :], self.moved, strict=True):
            if "private" in event:
                event["cards"] = [kind[card] for card in cards]
                if event["type"] == "deal":
                    event["cards"].sort(key=KINDS.index)
                elif event.get("action", "").startswith("play"):
                    event["action"] = f"play {kind[cards[0]]}"
        return events


def hidden_swaps(match, seat):
    """Copies of a match in which only cards are exchanged that are hidden from ``seat``.

    Two cards of others change places, or one and a card that was not dealt, from the deal on; what
    others did with the one they now did with the other. Whoever would have seen it, as when a Key
    Person or the last card that can be led changes hands, has no such copy. The copies, at most
    six, go on with explicit chance.
    """
    if match.at_chance or match.over:
        return
    deal = _Deal(match.events())
    hidden = deal.hidden_from(seat)
    owners = {card: k // match.options.hand_size for k, card in enumerate(range(len(deal.kind)))}
    pairs = [(a, b) for a in hidden for b in hidden if a < b and deal.kind[a] != deal.kind[b]]
    pairs = [pair for pair in pairs if owners[pair[0]] != owners[pair[1]]]
    exchanges = [{a: deal.kind[b], b: deal.kind[a]} for a, b in pairs]
    for card in hidden:
        left = [kind for kind in KINDS if deal.left[kind] > 0 and kind != deal.kind[card]]
        exchanges += [{card: kind} for kind in left]
    found = 0
    for exchange in exchanges[:: max(1, len(exchanges) // 12)]:
        try:
            yield replay(deal.exchanged(exchange))
        except RecordError:  # by the rules the deal would have ended, or gone on
            continue
        found += 1
        if found == 6:
            return
