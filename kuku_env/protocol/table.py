"""One held game: whoever is asked outside decides there, and the bots at the table here."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from kuku_env.bots import ExportedPolicy
from kuku_env.core.checks import shown
from kuku_env.core.game import Policy
from kuku_env.envs.match import Match
from kuku_env.protocol.answers import act
from kuku_env.protocol.registry import Bots
from kuku_env.protocol.request import Question, read_situation
from kuku_env.protocol.wire import ProtocolError

FORMAT = 1
KEY_BYTES = 16


class Table:
    """A match with chance and bots' dice from a secret key: the same key and the same acts give the
    same game, so that one that is restored from its record goes on as it would have.

    ``sitting``: who sits at each seat, by level or name; None is an open seat, whose decisions are
    given by ``acted``. With ``asks_outside`` those of exported bots are, too. ``key`` is 16 bytes
    that nobody else may know. Raises ProtocolError for a bot that is none or does not play here.
    """

    def __init__(
        self,
        bots: Bots,
        match: Match,
        sitting: Sequence[str | None],
        key: bytes,
        *,
        asks_outside: bool = False,
    ) -> None:
        self.match, self.sitting, self.key = match, list(sitting), key
        if match.num_players != len(self.sitting) or None not in self.sitting:
            words = f"given {len(self.sitting)}, needed: {match.num_players}, of which one is null"
            raise ProtocolError("wrong_rules", words, "seats")
        self.bots: dict[int, Policy] = {
            seat: bots.seated(match.game, name, match.options, f"seats[{seat}]")
            for seat, name in enumerate(sitting)
            if name is not None
        }
        self.open = [seat for seat, name in enumerate(sitting) if name is None]
        self._outside = {
            *self.open,
            *(
                s
                for s, bot in self.bots.items()
                if asks_outside and isinstance(bot, ExportedPolicy)
            ),
        }
        self.dice = int.from_bytes(self._hash(b"dice")) >> 11  # 53 bits
        acts = [event for event in match.events() if event["type"] == "act"]
        # The number of the decision that is waited for: how many were given before. What anybody
        # else did is not counted, as it might be hidden.
        self.decision = sum(event["seat"] in self._outside for event in acts)
        self._play_on(match)

    def about(self) -> dict[str, Any]:
        """What is saved beside the record."""
        return {"format": FORMAT, "sitting": self.sitting, "key": self.key.hex()}

    # ---------------------------------------------------------------- what happens

    def acted(self, decision: int, action: str, seat: int | None = None) -> Match:
        """The match after an act and all that follows it up to the next question, for ``take``;
        until then this table stays as it is. ``seat`` is who is meant to act, if it is told.

        Raises ProtocolError (stale, illegal_action).
        """
        waited = self.decision
        if decision != waited:
            state = "has been made" if decision < waited else "is not there yet"
            words = f"decision {decision} {state}; decision {waited} is waited for"
            raise ProtocolError("stale", words, "decision")
        if self.match.over:
            raise ProtocolError("illegal_action", "the game is over")
        if seat not in (None, self.match.to_act):
            words = f"given seat {seat}, but seat {self.match.to_act} decides"
            raise ProtocolError("illegal_action", words, "seat")
        legal = self.match.view(self.match.to_act)["legal"]
        if action not in legal:
            words = f"given {shown(action)}, allowed: {', '.join(legal)}"
            raise ProtocolError("illegal_action", words, "action")
        match = self.match.clone()
        match.act(action)
        self._play_on(match)
        return match

    def take(self, match: Match) -> None:
        """Go on with the match after an act."""
        self.match = match
        self.decision += 1

    def _play_on(self, match: Match) -> None:
        """Chance and the bots here decide up to the next question or the end."""
        while not match.over:
            if match.at_chance:
                match.resolve(self._outcome(match))
            elif match.to_act in self._outside:
                break
            else:
                situation = read_situation({"view": match.view(match.to_act)})
                question = Question(None, None, self.dice, 1.0, "en")
                match.act(act(self.bots[match.to_act], situation, question)["action"])

    def _outcome(self, match: Match) -> int:
        roll = (int.from_bytes(self._hash(b"%d" % len(match.moves))) >> 11) * 2.0**-53
        outcomes = match.chance_outcomes()
        for outcome, probability in outcomes:
            roll -= probability
            if roll < 0:
                return outcome
        return outcomes[-1][0]

    def _hash(self, what: bytes) -> bytes:
        return hashlib.blake2b(what, key=self.key, digest_size=8).digest()

    # ---------------------------------------------------------------- what is told

    def update(self, seat: int | None = None) -> dict[str, Any]:
        """What an open seat may know: its view and stream; the record after the end.

        None: the seat that decides. Raises ProtocolError for a seat that is not open.
        """
        match = self.match
        if seat is None:
            seat = match.to_act if match.to_act in self.open else self.open[0]
        elif seat not in self.open:
            words = f"given {seat}, allowed: {', '.join(map(str, self.open))}"
            raise ProtocolError("bad_json", words, "seat")
        told = {
            "decision": self.decision,
            "sitting": self.sitting,
            "view": match.view(seat),
            "events": match.stream(seat),
        }
        return {**told, "record": match.events()} if match.over else told
