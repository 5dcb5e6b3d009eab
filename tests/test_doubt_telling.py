"""Doubt in JSON: one whole game to the letter, what each seat reads of it, and what is refused."""

import copy

import pytest
from jsonschema import Draft202012Validator

from kuku_env.core.checks import ViewError
from kuku_env.envs.match import Match
from kuku_env.envs.records import RecordError, replay, schema
from kuku_env.games import find_game
from kuku_env.games.doubt.cards import CARD_NAMES, RANK_NAMES
from kuku_env.games.doubt.layout import TALLIES
from kuku_env.games.doubt.options import Options

GAME = find_game("doubt")
RULES = Match(
    GAME, num_players=3, ranks=3, suits=3, max_play=3, hand_limit=3, call_order="random"
).rules()


def to_seat(kind, seat, *cards):
    return {"type": kind, "seat": seat, "cards": list(cards), "private": [seat]}


def act(seat, action, *cards):
    event = {"type": "act", "seat": seat, "action": action}
    if cards:
        event["cards"] = list(cards)
    return event if action == "doubt" else {**event, "private": [seat]}


def ask(seat):
    return {"type": "ask", "seat": seat, "private": [seat]}


def turn(seat, number):
    return {"type": "turn", "seat": seat, "number": number}


def example():
    """Three players, nine cards, limit three: a lie, a wrong doubt that costs a seat the game, a
    new pile of what was set aside, and a last play that nobody doubts."""
    return [
        {"type": "game", "format": 1, "game": "kuku/Doubt-v0", "rules": {**RULES}, "seed": 7},
        {"type": "start", "seat": 0},
        to_seat("deal", 0, "A", "2", "2"),
        to_seat("deal", 1, "2", "3", "3"),
        to_seat("deal", 2, "A", "A", "3"),
        turn(0, "A"),
        act(0, "add 2"),
        act(0, "put down", "2"),
        ask(1),
        act(1, "doubt"),
        {"type": "show", "cards": ["2"], "number": "A", "truth": False, "loser": 0},
        to_seat("take", 0, "2"),
        turn(1, "2"),
        act(1, "add 3"),
        act(1, "put down", "3"),
        ask(2),
        act(2, "let go"),
        ask(0),
        act(0, "let go"),
        turn(2, "3"),
        act(2, "add 3"),
        act(2, "put down", "3"),
        ask(0),
        act(0, "doubt"),
        {"type": "show", "cards": ["3"], "number": "3", "truth": True, "loser": 0},
        to_seat("take", 0, "3", "3"),
        to_seat("set_aside", 0, "A", "2", "2", "3", "3"),
        {"type": "out", "seat": 0},
        {"type": "new_pile", "cards": ["A", "2", "2", "3", "3"], "private": []},
        turn(1, "A"),
        act(1, "add 2"),
        act(1, "add 3"),
        act(1, "put down", "2", "3"),
        ask(2),
        act(2, "let go"),
        {"type": "end", "rewards": [-1.0, 1.0, 0.0], "places": [3, 1, 2], "truncated": False},
    ]


def test_the_example_replays_to_the_letter():
    match = replay(example())
    assert match.events() == example()
    assert match.over


def test_what_a_seat_reads_of_the_example():
    """Nothing of cards that others add, of who is asked, or of who lets go."""
    assert replay(example()).stream(2)[5:] == [
        turn(0, "A"),
        {"type": "act", "seat": 0, "action": "put down", "cards": 1},
        act(1, "doubt"),
        {"type": "show", "cards": ["2"], "number": "A", "truth": False, "loser": 0},
        {"type": "take", "seat": 0, "cards": 1},
        turn(1, "2"),
        {"type": "act", "seat": 1, "action": "put down", "cards": 1},
        {"type": "ask", "seat": 2},
        {"type": "act", "seat": 2, "action": "let go"},
        turn(2, "3"),
        {"type": "act", "seat": 2, "action": "add 3"},
        {"type": "act", "seat": 2, "action": "put down", "cards": ["3"]},
        act(0, "doubt"),
        {"type": "show", "cards": ["3"], "number": "3", "truth": True, "loser": 0},
        {"type": "take", "seat": 0, "cards": 2},
        {"type": "set_aside", "seat": 0, "cards": 5},
        {"type": "out", "seat": 0},
        {"type": "new_pile", "cards": 5},
        turn(1, "A"),
        {"type": "act", "seat": 1, "action": "put down", "cards": 2},
        {"type": "ask", "seat": 2},
        {"type": "act", "seat": 2, "action": "let go"},
        {"type": "end", "rewards": [-1.0, 1.0, 0.0], "places": [3, 1, 2], "truncated": False},
    ]


@pytest.mark.parametrize("stop", [6, 7, 9, 13, 14, 16, 18, 20, 21, 23, 30, 31, 32, 34, 36])
def test_a_stream_of_the_example_gives_each_seats_view(stop):
    match = replay(example()[:stop])
    for seat in range(3):
        assert GAME.telling.view_of_stream(match.stream(seat)) == match.view(seat)


def test_a_stream_must_not_stop_where_nobody_is_asked():
    stream = replay(example()).stream(2)
    for count, kind in ((0, "game"), (2, "deal"), (5, "turn"), (8, "show"), (9, "take")):
        with pytest.raises(ViewError, match=f"{kind}.*comes next") as caught:
            GAME.telling.view_of_stream(stream[:count])
        assert caught.value.field == f"events[{count}]"
    with pytest.raises(ViewError, match="the game is over"):
        GAME.telling.view_of_stream([*stream, stream[-1]])


@pytest.mark.parametrize(
    ("number", "change", "field"),
    [
        (1, {"seat": 3}, "seat"),
        (2, {"cards": 4}, "cards"),
        (2, {"cards": ["A", "2", "2"]}, "[4].cards"),
        (4, {"cards": ["A", "A", "4th"]}, "cards[2]"),
        (5, {"number": "2"}, "number"),
        (5, {"seat": 1}, "seat"),
        (6, {"cards": 0}, "cards"),
        (6, {"cards": 4}, "cards"),
        (7, {"seat": 0}, "seat"),
        (8, {"truth": True}, "truth"),
        (8, {"loser": 1}, "loser"),
        (8, {"cards": ["2", "2"]}, "cards"),
        (9, {"seat": 1}, "seat"),
        (12, {"seat": 1}, "seat"),
        (13, {"action": "add A"}, "action"),
        (15, {"action": "add 2"}, "action"),
        (16, {"cards": ["A"]}, "cards"),
        (18, {"cards": ["A"], "truth": False, "loser": 2}, "cards"),
        (19, {"cards": 3}, "cards"),
        (22, {"cards": 13}, "cards"),
        (-1, {"truncated": True}, "truncated"),
    ],
)
def test_a_changed_stream_is_refused_where_it_is_wrong(number, change, field):
    stream = copy.deepcopy(replay(example()).stream(2))
    stream[number].update(change)
    with pytest.raises(ViewError) as caught:
        GAME.telling.view_of_stream(stream)
    assert caught.value.field.endswith(field), caught.value


@pytest.mark.parametrize(
    ("line", "change"),
    [
        (2, {"seat": 3}),
        (4, {"cards": ["2", "2", "3"]}),
        (6, {"number": "2"}),
        (7, {"action": "add 3"}),
        (8, {"cards": ["A"]}),
        (9, {"seat": 0}),
        (10, {"seat": 2}),
        (11, {"truth": True}),
        (12, {"cards": 1}),
        (17, {"private": []}),
        (26, {"cards": ["3"]}),
        (29, {"cards": ["A", "A", "2", "3", "3"]}),
        (36, {"places": [2, 1, 3]}),
    ],
)
def test_a_changed_record_is_refused_at_its_line(line, change):
    record = example()
    record[line - 1].update(change)
    with pytest.raises(RecordError) as caught:
        replay(record)
    late = 1 if line == 4 else 0  # three twos may be dealt, but not two aces after them
    assert caught.value.line in (line, line + late)


def test_schemas_say_what_the_code_says():
    names = sorted(Options.__dataclass_fields__)
    found = {kind: schema(GAME, kind) for kind in ("record", "stream", "view")}
    for one in found.values():
        Draft202012Validator.check_schema(one)
        assert sorted(one["$defs"]["rules"]["properties"]) == names
        assert sorted(one["$defs"]["rules"]["required"]) == names
        assert one["$defs"]["rank"]["enum"] == list(RANK_NAMES)
    for kind in ("record", "stream"):
        assert found[kind]["$defs"]["card"]["enum"] == list(CARD_NAMES)
    parts = found["view"]["$defs"]
    assert parts["action"]["enum"] == list(GAME.layout.action_texts)
    assert list(parts["player"]["properties"]["record"]["properties"]) == list(TALLIES)
    assert found["view"]["properties"]["phase"]["enum"] == list(GAME.layout.fields[0].values)


def test_the_example_follows_its_schemas_and_every_key_is_needed():
    match = replay(example())
    for kind, events in (("record", match.events()), ("stream", match.stream(2))):
        validator = Draft202012Validator(schema(GAME, kind))
        for event in events:
            assert validator.is_valid(event), event
            assert not validator.is_valid({**event, "more": 1})
            for key in event:
                assert not validator.is_valid({k: v for k, v in event.items() if k != key}), key
    validator = Draft202012Validator(schema(GAME, "view"))
    for stop in (6, 9, 20, 36):
        view = replay(example()[:stop]).view(2)
        assert validator.is_valid(view)
        for key in view:
            assert not validator.is_valid({k: v for k, v in view.items() if k != key})


def test_the_table_in_text_shows_a_seat_its_own_cards_and_no_others():
    match = replay(example()[:15])
    assert GAME.telling.render(match.record, 2).splitlines() == [
        "  seat 0    3 cards",
        "  seat 1    2 cards",
        "  seat 2    3 cards  A A 3",
        "pile   1 cards, 0 set aside",
        "called 2 by seat 1, 1 put down",
        "phase  respond",
    ]
    everything = GAME.telling.render(match.record, None)
    assert "pile   1 cards: 3" in everything
    assert "called 2 by seat 1, 1 put down: 3" in everything
