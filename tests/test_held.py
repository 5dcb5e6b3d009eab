"""Games that the protocol's server holds: ``new``, ``play`` and ``now``."""

import json
import os
import random
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from asking import KUKU, ask, code_of, random_match
from fastapi.testclient import TestClient
from jsonschema import Draft202012Validator
from test_secrecy import TABLES as RULES
from test_secrecy import Trace, at_moment, chosen

from kuku_env.command.main import main
from kuku_env.core.folders import FolderInUseError
from kuku_env.envs.records import replay
from kuku_env.games import games
from kuku_env.protocol import Bots, Service
from kuku_env.protocol.http import STATUS, make_app
from kuku_env.protocol.openapi import NEW, NOW, PLAY, TABLE
from kuku_env.protocol.store import Store
from kuku_env.protocol.table import Table
from kuku_env.protocol.tables import Tables

every_game = pytest.mark.parametrize("game", games(), ids=lambda game: game.name)
BOTS = Bots()
SERVE = [sys.executable, "-m", "kuku_env", "serve", "--stdio"]
GAME_ID = "A" * 22


def holding(store=None, **how):
    return Service(BOTS, tables=Tables(BOTS, store, **how))


def finish(told, chance, ask):
    """Play a held game to its end, at random for the open seats; all updates on the way."""
    updates = [told]
    while "record" not in told:
        action = chance.choice(told["view"]["legal"])
        told = ask({**called(told), "op": "play", "action": action})
        updates.append(told)
    return updates


def called(told):
    return {"table": told["table"], "decision": told["decision"]}


# ---- games ---------------------------------------------------------------------------------------


@every_game
def test_whole_games_of_open_seats_and_bots(game):
    service = holding()
    for seed in range(3):
        chance = random.Random(seed)
        players = random_match(seed, game).num_players
        seats = [chance.choice([None, *BOTS.names(game)]) for _ in range(players)]
        seats[chance.randrange(players)] = None
        request = {"op": "new", "game": game.name, "seats": seats, "seed": seed}
        told = ask(request, service)
        assert told["sitting"] == seats
        *before, last = finish(told, chance, lambda one: ask(one, service))
        match = replay(last["record"])
        assert match.over
        for number, update in enumerate(before):
            view = update["view"]
            assert update["decision"] == number
            assert seats[view["seat"]] is None
            assert view["to_act"] == view["seat"]
            assert update["events"] == match.stream(view["seat"])[: len(update["events"])]
            assert '"private"' not in json.dumps(update)


def test_the_same_seed_gives_the_same_game():
    service = holding()
    request = {"op": "new", "game": "kuku-doubt", "seats": [None, "strong", "normal"], "seed": 4}
    games = [
        finish(ask(request, service), random.Random(1), lambda one: ask(one, service))
        for _ in range(2)
    ]
    assert games[0][-1]["record"] == games[1][-1]["record"]
    other = ask({**request, "seed": 5}, service)
    assert other["events"] != games[0][0]["events"]
    unseeded = [ask({**request, "seed": None}, service)["events"] for _ in range(6)]
    assert len({json.dumps(events) for events in unseeded}) > 1


def test_seats_are_open_unless_somebody_sits_there():
    told = ask({"op": "new", "game": KUKU.id, "rules": {"num_players": 5}})
    assert told["sitting"] == [None] * 5
    told = ask({"op": "new", "game": KUKU.id})
    assert told["sitting"] == [None] * 4  # as many as the game has by itself


def test_an_open_seat_can_be_looked_at_whoever_decides():
    told = ask({"op": "new", "game": "kuku-doubt", "seats": [None, "easy", None], "seed": 2})
    for seat in (0, 2):
        seen = ask({"op": "now", "table": told["table"], "seat": seat})
        assert seen["view"]["seat"] == seat
        assert seen["decision"] == told["decision"]
    asked = {"op": "now", "table": told["table"]}
    assert ask(asked)["view"] == told["view"]
    assert code_of({**asked, "seat": 1}) == ("bad_json", "seat")


def test_bots_are_asked_about_held_games_by_view_or_stream():
    told = ask({"op": "new", "game": "kuku-doubt", "seed": 3})
    by_view = ask({"op": "act", "bot": "scripted-normal", "view": told["view"], "seed": 1})
    by_stream = ask({"op": "act", "bot": "scripted-normal", "events": told["events"], "seed": 1})
    assert by_view == by_stream
    after = ask({**called(told), "op": "play", "action": by_view["action"]})
    assert after["decision"] == 1


# ---- refusals ------------------------------------------------------------------------------------


def new(**more):
    return {"op": "new", "game": "kuku-doubt", **more}


@pytest.mark.parametrize(
    ("request_", "code", "field"),
    [
        ({"op": "new"}, "bad_json", "game"),
        (new(game="chess"), "bad_json", "game"),
        (new(game=["kuku-doubt"]), "bad_json", "game"),
        (new(game={}), "bad_json", "game"),
        (new(seats=[]), "bad_json", "seats"),
        (new(seats="easy"), "bad_json", "seats"),
        (new(seats=[1, None]), "bad_json", "seats"),
        (new(seats=["x" * 300, None]), "bad_json", "seats"),
        (new(seats=[None] * 17), "bad_json", "seats"),
        (new(seats=[None] * 7), "wrong_rules", "rules.num_players"),
        (new(seats=["easy", "easy"]), "wrong_rules", "seats"),  # nobody would be asked
        (new(seats=[None, None], rules={"num_players": 3}), "wrong_rules", "seats"),
        (new(seats=[None, "nobody"]), "unknown_bot", "seats[1]"),
        (new(seats=[None, "../selfplay"]), "unknown_bot", "seats[1]"),
        (new(seats=["selfplay", None], rules={"reward": "placement"}), "wrong_rules", "seats[0]"),
        (new(rules=[]), "bad_json", "rules"),
        (new(rules={"reward": "money"}), "wrong_rules", "rules.reward"),
        (new(rules={"num_players": "3"}), "wrong_rules", "rules.num_players"),
        (new(rules={"preset": "tiny"}), "wrong_rules", "rules.preset"),
        (new(rules={"self": 1}), "wrong_rules", "rules.self"),
        (new(rules={"max_decisions": 5001}), "wrong_rules", "rules.max_decisions"),
        (new(seed=-1), "bad_json", "seed"),
        (new(seed=2**53), "bad_json", "seed"),
        (new(view={}), "bad_json", None),
        ({"op": "play"}, "bad_json", "table"),
        ({"op": "play", "table": GAME_ID, "decision": 0}, "bad_json", "action"),
        ({"op": "play", "table": GAME_ID, "decision": "0", "action": "x"}, "bad_json", "decision"),
        ({"op": "play", "table": GAME_ID, "decision": 0, "action": 1}, "bad_json", "action"),
        (
            {"op": "play", "table": GAME_ID, "decision": 0, "action": "x"},
            "unknown_table",
            "table",
        ),
        ({"op": "now", "table": "../../etc/passwd"}, "unknown_table", "table"),
        ({"op": "now", "table": GAME_ID, "seat": -1}, "bad_json", "seat"),
        ({"op": "now", "table": GAME_ID, "seat": True}, "bad_json", "seat"),
    ],
)
def test_what_is_refused(request_, code, field):
    assert code_of(request_) == (code, field)


def test_stale_and_illegal_acts_change_nothing():
    told = ask(new(seats=[None, "easy", None], seed=1))
    good = {**called(told), "op": "play", "action": told["view"]["legal"][0]}
    for wrong, error in (
        ({"decision": 1}, ("stale", "decision")),
        ({"action": "fly"}, ("illegal_action", "action")),
        ({"action": "start 9"}, ("illegal_action", "action")),
    ):
        assert code_of({**good, **wrong}) == error
        assert ask({"op": "now", "table": told["table"]}) == told
    after = ask(good)
    assert code_of(good) == ("stale", "decision")
    assert ask({"op": "now", "table": told["table"]}) == after


def test_one_decision_is_made_once_whoever_is_faster():
    service = holding()
    for seed in range(5):
        told = ask(new(seats=[None, "normal"], seed=seed), service)
        request = {**called(told), "op": "play", "action": told["view"]["legal"][0]}
        with ThreadPoolExecutor(8) as pool:
            replies = list(pool.map(lambda _: service.reply(request), range(8)))  # noqa: B023
        codes = [reply["error"]["code"] for reply in replies if "error" in reply]
        assert codes == ["stale"] * 7


def test_nothing_is_decided_after_the_end():
    over = finish(ask(new(seats=[None, None])), random.Random(1), ask)[-1]
    assert code_of({**called(over), "op": "play", "action": "doubt"}) == ("illegal_action", None)
    assert ask({"op": "now", "table": over["table"]}) == over


def test_held_games_are_bounded():
    service = holding(most=3)
    held = [ask(new(seats=[None, "easy"]), service) for _ in range(3)]
    assert code_of(new(), service) == ("too_many", None)
    finish(held[0], random.Random(1), lambda one: ask(one, service))  # makes room
    ask(new(), service)
    assert code_of({"op": "now", "table": held[0]["table"]}, service) == ("unknown_table", "table")
    ask({"op": "now", "table": held[1]["table"]}, service)


# ---- secrecy -------------------------------------------------------------------------------------


def replies(folder, match, seat):
    """The bytes of all that the server says of a saved game to whoever holds this seat."""
    sitting = [None if k == seat else "scripted-normal" for k in range(match.num_players)]
    store = Store(folder)
    store.open(GAME_ID, Table(BOTS, match, sitting, bytes(16)).about(), match)
    service = holding(store)
    decision = ask({"op": "now", "table": GAME_ID}, service)["decision"]
    requests = [
        {"op": "now", "table": GAME_ID},
        {"op": "now", "table": GAME_ID, "seat": (seat + 1) % match.num_players},
        {"op": "play", "table": GAME_ID, "decision": decision, "action": "dance"},
        {"op": "play", "table": GAME_ID, "decision": decision + 1, "action": "doubt"},
    ]
    found = [service.reply_to_line(json.dumps(request).encode()) for request in requests]
    store.close()
    return found


def test_hidden_cards_change_no_byte(tmp_path):
    compared = 0
    for seed in range(60):
        match = at_moment(RULES[seed % len(RULES)], seed, seed, "any")
        if match.to_act < 0:
            continue
        seat, trace = match.to_act, Trace(match.events())
        received = replies(tmp_path, match, seat)
        for exchange in chosen(trace, seat, random.Random(seed))[:2]:
            other = replay(trace.exchanged(*exchange))
            assert other.events() != match.events()
            assert replies(tmp_path, other, seat) == received
            compared += 1
    assert compared > 30


# ---- kept ----------------------------------------------------------------------------------------


class Conversation:
    """``kuku serve --stdio`` in a process of its own, which keeps its games in a folder."""

    def __init__(self, folder):
        command = [*SERVE, "--games", str(folder)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, request):
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def kill(self):
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.communicate()


def test_a_game_goes_on_after_the_server_was_killed(tmp_path):
    chance, server = random.Random(3), Conversation(tmp_path)
    try:
        told = server.ask(new(seats=[None, "normal", None, "strong"], seed=11))
        kills = 0
        while "record" not in told:
            request = {
                **called(told),
                "op": "play",
                "action": chance.choice(told["view"]["legal"]),
            }
            told = server.ask(request)
            if kills < 2:
                server.kill()
                kills += 1
                server = Conversation(tmp_path)
                assert server.ask({"op": "now", "table": told["table"]}) == told
                assert server.ask(request)["error"]["code"] == "stale"
        assert replay(told["record"]).over
        # What was killed in between makes no difference.
        service = holding()
        told_again = finish(
            ask(new(seats=[None, "normal", None, "strong"], seed=11), service),
            random.Random(3),
            lambda one: ask(one, service),
        )
        assert told_again[-1]["record"] == told["record"]
    finally:
        server.kill()
    assert not list(tmp_path.glob(".*.part"))


def test_one_server_at_a_time_has_a_folder(tmp_path):
    with subprocess.Popen(
        [*SERVE, "--games", str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as first:
        first.stdin.write(b'{"op":"hello"}\n')
        first.stdin.flush()
        first.stdout.readline()
        for command in (
            [*SERVE, "--games", str(tmp_path)],
            [sys.executable, "-m", "kuku_env", "play", "--web", "--games", str(tmp_path)],
        ):
            done = subprocess.run(command, input=b"", capture_output=True, timeout=120, check=False)
            assert done.returncode == 2
            assert len(done.stderr.splitlines()) == 1
            assert b"another process uses" in done.stderr
        first.kill()  # however it ends, the folder is free again
    done = subprocess.run([*SERVE, "--games", str(tmp_path)], input=b"", check=False, timeout=120)
    assert done.returncode == 0


def test_a_folder_that_cannot_be_had_is_refused(tmp_path, capsys):
    first = Store(tmp_path)
    with pytest.raises(FolderInUseError):
        Store(tmp_path)
    first.close()
    Store(tmp_path).close()
    for arguments, words in (
        (["--games", "/dev/null/x"], "cannot keep games in /dev/null/x"),
        (["--most", "0"], "--most must be at least 1"),
    ):
        assert main(["serve", "--stdio", *arguments]) == 2
        assert words in capsys.readouterr().err


# ---- HTTP ----------------------------------------------------------------------------------------


def test_held_games_over_http_are_as_described():
    for schema in (NEW, PLAY, NOW, TABLE):
        Draft202012Validator.check_schema(schema)
    with TestClient(make_app(holding())) as client:

        def post(request):
            op = request["op"]
            Draft202012Validator({"new": NEW, "play": PLAY, "now": NOW}[op]).validate(request)
            answer = client.post(f"/v1/{op}", json=request)
            told = answer.json()
            assert answer.status_code == (STATUS[told["error"]["code"]] if "error" in told else 200)
            if "error" not in told:
                Draft202012Validator(TABLE).validate(told)
                assert set(told) <= set(TABLE["properties"])
            return told

        told = post(new(seats=[None, "normal", "easy", None], seed=1))
        last = finish(told, random.Random(1), post)[-1]
        assert post({"op": "now", "table": last["table"]}) == last
        for wrong in ({"table": GAME_ID}, {"decision": 999}, {"action": "dance"}):
            assert "error" in post({**called(last), "op": "play", "action": "doubt", **wrong})
