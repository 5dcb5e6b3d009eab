"""A table for the tests of the page: one game at a time, JSON lines, bots in the other seats.

    {"op": "new", "players": 3, "seat": 1, "seed": 7}
    {"op": "act", "decision": 0, "action": "accept"}
    {"op": "now"}
    {"op": "choices"}

are answered with an update (web/play/src/transport.ts) or with {"error": {"code", "message"}}.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np

from kuku_env.bots import make_policy
from kuku_env.envs.match import Match

CHOICES = {"players": [2, 3, 4, 5, 6], "default_players": 3, "bots": [["selfplay"]], "start": False}
BOT = make_policy("selfplay", "kuku-doubt")


class Table:
    def __init__(self, players: int, seat: int, seed: int) -> None:
        self.match = Match("kuku-doubt", num_players=players, seed=seed)
        self.seat = seat % players
        self.chance = np.random.default_rng(seed)
        self.play_on()

    def play_on(self) -> None:
        """The bots play up to the next decision of the player's."""
        match = self.match
        while not match.over and match.to_act != self.seat:
            observation, mask = match.observe(match.to_act)
            chances = BOT.probabilities(observation[None], mask[None])[0].astype(float)
            match.step(int(self.chance.choice(len(chances), p=chances / chances.sum())))

    def act(self, decision: int, action: str) -> None:
        if decision != len(self.match.moves):
            raise Refused("stale", "that decision has been made")
        try:
            self.match.act(action)
        except ValueError as error:
            raise Refused("illegal_action", str(error)) from None
        self.play_on()

    def update(self) -> dict[str, Any]:
        match = self.match
        update = {
            "decision": len(match.moves),
            "view": match.view(self.seat),
            "events": match.stream(self.seat),
            "bot": "bots/selfplay",
        }
        return update | ({"record": match.events()} if match.over else {})


class Refused(Exception):
    def __init__(self, code: str, message: str) -> None:
        self.reply = {"error": {"code": code, "message": message}}


def main() -> None:
    table = Table(2, 0, 0)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if request["op"] == "new":
                table = Table(request["players"], request["seat"], request["seed"])
            elif request["op"] == "act":
                table.act(request["decision"], request["action"])
            reply = CHOICES if request["op"] == "choices" else table.update()
        except Refused as refused:
            reply = refused.reply
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
