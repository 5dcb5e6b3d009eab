"""Seat stream -> view: what a seat knows, from nothing but the events it has read.

Apart from the compiled rules, in plain Python: it follows the game as a player does who cannot see
the others' cards, and checks every event as far as that player could.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import Any

from kuku_env.core.checks import EventReader, ViewError, place_among, shown
from kuku_env.core.game import OptionError
from kuku_env.games.kuku_doubt.cards import CARD_NAMES, CLAIMS, LIVES, PAIRS
from kuku_env.games.kuku_doubt.layout import ACTIONS, GAME_ID, HISTORY, MANY, TALLIES
from kuku_env.games.kuku_doubt.options import Options

Card = int | str

_TEXTS = {block.name: block.texts for block in ACTIONS}
_DISCARDS = {"low": [0], "high": [1], "both": [0, 1]}  # places in the sorted hand


def view_of_stream(events: Iterable[Any]) -> dict[str, Any]:
    """The view of the seat whose stream this is: the same as the game's own at that point.

    Whose stream it is, the life cards tell: that seat's are listed, the others' only counted. It
    must stop where a decision is waited for, or at the end of the game. Raises ViewError naming
    what is wrong, such as ``events[7].cards``.
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
    if seen is None or seen.due not in ("act", ""):
        due = "game" if seen is None else seen.due
        raise ViewError(f"events[{count}]", f"is missing: the event {due!r} comes next")
    return seen.view()


def _product(cards: list[Card]) -> int | None:
    low, high = cards
    return low * high if isinstance(low, int) and isinstance(high, int) else None


def _sorted(cards: list[Card]) -> list[Card]:
    return sorted(cards, key=CARD_NAMES.index)


def _counts(cards: list[Card]) -> dict[str, int]:
    return {str(card): cards.count(card) for card in CARD_NAMES if card in cards}


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


class _Seen:
    """What one seat knows; ``due`` is the type of the event that comes next, '' after the end."""

    def __init__(self, head: EventReader) -> None:
        head.expect("type", "game")
        head.expect("format", 1)
        head.expect("game", GAME_ID)
        self.options = _options(head)
        self.rules = dict(head.event["rules"])
        n = self.options.num_players
        self.me = -1  # until the life cards tell
        self.my_lives: list[Card] = []
        self.lives = [LIVES] * n
        self.turned: list[dict[int, Card]] = [{} for _ in range(n)]  # life cards, by place
        self.records = [dict.fromkeys(TALLIES, 0) for _ in range(n)]
        self.living = list(range(n))
        self.pile, self.box = sum(self.options.copies), 0
        self.table: list[Card] = []
        self.my_discards: list[Card] = []
        self.seen_before: list[Card] = []
        first = self.options.first_player
        self.starters = self.living if first is None else [first]
        self.claims: list[dict[str, Any]] = []
        self.accepts = 0
        self.kind, self.count = "draw", 0  # cards that are still needed
        self.answer = ""  # the doubt, or the pair named
        self.loser, self.flipping = -1, 0
        self.decisions = 0
        self.phase, self.turn, self.due = "chance", 0, "lives"
        self.start_turn()

    def take(self, read: EventReader) -> None:
        """One more event."""
        if not self.due:
            raise ViewError(read.path, "the game is over")
        read.expect("type", self.due)
        follow: Callable[[EventReader], None] = getattr(self, f"on_{self.due}")
        follow(read)

    def ask(self, phase: str, seat: int) -> None:
        """A decision is waited for, unless there were too many (K12)."""
        self.phase, self.turn = phase, seat
        self.due = "act" if self.decisions < self.options.max_decisions else "end"

    # ------------------------------------------------------------ set-up, rounds and turns

    def on_lives(self, read: EventReader) -> None:
        seat = read.expect("seat", self.turn)
        mine = isinstance(read.event.get("cards"), list)
        dealt = read.cards(self.options.life_cards, CARD_NAMES, mine)
        if mine and self.me >= 0:
            raise ViewError(f"{read.path}.cards", f"seat {self.me} cannot see these cards")
        if mine:
            self.me, self.my_lives = seat, dealt
        self.pile -= self.options.life_cards
        self.turn += 1
        if self.turn == self.options.num_players:
            if self.me < 0:
                raise ViewError(f"{read.path}.cards", "given no seat's life cards, only numbers")
            self.due = "round"

    def on_round(self, read: EventReader) -> None:
        self.turn = read.expect("start", *self.starters)
        self.claims, self.accepts = [], 0
        self.start_turn()
        if self.pile + self.box < 2:
            self.due = "table_recycled"
        else:
            self.need("draw", 2)

    def start_turn(self) -> None:
        """Nobody has looked at the pair; what follows is filled where that is me."""
        self.hand: list[Card] = []
        self.saw: list[Card] = []
        self.thrown: list[Card] = []
        self.discarded = 0

    # ------------------------------------------------------------ the pile

    def need(self, kind: str, count: int) -> None:
        """So many cards come from the pile (K6), to be drawn or revealed; then the game goes on."""
        self.kind, self.count = kind, count
        if kind == "reveal" and (count == 0 or self.pile + self.box == 0):
            self.pass_on()
        elif count == 0:
            self.ask("claim", self.turn)
        else:
            self.due = kind if self.pile else "reshuffle"

    def on_draw(self, read: EventReader) -> None:
        read.expect("seat", self.turn)
        self.hand = _sorted(self.hand + self.from_pile(read, self.turn == self.me))

    def on_reveal(self, read: EventReader) -> None:
        self.table += self.from_pile(read)

    def from_pile(self, read: EventReader, listed: bool = True) -> list[Card]:
        count = min(self.count, self.pile)
        cards = read.cards(count, CARD_NAMES, listed)
        self.pile -= count
        self.need(self.kind, self.count - count)
        return cards

    def on_reshuffle(self, read: EventReader) -> None:
        read.expect("cards", self.box)
        self.fill_pile(self.my_discards, self.box)
        self.need(self.kind, self.count)

    def on_table_recycled(self, read: EventReader) -> None:
        read.expect("cards", len(self.table))
        self.fill_pile(self.my_discards + self.table, self.box + len(self.table))
        self.table = []
        self.need("draw", 2)

    def fill_pile(self, seen: list[Card], count: int) -> None:
        """``count`` cards go into the pile, some of them seen by me: of each rank remember the
        most that any one reshuffle took."""
        for card in set(seen):
            more = seen.count(card) - self.seen_before.count(card)
            self.seen_before += [card] * more
        self.pile, self.box, self.my_discards = self.pile + count, 0, []

    # ------------------------------------------------------------ decisions

    def on_act(self, read: EventReader) -> None:
        read.expect("seat", self.turn)
        hidden = self.phase == "discard" and self.turn != self.me
        legal = ["discard one", "discard both"] if hidden else self.legal()
        text = read.expect("action", *legal)
        self.decisions += 1
        word, _, rest = text.partition(" ")
        if word == "accept":
            self.accepts += 1
            self.tally(self.turn, "accepts")
            self.start_turn()
            self.due = "look"
        elif word in ("doubt", "see"):
            self.answer, self.due = text, "show"
        elif word == "discard":
            self.discard(read, rest)
        elif word == "claim":
            self.claim(int(rest))
        elif word == "flip":
            self.flipping, self.due = ("first", "second").index(rest), "flip"
        else:
            self.starters, self.due = [int(rest)], "round"

    def on_look(self, read: EventReader) -> None:
        read.expect("seat", self.turn)
        self.hand = _sorted(read.cards(2, CARD_NAMES, self.turn == self.me))
        self.saw = list(self.hand)
        self.ask("discard", self.turn)

    def discard(self, read: EventReader, which: str) -> None:
        mine = self.turn == self.me
        self.discarded = 2 if which == "both" else 1
        given = read.cards(self.discarded, CARD_NAMES, mine)
        self.thrown = [self.hand[k] for k in _DISCARDS[which]] if mine else []
        if given != self.thrown:
            raise ViewError(f"{read.path}.cards", f"given {given}, {self.thrown} were discarded")
        for card in self.thrown:
            self.hand.remove(card)
        self.my_discards += self.thrown
        self.box += self.discarded
        self.need("draw", self.discarded)

    def claim(self, number: int) -> None:
        claim: dict[str, Any] = {
            "seat": self.turn,
            "number": number,
            "discarded": self.discarded,
        }
        if self.turn == self.me:
            claim |= {"saw": self.saw or None, "discarded_cards": self.thrown or None}
            claim["passed"] = self.hand
        self.claims.append(claim)
        self.need("reveal", 2 if self.discarded == 2 else 0)

    def pass_on(self) -> None:
        """K10: the next living seat on the left responds."""
        left = [seat for seat in self.living if seat > self.turn]
        self.ask("respond", (left or self.living)[0])

    # ------------------------------------------------------------ a round's end

    def on_show(self, read: EventReader) -> None:
        claim, pair = self.claims[-1], _sorted(read.cards(2, CARD_NAMES, True))
        true = _product(pair) == claim["number"]
        doubted = self.answer == "doubt"
        right = not true if doubted else self.answer == f"see {pair[0]} {pair[1]}"
        read.expect("claim", claim["number"])
        read.expect("truth", true)
        self.loser = read.expect("loser", claim["seat"] if right else self.turn)
        self.tally(claim["seat"], "true_claims" if true else "caught_lies")
        self.tally(self.turn, f"{'doubts' if doubted else 'sees'}_{'right' if right else 'wrong'}")
        self.table += pair
        self.claims = []
        self.start_turn()
        self.lose_life()

    def tally(self, seat: int, name: str) -> None:
        """Public records stop at MANY."""
        self.records[seat][name] = min(self.records[seat][name] + 1, MANY)

    def lose_life(self) -> None:
        hidden = self.options.life_cards - len(self.turned[self.loser])
        if self.sudden_death():
            self.lives[self.loser], self.due = 0, "out"
        elif self.lives[self.loser] > hidden:  # a life without a card
            self.lives[self.loser] -= 1
            self.after_loss()
        elif hidden == 1:  # K3: nothing to choose
            self.flipping, self.due = int(0 in self.turned[self.loser]), "flip"
        else:
            self.ask("flip", self.loser)

    def on_flip(self, read: EventReader) -> None:
        read.expect("seat", self.loser)
        mine = self.loser == self.me
        card = read.expect("card", *([self.my_lives[self.flipping]] if mine else CARD_NAMES))
        self.turned[self.loser][self.flipping] = card
        self.lives[self.loser] -= 1
        self.after_loss()

    def after_loss(self) -> None:
        self.starters = self.living
        if self.lives[self.loser] == 0:
            self.due = "out"
        else:
            self.ask("start", self.loser)

    def on_out(self, read: EventReader) -> None:
        read.expect("seat", self.loser)
        self.living.remove(self.loser)
        lives = [self.lives[seat] for seat in self.living]
        if len(lives) == 1 or (len(lives) == 2 and lives[0] != lives[1]):
            self.due = "end"
        else:
            self.ask("start", self.loser)

    def on_end(self, read: EventReader) -> None:
        read.expect("truncated", False, True)
        self.phase, self.due = "over", ""

    # ------------------------------------------------------------ what is known

    def sudden_death(self) -> bool:
        return len(self.living) == 2 and not self.options.duel_lives and self.phase != "over"

    def legal(self) -> list[str]:
        """Texts of what the seat to act may do, in the order of action ids."""
        if self.phase == "respond":
            return self.responses()
        if self.phase == "discard":
            equal = self.hand[0] == self.hand[1]
            return [text for text in _TEXTS["discard"] if not (equal and text == "discard high")]
        if self.phase == "claim":
            floor = self.claims[-1]["number"] if self.claims else 0
            allowed = CLAIMS if self.options.claims is None else self.options.claims
            return [f"claim {number}" for number in allowed if number >= floor]
        if self.phase == "flip":
            return list(_TEXTS["flip"])
        n = self.options.num_players
        to_the_left = [(self.turn + k) % n for k in range(n)]
        return [f"start {seat}" for seat in to_the_left if seat in self.living]

    def responses(self) -> list[str]:
        most, number = self.options.max_accepts, self.claims[-1]["number"]
        named = [
            text
            for text, (low, high) in zip(_TEXTS["see"], PAIRS, strict=True)
            if self.options.see_through == "any" or low * high == number
        ]
        accept = ["accept"] if most is None or self.accepts < most else []
        return [*accept, "doubt", *named]

    def view(self) -> dict[str, Any]:
        """FORMATS: view."""
        over = self.phase == "over"
        mine = self.turn == self.me and self.phase in ("discard", "claim")
        most = self.options.max_accepts
        claims = self.claims[-HISTORY:]
        passed = [claim["passed"] for claim in claims if "passed" in claim]
        return {
            "format": 1,
            "game": GAME_ID,
            "rules": self.rules,
            "seat": self.me,
            "phase": self.phase,
            "to_act": None if over else self.turn,
            "hand": self.hand if mine else None,
            "saw": (self.saw or None) if mine else None,
            "discarded_cards": (self.thrown or None) if mine else None,
            "passed": passed[-1] if passed else None,
            "lives": self.my_lives,
            "seats": [
                {"lives": lives, "face_up": [up[k] for k in sorted(up)], "record": record}
                for lives, up, record in zip(self.lives, self.turned, self.records, strict=True)
            ],
            "sudden_death": self.sudden_death(),
            "accepts_left": None if most is None else most - self.accepts,
            "claims_made": len(self.claims),
            "claims": claims,
            "my_discards": _counts(self.my_discards),
            "seen_before_reshuffle": _counts(self.seen_before),
            "table": _counts(self.table),
            "pile": self.pile,
            "discards": self.box,
            "legal": self.legal() if not over and self.turn == self.me else [],
        }
