"""Cards that are hidden from a seat change places, and no reply to that seat changes.

The exchanges are those of test_secrecy.py and test_swaps.py, which try every other channel.
"""

import json
import random
from itertools import islice, product

import pytest
from asking import SERVICE
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from test_secrecy import MOMENTS, TABLES, Trace, at_moment, chosen
from test_swaps import every_swapping_game, moved_on
from variety import hidden_swaps, tables_of

from kuku_env.bots import bot_names
from kuku_env.envs.records import replay

# What is wrong with a request, so that errors are compared too.
WRONG = ({}, {"bot": "nobody"}, {"seed": -1}, {"lang": "ja", "temperature": 0}, {"more": 1})


def replies(match, seat):
    """All that the protocol says to a seat's questions, good ones and bad ones, by question."""
    known = {"view": match.view(seat), "events": match.stream(seat)}
    found = {}
    for form, content in known.items():
        for op in ("act", "advise"):
            for bot, wrong in product(bot_names(match.game), WRONG):
                request = {"id": 1, "op": op, "bot": bot, form: content, "seed": 3, **wrong}
                line = json.dumps(request).encode()
                found[form, op, bot, str(wrong)] = SERVICE.reply_to_line(line)
        spoilt = json.dumps({"op": "act", form: content}).encode().replace(b'"cards"', b'"card"')
        found[form, "spoilt"] = SERVICE.reply_to_line(spoilt.replace(b'"hand"', b'"hands"'))
    return found


@settings(max_examples=40, deadline=None)
@given(
    rules=st.sampled_from(TABLES),
    seed=st.integers(0, 10_000),
    moves=st.integers(0, 100),
    moment=st.sampled_from(list(MOMENTS)),
    mine=st.booleans(),
)
def test_replies_do_not_depend_on_hidden_cards(rules, seed, moves, moment, mine):
    match = at_moment(rules, seed, moves, moment)
    seat = match.to_act if mine and match.to_act >= 0 else seed % match.num_players
    trace = Trace(match.events())
    exchanges = chosen(trace, seat, random.Random(seed))
    assume(exchanges)
    received = replies(match, seat)
    for exchange in exchanges[:2]:
        other = replay(trace.exchanged(*exchange))
        assert other.events() != match.events()
        assert replies(other, seat) == received


@every_swapping_game
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), moves=st.integers(0, 80), data=st.data())
def test_replies_of_every_game_do_not_depend_on_hidden_cards(game, seed, moves, data):
    match = moved_on(game, data.draw(st.sampled_from(tables_of(game))), seed, moves)
    assume(not match.over)
    received = replies(match, match.to_act)
    for other in islice(hidden_swaps(match, match.to_act), 2):
        assert replies(other, match.to_act) == received


def test_questions_are_answered_and_a_leak_would_be_seen():
    """Otherwise the test above would prove nothing."""
    answered, told_apart = 0, 0
    for seed in range(40):
        match = at_moment(TABLES[seed % 5], seed, seed, "any")
        if match.to_act < 0:
            continue
        seat, other_seat = match.to_act, (match.to_act + 1) % match.num_players
        received = replies(match, seat)
        answered += any(b'"action"' in reply for reply in received.values())
        trace = Trace(match.events())
        for exchange in chosen(trace, other_seat, random.Random(seed))[:1]:
            other = replay(trace.exchanged(*exchange))
            told_apart += replies(other, seat) != received
    assert answered > 10
    assert told_apart > 3


@pytest.mark.parametrize("form", ["view", "events"])
def test_errors_repeat_no_more_than_was_sent(form):
    """A message shows at most a short piece of what is wrong."""
    match = at_moment(TABLES[2], 5, 8, "any")
    content = match.view(0) if form == "view" else match.stream(0)
    secret = "secret" * 50_000
    line = json.dumps({"op": "act", form: {"game": secret, "content": content}}).encode()
    assert len(SERVICE.reply_to_line(line)) < 1500
