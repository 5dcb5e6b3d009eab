"""Views: the generic encoder writes what the compiled one does, a seat stream alone gives the same
view, malformed input is an error with its path, and every field reaches its limit."""

import copy
import json
import pickle
import random
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kuku_doubt_tables import TABLES
from tables import GAME, LAYOUT, play, random_game, random_match
from test_referee import example

from kuku_env.core.checks import ViewError
from kuku_env.core.encoder import ViewEncoder
from kuku_env.core.layout import ActionBlock, Field, Layout
from kuku_env.envs.match import Match
from kuku_env.envs.records import replay
from kuku_env.games.kuku_doubt import state as r
from kuku_env.games.kuku_doubt.cards import CARD_NAMES, CLAIMS

ENCODER = ViewEncoder(json.loads(json.dumps(LAYOUT.to_json())))  # from nothing but JSON
view_of_stream = GAME.telling.view_of_stream


def same_for_all_seats(match):
    """Whether it is its turn or not, a seat's view encodes as the compiled observation and mask."""
    for seat in range(match.num_players):
        view = json.loads(json.dumps(match.view(seat)))
        observation, mask = match.observe(seat)
        np.testing.assert_array_equal(ENCODER.observation(view), observation)
        np.testing.assert_array_equal(ENCODER.action_mask(view), mask)
        assert view["legal"] == [
            GAME.telling.action_text(a, seat, match.num_players) for a in np.flatnonzero(mask)
        ]


# ---- the same bytes -----------------------------------------------------------------------------


def test_types_of_what_is_encoded():
    view = random_match({}, 1, 9).view(0)
    assert ENCODER.observation(view).dtype == ENCODER.action_mask(view).dtype == np.int8
    assert ENCODER.observation(view).shape == (LAYOUT.size,)


@pytest.mark.parametrize("stop", [7, 8, 10, 12, 13, 15, 17, 19, 21, 23, 26, 27, 31, 34, 35, 39])
def test_the_rulebooks_example_as_each_seat_sees_it(stop):
    match = replay(example()[: stop - 1])
    for seat in range(3):
        assert view_of_stream(match.stream(seat)) == match.view(seat)
    same_for_all_seats(match)


# ---- malformed views ----------------------------------------------------------------------------


def a_view():
    """Seat 1 of the example holds 4 and 6, has discarded nothing and is asked what to discard."""
    return replay(example()[:9]).view(1)


def changed(json_value, path, value):
    """A copy with another value at a path such as ``claims/0/number`` ('-' takes the key away)."""
    twin = copy.deepcopy(json_value)
    *way, last = [int(part) if part.isdigit() else part for part in path.split("/")]
    inner = twin
    for part in way:
        inner = inner[part]
    if value == "-":
        del inner[last]
    else:
        inner[last] = value
    return twin


def fails(action, field, words=""):
    with pytest.raises(ViewError) as caught:
        action()
    assert caught.value.field == field, caught.value
    assert words in caught.value.message
    assert str(caught.value) == f"{field}: {caught.value.message}"


@pytest.mark.parametrize(
    ("path", "value", "field", "words"),
    [
        ("format", 2, "format", "given 2, allowed: 1"),
        ("format", True, "format", "given True"),
        ("game", "kuku/Doubt-v0", "game", "allowed: 'kuku/KukuDoubt-v0'"),
        ("seat", 3, "seat", "an integer from 0 to 2"),
        ("seat", None, "seat", ""),
        ("seats", [], "seats", "rules.num_players is 3"),
        ("seats", {}, "seats", "a list is needed"),
        ("rules", 7, "rules", "an object is needed"),
        ("rules", "-", "rules", "is missing"),
        ("rules/num_players", 4, "seats", "given 3, where rules.num_players is 4"),
        ("rules/num_players", "3", "rules.num_players", "an integer"),
        ("rules/copies", [1, 2], "rules.copies", "given 2 entries, 10 are needed"),
        ("rules/copies/3", -1, "rules.copies[3]", "given -1, an integer of at least 0 is needed"),
        ("rules/duel_lives", 1, "rules.duel_lives", "allowed: False, True"),
        ("rules/reward", "money", "rules.reward", "'placement', 'winner'"),
        ("phase", "wait", "phase", "given 'wait', allowed: 'respond'"),
        ("to_act", 3, "to_act", "given 3, an integer from 0 to 2"),
        ("to_act", True, "to_act", "given True"),
        ("hand", [4, 10], "hand[1]", "given 10, allowed: 'L', 1, 2"),
        ("hand", [4, 6.0], "hand[1]", "given 6.0"),
        ("hand", "46", "hand", "a list is needed"),
        ("lives", [1, 2, 3], "lives", "a list of at most 2 is needed"),
        ("lives", "-", "lives", "is missing"),
        ("lives", None, "lives", "given None"),
        ("seats/2/lives", None, "seats[2].lives", ""),
        ("seats/2/face_up", ["M"], "seats[2].face_up[0]", ""),
        ("seats/2/record", "-", "seats[2].record", "is missing"),
        ("seats/2/record/accepts", -1, "seats[2].record.accepts", "at least 0"),
        ("seats/2/record/wins", 1, "seats[2].record", "given 'wins'"),
        ("seats/0", 5, "seats[0]", "an object is needed"),
        ("claims/0/number", 11, "claims[0].number", "given 11, allowed: 1, 2, 3"),
        ("claims/0/seat", 3, "claims[0].seat", "from 0 to 2"),
        ("claims/0/discarded", 3, "claims[0].discarded", "allowed: 0, 1, 2"),
        ("claims/0/saw", [1, 2, 3], "claims[0].saw", "at most 2"),
        ("claims", {}, "claims", "a list is needed"),
        ("table", {"10": 1}, "table", "given '10'"),
        ("table", {"3": -1}, "table.3", "at least 0"),
        ("my_discards", None, "my_discards", "a list is needed"),
        ("pile", 2.5, "pile", "given 2.5"),
        ("sudden_death", "-", "sudden_death", "is missing"),
        ("accepts_left", -1, "accepts_left", "at least 0"),
    ],
)
def test_a_malformed_view_is_an_error_with_its_path(path, value, field, words):
    view = changed(a_view(), path, value)
    fails(lambda: ENCODER.observation(view), field, words)


@pytest.mark.parametrize("view", [None, [], "view", 3])
def test_what_is_no_object_is_no_view(view):
    fails(lambda: ENCODER.observation(view), "view", "an object is needed")
    fails(lambda: ENCODER.action_mask(view), "view", "an object is needed")


@pytest.mark.parametrize(
    ("legal", "field"),
    [
        (None, "legal"),
        (["accept", 5], "legal[1]"),
        (["discard"], "legal[0]"),
        (["start {1}"], "legal[0]"),
        (["start 3"], "legal[0]"),
        (["start {5}"], "legal[0]"),
        ([["accept"]], "legal[0]"),
    ],
)
def test_malformed_legal_actions(legal, field):
    fails(lambda: ENCODER.action_mask({**a_view(), "legal": legal}), field)


def test_seats_in_texts_are_relative_to_the_observer():
    view = {**a_view(), "legal": ["start 0", "start 1"]}
    places = np.flatnonzero(ENCODER.action_mask(view)) - LAYOUT.start("start")
    assert places.tolist() == [0, 2]  # seat 1 is I, seat 0 two places to my left
    assert [GAME.telling.action_id(text, 1, 3) for text in view["legal"]] == [
        LAYOUT.start("start") + 2,
        LAYOUT.start("start"),
    ]
    with pytest.raises(ValueError, match="no action"):
        GAME.telling.action_id("start {1}", 1, 3)


def test_what_is_null_or_saturates():
    view = a_view()
    cells = LAYOUT.unpack(ENCODER.observation({**view, "hand": None, "to_act": None}))
    assert not cells["hand"].any()
    assert not cells["to_act"].any()
    view["table"], view["pile"], view["claims_made"] = {"3": 10**30}, 10**30, 21
    view["seats"][2]["record"]["accepts"] = 20.0
    fails(lambda: ENCODER.observation(view), "seats[2].record.accepts")
    view["seats"][2]["record"]["accepts"] = 300
    cells = LAYOUT.unpack(ENCODER.observation(view))
    assert cells["table"].max() == 4
    assert cells["pile"] == [40]
    assert cells["claims_made"] == [20]
    assert cells["record"][:3, -1].tolist() == [1, 20, 0]  # seat 1's own first


def test_a_field_of_every_kind():
    """The vocabulary of ``Field``, on a layout of a game that there is not."""
    fields = (
        Field("scalar", (1,), 5, "a.b", "scalar", ""),
        Field("flag", (1,), 1, "flag?", "flag", ""),
        Field("one_hot", (2,), 1, "word", "one_hot", "", ("x", "y", "z")),
        Field("cell", (3,), 1, "cell", "cell", ""),
        Field("seat", (4,), 1, "to_act", "seat", ""),
        Field("count", (2,), 2, "cards", "count", "", ("x", "y")),
        Field("index", (3,), 9, "cards", "index", "", ("x", "y")),
        Field("each", (3, 2), 1, "cards", "each_one_hot", "", ("x", "y")),
        Field("vector", (2,), 9, "pair", "vector", ""),
        Field("product", (3,), 1, "pair", "product", "", (1, 2, 4)),
        Field("of_seats", (4, 1), 9, "seats[relative].n", "scalar", ""),
        Field("newest", (2,), 9, "list[newest].n", "scalar", ""),
        Field("oldest", (2,), 9, "list[oldest].n", "scalar", ""),
        Field("last", (2,), 9, "list[-1].pair?", "vector", ""),
    )
    actions = (ActionBlock("go", ("go {0}", "go {1}", "go {2}"), ""),)
    encoder = ViewEncoder(Layout("g", 1, fields, actions).to_json())
    view = {"format": 1, "game": "g", "rules": {"num_players": 2}, "seat": 1, "to_act": 0}
    view |= {"a": {"b": 7}, "word": "z", "cell": 5, "cards": ["y", "y", "x"], "pair": [1, 2]}
    view |= {"seats": [{"n": 3}, {"n": 4}], "list": [{"n": 1}, {"n": 2}, {"n": 3}], "legal": []}
    cells = [5, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 2, 2, 2, 1, 0, 1, 0, 1, 1, 0]
    cells += [1, 2, 0, 1, 0, 4, 3, 0, 0, 3, 2, 1, 2, 0, 0]
    assert encoder.observation(view).tolist() == cells
    field = Field("product", (2,), 1, "pair?", "product", "", (1, 2))
    pairs = ViewEncoder(Layout("g", 1, (field,)).to_json())
    for pair in (None, [], [2], [1, 3], ["L", 2], [1, 2, 1]):
        assert pairs.observation({**view, "pair": pair}).tolist() == [0, 0]
    assert pairs.observation({**view, "pair": [2, 1]}).tolist() == [0, 1]
    view |= {"flag": True, "word": "y", "cell": 2, "cards": {"x": 1, "y": 9}, "list": []}
    fails(lambda: encoder.observation(view), "cards", "a list of at most 3 is needed")
    assert encoder.action_mask({**view, "legal": ["go 0"]}).tolist() == [0, 1, 0]
    fails(lambda: encoder.action_mask({**view, "legal": ["go {2}"]}), "legal[0]")


def test_the_error_is_an_ordinary_one():
    error = pickle.loads(pickle.dumps(ViewError("claims[2].number", "given 11")))
    assert isinstance(error, ValueError)
    assert (error.field, str(error)) == ("claims[2].number", "claims[2].number: given 11")
    long = {**a_view(), "phase": "x" * 100_000}
    with pytest.raises(ViewError) as caught:
        ENCODER.observation(long)
    assert len(str(caught.value)) < 300


# ---- malformed streams --------------------------------------------------------------------------


def test_a_stream_must_stop_where_somebody_decides():
    stream = replay(example()).stream(1)
    decided = {number for number, event in enumerate(stream) if event["type"] == "act"}
    for count in range(len(stream)):
        if count in decided:
            assert view_of_stream(stream[:count])["to_act"] == stream[count]["seat"]
        else:
            fails(lambda count=count: view_of_stream(stream[:count]), f"events[{count}]", "missing")
    assert view_of_stream(stream)["to_act"] is None
    fails(lambda: view_of_stream([*stream, stream[-1]]), "events[38]", "the game is over")
    fails(lambda: view_of_stream([]), "events[0]", "'game'")


@pytest.mark.parametrize(
    ("path", "value", "field", "words"),
    [
        ("0/type", "lives", "events[0].type", "allowed: 'game'"),
        ("0/format", 2, "events[0].format", ""),
        ("0/game", "chess", "events[0].game", ""),
        ("0/rules", None, "events[0].rules", "an object is needed"),
        ("0/rules/claims", "-", "events[0].rules.claims", "is missing"),
        ("0/rules/jokers", 2, "events[0].rules", "given 'jokers'"),
        ("0/rules/num_players", 7, "events[0].rules.num_players", "given 7"),
        ("0/rules/copies", [0] * 10, "events[0].rules.copies", "at least 8 cards"),
        ("1", None, "events[1]", "an event is an object"),
        ("1", {}, "events[1].type", "is missing"),
        ("1/seat", 1, "events[1].seat", "allowed: 0"),
        ("1/cards", [1, 2], "events[2].cards", "seat 0 cannot see these cards"),
        ("1/cards", 3, "events[1].cards", "given 3, allowed: 2"),
        ("2/cards", 2, "events[3].cards", "no seat's life cards"),
        ("2/cards", [1], "events[2].cards", "given 1 cards, 2 are needed"),
        ("2/cards", [1, 0], "events[2].cards[1]", "given 0"),
        ("4/start", 3, "events[4].start", "allowed: 0, 1, 2"),
        ("5/cards", [4, 6], "events[5].cards", "allowed: 2"),
        ("6/type", "draw", "events[6].type", "allowed: 'act'"),
        ("6/action", "claim 11", "events[6].action", "given 'claim 11'"),
        ("6/seat", 1, "events[6].seat", "allowed: 0"),
        ("7/action", "-", "events[7].action", "is missing"),
        ("8/cards", 2, "events[8].cards", "a list is needed"),
        ("9/action", "discard one", "events[9].action", "'discard low', 'discard high'"),
        ("9/action", "discard high", "events[9].cards", "[6] were discarded"),
        ("11/action", "claim 21", "events[11].action", "allowed: 'claim 24'"),
        ("14/action", "discard low", "events[14].action", "'discard one', 'discard both'"),
        ("17/cards", [2], "events[17].cards", "2 are needed"),
        ("19/claim", 36, "events[19].claim", "allowed: 45"),
        ("19/truth", True, "events[19].truth", "allowed: False"),
        ("19/loser", 0, "events[19].loser", "allowed: 2"),
        ("20/action", "flip third", "events[20].action", ""),
        ("21/seat", 1, "events[21].seat", ""),
        ("22/action", "start 3", "events[22].action", ""),
        ("23/start", 0, "events[23].start", "allowed: 2"),
        ("29/seat", 1, "events[29].seat", ""),
        ("30/action", "start 2", "events[30].action", "allowed: 'start 0', 'start 1'"),
        ("37/truncated", 0, "events[37].truncated", ""),
    ],
)
def test_a_malformed_stream_is_an_error_that_names_the_event(path, value, field, words):
    stream = changed(replay(example()).stream(1), path, value)
    fails(lambda: view_of_stream(stream), field, words)


JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["", "L", "3", "act", "accept", "discard one", "claim 36", "respond"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "seat", "cards", "number", "L", "3"]), inner)
    ),
    max_leaves=4,
)


def with_junk(data, json_value):
    """A copy where one value, or key, somewhere is something else."""
    twin = copy.deepcopy(json_value)
    inner = twin
    while True:
        keys = sorted(inner) if isinstance(inner, dict) else range(len(inner))
        if not keys:
            return twin
        key = data.draw(st.sampled_from(keys))
        if isinstance(inner[key], dict | list) and data.draw(st.booleans()):
            inner = inner[key]
            continue
        if data.draw(st.booleans()):
            inner[key] = data.draw(JUNK)
        else:
            del inner[key]
        return twin


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_junk_in_views_and_streams_is_never_another_error(data):
    rules = data.draw(st.sampled_from(TABLES))
    match = random_match(rules, data.draw(st.integers(0, 9)), data.draw(st.integers(0, 40)))
    seat = data.draw(st.integers(0, match.num_players - 1))
    view, stream = with_junk(data, match.view(seat)), with_junk(data, match.stream(seat))
    for action in (
        lambda: ENCODER.observation(view),
        lambda: ENCODER.action_mask(view),
        lambda: view_of_stream(stream),
    ):
        error = error_of(action)
        assert error is None or error.field.startswith(KNOWN_PATHS), error.field


KNOWN_PATHS = tuple(
    {"events[", "view", "format", "game", "rules", "seat", "legal"}
    | {re.match(r"\w+", field.source)[0] for field in LAYOUT.fields}
)


def error_of(action):
    try:
        action()
    except ViewError as error:
        return error
    return None


# ---- limits -------------------------------------------------------------------------------------


def test_every_field_reaches_its_limit():
    """In play, and where no game gets so far, in a record that was written by hand."""
    most = dict.fromkeys((field.name for field in LAYOUT.fields), 0)
    full = [4] * 10
    for rules in TABLES:
        for match in random_game(rules, 0, explicit=True):
            reached(most, match)
    for seed in range(6):  # long rounds, where nobody doubts
        options = {"num_players": 2 + seed % 2, "copies": full, "life_cards": 0}
        match = Match(GAME, explicit_chance=True, **options, claims=[81])
        for _ in play(match, random.Random(seed), patience=1.0, moves=300):
            reached(most, match)
    for seed in range(6):  # pairs and lives of one rank
        match = Match(GAME, explicit_chance=True, num_players=3, copies=[4] + [0] * 8 + [4])
        for _ in play(match, random.Random(seed), patience=0.5):
            reached(most, match)
    played = {name for name, value in most.items() if value == limit(name)}
    match = random_match({"num_players": 6, "copies": full}, 1, 30)
    match.record.pile_size = match.record.box_size = 40
    match.record.tallies[:] = 20
    reached(most, match)
    same_for_all_seats(match)
    assert {name: value for name, value in most.items() if value != limit(name)} == {}
    assert set(most) - played <= {"pile", "discards"}
    assert (LAYOUT.unpack(match.observe(0)[0])["record"] == limit("record")).all()


def limit(name):
    return next(field.high for field in LAYOUT.fields if field.name == name)


def reached(most, match):
    for seat in range(match.num_players):
        cells = LAYOUT.unpack(match.observe(seat)[0])
        for name, value in cells.items():
            most[name] = max(most[name], int(value.max()))


def test_counts_past_their_limits_saturate_and_histories_forget_the_oldest():
    match = random_match({"num_players": 6}, 2, 30)
    for claims in (11, 12, 13, 20, 21, 1000, 40_000):
        match.record.claims_made = claims
        match.record.claims[:, r.BY] = np.arange(12) % 6
        match.record.claims[:, r.NUMBER] = np.arange(12)
        match.record.claims[:, r.SAW :] = 3
        same_for_all_seats(match)
        cells = LAYOUT.unpack(match.observe(0)[0])
        assert cells["claims_made"] == [min(claims, 20)]
        newest = [CLAIMS[(claims - 1 - k) % 12] for k in range(min(claims, 12))]
        assert cells["claim_numbers"].tolist()[:11] == newest[:11]


def test_a_round_may_be_longer_than_anyone_remembers():
    """Claims are counted past 32,767: nobody has to end a round."""
    match = random_match({"num_players": 2, "max_decisions": 1_000_000}, 1, 0)
    accept, low, claim = (
        GAME.telling.action_id(t, 0, 2) for t in ("accept", "discard low", "claim 81")
    )
    match.record.claims_made, match.record.accepts = 32_760, 32_760
    for _ in range(20):
        for action in (claim, accept, low):
            match.step(action)
    assert match.record.claims_made == 32_780
    assert match.view(0)["seats"][0]["record"]["accepts"] == 10
    same_for_all_seats(match)


def test_every_card_claim_and_pair_has_its_place():
    match = random_match({"num_players": 2}, 1, 0)
    for rank, card in enumerate(CARD_NAMES):
        match.record.life[0] = rank
        view = match.view(0)
        assert view["lives"] == [card, card]
        lives = LAYOUT.unpack(ENCODER.observation(view))["life_cards"]
        assert [np.flatnonzero(row).tolist() for row in lives] == [[rank], [rank]]
