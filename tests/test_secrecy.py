"""Exchange two cards that are hidden from a seat, and nothing that it receives changes.

A record is written again with two physical cards in each other's place, from a moment on at which
both lay in the pile. Where the seat has seen neither of them since, both games must look the same
to it, through every channel there is.
"""

import json
import random
from collections import Counter
from itertools import combinations

import pytest
from channels import different, every_channel
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from kuku_doubt_tables import TABLES
from referee import Referee, seat_stream
from tables import GAME, LAYOUT, random_game

from kuku_env.envs.records import replay
from kuku_env.games.kuku_doubt import state as r

RANKS = ["L", *range(1, 10)]


class Trace:
    """Which physical cards each event of a record moves, and where every card now is.

    A card is a number; cards of one rank are told apart by nothing but their number. ``moved`` has
    a list for each event, ``kept`` the other card of a discard, ``shuffled`` what lay in the pile
    after each shuffle (by the number of events until then), ``place`` where a card is at the end.
    """

    def __init__(self, events):
        rules = events[0]["rules"]
        self.events = events
        self.rank = [
            k for k, copies in zip(RANKS, rules["copies"], strict=True) for _ in range(copies)
        ]
        self.pile, self.box, self.table = set(range(len(self.rank))), set(), set()
        self.pair = []
        self.lives, self.turned = [[] for _ in range(rules["num_players"])], []
        self.moved, self.kept = [], {}
        self.shuffled = {1: set(self.pile)}
        for number, event in enumerate(events):
            self.moved.append(self.follow(number, event))

    def follow(self, number, event):
        kind = event["type"]
        if kind in ("lives", "draw", "reveal"):
            drawn = [self.draw(card) for card in event["cards"]]
            if kind == "lives":
                self.lives[event["seat"]] += drawn
            elif kind == "draw":
                self.pair += drawn
            else:
                self.table |= set(drawn)
            return drawn
        if kind == "act" and "cards" in event:
            return self.discard(number, event["cards"])
        if kind == "look":
            return list(self.pair)
        if kind == "show":
            shown, self.pair = self.pair, []
            self.table |= set(shown)
            return shown
        if kind == "flip":
            return [self.flip(event["seat"], self.events[number - 1].get("action"))]
        if kind in ("reshuffle", "table_recycled"):
            self.pile |= self.box | (self.table if kind == "table_recycled" else set())
            self.box, self.table = set(), self.table - self.pile
            self.shuffled[number + 1] = set(self.pile)
        return []

    def draw(self, rank):
        card = min(card for card in self.pile if self.rank[card] == rank)
        self.pile.remove(card)
        return card

    def discard(self, number, ranks):
        thrown = []
        for rank in ranks:
            thrown.append(next(card for card in self.pair if self.rank[card] == rank))
            self.pair.remove(thrown[-1])
        self.kept[number] = list(self.pair)
        self.box |= set(thrown)
        return thrown

    def flip(self, seat, action):
        """The life card that a seat chose, or its last."""
        down = [card for card in self.lives[seat] if card not in self.turned]
        self.turned.append(down[action == "flip second"])
        return self.turned[-1]

    def seen_by(self, seat, since):
        """Cards that a seat has had before its eyes since so many events."""
        public = ("reveal", "show", "flip")
        return {
            card
            for event, cards in zip(self.events[since:], self.moved[since:], strict=True)
            if event["type"] in public or seat in event.get("private", [])
            for card in cards
        }

    def place(self, card):
        for name in ("pile", "box", "pair"):
            if card in getattr(self, name):
                return name
        return "life"  # of some seat: a card on the table has been seen by all

    def exchanged(self, one, other, since):
        """The record with two cards in each other's place after so many events."""
        swap = {one: other, other: one}
        events = json.loads(json.dumps(self.events))
        for number in range(since, len(events)):
            cards = [swap.get(card, card) for card in self.moved[number]]
            kind = events[number]["type"]
            if not cards or kind == "flip":  # a card turned up is seen by all
                continue
            ranks = [self.rank[card] for card in cards]
            if kind in ("look", "show", "act"):
                ranks.sort(key=RANKS.index)
            events[number]["cards"] = ranks
            if kind == "act" and len(cards) == 1:
                kept = [swap.get(card, card) for card in self.kept[number]]
                lower = RANKS.index(ranks[0]) <= RANKS.index(self.rank[kept[0]])
                events[number]["action"] = "discard low" if lower else "discard high"
        return events

    def exchanges(self, seat):
        """All (one, other, since) that are hidden from a seat and make another game of it."""
        for since, pile in self.shuffled.items():
            moved = {card for cards in self.moved[since:] for card in cards}
            hidden = sorted(pile - self.seen_by(seat, since))
            for one, other in combinations(hidden, 2):
                if self.rank[one] != self.rank[other] and {one, other} & moved:
                    yield one, other, since


# ---- the channels -------------------------------------------------------------------------------


def channels(match, seat):
    """Everything that a seat receives, its stream by the referee and one more error among it."""
    found = every_channel(match, seat)
    found["referee's stream"] = json.dumps(seat_stream(match.events(), seat))
    if match.to_act == seat and not match.observe(seat)[1][LAYOUT.start("discard") + 1]:
        with pytest.raises(ValueError) as caught:  # noqa: PT011 (of both kinds)
            match.act("discard high")
        found["error of a discard"] = str(caught.value)
    return found


# ---- the test -----------------------------------------------------------------------------------


def chosen(trace, seat, chance):
    """Up to four exchanges, two of them with a card that was moved last, where there are any."""
    possible = list(trace.exchanges(seat))
    last = {card for cards in trace.moved[-4:] for card in cards}
    late = [exchange for exchange in possible if last & set(exchange[:2])]
    return [
        choice
        for choices in (late, possible)
        for choice in chance.sample(choices, min(2, len(choices)))
    ]


# Moments at which there is more to hide than at others.
MOMENTS = {
    "any": lambda s: True,
    "a pair is looked at": lambda s: s.phase == r.DISCARDING,
    "a card was thrown, none drawn": lambda s: s.phase == r.CHANCE and s.thrown_count == 1,
    "a pair is passed on": lambda s: s.phase == r.RESPOND and s.claims_made > 1,
    "a reshuffle has been": lambda s: s.seen_before.any(),
}


def at_moment(rules, seed, moves, moment):
    """A match after at least so many moves, at such a moment (or at its end)."""
    for number, match in enumerate(random_game(rules, seed, explicit=True)):
        if number >= moves and MOMENTS[moment](match.record):
            break
    return match


@settings(max_examples=200, deadline=None)
@given(
    rules=st.sampled_from(TABLES),
    seed=st.integers(0, 10_000),
    moves=st.integers(0, 100),
    moment=st.sampled_from(list(MOMENTS)),
    seat=st.integers(0, 5),
)
def test_hidden_cards_can_be_exchanged_unnoticed(rules, seed, moves, moment, seat):
    match = at_moment(rules, seed, moves, moment)
    seat %= match.num_players
    trace = Trace(match.events())
    exchanges = chosen(trace, seat, random.Random(seed))
    assume(exchanges)
    received = channels(match, seat)
    for exchange in exchanges:
        other = replay(trace.exchanged(*exchange))
        assert other.events() != match.events()
        assert different(received, channels(other, seat)) == set()


def some_exchanges(count):
    """Matches, seats that cannot see an exchange, the two places, and the matches after it."""
    for seed in range(count):
        chance = random.Random(seed)
        moment = list(MOMENTS)[seed % len(MOMENTS)]
        match = at_moment(TABLES[seed % len(TABLES)], seed, chance.randrange(100), moment)
        seat = chance.randrange(match.num_players)
        trace = Trace(match.events())
        for one, other, since in chosen(trace, seat, chance):
            kind = tuple(sorted((trace.place(one), trace.place(other))))
            yield match, seat, kind, replay(trace.exchanged(one, other, since))


def test_the_exchanges_reach_every_hidden_place_and_are_games_by_the_rules():
    """Otherwise the test above would prove nothing: everything but the seat's channels changes."""
    kinds, which_card = Counter(), 0
    for match, seat, kind, other in some_exchanges(150):
        kinds[kind] += 1
        referee = Referee()
        for event in [] if other.at_chance else other.events():  # its last cards may lack
            referee.feed(event)
        if len(set(kind)) > 1:  # else two lives of one seat, or two cards of the pair
            assert match.secrets(seat).tobytes() != other.secrets(seat).tobytes()
        told = zip(match.events(), other.events(), strict=True)
        which_card += any(a.get("action") != b.get("action") for a, b in told)
    assert which_card > 20  # another threw its lower card, or the higher one
    wanted = combinations(["box", "life", "pair", "pile"], 2)
    assert {kind: kinds[kind] for kind in wanted if kinds[kind] < 10} == {}
    assert kinds["life", "life"] > 10


def secret(name):
    """A leak of one of the fields that only critics see."""
    return lambda match, seat: GAME.secrets.unpack(match.secrets(seat))[name].tolist()


LEAKS = {
    **{field.name: secret(field.name) for field in GAME.secrets.fields},
    "another seat's view": lambda match, seat: match.view((seat + 1) % match.num_players),
    "another seat's stream": lambda match, seat: match.stream((seat + 1) % match.num_players),
    "the picture of everything": lambda match, seat: GAME.telling.render(match.record),
    "which card went": lambda match, seat: [event.get("action") for event in match.events()],
}


@pytest.mark.parametrize("leak", LEAKS.values(), ids=LEAKS)
def test_a_leak_would_be_seen(leak):
    assert any(
        str(leak(match, seat)) != str(leak(other, seat))
        for match, seat, _, other in some_exchanges(600)  # few turn a truth into a lie
    )
