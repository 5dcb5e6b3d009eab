"""Questions for the bot protocol, made from random games: what several test files use."""

import json
import random

from kuku_env.envs.match import Match
from kuku_env.games import find_game
from kuku_env.protocol import Bots, Service

KUKU = find_game("kuku-doubt")
SERVICE = Service(Bots())


def random_match(seed, game=KUKU, moves=None, patience=0.6, **options):
    """A match in which somebody is asked, after so many random moves or fewer."""
    match, chance = Match(game, seed=seed, **options), random.Random(seed)
    while match.over:  # some deals end at once
        match.deal(chance.randrange(10**6))
    count = chance.randrange(25) if moves is None else moves
    while len(match.moves) < count:
        before, legal = match.clone(), match.legal_actions()
        match.step(legal[0] if chance.random() < patience else chance.choice(legal))
        if match.over:
            return before
    return match


def asked(match, op="act", **more):
    """A request for the seat that is to act, by its view."""
    return {"id": 1, "op": op, "view": match.view(match.to_act), **more}


def asked_by_stream(match, op="act", **more):
    return {"id": 1, "op": op, "events": match.stream(match.to_act), **more}


def ask(request, service=SERVICE):
    """The reply, as it comes through the wire."""
    line = service.reply_to_line(json.dumps(request).encode())
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    return json.loads(line.decode("utf-8"), parse_constant=lambda word: 1 / 0)


def code_of(request, service=SERVICE):
    reply = ask(request, service)
    assert set(reply) == {"id", "error"}, reply
    assert set(reply["error"]) <= {"code", "field", "message"}
    assert reply["error"]["message"]
    return reply["error"]["code"], reply["error"].get("field")
