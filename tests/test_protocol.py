"""The bot protocol's requests and replies, whatever carries them."""

import copy
import hashlib
import json
import math
import random
import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import onnx
import pytest
from asking import KUKU, SERVICE, ask, asked, asked_by_stream, code_of, random_match
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper

import kuku_env
from kuku_env.bots import BotError, bot_names
from kuku_env.games import games
from kuku_env.protocol import CODES, Bots, Service
from kuku_env.protocol.answers import tempered
from kuku_env.protocol.wire import MAX_WORDS

every_game = pytest.mark.parametrize("game", games(), ids=lambda game: game.name)
VIEW = random_match(3, moves=0).view(random_match(3, moves=0).to_act)

GOLDEN = (Path(__file__).parent / "golden" / "protocol.jsonl").read_bytes().splitlines(True)


@pytest.mark.parametrize(
    ("line", "reply"),
    list(zip(GOLDEN[::2], GOLDEN[1::2], strict=True)),
    ids=range(len(GOLDEN) // 2),
)
def test_golden_lines(line, reply):
    """What front ends were written against: a difference here is another version of the format."""
    assert SERVICE.reply_to_line(line) == reply


# ---- hello ---------------------------------------------------------------------------------------


def test_hello_tells_games_and_bots():
    reply = ask({"id": "h", "op": "hello"})
    assert reply["id"] == "h"
    assert reply["protocol"] == 1
    assert reply["software"] == f"kuku-env {kuku_env.__version__}"
    assert [game["game"] for game in reply["games"]] == [game.id for game in games()]
    for told, game in zip(reply["games"], games(), strict=True):
        assert told["layout"] == game.layout.id
        assert told["rules"] == json.loads(json.dumps(vars(game.make_options())))
        assert told["players"]
    assert {(bot["game"], bot["name"]) for bot in reply["bots"]} == {
        (game.id, name) for game in games() for name in bot_names(game)
    }
    for bot in reply["bots"]:
        assert bot["level"] in ("easy", "normal", "strong", None)
        assert "probabilities" in bot["gives"]


@every_game
def test_every_bot_answers_at_every_table_it_names(game):
    bots = [bot for bot in ask({"op": "hello"})["bots"] if bot["game"] == game.id]
    for bot in bots:
        for players in bot["players"]:
            match = random_match(players, game, num_players=players)
            reply = ask(asked(match, bot=bot["name"], seed=1))
            assert reply["action"] in match.view(match.to_act)["legal"]


# ---- act -----------------------------------------------------------------------------------------


@every_game
def test_a_view_and_a_stream_get_the_same_reply(game):
    for seed in range(15):
        match = random_match(seed, game)
        for bot in bot_names(game):
            reply = ask(asked(match, bot=bot, seed=seed))
            assert reply == ask(asked_by_stream(match, bot=bot, seed=seed))


@every_game
def test_the_reply_is_what_the_bot_says(game):
    for seed in range(15):
        match = random_match(seed, game)
        observation, mask = match.observe(match.to_act)
        for name in bot_names(game):
            reply = ask(asked(match, bot=name))
            assert reply["id"] == 1
            assert reply["bot"] == SERVICE.bots.find(game, name).name
            given = SERVICE.bots.find(game, name).probabilities(observation[None], mask[None])[0]
            texts = match.view(match.to_act)["legal"]
            assert list(reply["probabilities"]) == texts
            legal = np.flatnonzero(mask)
            assert np.allclose(list(reply["probabilities"].values()), given[legal], atol=1e-6)
            assert math.isclose(sum(reply["probabilities"].values()), 1, abs_tol=1e-6)
            assert legal[texts.index(reply["action"])] == reply["action_id"]


def test_actions_are_drawn_from_the_probabilities():
    request = asked(random_match(3, moves=0), bot="random")
    counts = Counter(ask({**request, "seed": seed})["action"] for seed in range(2000))
    legal = request["view"]["legal"]
    assert set(counts) == set(legal)
    expected = 2000 / len(legal)
    assert sum((counts[text] - expected) ** 2 / expected for text in legal) < 2 * len(legal)
    assert len({ask(request)["action"] for _ in range(50)}) > 5  # no seed: by chance


def test_the_same_request_gets_the_same_reply_and_another_seed_another():
    match = random_match(8)
    request = asked(match, bot="scripted-normal", seed=5)
    assert ask(request) == ask(request) == ask(request, Service(Bots()))
    with ThreadPoolExecutor(4) as pool:
        assert len({json.dumps(reply) for reply in pool.map(ask, [request] * 40)}) == 1
    # One seed serves for a whole game: elsewhere the dice fall otherwise.
    places = []
    for number in range(40):
        reply = ask(asked(random_match(number, moves=0), bot="random", seed=5))
        places.append(list(reply["probabilities"]).index(reply["action"]))
    assert len(set(places)) > 15


def test_temperature():
    request = asked(random_match(4, moves=0), bot="scripted-normal", seed=1)
    plain = ask(request)["probabilities"]
    assert ask({**request, "temperature": 1}) == ask({**request, "temperature": None})
    for seed in range(10):
        reply = ask({**request, "seed": seed, "temperature": 0})
        assert reply["action"] == max(plain, key=plain.get)
        assert reply["probabilities"][reply["action"]] == 1
    cold, hot = (ask({**request, "temperature": t})["probabilities"] for t in (0.5, 100))
    weights = {text: p**2 for text, p in plain.items()}
    for text, weight in weights.items():
        assert cold[text] == pytest.approx(weight / sum(weights.values()), abs=1e-6)
    some = [hot[text] for text in plain if plain[text] > 0]
    assert max(some) - min(some) < 0.1 / len(some) + 0.01
    for tiny in (1e-3, 1e-300, 5e-324):
        assert ask({**request, "temperature": tiny})["action"] == max(plain, key=plain.get)


def test_temperature_leaves_what_is_impossible():
    chances = np.array([0.0, 0.5, 0.25, 0.25])
    assert tempered(chances, 2.0)[0] == 0
    assert tempered(chances, 0.0).tolist() == [0, 1, 0, 0]
    assert tempered(chances, 1.0) is chances


def test_bots_by_level():
    match = random_match(3)
    listed = ask({"op": "hello"})["bots"]
    for level in ("easy", "normal", "strong"):
        first = next(b for b in listed if b["game"] == KUKU.id and b["level"] == level)
        by_level = ask(asked(match, level=level, seed=1))
        assert by_level == ask(asked(match, bot=first["name"], seed=1))
    assert ask(asked(match, seed=1)) == ask(asked(match, level="strong", seed=1))
    odd = random_match(3, reward="placement")  # which the trained bot does not play
    assert ask(asked(odd))["bot"] == "scripted-normal"
    assert code_of(asked(odd, level="strong")) == ("wrong_rules", "rules")
    tamer = Service(Bots(default="scripted-easy"))
    assert ask(asked(match), tamer)["bot"] == "scripted-easy"
    with pytest.raises(BotError, match="no bot is called"):
        Bots(default="nobody")


def test_what_a_bot_does_not_tell_is_null_with_the_reason():
    match = random_match(3)
    for name in bot_names(KUKU):
        bot = SERVICE.bots.find(KUKU, name)
        for op in ("act", "advise"):
            reply = ask(asked(match, op, bot=name))
            for key, output in (("win", "value"), ("lie", "lie"), ("pairs", "pairs")):
                if output not in getattr(bot, "outputs", ()):
                    assert reply[key] is None
                    assert "does not tell" in reply["not_told"][key]


# ---- a bot that tells more -----------------------------------------------------------------------


def talkative(folder, **changes):
    """An exported bot that gives everything: constants, and even probabilities."""
    layout, n = KUKU.layout, "n"
    pairs = np.zeros((1, 55), np.float32)
    pairs[0, [0, 44, 54]] = 0.25, 0.6, 0.15  # L L, 5 9, 9 9
    constants = {
        "action_values": np.linspace(0.1, 0.9, layout.num_actions, dtype=np.float32)[None],
        "value": np.array([[0.44, 0.3, 0.26, 0, 0, 0]], np.float32),
        "lie": np.array([0.63], np.float32),
        "pairs": pairs,
        **changes,
    }
    nodes = [
        helper.make_node("Cast", ["action_mask"], ["mask"], to=TensorProto.FLOAT),
        helper.make_node("ReduceSum", ["mask", "axis"], ["sum"], keepdims=1),
        helper.make_node("Div", ["mask", "sum"], ["probabilities"]),
    ]
    start = [onnx.numpy_helper.from_array(np.array([1], np.int64), "axis")]
    outputs = [("probabilities", [n, layout.num_actions])]
    for name, value in constants.items():
        start.append(onnx.numpy_helper.from_array(value, f"{name}_is"))
        nodes.append(helper.make_node("Identity", [f"{name}_is"], [name]))
        outputs.append((name, list(value.shape)))
    inputs = [("observation", [n, layout.size]), ("action_mask", [n, layout.num_actions])]
    graph = helper.make_graph(
        nodes,
        "bot",
        [helper.make_tensor_value_info(name, TensorProto.INT8, shape) for name, shape in inputs],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in outputs],
        start,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    network = model.SerializeToString()
    folder.mkdir()
    (folder / "policy.onnx").write_bytes(network)
    card = {
        "format": 1, "name": folder.name, "game": KUKU.id, "layout": layout.to_json(),
        "rules": {"num_players": [2, 3]}, "outputs": [name for name, _ in outputs],
        "beliefs": {belief.name: belief.when for belief in KUKU.beliefs},
        "sha256": hashlib.sha256(network).hexdigest(), "level": "strong",
    }  # fmt: skip
    (folder / "bot.json").write_text(json.dumps(card))
    return folder


@pytest.fixture(scope="module")
def teller(tmp_path_factory):
    return Service(Bots([talkative(tmp_path_factory.mktemp("bots") / "teller")]))


def responding():
    """A seat that has a claim to answer, at a table of three."""
    return random_match(5, moves=1, num_players=3)


def test_a_bot_that_tells_more(teller):
    reply = ask(asked(responding(), bot="teller", seed=0), teller)
    assert reply["win"] == pytest.approx(0.44)
    assert reply["lie"] == pytest.approx(0.63)
    assert [pair[:2] for pair in reply["pairs"]] == [[5, 9], ["L", "L"], [9, 9]]
    assert [pair[2] for pair in reply["pairs"]] == pytest.approx([0.6, 0.25, 0.15])
    assert "not_told" not in reply
    entry = next(bot for bot in teller.hello()["bots"] if bot["name"] == "teller")
    assert entry["gives"] == ["probabilities", "action_values", "value", "lie", "pairs"]
    assert (entry["level"], entry["players"]) == ("strong", [2, 3])
    assert ask(asked(responding(), level="strong"), teller)["bot"] == "teller"
    levels = {bot["name"]: bot["level"] for bot in teller.hello()["bots"]}
    assert levels["selfplay"] is None  # there is one now that says so itself


def test_without_a_claim_there_is_no_lie(teller):
    reply = ask(asked(random_match(5, moves=0, num_players=3), bot="teller"), teller)
    assert (reply["lie"], reply["pairs"]) == (None, None)
    assert "no claim" in reply["not_told"]["lie"]
    assert reply["win"] == pytest.approx(0.44)


def test_advice_goes_by_win_chances_where_they_are_told(teller):
    reply = ask(asked(responding(), "advise", bot="teller"), teller)
    wins = [entry["win"] for entry in reply["actions"]]
    assert wins == sorted(wins, reverse=True)
    assert reply["best"] == reply["actions"][0]["action"]
    assert len(reply["actions"]) == len(responding().legal_actions())
    for words in ("Best:", "see through", "63 %", "5 and 9", "Win chance now: 44 %"):
        assert words in reply["words"]


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_no_nan_is_ever_written(tmp_path, value):
    broken = {
        "action_values": np.full((1, KUKU.layout.num_actions), value, np.float32),
        "value": np.full((1, 6), value, np.float32),
        "lie": np.full(1, value, np.float32),
        "pairs": np.full((1, 55), value, np.float32),
    }
    service = Service(Bots([talkative(tmp_path / "broken", **broken)]))
    for op in ("act", "advise"):
        reply = ask(asked(responding(), op, bot="broken"), service)
        assert (reply["win"], reply["lie"], reply["pairs"]) == (None, None, None)


def test_a_card_with_nan_in_it_does_not_end_the_conversation(tmp_path, capsys):
    folder = talkative(tmp_path / "odd")
    card = json.loads((folder / "bot.json").read_text())
    (folder / "bot.json").write_text(json.dumps({**card, "strength": {"wins": math.nan}}))
    service = Service(Bots([folder]))
    assert code_of({"op": "hello"}, service) == ("internal", None)
    assert ask(asked(responding(), bot="odd"), service)["action"]


def test_folders_are_checked_when_the_server_starts(tmp_path):
    with pytest.raises(BotError, match="cannot read"):
        Bots([tmp_path])
    with pytest.raises(BotError, match="already a bot called 'random'"):
        Bots([talkative(tmp_path / "random")])


# ---- advise --------------------------------------------------------------------------------------


@every_game
def test_advice_ranks_every_legal_action(game):
    for seed in range(10):
        match = random_match(seed, game)
        for name in bot_names(game):
            reply = ask(asked(match, "advise", bot=name))
            legal = match.view(match.to_act)["legal"]
            assert sorted(entry["action"] for entry in reply["actions"]) == sorted(legal)
            chances = [entry["preference"] for entry in reply["actions"]]
            assert sum(chances) == pytest.approx(1, abs=1e-4)
            if reply["actions"][0]["win"] is None:
                assert chances == sorted(chances, reverse=True)
            assert reply["words"]


def test_advice_in_words():
    match = responding()
    english = ask(asked(match, "advise", bot="scripted-normal"))
    japanese = ask(asked(match, "advise", bot="scripted-normal", lang="ja"))
    assert english["lang"] == "en"
    assert "scripted-normal prefers: " in english["words"]
    assert japanese["actions"] == english["actions"]
    assert re.search("[ぁ-ん]", japanese["words"])
    line = SERVICE.reply_to_line(json.dumps(asked(match, "advise", lang="ja")).encode())
    assert "です" in line.decode() or "。" in line.decode()  # as UTF-8, not as escapes


# ---- errors --------------------------------------------------------------------------------------


def changed(value, path, new):
    """A copy with another value at a path such as ``claims/0/number`` ('-' takes the key away)."""
    twin = copy.deepcopy(value)
    *way, last = [int(part) if part.isdigit() else part for part in path.split("/")]
    inner = twin
    for part in way:
        inner = inner[part]
    if new == "-":
        del inner[last]
    else:
        inner[last] = new
    return twin


def act(**more):
    return {"id": 7, "op": "act", "bot": "random", "view": VIEW, **more}


EVENTS = random_match(3, moves=6).stream(0)
WAITING = random_match(3, moves=0).stream((VIEW["seat"] + 1) % 4)  # another is asked there
ERRORS = [
    ([], "bad_json", None),
    ("act", "bad_json", None),
    (None, "bad_json", None),
    (act(id=1.5), "bad_json", "id"),
    (act(id=[1]), "bad_json", "id"),
    (act(id=True), "bad_json", "id"),
    (act(id=2**53), "bad_json", "id"),
    (act(id="x" * 201), "bad_json", "id"),
    (act(temprature=1), "bad_json", None),
    ({"op": "hello", "bot": "random"}, "bad_json", None),
    (act(seed=-1), "bad_json", "seed"),
    (act(seed=1.0), "bad_json", "seed"),
    (act(seed=2**53), "bad_json", "seed"),
    (act(seed="5"), "bad_json", "seed"),
    (act(temperature=-0.1), "bad_json", "temperature"),
    (act(temperature=101), "bad_json", "temperature"),
    (act(temperature=True), "bad_json", "temperature"),
    (act(temperature="hot"), "bad_json", "temperature"),
    (act(lang="fr"), "bad_json", "lang"),
    (act(lang=["en"]), "bad_json", "lang"),
    ({"id": 7}, "unknown_op", "op"),
    ({"id": 7, "op": "deal"}, "unknown_op", "op"),
    ({"id": 7, "op": ["act"]}, "unknown_op", "op"),
    (act(bot="nobody"), "unknown_bot", "bot"),
    (act(bot="../selfplay"), "unknown_bot", "bot"),
    (act(bot="/"), "unknown_bot", "bot"),
    (act(bot=""), "unknown_bot", "bot"),
    (act(bot=7), "unknown_bot", "bot"),
    (act(bot="x" * 10_000), "unknown_bot", "bot"),
    (act(bot=None, level="expert"), "unknown_bot", "level"),
    (act(bot=None, level=3), "unknown_bot", "level"),
    (act(level="easy"), "unknown_bot", "level"),
    (act(view=None), "bad_view", "view"),
    (act(view=[]), "bad_view", "view"),
    (act(events=EVENTS), "bad_view", "view"),
    (act(view={}), "bad_view", "game"),
    (act(view={**VIEW, "game": "chess"}), "bad_view", "game"),
    (act(view={**VIEW, "game": "kuku-doubt"}), "bad_view", "game"),
    (act(view={**VIEW, "format": 2}), "bad_view", "format"),
    (act(view={**VIEW, "rules": {}}), "bad_view", "rules.num_players"),
    (act(view={**VIEW, "rules": 7}), "bad_view", "rules"),
    (act(view=changed(VIEW, "rules/preset", "tiny")), "bad_view", "rules"),
    (act(view=changed(VIEW, "rules/num_players", 9)), "bad_view", "rules.num_players"),
    (act(view=changed(VIEW, "rules/reward", "money")), "bad_view", "rules.reward"),
    (act(view=changed(VIEW, "rules/copies", [0] * 10**5)), "bad_view", "rules.copies"),
    (act(view=changed(VIEW, "rules/max_accepts", "-")), "bad_view", "rules.max_accepts"),
    (act(view=changed(VIEW, "hand/0", 10)), "bad_view", "hand[0]"),
    (act(view=changed(VIEW, "hand", "-")), "bad_view", "hand"),
    (act(view=changed(VIEW, "hands", None)), "bad_view", "view"),
    (act(view=changed(VIEW, "x" * 10_000, None)), "bad_view", "view"),
    (act(view=changed(VIEW, "seats/2/purse", 5)), "bad_view", "seats[2]"),
    (act(view=changed(VIEW, "seats/2/record/accepts", "-")), "bad_view", "seats[2].record.accepts"),
    (act(view=changed(VIEW, "legal", ["fold"])), "bad_view", "legal[0]"),
    (act(view=changed(VIEW, "to_act", (VIEW["seat"] + 1) % 4)), "bad_view", "legal"),
    (act(view=changed(VIEW, "legal", [])), "illegal_action", None),
    (act(view=None, events=[]), "bad_view", "events"),
    (act(view=None, events=[7]), "bad_view", "events"),
    (act(view=None, events={}), "bad_view", "events"),
    (act(view=None, events=[{"type": "game"}]), "bad_view", "events[0].game"),
    (act(view=None, events=EVENTS[1:]), "bad_view", "events[0].game"),
    (act(view=None, events=EVENTS[:3]), "bad_view", "events[3]"),
    (act(view=None, events=changed(EVENTS, "2/cards", 9)), "bad_view", "events[2].cards"),
    (act(view=None, events=WAITING), "illegal_action", None),
    (act(bot="selfplay", view=changed(VIEW, "rules/reward", "placement")), "wrong_rules", "rules"),
]


@pytest.mark.parametrize(("request_", "code", "field"), ERRORS)
def test_every_error_has_its_code_and_field(request_, code, field):
    assert code_of(request_) == (code, field)
    reply = ask(request_)
    assert len(reply["error"]["message"]) <= MAX_WORDS + 1
    known = isinstance(request_, dict) and request_.get("id") == 7
    assert reply["id"] == (7 if known else None)


def test_codes_are_those_of_the_protocol():
    held = {"stale", "unknown_table", "too_many"}  # of held games: test_held.py
    assert {code for _, code, _ in ERRORS} | held | {"too_large", "internal"} == set(CODES)


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"nonsense",
        b'{"op":"hello"} {"op":"hello"}',
        b'{"id":NaN,"op":"hello"}',
        b'{"id":1,"op":"act","temperature":Infinity}',
        b'{"id":1,"op":"act","temperature":1e999}',
        b'{"id":1,"id":1,"op":"hello"}',
        b'{"op":"hello","x":"\xff"}',
        b"\x00",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"seed":' + b"9" * 5000 + b"}",
        '{"op":"hello"}'.encode("utf-16"),
    ],
)
def test_what_is_not_json(line):
    reply = json.loads(SERVICE.reply_to_line(line))
    assert reply["error"]["code"] == "bad_json"
    assert reply["id"] is None


def test_a_request_has_a_limit():
    service = Service(SERVICE.bots, max_bytes=100)
    reply = json.loads(service.reply_to_line(b'{"op":"hello","id":"%s"}' % (b"x" * 100)))
    assert reply == {
        "id": None,
        "error": {"code": "too_large", "message": reply["error"]["message"]},
    }
    assert ask({"op": "hello"}, service)["protocol"] == 1


def test_marks_and_odd_characters_pass_through():
    hello = json.loads(
        SERVICE.reply_to_line(b"\xef\xbb\xbf" + '{"op":"hello","id":"九九"}'.encode())
    )
    assert hello["id"] == "九九"
    assert json.loads(SERVICE.reply_to_line(rb'{"op":"hello","id":"\ud800"}'))["id"] == "\ud800"


def test_quit_is_not_answered():
    assert SERVICE.reply_to_line(b'{"id":5,"op":"quit"}') is None
    assert code_of({"op": "quit", "now": True}) == ("bad_json", None)


def test_a_mistake_of_ours_is_an_error_like_others(monkeypatch, capsys):
    service = Service(Bots())
    monkeypatch.setattr(service.bots, "asked_for", lambda *_: 1 / 0)
    assert code_of(asked(responding()), service) == ("internal", None)
    assert "ZeroDivisionError" in capsys.readouterr().err


# ---- anything at all -----------------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def one_good_reply(line):
    """Exactly one reply, which is strict JSON; its error's code, or None."""
    written = SERVICE.reply_to_line(line)
    assert written is not None
    reply = json.loads(written.decode("utf-8"), parse_constant=lambda word: 1 / 0)
    if "error" not in reply:
        return None
    assert reply["error"]["code"] in CODES
    assert reply["error"]["code"] != "internal", line
    return reply["error"]["code"]


@settings(max_examples=300, deadline=None)
@given(JSON)
def test_any_json_gets_one_reply(value):
    one_good_reply(json.dumps(value).encode())


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_get_one_reply(line):
    one_good_reply(line)


@settings(max_examples=500, deadline=None)
@given(data=st.data(), seed=st.integers(0, 300), stream=st.booleans())
def test_any_change_of_a_good_request_gets_one_reply(data, seed, stream):
    """Some value in it becomes another, or goes."""
    match = random_match(seed)
    request = (asked_by_stream if stream else asked)(match, bot="scripted-easy", seed=1)
    inner = request
    while True:
        key = data.draw(
            st.sampled_from(sorted(inner) if isinstance(inner, dict) else range(len(inner)))
        )
        if key == "op" or not isinstance(inner[key], dict | list) or not inner[key]:
            break
        if data.draw(st.integers(0, 3)) == 0:
            break
        inner = inner[key]
    if key == "op":
        return
    if data.draw(st.booleans()):
        del inner[key]
    else:
        inner[key] = data.draw(JSON)
    one_good_reply(json.dumps(request).encode())


def malformed(chance):
    """One of thirty kinds of requests that are wrong, by number."""
    match = random_match(chance.randrange(50))
    view, seat = match.view(match.to_act), match.to_act
    good = {"id": chance.randrange(1000), "op": "act", "bot": "scripted-easy", "view": view}
    raw = json.dumps(good)
    events = {key: good[key] for key in good if key != "view"} | {"events": match.stream(seat)}
    at = chance.randrange(1, len(raw) - 1)
    gone = chance.choice(["seat", "legal", "phase", "pile", "lives", "table", "seats", "claims"])
    kinds = [
        lambda: raw[:at],
        lambda: raw + "}",
        lambda: raw.replace('"', "'"),
        lambda: json.dumps([good]),
        lambda: {**good, "id": {"n": 1}},
        lambda: {**good, "op": chance.choice(["Act", "", "ACT ", "move", None, 3])},
        lambda: {key: good[key] for key in good if key != "op"},
        lambda: {**good, "bot": chance.choice(["nobody", "../x", 5, [], {}])},
        lambda: {**good, "level": "strong"},
        lambda: {**good, "seed": chance.choice([-1, 0.5, "7", [1], 2**60])},
        lambda: {**good, "temperature": chance.choice([-1, "cold", [], 1e6])},
        lambda: {**good, "lang": chance.choice(["de", 1, []])},
        lambda: {**good, "more": chance.random()},
        lambda: {**good, "view": chance.choice([[], "view", 7, False])},
        lambda: {key: good[key] for key in good if key != "view"},
        lambda: {**good, "events": []},
        lambda: {**good, "view": {k: v for k, v in view.items() if k != "rules"}},
        lambda: {**good, "view": {k: v for k, v in view.items() if k != gone}},
        lambda: {**good, "view": {**view, "seat": chance.choice([-1, 9, "0", None, 0.0])}},
        lambda: {**good, "view": {**view, "phase": chance.choice(["", None, 3, "night"])}},
        lambda: {**good, "view": {**view, "seats": view["seats"][:-1]}},
        lambda: {**good, "view": {**view, "legal": [*view["legal"], "fold"]}},
        lambda: {**good, "view": {**view, "legal": []}},
        lambda: {**good, "view": {**view, "table": {"10": 1}}},
        lambda: {**good, "view": {**view, "rules": {**view["rules"], "num_players": 77}}},
        lambda: {**good, "view": {**view, "game": "kuku/Nothing-v0"}},
        lambda: {**events, "events": events["events"][1:]},
        lambda: {**events, "events": [*events["events"], {"type": "act", "seat": seat}]},
        lambda: {**events, "events": [*events["events"], *events["events"]]},
        lambda: {**events, "events": changed(events["events"], "1/cards", [1, 2, 3, 4])},
    ]  # fmt: skip
    number = chance.randrange(len(kinds))
    made = kinds[number]()
    return number, (made if isinstance(made, str) else json.dumps(made)).encode()


def test_a_thousand_malformed_requests_of_thirty_kinds():
    """Each gets one error of the protocol, and a good request in between is answered as ever."""
    chance, kinds = random.Random(1), Counter()
    good = asked(random_match(5), bot="scripted-easy", seed=3)
    answer = ask(good)
    while len(kinds) < 30 or kinds.total() < 1000:
        number, line = malformed(chance)
        kinds[number] += 1
        assert one_good_reply(line) is not None, line[:300]
        if kinds.total() % 50 == 0:
            assert ask(good) == answer
    assert min(kinds.values()) > 5
