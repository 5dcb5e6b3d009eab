"""Records: the referee accepts ours, we replay the referee's, and what is damaged is refused."""

import copy
import json
import os
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from kuku_doubt_tables import TABLES
from referee import Referee, RuleViolation, check_record, play_random, seat_stream
from tables import GAME, LAYOUT, random_match
from test_referee import CHANGED, example
from variety import state_of

from kuku_env.bots import exported
from kuku_env.core import encoder
from kuku_env.envs.match import Match
from kuku_env.envs.records import (
    RecordError,
    read_events,
    replay,
    schema,
    to_lines,
    write_record,
)
from kuku_env.games.kuku_doubt.cards import CARD_NAMES, CLAIMS
from kuku_env.games.kuku_doubt.layout import TALLIES
from kuku_env.games.kuku_doubt.options import Options

RECORD, STREAM = (Draft202012Validator(schema(GAME, kind)) for kind in ("record", "stream"))


def refused(events, line):
    with pytest.raises(RecordError) as caught:
        replay(events)
    assert caught.value.line == line, caught.value
    return str(caught.value)


# ---- whole games --------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", TABLES, ids=str)
def test_the_referee_accepts_our_records(rules):
    for seed in range(6):
        match = random_match(rules, seed)
        record = match.events()
        check_record(record)
        for seat in range(match.num_players):
            stream = match.stream(seat)
            assert stream == seat_stream(record, seat)
            assert match.information_state(seat) == json.dumps(stream, separators=(",", ":"))


@pytest.mark.parametrize("rules", TABLES, ids=str)
def test_the_referees_records_replay(rules):
    for seed in range(5):
        record = play_random({"max_decisions": 150, **rules}, seed)
        match = replay(record)
        assert match.over
        assert [*match.events()[:-1], record[-1]] == record
        assert match.returns == pytest.approx(record[-1]["rewards"])
        assert state_of(replay(match.events())) == state_of(match)


def test_the_rulebooks_example_replays_to_the_letter():
    record = example()
    match = replay(record)
    assert match.events() == record
    assert to_lines(match.events()[1:]) == to_lines(record[1:])  # the order of keys too
    for stop in (7, 18, 22, 30):  # in the midst of it
        assert replay(record[:stop]).events() == record[:stop]


def test_the_rulebooks_example_can_be_played_by_text():
    match = Match(GAME, num_players=3, seed=7, explicit_chance=True)
    ranks = {card: rank for rank, card in enumerate(CARD_NAMES)}
    for event in example()[1:]:
        if event["type"] == "act":
            match.act(event["action"])
        elif event["type"] == "round" and len(match.moves) == 6:  # all lives are dealt
            match.resolve(event["start"])
        elif event["type"] in ("lives", "draw", "reveal"):
            for card in event["cards"]:
                match.resolve(ranks[card])
    assert match.events() == example()


# ---- what is wrong is refused, at its line ------------------------------------------------------


@pytest.mark.parametrize(("line", "change"), CHANGED.values(), ids=CHANGED)
def test_a_changed_line_is_refused(line, change):
    record = example()
    record[line - 1].update(change)
    if change == {"cards": [2]} and line in (16, 18):  # what lacks shows only in the next line
        line += 1
    refused(record, line)


NUMBERS = (None, True, False, 0, 1, 2, -1, 9, 1.0, 10**400)
TEXTS = ("L", "accept", "doubt", "claim 36", "draw", "", "start 1", "start {0}", "see 2 9")
LISTS = ([], [1], [4, 6], ["L"], {}, "discard low", "discard high")
OTHER_VALUES = st.sampled_from([*NUMBERS, *TEXTS, *LISTS])


@settings(max_examples=250, deadline=None)
@given(st.data())
def test_we_and_the_referee_refuse_the_same_lines(data):
    """One value of one line is another, a line is lost, comes twice or too early."""
    rules = data.draw(st.sampled_from(TABLES))
    record = play_random({"max_decisions": 60, **rules}, data.draw(st.integers(0, 20)))
    at = data.draw(st.integers(1, len(record) - 1))
    kind = data.draw(st.sampled_from(["value", "value", "key", "lost", "twice", "early"]))
    if kind == "value":
        key = data.draw(st.sampled_from(sorted(record[at])))
        record[at][key] = data.draw(OTHER_VALUES)
    elif kind == "key":
        del record[at][data.draw(st.sampled_from(sorted(record[at])))]
    elif kind == "lost":
        del record[at]
    elif kind == "twice":
        record.insert(at, copy.deepcopy(record[at]))
    else:
        record[at - 1 : at + 1] = record[at], record[at - 1]
    wrong = line_refused_by_the_referee(record)
    try:
        replay(record)
        ours = None
    except RecordError as error:
        ours = error.line
    if wrong is not None and wrong > len(record):
        assert ours in (None, wrong)  # the end is lost; a record may stop after any step
    elif ours != wrong:  # a draw of too few shows in the next line, as it might have been split
        assert ours == wrong + 1
        assert len(record[wrong - 1]["cards"]) < 2


def line_refused_by_the_referee(record):
    referee = Referee()
    try:
        for event in record:
            referee.feed(event)
    except RuleViolation as violation:
        return violation.line_number
    return None if referee.over else len(record) + 1


def test_truncated_files_are_refused_unless_they_end_with_a_complete_step():
    text = to_lines(example())
    complete = 0
    for size in range(1, len(text)):
        lines = text[:size].splitlines()
        match = replayed(text[:size], (len(lines), len(lines) + 1))
        if match is not None:
            assert [json.loads(line) for line in lines] == match.events()
            complete += 1
    assert complete > 30  # the head, and each event that a decision or chance follows


def replayed(text, lines):
    """The match of a text, or None if it is refused, at one of these lines."""
    try:
        return replay(read_events(text))
    except RecordError as error:
        wrong = error.line
    assert wrong in lines
    return None


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1),
        ("{", 1),
        ("[]", 1),
        ("null", 1),
        ('{"format":1}', 1),
        ('{"type":1}', 1),
        ('{"type":"game"}\n\n', 2),
        ('{"type":"game"}\n' + "[" * 100_000, 2),
        ('{"type":"game"}\n' + "1" * 100_000, 2),
    ],
)
def test_lines_that_are_no_events_are_refused(text, line):
    with pytest.raises(RecordError) as caught:
        replay(read_events(text))
    assert caught.value.line == line


@pytest.mark.parametrize(
    "change",
    [
        {"format": 2},
        {"format": 1.0},
        {"format": True},
        {"game": "chess"},
        {"game": None},
        {"game": []},
        {"seed": "x"},
        {"seed": -1},
        {"seed": True},
        {"rules": None},
        {"rules": {}},
        {"rules": {"num_players": 3}},
        {"more": 1},
    ],
    ids=str,
)
def test_a_wrong_head_is_refused(change):
    record = example()
    record[0].update(change)
    refused(record, 1)
    for key in change:
        if key != "more":
            del record[0][key]
            assert key in refused(record, 1)


@pytest.mark.parametrize(
    "change", [{"num_players": 7}, {"jokers": 2}, {"preset": "tiny"}, {"seed": 3}, {"copies": 4}]
)
def test_wrong_rules_are_refused(change):
    record = example()
    record[0]["rules"].update(change)
    refused(record, 1)


def test_events_that_are_no_objects_are_refused():
    for wrong in (None, 5, [], "act", {"type": None}, {}):
        refused([*example()[:4], wrong], 5)


def test_errors_say_what_is_wrong():
    record = example()
    del record[6]["action"]
    assert refused(record, 7) == "line 7: the key 'action' is missing"
    assert "missing; by the rules it reads" in refused(example()[:19], 20)
    assert "nothing happens here" in refused([*example(), example()[-1]], 39)
    error = pickle.loads(pickle.dumps(RecordError(3, "a: b")))
    assert (error.line, str(error)) == (3, "line 3: a: b")


# ---- files --------------------------------------------------------------------------------------


def test_a_record_is_written_whole_or_not_at_all(tmp_path):
    match = random_match({"num_players": 4}, 3)
    path = tmp_path / "game.jsonl"
    write_record(path, match)
    assert path.read_text() == to_lines(match.events())
    assert path.stat().st_mode & 0o777 == 0o666 & ~_umask()
    write_record(path, random_match({}, 4, 10))
    assert len(read_events(path.read_text())) < len(match.events())
    (tmp_path / "folder").mkdir()
    for target in (tmp_path / "folder", tmp_path / "none" / "game.jsonl", path / "game.jsonl"):
        with pytest.raises(OSError, match=r"game|folder"):
            write_record(target, match)
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["folder", "game.jsonl"]


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


# ---- schemas ------------------------------------------------------------------------------------


def test_schemas_are_valid_and_say_what_the_code_says():
    names = [field.name for field in Options.__dataclass_fields__.values()]
    texts = [text for text in LAYOUT.action_texts if "{" not in text]
    texts += [f"start {seat}" for seat in range(GAME.max_players)]
    for kind in ("record", "stream", "view"):
        found = schema(GAME, kind)
        Draft202012Validator.check_schema(found)
        parts = found["$defs"]
        assert parts["card"]["enum"] == list(CARD_NAMES)
        assert parts["claim_number"]["enum"] == list(CLAIMS)
        assert sorted(parts["rules"]["properties"]) == sorted(names)
        assert sorted(parts["rules"]["required"]) == sorted(names)
        hidden = [] if kind == "view" else ["discard low", "discard high", "discard both"]
        assert parts["action"]["enum"] == [text for text in texts if text not in hidden]
        _closed(found)
    parts = schema(GAME, "view")["$defs"]
    assert list(parts["player"]["properties"]["record"]["properties"]) == list(TALLIES)
    phases = schema(GAME, "view")["properties"]["phase"]["enum"]
    assert phases == list(LAYOUT.fields[0].values)
    with pytest.raises(ValueError, match="kind"):
        schema(GAME, "bot")
    with pytest.raises(KeyError):
        schema("chess", "view")


def _closed(part):
    """Every object of a schema lists all its keys, or says what any key may hold."""
    if isinstance(part, dict):
        if part.get("type") == "object":
            assert "additionalProperties" in part, part
        part = list(part.values())
    for inner in part if isinstance(part, list) else []:
        _closed(inner)


def validates(validator, events):
    different = {json.dumps(event): event for event in events}
    for event in different.values():
        error = next(validator.iter_errors(event), None)
        assert error is None, error


def test_records_and_streams_follow_their_schemas():
    matches = [random_match(rules, seed) for rules in TABLES for seed in range(2)]
    validates(RECORD, [event for match in matches for event in match.events()])
    seats = [(match, seat) for match in matches for seat in range(0, match.num_players, 2)]
    validates(STREAM, [event for match, seat in seats for event in match.stream(seat)])


def test_every_event_type_is_refused_with_a_key_too_many_or_too_few():
    events = [event for rules in TABLES for event in play_random({**rules}, 1)]
    for event in {event["type"]: event for event in events}.values():
        assert RECORD.is_valid(event)
        assert not RECORD.is_valid({**event, "more": 1})
        for key in event:
            assert not RECORD.is_valid({k: v for k, v in event.items() if k != key}), (event, key)


def test_a_bots_card_has_a_schema():
    path = os.path.join(os.path.dirname(exported.__file__), "bot.schema.json")
    with open(path, encoding="utf-8") as file:
        validator = Draft202012Validator(json.load(file))
    card = {
        "format": 1,
        "name": "a bot",
        "game": GAME.id,
        "layout": json.loads(json.dumps(LAYOUT.to_json())),
        "rules": {"num_players": [2, 3], "see_through": ["any", "consistent"]},
        "sha256": "0" * 64,
    }
    validates(validator, [card, {**card, "outputs": ["probabilities", "value"], "level": "easy"}])
    for key in card:
        assert not validator.is_valid({k: v for k, v in card.items() if k != key})
    assert not validator.is_valid({**card, "more": 1})
    assert validator.schema["$defs"]["field"]["properties"]["how"]["enum"] == sorted(encoder._HOW)
