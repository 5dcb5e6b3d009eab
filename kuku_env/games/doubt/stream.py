"""Seat stream -> view: what a seat knows, from nothing but the events it has read.

Apart from the compiled rules, in plain Python: it follows the game as a player does who cannot see
the others' cards, and checks every event as far as that player could.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import Any

from kuku_env.core.checks import EventReader, ViewError, place_among, shown, whole_number
from kuku_env.core.game import OptionError
from kuku_env.games.doubt.cards import CARD_NAMES, EXCHANGED, NEW_PILE_CARDS, RANK_NAMES
from kuku_env.games.doubt.layout import ACTIONS, GAME_ID, MANY, MOST, TALLIES
from kuku_env.games.doubt.options import Options

Cards = Counter[str]

_JOKER = CARD_NAMES[-1]
_TEXTS = {block.name: list(block.texts) for block in ACTIONS}
_RESPONSES = [*_TEXTS["let_go"], *_TEXTS["doubt"]]
_PUT_DOWN = _TEXTS["put_down"][0]


def view_of_stream(events: Iterable[Any]) -> dict[str, Any]:
    """The view of the seat whose stream this is: the same as the game's own at that point.

    Whose stream it is, the deal tells: that seat's cards are listed, the others' only counted. It
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
    if seen is None or seen.phase == "chance":
        due = "game" if seen is None else " or ".join(seen.due)
        raise ViewError(f"events[{count}]", f"is missing: the event {due!r} comes next")
    return seen.view()


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


def _named(counts: Cards) -> dict[str, int]:
    return {card: counts[card] for card in CARD_NAMES if counts[card] > 0}


class _Seat:
    """What is known of one seat."""

    def __init__(self) -> None:
        self.in_play = True
        self.cards = 0
        self.known: Cards = Counter()
        self.claims: Cards = Counter()
        self.took: Cards = Counter()
        self.record = dict.fromkeys(TALLIES, 0)
        self.put_in_pile = 0

    def tally(self, name: str) -> None:
        self.record[name] = min(self.record[name] + 1, MANY)

    def saw_leave(self, card: str, count: int) -> None:
        self.known[card] = max(0, self.known[card] - count)

    def view(self) -> dict[str, Any]:
        return {
            "in_play": self.in_play,
            "cards": self.cards,
            "known": _named(self.known),
            "claims": _named(self.claims),
            "took": _named(self.took),
            "record": self.record,
        }


class _Seen:
    """What one seat knows; ``due`` are the types of event that may come next, none after the end.

    ``phase`` is the view's, or ``chance`` where the seat cannot be asked for a decision.
    """

    def __init__(self, head: EventReader) -> None:
        head.expect("type", "game")
        head.expect("format", 1)
        head.expect("game", GAME_ID)
        self.options = o = _options(head)
        self.rules = dict(head.event["rules"])
        ranks = RANK_NAMES[: o.ranks]
        self.copies: Cards = Counter(dict.fromkeys(ranks, o.suits * o.decks))
        self.copies[_JOKER] = o.jokers
        self.me = -1  # until the deal tells
        self.seats = [_Seat() for _ in range(o.num_players)]
        self.hand: Cards = Counter()
        self.added: Cards = Counter()
        self.mine: Cards = Counter()
        self.shown: Cards = Counter()
        self.pile, self.pile_start, self.aside = 0, 0, 0
        self.player, self.dealing, self.number, self.put = 0, 0, 0, 0
        self.played: Cards = Counter()  # my cards that may be doubted
        self.asked = False  # now, or before in this window
        self.to_act: int | None = None
        self.caller, self.winner, self.loser = 0, 0, 0
        self.phase, self.due = "chance", ["start"]

    def take(self, read: EventReader) -> None:
        """One more event."""
        if not self.due:
            raise ViewError(read.path, "the game is over")
        kind = read.expect("type", *self.due)
        follow: Callable[[EventReader], None] = getattr(self, f"on_{kind}")
        follow(read)

    def wait(self, *due: str) -> None:
        """Something comes next in which nobody decides."""
        self.phase, self.to_act, self.due = "chance", None, list(due)

    # ------------------------------------------------------------ set-up and turns

    def on_start(self, read: EventReader) -> None:
        first, n = self.options.first_player, self.options.num_players
        self.player = read.expect("seat", *(range(n) if first is None else [first]))
        self.dealing = self.player
        self.wait("deal")

    def on_deal(self, read: EventReader) -> None:
        n, total = self.options.num_players, self.options.cards
        seat = read.expect("seat", self.dealing)
        count = total // n + ((seat - self.player) % n < total % n)
        mine = isinstance(read.event.get("cards"), list)
        dealt = read.cards(count, CARD_NAMES, mine)
        if mine and self.me >= 0:
            raise ViewError(f"{read.path}.cards", f"seat {self.me} cannot see these cards")
        if mine:
            self.me, self.hand = seat, Counter(dealt)
        self.seats[seat].cards = count
        self.dealing = (seat + 1) % n
        if self.dealing == self.player:
            if self.me < 0:
                raise ViewError(f"{read.path}.cards", "given no seat's cards, only numbers")
            self.wait("turn")
        else:
            self.wait("deal")

    def on_turn(self, read: EventReader) -> None:
        if self.phase == "respond":  # nobody doubted
            self.next_turn(True)
        read.expect("seat", self.player)
        read.expect("number", RANK_NAMES[self.number])
        self.put, self.asked = 0, False
        self.phase, self.to_act, self.due = "play", self.player, ["act"]

    def next_in_play(self, seat: int) -> int:
        n = len(self.seats)
        to_the_left = [(seat + k) % n for k in range(1, n + 1)]
        return next(k for k in to_the_left if self.seats[k].in_play)

    def next_turn(self, advance: bool) -> None:
        """The end (D3, D12), or the next turn, if there are not too many decisions (D7)."""
        self.put = 0
        in_play = [seat.cards for seat in self.seats if seat.in_play]
        if len(in_play) == 1 or 0 in in_play:
            self.wait("end")
            return
        if advance:
            self.number = (self.number + 1) % self.options.ranks
        self.player = self.next_in_play(self.player)
        self.wait("turn", "end")

    # ------------------------------------------------------------ decisions

    def on_act(self, read: EventReader) -> None:
        if self.phase == "play":
            read.expect("seat", self.player)
            self.play(read)
        elif self.to_act == self.me:
            read.expect("seat", self.me)
            self.respond(read.expect("action", *_RESPONSES))
        else:
            others = [seat for seat in self.callers() if seat != self.me]
            self.caller = read.expect("seat", *others)
            read.expect("action", *_TEXTS["doubt"])
            self.wait("show")

    def play(self, read: EventReader) -> None:
        mine = self.player == self.me
        text = read.expect("action", *(self.legal() if mine else [_PUT_DOWN]))
        if text != _PUT_DOWN:
            self.added[text.removeprefix("add ")] += 1
            return
        count = self.count_put(read)
        if mine:
            given = Counter(read.cards(count, CARD_NAMES, True))
            if given != self.added:
                raise ViewError(f"{read.path}.cards", "given other cards than were added")
            self.hand -= self.added
            self.mine += self.added
        self.played, self.added = self.added, Counter()
        seat, number = self.seats[self.player], RANK_NAMES[self.number]
        seat.cards -= count
        seat.put_in_pile += count
        seat.claims[number] = min(seat.claims[number] + count, MOST)
        seat.took[number] = max(seat.took[number] - count, 0)
        seat.tally("plays")
        self.pile += count
        self.put = count
        self.open_window()

    def count_put(self, read: EventReader) -> int:
        if self.player == self.me:
            return self.added.total()
        path, count = read.get("cards")
        held, most = self.seats[self.player].cards, self.options.max_play
        high = held if most is None else min(held, most)
        if whole_number(path, count, high) == 0:
            raise ViewError(path, "given 0, at least one card is put down")
        return int(count)

    # ------------------------------------------------------------ who doubts

    def callers(self) -> list[int]:
        """Seats that may doubt this play."""
        if self.options.callers == "next":
            return [self.next_in_play(self.player)]
        return [k for k, seat in enumerate(self.seats) if seat.in_play and k != self.player]

    def open_window(self) -> None:
        """Others are asked, which I am not told; once all have been, the play stands."""
        self.phase, self.to_act = "respond", None
        may_doubt = self.callers()
        if self.me in may_doubt and not self.asked:
            self.due = ["ask"]
            others = len(may_doubt) > 1
        else:
            self.due = self.after_window()
            others = may_doubt != [self.me]
        if others:
            self.due.append("act")

    def after_window(self) -> list[str]:
        """What may come when nobody has doubted."""
        return ["end"] if self.seats[self.player].cards == 0 else ["turn", "end"]

    def on_ask(self, read: EventReader) -> None:
        read.expect("seat", self.me)
        self.asked, self.to_act, self.due = True, self.me, ["act"]

    def respond(self, text: str) -> None:
        if text in _TEXTS["doubt"]:
            self.caller = self.me
            self.wait("show")
        else:
            self.open_window()

    # ------------------------------------------------------------ a doubt

    def on_show(self, read: EventReader) -> None:
        count = 1 if self.options.check == "one" else self.put
        cards = Counter(read.cards(count, CARD_NAMES, True))
        number = RANK_NAMES[self.number]
        truth = all(card in (number, _JOKER) for card in cards)
        read.expect("number", number)
        read.expect("truth", truth)
        parties = (self.player, self.caller) if truth else (self.caller, self.player)
        self.winner, self.loser = parties
        read.expect("loser", self.loser)
        if self.player == self.me:
            if not cards <= self.played:
                raise ViewError(f"{read.path}.cards", "given cards that were not put down")
            self.mine -= cards
        self.shown += cards
        player, caller = self.seats[self.player], self.seats[self.caller]
        for card, number_shown in cards.items():
            player.saw_leave(card, number_shown)
        player.tally("shown_true" if truth else "caught_lies")
        caller.tally("doubts_wrong" if truth else "doubts_right")
        self.put = 0
        self.pay()

    def pay(self) -> None:
        penalty = self.options.penalty
        if penalty == "pile":
            self.wait("take")
        elif penalty == "forfeit":
            self.wait("set_aside")
        elif self.seats[self.winner].cards > 0:
            self.wait("exchange")
        else:
            self.settled()

    def settled(self) -> None:
        self.next_turn(self.options.after_call == "advance")

    def on_take(self, read: EventReader) -> None:
        loser = read.expect("seat", self.loser)
        taker = self.seats[loser]
        cards = Counter(read.cards(self.pile, CARD_NAMES, loser == self.me))
        if loser == self.me:
            if not self.mine + self.shown <= cards:
                raise ViewError(f"{read.path}.cards", "given without cards known to be there")
            self.saw_pile(cards)
            self.hand += cards
        else:
            taker.known += self.mine + self.shown
            taker.known &= self.copies
        for seat in self.seats:
            taker.took += seat.claims
            seat.claims, seat.put_in_pile = Counter(), 0
        for number in taker.took:
            taker.took[number] = min(taker.took[number], MOST)
        taker.cards += self.pile
        self.mine, self.shown = Counter(), Counter()
        self.pile, self.pile_start = 0, 0
        limit = self.options.hand_limit
        if limit is not None and taker.cards > limit:
            self.wait("set_aside")
        else:
            self.new_pile()

    def saw_pile(self, cards: Cards) -> None:
        """Cards that I had not known to be there may be those I saw go to a hand."""
        new = cards - self.mine - self.shown
        elsewhere = self.copies - self.hand - cards
        for k, seat in enumerate(self.seats):
            put = seat.put_in_pile + (0 if seat.in_play else self.pile_start)
            for card in cards if k != self.me else ():
                seat.saw_leave(card, min(new[card], put))
                seat.known[card] = min(seat.known[card], elsewhere[card])

    def on_set_aside(self, read: EventReader) -> None:
        loser = read.expect("seat", self.loser)
        seat = self.seats[loser]
        given = read.cards(seat.cards, CARD_NAMES, loser == self.me)
        if loser == self.me:
            if Counter(given) != self.hand:
                raise ViewError(f"{read.path}.cards", "given other cards than are in hand")
            self.hand = Counter()
        self.aside += seat.cards
        seat.cards, seat.in_play = 0, False
        self.wait("out")

    def on_out(self, read: EventReader) -> None:
        read.expect("seat", self.loser)
        self.new_pile()

    def new_pile(self) -> None:
        """D4: set-aside cards start a new pile, where it was taken and the game goes on."""
        self.settled()
        if self.options.penalty == "pile" and self.aside > 0 and "turn" in self.due:
            self.wait("new_pile")

    def on_new_pile(self, read: EventReader) -> None:
        count = min(NEW_PILE_CARDS, self.aside)
        read.cards(count, CARD_NAMES, False)
        self.aside -= count
        self.pile = self.pile_start = count
        self.wait("turn", "end")

    def on_exchange(self, read: EventReader) -> None:
        loser, winner = read.expect("seat", self.loser), read.expect("from", self.winner)
        count = min(EXCHANGED, self.seats[winner].cards)
        mine = self.me in (loser, winner)
        cards = Counter(read.cards(count, CARD_NAMES, mine))
        if loser == self.me:
            for card, number in cards.items():
                self.seats[winner].saw_leave(card, number)
            self.hand += cards
        elif winner == self.me:
            if not cards <= self.hand:
                raise ViewError(f"{read.path}.cards", "given cards that are not in hand")
            self.hand -= cards
            self.seats[loser].known += cards
            self.seats[loser].known &= self.copies
        self.seats[winner].cards -= count
        self.seats[loser].cards += count
        self.settled()

    def on_end(self, read: EventReader) -> None:
        truncated = read.expect("truncated", False, True)
        if truncated and "turn" not in self.due:
            raise ViewError(f"{read.path}.truncated", "given True, where somebody has won")
        if not truncated and "turn" in self.due:
            raise ViewError(f"{read.path}.truncated", "given False, where nobody has won")
        self.phase, self.to_act, self.due, self.put = "over", None, [], 0

    # ------------------------------------------------------------ what is known

    def legal(self) -> list[str]:
        """Texts of what I may do when I decide, in the order of action ids."""
        if self.phase == "respond":
            return list(_RESPONSES)
        count, most = self.added.total(), self.options.max_play
        put = [_PUT_DOWN] if count else []
        left = self.hand - self.added
        more = most is None or count < most
        return put + [f"add {card}" for card in CARD_NAMES if more and left[card] > 0]

    def view(self) -> dict[str, Any]:
        """FORMATS: view."""
        over = self.phase == "over"
        return {
            "format": 1,
            "game": GAME_ID,
            "rules": self.rules,
            "seat": self.me,
            "phase": self.phase,
            "to_act": self.to_act,
            "player": None if over else self.player,
            "number": None if over else RANK_NAMES[self.number],
            "put": self.put,
            "deck": _named(self.copies),
            "hand": _named(self.hand),
            "added": _named(self.added),
            "pile": self.pile,
            "pile_start": self.pile_start,
            "pile_mine": _named(self.mine),
            "pile_shown": _named(self.shown),
            "aside": self.aside,
            "seats": [seat.view() for seat in self.seats],
            "legal": self.legal() if self.to_act == self.me else [],
        }
