"""One player's game against bots, played on until the player decides."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from kuku_env.bots import ExportedPolicy
from kuku_env.core.checks import shown
from kuku_env.core.game import Policy
from kuku_env.envs.match import Match
from kuku_env.protocol import ProtocolError
from kuku_env.protocol.answers import act, advise
from kuku_env.protocol.request import Question, read_situation
from kuku_env.web.house import SEAT, House

FORMAT = 1
KEY_BYTES = 16


class Table:
    """A match with chance and bots' dice from a secret key: the same key and the same acts give the
    same game, so that one that is restored from its record goes on as it would have.

    ``sitting``: who sits at each seat, by level or name; None is the player. ``key`` is 16 bytes
    that nobody else may know. Raises ProtocolError for a bot that is none or does not play here.
    """

    def __init__(
        self, house: House, match: Match, sitting: Sequence[str | None], key: bytes
    ) -> None:
        self.house, self.match, self.sitting, self.key = house, match, list(sitting), key
        self.bots: dict[int, Policy] = {
            seat: house.checked_bot(name, match.options)
            for seat, name in enumerate(sitting)
            if name is not None
        }
        if match.num_players != len(self.sitting) or SEAT in self.bots:
            raise ProtocolError("wrong_rules", "the seats do not fit the game", "bots")
        self._dice = int.from_bytes(self._hash(b"dice")) >> 11  # 53 bits

    def about(self) -> dict[str, Any]:
        """What is saved beside the record."""
        return {"format": FORMAT, "sitting": self.sitting, "key": self.key.hex()}

    # ---------------------------------------------------------------- what happens

    @property
    def decision(self) -> int:
        """The number of the decision that is waited for: the acts so far that the player saw."""
        return _acts(self.match.stream(SEAT))

    def acted(self, decision: int, action: str, seat: int = SEAT) -> Match:
        """The match after an act and all that follows it up to the next question; this table stays
        as it is. Raises ProtocolError (stale, illegal_action)."""
        waited = self.decision
        if decision != waited:
            words = f"decision {decision} has been made; decision {waited} is waited for"
            if decision > waited:
                words = f"decision {decision} is not there yet; decision {waited} is waited for"
            raise ProtocolError("stale", words, "decision")
        if self.match.over:
            raise ProtocolError("illegal_action", "the game is over")
        if seat != self.match.to_act:
            words = f"given seat {seat}, but seat {self.match.to_act} decides"
            raise ProtocolError("illegal_action", words, "seat")
        legal = self.match.view(seat)["legal"]
        if action not in legal:
            words = f"given {shown(action)}, allowed: {', '.join(legal)}"
            raise ProtocolError("illegal_action", words, "action")
        match = self.match.clone()
        match.act(action)
        return self.played_on(match)

    def played_on(self, match: Match) -> Match:
        """Chance and the bots of the server decide up to the next question or the end."""
        while not match.over:
            if match.at_chance:
                match.resolve(self._outcome(match))
            elif match.to_act == SEAT or self._is_asked_elsewhere(match.to_act):
                break
            else:
                situation = read_situation({"view": match.view(match.to_act)})
                question = Question(None, None, self._dice, 1.0, "en")
                match.act(act(self.bots[match.to_act], situation, question)["action"])
        return match

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

    def _is_asked_elsewhere(self, seat: int) -> bool:
        return self.house.in_browser and isinstance(self.bots[seat], ExportedPolicy)

    # ---------------------------------------------------------------- what is told

    def update(self) -> dict[str, Any]:
        """What the player may know: their view and seat stream; the record after the end."""
        match, stream = self.match, self.match.stream(SEAT)
        told = {
            "decision": _acts(stream),
            "view": match.view(SEAT),
            "events": stream,
            "sitting": self.sitting,
            "advice": match.to_act == SEAT,
        }
        if match.over:
            told["record"] = match.events()
        elif match.to_act != SEAT:  # only with bots in the browser, which is asked for by option
            bot = f"bots/{quote(self.bots[match.to_act].name, safe='')}"
            told["ask"] = {"seat": match.to_act, "bot": bot, "view": match.view(match.to_act)}
        return told

    def hint(self, lang: str) -> dict[str, Any]:
        """What the best bot that plays here would do, from the player's view alone.

        Raises ProtocolError (illegal_action) where the player has nothing to decide.
        """
        situation = read_situation({"view": self.match.view(SEAT)})
        bot = self.house.bots.best(self.house.game, self.match.options)
        return advise(bot, situation, Question(None, None, self._dice, 1.0, lang))


def _acts(stream: Sequence[Mapping[str, Any]]) -> int:
    return sum(event["type"] == "act" for event in stream)
