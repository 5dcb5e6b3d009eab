"""A referee for Kuku Doubt: the rulebook once more, written on its own, as an oracle for tests.

It shares nothing with the package: plain Python, slow, readable. `check_record` walks through a
game record and stops at the first line that is not by the rules; `Referee` does the same event by
event and says who is to act and what that seat may do; `play_random` writes legal records of its
own; `seat_stream` is what one seat sees of a record. K1, K2, ... are rulings of the rules page.

The whole game is one generator, `Referee._game`: it yields what may come next (an `Expected`), is
sent the event that did come, and goes on from there.
"""

import json
import random
from collections.abc import Generator, Iterable
from typing import Any, NamedTuple

Event = dict[str, Any]
Card = int | str

RANKS: list[Card] = ["L", 1, 2, 3, 4, 5, 6, 7, 8, 9]  # the Liar is the lowest (K17)
PAIRS = [(low, high) for i, low in enumerate(RANKS) for high in RANKS[i:]]
PRODUCTS = sorted({a * b for a in range(1, 10) for b in range(1, 10)})
LIVES = 2

HEAD = {"type": "game", "format": 1, "game": "kuku/KukuDoubt-v0"}
DEFAULT_RULES: dict[str, Any] = {
    "num_players": 4,
    "first_player": None,
    "duel_lives": False,
    "claims": None,
    "max_accepts": None,
    "copies": [3, 3, 3, 4, 4, 4, 4, 4, 3, 3],
    "life_cards": 2,
    "see_through": "any",
    "reward": "winner",
    "max_decisions": 1000,
}


class RuleViolation(Exception):
    """A line of a record (counted from 1) that is not by the rules."""

    def __init__(self, line_number: int, message: str):
        super().__init__(f"line {line_number}: {message}")
        self.line_number = line_number
        self.message = message


class Truncated(Exception):
    """A decision would be needed, but `max_decisions` have been made (K12)."""


class Expected(NamedTuple):
    """What may come next: one of `events`, with `drawn` cards from the pile as its "cards".

    `tempting` names actions that random play should try more often than by chance.
    """

    events: list[Event]
    drawn: int = 0
    tempting: tuple[str, ...] = ()


Script = Generator[Expected, Event, Any]


def product(pair: Iterable[Card]) -> int | None:
    """The product of two cards; none if a Liar is among them."""
    low, high = pair
    return low * high if isinstance(low, int) and isinstance(high, int) else None


def by_rank(cards: Iterable[Card]) -> list[Card]:
    return sorted(cards, key=RANKS.index)


def check_rules(rules: Any) -> str | None:
    """What is wrong with a rules object, in words; None if nothing is."""

    def whole(value: Any, low: int, high: float = float("inf")) -> bool:
        return type(value) is int and low <= value <= high

    if not isinstance(rules, dict) or set(rules) != set(DEFAULT_RULES):
        return f"rules must have exactly the options {sorted(DEFAULT_RULES)}"
    n, claims, copies = rules["num_players"], rules["claims"], rules["copies"]
    if not whole(n, 2, 6):
        return "num_players must be 2 to 6 (K1)"
    if not isinstance(copies, list) or not isinstance(claims, list | None):
        return "copies must be a list, claims a list or null"
    proper = {
        "first_player": rules["first_player"] is None or whole(rules["first_player"], 0, n - 1),
        "duel_lives": rules["duel_lives"] is False or (rules["duel_lives"] is True and n == 2),
        "claims": claims is None or (claims and all(whole(c, 1) and c in PRODUCTS for c in claims)),
        "max_accepts": rules["max_accepts"] is None or whole(rules["max_accepts"], 0),
        "copies": len(copies) == len(RANKS) and all(whole(number, 0) for number in copies),
        "life_cards": whole(rules["life_cards"], 0, LIVES),
        "see_through": rules["see_through"] in ("any", "consistent"),
        "reward": rules["reward"] in ("winner", "placement"),
        "max_decisions": whole(rules["max_decisions"], 1),
    }
    for option, fine in proper.items():
        if not fine:
            return f"{option} may not be {rules[option]!r}"
    if sum(copies) < n * rules["life_cards"] + 2:
        return "the deck is too small for the life cards and one pair"
    return None


class Referee:
    """Follows one game. Feed it the events in order, the `game` event first."""

    def __init__(self) -> None:
        self.line_number = 0
        self._script: Script | None = None  # not yet begun
        self._expected: Expected | None = None

    @property
    def over(self) -> bool:
        """The `end` event has been fed: nothing may follow."""
        return self._script is not None and self._expected is None

    @property
    def to_act(self) -> int | None:
        """The seat that must decide now; None while another event is due."""
        event = self._expected.events[0] if self._expected else {"type": None}
        return event["seat"] if event["type"] == "act" else None

    def legal_actions(self) -> list[str]:
        """All that `to_act` may do, in the order of action ids; empty if nobody is to act.

        `start SEAT` begins with the chooser's own seat and goes to the left: ids are relative.
        """
        return [] if self.to_act is None else [act["action"] for act in self._expected.events]

    def all_cards(self) -> list[Card]:
        """Every card of the deck, wherever it is."""
        places = [self.pile, self.discards, self.table, self.pair, *self.face_down, *self.face_up]
        return by_rank(card for place in places for card in place)

    def feed(self, event: Event | str) -> None:
        """Take the next event of the record; a `RuleViolation` leaves everything as it was."""
        number = self.line_number + 1
        try:
            event = json.loads(event if isinstance(event, str) else json.dumps(event))
        except (TypeError, ValueError) as error:
            raise RuleViolation(number, f"not JSON: {error}") from None
        if self._script is None:
            self._begin(event, number)
        elif self._expected is None:
            raise RuleViolation(number, "the game is over")
        else:
            problem = self._problem(event)
            if problem:
                raise RuleViolation(number, f"{problem}; got {json.dumps(event)}")
            try:
                self._expected = self._script.send(event)
            except StopIteration:
                self._expected = None
        self.line_number = number

    def random_event(self, chance: random.Random, patience: float = 0.5) -> Event:
        """Some event that may come next. `patience` is how often a response is an `accept`."""
        events, drawn, tempting = self._expected
        actions = [event.get("action") for event in events]
        if "accept" in actions and chance.random() < patience:
            return events[actions.index("accept")]
        wanted = [event for event in events if event.get("action") in tempting]
        event = dict(chance.choice(wanted if wanted and chance.random() < 0.5 else events))
        if drawn:
            event["cards"] = chance.sample(self.pile, drawn)
        return event

    def _begin(self, event: Any, number: int) -> None:
        if not isinstance(event, dict) or set(event) != {*HEAD, "rules", "seed"}:
            raise RuleViolation(number, "a record begins with a game event and all its keys")
        if not same({key: event[key] for key in HEAD}, HEAD):
            raise RuleViolation(number, f"a record of this game begins with {HEAD}")
        if event["seed"] is not None and type(event["seed"]) is not int:
            raise RuleViolation(number, "a seed is a whole number or null")
        problem = check_rules(event["rules"])
        if problem:
            raise RuleViolation(number, problem)
        self.rules = event["rules"]
        self._script = self._game()
        self._expected = next(self._script)

    def _problem(self, event: Any) -> str | None:
        """Why this event may not come now; None if it may."""
        events, drawn, _ = self._expected
        if not isinstance(event, dict):
            return "an event is an object"
        for wanted in events:
            wanted = dict(wanted)
            if drawn:
                given = event.get("cards")
                wanted["cards"] = given if isinstance(given, list) else []
            if wanted["type"] == "end" and close(event.get("rewards"), wanted["rewards"]):
                wanted["rewards"] = event["rewards"]
            if same(event, wanted):
                return self._problem_with_drawn(event["cards"], drawn) if drawn else None
        if self.to_act is not None:
            return f"seat {self.to_act} must act, one of: {', '.join(self.legal_actions())}"
        due = " or ".join(map(json.dumps, events))
        return f"expected {due}" + (f" and {drawn} cards of the pile" if drawn else "")

    def _problem_with_drawn(self, cards: list[Any], drawn: int) -> str | None:
        left = list(self.pile)
        for card in cards:
            if type(card) not in (int, str) or card not in left:
                return f"the card {card!r} is not in the pile"
            left.remove(card)
        return None if len(cards) == drawn else f"expected {drawn} cards"

    def _game(self) -> Script:
        truncated = False
        try:
            yield from self._set_up()
            first = self.rules["first_player"]
            starters = self.seats if first is None else [first]  # K2
            while True:
                loser = yield from self._round(starters)
                yield from self._lose_a_life(loser)
                if self._is_decided():
                    break
                to_the_left = [(loser + k) % len(self.seats) for k in self.seats]
                choices = [f"start {seat}" for seat in to_the_left if seat in self.living]
                choice = yield from self._ask(loser, choices)  # K4: even when just eliminated
                starters = [int(choice.split()[1])]
        except Truncated:
            truncated = True
        places = self._places(truncated)
        rewards = self._rewards(places)
        yield from self._see(type="end", rewards=rewards, places=places, truncated=truncated)

    def _set_up(self) -> Script:
        self.seats = list(range(self.rules["num_players"]))
        self.living = list(self.seats)
        self.eliminated: list[int] = []  # in the order they went
        self.lives = [LIVES for _ in self.seats]
        copies = zip(RANKS, self.rules["copies"], strict=True)
        self.pile = [rank for rank, number in copies for _ in range(number)]
        self.discards: list[Card] = []
        self.table: list[Card] = []
        self.pair: list[Card] = []  # the two cards that go round
        self.face_down: list[list[Card]] = [[] for _ in self.seats]  # in the order dealt (K17)
        self.face_up: list[list[Card]] = [[] for _ in self.seats]
        self.decisions = 0
        number = self.rules["life_cards"]
        for seat in self.seats:
            if number == 0:
                yield from self._see(type="lives", seat=seat, cards=[], private=[seat])
            dealt = self.face_down[seat]
            yield from self._from_pile(dealt, number, type="lives", seat=seat, private=[seat])

    def _round(self, starters: list[int]) -> Script:
        """One round, from the start player's draw to the showing of the pair. Returns the loser."""
        event = yield Expected([{"type": "round", "start": seat} for seat in starters])
        claimant = event["start"]
        if len(self.pile) + len(self.discards) < 2:  # K6, K18
            yield from self._see(type="table_recycled", cards=len(self.table))
            self._move(self.discards, self.pile)
            self._move(self.table, self.pile)
        yield from self._from_pile(self.pair, 2, type="draw", seat=claimant, private=[claimant])
        claim = yield from self._claim(claimant, 1)
        accepts = 0
        while True:
            seat = self._left_of(claimant)
            answer = yield from self._ask(seat, self._answers(claim, accepts), [self._right_call()])
            if answer != "accept":
                break
            accepts += 1
            yield from self._see(type="look", seat=seat, cards=by_rank(self.pair), private=[seat])
            discarded = yield from self._discard(seat)
            yield from self._from_pile(self.pair, discarded, type="draw", seat=seat, private=[seat])
            claim = yield from self._claim(seat, claim)
            if discarded == 2:
                yield from self._from_pile(self.table, 2, type="reveal")
            claimant = seat

        truth = product(self.pair) == claim
        if answer == "doubt":
            loser = seat if truth else claimant
        else:
            loser = claimant if answer == self._right_call() else seat
        shown = by_rank(self.pair)
        yield from self._see(type="show", cards=shown, claim=claim, truth=truth, loser=loser)
        self._move(self.pair, self.table)
        return loser

    def _answers(self, claim: int, accepts: int) -> list[str]:
        limit = self.rules["max_accepts"]
        may_accept = limit is None or accepts < limit
        named = PAIRS
        if self.rules["see_through"] == "consistent":  # K8
            named = [pair for pair in PAIRS if product(pair) == claim]
        return ["accept"] * may_accept + ["doubt"] + [f"see {low} {high}" for low, high in named]

    def _right_call(self) -> str:
        return "see {} {}".format(*by_rank(self.pair))

    def _discard(self, seat: int) -> Script:
        """Returns how many cards were discarded."""
        low, high = by_rank(self.pair)
        choices = {"discard low": [low], "discard high": [high], "discard both": [low, high]}
        if low == high:
            del choices["discard high"]  # K9
        action = yield from self._ask(seat, choices)
        for card in choices[action]:
            self.pair.remove(card)
            self.discards.append(card)
        return len(choices[action])

    def _claim(self, seat: int, lowest: int) -> Script:
        """Returns the number claimed."""
        allowed = self.rules["claims"] or PRODUCTS
        numbers = [number for number in PRODUCTS if number in allowed and number >= lowest]
        choices = [f"claim {number}" for number in numbers]
        action = yield from self._ask(seat, choices, [f"claim {product(self.pair)}", choices[0]])
        return int(action.split()[1])

    def _lose_a_life(self, loser: int) -> Script:
        if len(self.living) == 2 and not self.rules["duel_lives"]:  # sudden death (K5, K16)
            yield from self._leave(loser)
            return
        self.lives[loser] -= 1
        hidden = self.face_down[loser]
        if self.lives[loser] < len(hidden):  # else a life without a card is spent first (K7)
            which = 0
            if len(hidden) == 2:  # K3: the last one is not asked for
                action = yield from self._ask(loser, ["flip first", "flip second"])
                which = ["flip first", "flip second"].index(action)
            yield from self._see(type="flip", seat=loser, card=hidden[which])
            self.face_up[loser].append(hidden.pop(which))
        if self.lives[loser] == 0:
            yield from self._leave(loser)

    def _leave(self, loser: int) -> Script:
        yield from self._see(type="out", seat=loser)
        self.living.remove(loser)
        self.eliminated.append(loser)

    def _is_decided(self) -> bool:
        if len(self.living) == 2 and not self.rules["duel_lives"]:
            one, other = self.living
            return self.lives[one] != self.lives[other]
        return len(self.living) == 1

    def _places(self, truncated: bool) -> list[int]:
        places = [1 for _ in self.seats]
        for gone, seat in enumerate(self.eliminated):
            places[seat] = len(self.seats) - gone
        if not truncated and len(self.living) == 2:
            places[min(self.living, key=lambda seat: self.lives[seat])] = 2  # K20
        return places

    def _rewards(self, places: list[int]) -> list[float]:
        n, winners = len(places), places.count(1)
        if self.rules["reward"] == "winner":  # K13
            lost = -1 / (n - 1)
            return [n / (winners * (n - 1)) + lost if place == 1 else lost for place in places]
        ladder = [1 - 2 * step / (n - 1) for step in range(n)]
        shared = sum(ladder[:winners]) / winners  # K20
        return [shared if place == 1 else ladder[place - 1] for place in places]

    def _left_of(self, seat: int) -> int:
        """K10: the next living seat."""
        while True:
            seat = (seat + 1) % len(self.seats)
            if seat in self.living:
                return seat

    def _see(self, **event: Any) -> Script:
        """The only event that may come now, and not of anyone's choosing."""
        yield Expected([event])

    def _ask(self, seat: int, actions: Iterable[str], tempting: Iterable[str] = ()) -> Script:
        """A decision; returns the action taken. A dict of actions has the cards that each moves."""
        if self.decisions == self.rules["max_decisions"]:
            raise Truncated
        acts: list[Event] = [{"type": "act", "seat": seat, "action": action} for action in actions]
        if isinstance(actions, dict):
            acts = [{**act, "cards": actions[act["action"]], "private": [seat]} for act in acts]
        event = yield Expected(acts, tempting=tuple(tempting))
        self.decisions += 1
        return event["action"]

    def _from_pile(self, into: list[Card], number: int, **event: Any) -> Script:
        """As many cards as there are; with none left in the pile, reshuffle first (K6, K18)."""
        while number and (self.pile or self.discards):
            if not self.pile:
                yield from self._see(type="reshuffle", cards=len(self.discards))
                self._move(self.discards, self.pile)
            drawn = (yield Expected([event], drawn=min(number, len(self.pile))))["cards"]
            for card in drawn:
                self.pile.remove(card)
            into.extend(drawn)
            number -= len(drawn)

    @staticmethod
    def _move(source: list[Card], target: list[Card]) -> None:
        target.extend(source)
        source.clear()


def same(one: Any, other: Any) -> bool:
    """Equal as JSON: 1, 1.0 and true are three different things."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def close(rewards: Any, right: list[float]) -> bool:
    try:
        return all(abs(a - b) < 1e-6 for a, b in zip(rewards, right, strict=True))
    except (TypeError, ValueError):  # not as many, or no numbers
        return False


def check_record(lines: Iterable[Event | str]) -> None:
    """Raise `RuleViolation` at the first line of a record that is not by the rules."""
    referee = Referee()
    for line in lines:
        referee.feed(line)
    if not referee.over:
        raise RuleViolation(referee.line_number + 1, "the record stops before the game ends")


def play_random(rules: dict[str, Any], seed: int) -> list[Event]:
    """A whole legal game, played at random; options not given have their defaults."""
    chance = random.Random(seed)
    patience = chance.choice([0.2, 0.6, 0.9, 0.98])
    record = [{**HEAD, "rules": {**DEFAULT_RULES, **rules}, "seed": seed}]
    referee = Referee()
    referee.feed(record[0])
    while not referee.over:
        record.append(referee.random_event(chance, patience))
        referee.feed(record[-1])
    return record


def seat_stream(record: Iterable[Event | str], seat: int) -> list[Event]:
    """What one seat sees of a record."""
    stream = []
    for line in record:
        event = json.loads(line if isinstance(line, str) else json.dumps(line))
        if event["type"] == "game":
            del event["seed"]
        if seat not in event.pop("private", [seat]):
            event["cards"] = len(event["cards"])
            if event.get("action") in ("discard low", "discard high"):
                event["action"] = "discard one"
        stream.append(event)
    return stream
