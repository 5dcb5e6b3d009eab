"""Seat stream -> view: what a seat knows, from nothing but the events it has read.

Apart from the compiled rules, in plain Python: it follows the game as a player does who cannot see
the others' cards, and checks every event as far as that player could.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from typing import Any

from kuku_env.core.checks import EventReader, ViewError, checked_list, place_among, shown
from kuku_env.core.game import OptionError
from kuku_env.games.liars_cry.cards import HANYU, KEY_A, KEY_B, KEY_C, KIND_NAMES
from kuku_env.games.liars_cry.layout import GAME_ID, MANY, TALLIES
from kuku_env.games.liars_cry.options import Options

_SKIP = KIND_NAMES[HANYU]
_KEYS = {KIND_NAMES[KEY_A], KIND_NAMES[KEY_B], KIND_NAMES[KEY_C]}


def view_of_stream(events: Iterable[Any]) -> dict[str, Any]:
    """The view of the seat whose stream this is: the same as the game's own at that point.

    Whose stream it is, the first deal tells: that seat's cards are listed, the others' only
    counted. It must stop where a decision is waited for, or at the end of the match. Raises
    ViewError naming what is wrong, such as ``events[7].cards``.
    """
    seen: _Seen | None = None
    count = 0
    for event in events:
        read = EventReader(event, f"events[{count}]")
        if seen is None:
            seen = _Seen(read)
        else:
            seen.take(read)
        count += 1
    if seen is None or not (seen.over or "act" in seen.due):
        due = "game" if seen is None else " or ".join(seen.due)
        raise ViewError(f"events[{count}]", f"is missing: the event {due!r} comes next")
    return seen.view()


def _sorted(cards: Iterable[str]) -> list[str]:
    return sorted(cards, key=KIND_NAMES.index)


def _counts(cards: list[str]) -> dict[str, int]:
    return {kind: cards.count(kind) for kind in KIND_NAMES if kind in cards}


def _options(head: EventReader) -> Options:
    path, rules = head.get("rules")
    if not isinstance(rules, dict):
        raise ViewError(path, f"given {shown(rules)}, an object is needed")
    names = [field.name for field in fields(Options)]
    for name in names:
        if name not in rules:
            raise ViewError(f"{path}.{name}", "is missing")
    for name in rules:
        place_among(path, name, names)
    try:
        return Options(**rules)
    except OptionError as error:
        given = f"given {shown(error.value)}, allowed: {error.allowed}"
        raise ViewError(f"{path}.{error.name}", given) from None


@dataclass
class _Placed:
    """A table card; ``card`` is None where I do not know it, ``mine`` where I put it."""

    seat: int
    up: bool
    card: str | None
    mine: bool


class _Seen:
    """What one seat knows; ``due`` are the types of event that may come next, none at the end."""

    def __init__(self, head: EventReader) -> None:
        head.expect("type", "game")
        head.expect("format", 1)
        head.expect("game", GAME_ID)
        self.options = _options(head)
        self.rules = dict(head.event["rules"])
        n = self.options.num_players
        self.points = dict(zip(KIND_NAMES, self.options.points, strict=True))
        self.leads = [k for k, may in zip(KIND_NAMES, self.options.leads, strict=True) if may]
        self.me = -1  # until the first deal tells
        first = self.options.first_player
        self.dealers = list(range(n)) if first is None else [first]
        self.dealer = self.deal = 0
        self.scores = [0] * n
        self.records = [dict.fromkeys(TALLIES, 0) for _ in range(n)]
        self.decisions = 0
        self.cut = self.over = False
        self.phase = "chance"
        self.due: tuple[str, ...] = ("deal",)
        self.start_deal()

    def start_deal(self) -> None:
        n = self.options.num_players
        self.turn = 0  # the seat that is dealt to
        self.hand: list[str] = []
        self.sizes = [0] * n
        self.out = [False] * n
        self.taken: list[list[str]] = [[] for _ in range(n)]
        self.took_mine: list[list[str]] = [[] for _ in range(n)]
        self.took: list[str] = []
        self.clear_table()

    def clear_table(self) -> None:
        self.table: list[_Placed] = []
        self.leaving: int | None = None  # whose last card can still be doubted
        self.leavers: list[int] = []  # who goes out now, in order
        self.taker = self.leader = -1  # who takes the table, and who acts after it
        self.removed = -1  # the position that went into a hand

    def take(self, read: EventReader) -> None:
        """One more event."""
        if self.over:
            raise ViewError(read.path, "the game is over")
        kind = read.expect("type", *self.due)
        follow: Callable[[EventReader], None] = getattr(self, f"on_{kind}")
        follow(read)

    def ask(self, phase: str, seat: int, sure: bool = True) -> None:
        """A decision is waited for, unless there were too many (L6).

        Not ``sure``: hands that I cannot see may have ended the deal.
        """
        self.phase, self.turn = phase, seat
        self.cut = self.decisions >= self.options.max_decisions
        if self.cut:
            self.due = ("deal_end",)
        else:
            self.due = ("act",) if sure else ("act", "deal_end")

    # ------------------------------------------------------------ the deal

    def on_deal(self, read: EventReader) -> None:
        if self.turn == 0:
            self.dealer = read.expect("dealer", *self.dealers)
            self.deal += 1
        read.expect("dealer", self.dealer)
        seat = read.expect("seat", self.turn)
        path, cards = f"{read.path}.cards", read.event.get("cards")
        if self.deal == 1 and isinstance(cards, list):
            if self.me >= 0:
                raise ViewError(path, f"seat {self.me} cannot see these cards")
            self.me = seat
        dealt = read.cards(self.options.hand_size, KIND_NAMES, seat == self.me)
        if seat == self.me:
            self.hand = _sorted(dealt)
        self.sizes[seat] = self.options.hand_size
        self.turn += 1
        if self.turn == self.options.num_players:
            if self.me < 0:
                raise ViewError(path, "given no seat's cards, only numbers")
            self.start_play()

    def start_play(self) -> None:
        """L11: a dealer with nothing to lead ends the deal at once."""
        if self.dealer != self.me:
            self.ask("lead", self.dealer, sure=False)
        elif self.can_lead(self.hand):
            self.ask("lead", self.dealer)
        else:
            self.turn, self.due = self.dealer, ("deal_end",)

    def can_lead(self, hand: list[str]) -> bool:
        return any(card in self.leads for card in hand)

    # ------------------------------------------------------------ decisions

    def on_act(self, read: EventReader) -> None:
        seat = read.expect("seat", self.turn)
        mine = seat == self.me
        text = read.expect("action", *(self.legal() if mine else self.legal_of_others()))
        self.decisions += 1
        word, _, rest = text.partition(" ")
        if word == "lead":
            self.put(rest, up=True)
            self.ask("act", seat)
        elif word == "play":
            cards = read.cards(1, KIND_NAMES, mine)
            if mine and cards != [rest]:
                raise ViewError(f"{read.path}.cards", f"given {cards}, {rest} was played")
            self.put(rest if mine else None, up=False)
            self.end_turn(leaving=seat if self.sizes[seat] == 0 else None)
        elif word == "skip":
            self.put(_SKIP, up=True)
            self.leavers = [seat] if self.sizes[seat] == 0 else []
            self.end_turn(leaving=None)
        elif word == "take":
            self.on_take(read, int(rest))
        elif word == "doubt":
            self.due = ("show",)
        else:
            self.collect(seat)

    def put(self, card: str | None, up: bool) -> None:
        mine = self.turn == self.me
        self.table.append(_Placed(self.turn, up, card, mine))
        self.sizes[self.turn] -= 1
        if mine:
            self.hand.remove(str(card))

    def end_turn(self, leaving: int | None) -> None:
        """Whoever was leaving goes out after who went out at once, but not as the last (L10)."""
        playing = self.out.count(False) - len(self.leavers)
        if self.leaving is not None and playing > 1:
            self.leavers.append(self.leaving)
        self.leaving = leaving
        self.go_on()

    def go_on(self) -> None:
        """Who goes out, then the last player takes the table, or the next one acts."""
        if self.leavers:
            self.due = ("out",)
        elif self.out.count(False) == 1:
            self.take_table(self.out.index(False), self.out.index(False))
        else:
            self.ask("act", self.next_seat())

    def on_out(self, read: EventReader) -> None:
        self.out[read.expect("seat", self.leavers.pop(0))] = True
        self.go_on()

    def next_seat(self) -> int:
        n = self.options.num_players
        return next(k % n for k in range(self.turn + 1, self.turn + n + 1) if not self.out[k % n])

    def collect(self, seat: int) -> None:
        if self.face_down():
            self.due = ("look",)
        else:
            self.take_table(seat, seat)

    def face_down(self) -> list[int]:
        return [position for position, placed in enumerate(self.table) if not placed.up]

    def on_look(self, read: EventReader) -> None:
        seat = read.expect("seat", self.turn)
        down = self.face_down()
        cards = read.cards(len(down), KIND_NAMES, seat == self.me)
        for k, card in enumerate(cards):
            self.learn(f"{read.path}.cards[{k}]", down[k], card)
        self.ask("take", seat)

    def learn(self, path: str, position: int, card: str) -> None:
        """A table card has this kind."""
        placed = self.table[position]
        if placed.card is not None:
            place_among(path, card, [placed.card])
        placed.card = card

    def on_take(self, read: EventReader, position: int) -> None:
        """L13: the card is known to who takes it and to whose it was."""
        placed, seat = self.table[position], self.turn
        knows = self.me in (seat, placed.seat)
        for card in read.cards(1, KIND_NAMES, knows):
            self.learn(f"{read.path}.cards[0]", position, card)
            if seat == self.me:
                self.hand = _sorted([*self.hand, card])
            if seat != placed.seat:
                (self.took if seat == self.me else self.took_mine[seat]).append(card)
        self.sizes[seat] += 1
        self.removed = position
        self.take_table(seat, seat)

    def on_show(self, read: EventReader) -> None:
        position = self.face_down()[-1]
        placed = self.table[position]
        owner = read.expect("seat", placed.seat)
        read.expect("position", position)
        card = read.expect("card", *([placed.card] if placed.card else KIND_NAMES))
        true = read.expect("truth", card == self.table[0].card)
        self.learn(f"{read.path}.card", position, card)
        self.tally(self.turn, "doubts_wrong" if true else "doubts_right")
        if true:
            self.take_table(self.turn, self.next_seat())
        else:
            self.take_table(owner, self.turn)

    def tally(self, seat: int, name: str) -> None:
        """Public records stop at MANY."""
        self.records[seat][name] = min(self.records[seat][name] + 1, MANY)

    def take_table(self, taker: int, leader: int) -> None:
        self.taker, self.leader, self.due = taker, leader, ("taken",)

    def on_taken(self, read: EventReader) -> None:
        seat = read.expect("seat", self.taker)
        places = [p for p in range(len(self.table)) if p != self.removed]
        cards = read.cards(len(places), KIND_NAMES, True)
        for k, (position, card) in enumerate(zip(places, cards, strict=True)):
            self.learn(f"{read.path}.cards[{k}]", position, card)
            placed = self.table[position]
            if not placed.up:
                self.tally(placed.seat, "true_cards" if card == self.table[0].card else "lies")
        self.taken[seat] += cards
        leader = self.leader
        self.clear_table()
        self.check(leader)

    def check(self, leader: int) -> None:
        """The check of the end; what I cannot see may have ended the deal."""
        blocked = leader == self.me and not self.can_lead(self.hand)
        if 0 in self.sizes or set(self.hand) >= _KEYS or blocked:
            self.turn, self.due = leader, ("deal_end",)
        else:
            self.ask("lead", leader, sure=False)

    # ------------------------------------------------------------ the ends

    def on_deal_end(self, read: EventReader) -> None:
        hands = self.shown_hands(read)
        reason = read.expect("reason", self.reason(hands))
        if reason == "no_lead" and self.can_lead(hands[self.turn]):
            raise ViewError(f"{read.path}.hands", "by these hands the deal goes on")
        path, points = read.get("points")
        costs = [
            sum(self.points[card] for card in [*taken, *hand])
            for taken, hand in zip(self.taken, hands, strict=True)
        ]
        if len(checked_list(path, points)) != len(costs):
            raise ViewError(path, f"given {len(points)}, {len(costs)} are needed")
        for k, cost in enumerate(costs):
            place_among(f"{path}[{k}]", points[k], [cost])
            self.scores[k] += cost
        if self.cut or self.deal == self.options.num_deals:
            self.phase, self.due = "over", ("end",)
        else:
            self.dealers = [(self.dealer + 1) % self.options.num_players]
            self.phase, self.due = "chance", ("deal",)
            self.start_deal()

    def shown_hands(self, read: EventReader) -> list[list[str]]:
        path, hands = read.get("hands")
        if len(checked_list(path, hands)) != len(self.sizes):
            raise ViewError(path, f"given {len(hands)}, {len(self.sizes)} are needed")
        for seat, hand in enumerate(hands):
            where = f"{path}[{seat}]"
            if len(checked_list(where, hand)) != self.sizes[seat]:
                raise ViewError(where, f"given {len(hand)} cards, {self.sizes[seat]} are held")
            for k, card in enumerate(hand):
                place_among(f"{where}[{k}]", card, KIND_NAMES)
        if hands[self.me] != self.hand:
            raise ViewError(f"{path}[{self.me}]", f"given {hands[self.me]}, I hold {self.hand}")
        return [list(hand) for hand in hands]

    def reason(self, hands: list[list[str]]) -> str:
        """Why the deal ended, by the hands that are shown."""
        if self.cut:
            return "truncated"
        if any(self.taken) and any(set(hand) >= _KEYS for hand in hands):
            return "key_persons"
        if [] in hands:
            return "empty_hand"
        return "no_lead"

    def on_end(self, read: EventReader) -> None:
        read.expect("truncated", self.cut)
        self.over, self.due = True, ()

    # ------------------------------------------------------------ what is known

    def legal(self) -> list[str]:
        """Texts of what I may do when it is my turn, in the order of action ids."""
        kinds = [kind for kind in KIND_NAMES if kind in self.hand]
        if self.phase == "lead":
            return [f"lead {kind}" for kind in kinds if kind in self.leads]
        if self.phase == "take":
            return [f"take {position}" for position in self.face_down()]
        skip = ["skip"] if _SKIP in kinds else []
        return [*(f"play {kind}" for kind in kinds), "collect", *self.doubts(), *skip]

    def legal_of_others(self) -> list[str]:
        """What the seat to act may do as far as I know; a card played face down is not named."""
        if self.phase == "lead":
            return [f"lead {kind}" for kind in self.leads]
        if self.phase == "take":
            return [f"take {position}" for position in self.face_down()]
        holds = ["play", "skip"] if self.sizes[self.turn] else []  # L12
        return [*holds, "collect", *self.doubts()]

    def doubts(self) -> list[str]:
        """L9: the last face-down card, unless its player is out or the one to act."""
        down = self.face_down()
        owner = self.table[down[-1]].seat if down else self.turn
        return [] if owner == self.turn or self.out[owner] else ["doubt"]

    def view(self) -> dict[str, Any]:
        """FORMATS: view."""
        down = self.face_down()
        deciding = not self.over
        return {
            "format": 1,
            "game": GAME_ID,
            "rules": self.rules,
            "seat": self.me,
            "phase": self.phase,
            "to_act": self.turn if deciding else None,
            "dealer": self.dealer,
            "deal": self.deal,
            "deals_left": self.options.num_deals - self.deal,
            "hand": self.hand,
            "lead": self.table[0].card if self.table else None,
            "table_size": len(self.table),
            "table": [self.table_card(placed) for placed in self.table],
            "last_face_down": self.table[down[-1]].seat if down else None,
            "seats": [self.seat(k, down) for k in range(self.options.num_players)],
            "took": _counts(self.took),
            "legal": self.legal() if deciding and self.turn == self.me else [],
        }

    def table_card(self, placed: _Placed) -> dict[str, Any]:
        """What I looked at is told while I choose; a match cut short then tells it no more."""
        known = placed.up or placed.mine or self.phase == "take"
        card = placed.card if known else None
        return {"seat": placed.seat, "face_up": placed.up, "card": card}

    def seat(self, seat: int, down: list[int]) -> dict[str, Any]:
        return {
            "hand": self.sizes[seat],
            "face_down": [self.table[position].seat for position in down].count(seat),
            "out": self.out[seat],
            "taken": _counts(self.taken[seat]),
            "points": sum(self.points[card] for card in self.taken[seat]),
            "score": self.scores[seat],
            "behind": self.scores[seat] - min(self.scores),
            "took_mine": _counts(self.took_mine[seat]),
            "record": self.records[seat],
        }
