"""Games in the browser: the server that holds them. The page itself is tested in web/play."""

import json
import random
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from asking import KUKU
from fastapi.testclient import TestClient
from kuku_doubt_tables import TABLES
from test_secrecy import MOMENTS, Trace, at_moment, chosen

from kuku_env.bots.named import SHIPPED
from kuku_env.command.main import main
from kuku_env.core.game import OptionError
from kuku_env.envs.records import replay
from kuku_env.protocol import Bots, ProtocolError
from kuku_env.protocol.http import STATUS
from kuku_env.protocol.store import Store
from kuku_env.protocol.table import Table
from kuku_env.web import Desk, House, page_of
from kuku_env.web.app import MAX_BYTES, make_app
from kuku_env.web.asked import OPS

BOTS = Bots()
SECRET = ("seed", "private", "key")  # keys of what a seat never gets
GAME_ID = "A" * 22


STORES = {}  # the one that is open, by folder: as after a restart the one before is closed


def desk(folder, seed=1, most=50, **how):
    if folder in STORES:
        STORES[folder].close()
    STORES[folder] = Store(folder)
    return Desk(House(KUKU, BOTS, **how), STORES[folder], seed=seed, most=most)


@pytest.fixture
def client(tmp_path):
    return client_of(desk(tmp_path, lineups=[["scripted-normal", "easy"]]))


def client_of(held):
    return TestClient(make_app(held, page_of(KUKU)))


def ask(client, op, **request):
    answer = client.post(f"/play/{op}", json=request)
    told = json.loads(answer.content, parse_constant=lambda word: 1 / 0)
    expected = STATUS[told["error"]["code"]] if "error" in told else 200
    assert answer.status_code == expected
    return told


def code_of(client, op, **request):
    error = ask(client, op, **request)["error"]
    return error["code"], error.get("field")


def act(client, told, action):
    return ask(client, "act", table=told["table"], decision=told["decision"], action=action)


def finish(client, told, chance):
    """Play a game to its end; every update on the way."""
    game, updates = told["table"], [told]
    while "record" not in told:
        action = chance.choice(told["view"]["legal"])
        told = {"table": game, **act(client, told, action)}
        updates.append(told)
    return updates


# ---- games ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_whole_games_show_the_record_at_the_end_alone(client, players):
    told = ask(client, "new", players=players, start="me")
    assert len(told["view"]["seats"]) == players
    assert told["events"][-1]["type"] == "draw"  # I start
    *before, last = finish(client, told, random.Random(players))
    for update in before:
        assert (update["view"]["seat"], update["view"]["to_act"]) == (0, 0)
        assert "record" not in update
        assert update["events"] == last["events"][: len(update["events"])]
        assert not any(f'"{key}"' in json.dumps(update) for key in SECRET)
    assert last["view"]["phase"] == "over"
    match = replay(last["record"])
    assert match.over
    assert match.stream(0) == last["events"]


def test_what_there_is_to_choose(client):
    told = ask(client, "choices")
    assert told["players"] == [2, 3, 4, 5, 6]
    assert told["bots"] == [["scripted-normal", "easy"], ["strong"], ["normal"], ["easy"]]
    assert ask(client, "new")["sitting"] == [None, "scripted-normal", "easy", "scripted-normal"]
    told = ask(client, "new", players=3, bots=["random", "strong"], start=None)
    assert told["sitting"] == [None, "random", "strong"]


def test_a_hint_is_advice_from_my_view(client):
    told = ask(client, "new", players=3)
    hint = ask(client, "hint", table=told["table"], lang="ja")
    assert hint["best"] in told["view"]["legal"]
    assert hint["lang"] == "ja"
    assert ask(client, "now", table=told["table"]).items() <= told.items()  # nothing happened
    over = finish(client, told, random.Random(3))[-1]
    assert code_of(client, "hint", table=over["table"]) == ("illegal_action", None)


def test_many_games_go_on_at_once(client):
    games = [ask(client, "new", players=2 + k % 5) for k in range(10)]
    assert len({told["table"] for told in games}) == 10
    ends = [finish(client, told, random.Random(k))[-1] for k, told in enumerate(games)]
    for told in ends:
        assert ask(client, "now", table=told["table"])["record"] == told["record"]


# ---- secrecy -------------------------------------------------------------------------------------


def answers(folder, match):
    """The bytes of all that the server answers about a saved game in which the player decides."""
    held = desk(folder)
    sitting = [None, *["scripted-normal"] * (match.num_players - 1)]
    about = Table(BOTS, match, sitting, bytes(16)).about()
    held.tables.store.open(GAME_ID, about, match)
    client = client_of(desk(folder))
    decision = ask(client, "now", table=GAME_ID)["decision"]
    asked = [
        ("now", {}),
        ("hint", {"lang": "en"}),
        ("act", {"decision": decision + 1, "action": "doubt"}),
        ("act", {"decision": decision, "action": "dance"}),
        ("act", {"decision": decision, "action": "doubt", "seat": 1}),
    ]
    return [
        client.post(f"/play/{op}", json={"table": GAME_ID, **more}).content for op, more in asked
    ]


def test_hidden_cards_change_no_byte(tmp_path):
    compared, moments = 0, list(MOMENTS)
    for seed in range(60):
        match = at_moment(TABLES[seed % len(TABLES)], seed, seed, moments[seed % len(moments)])
        while match.to_act not in (0, -1):
            match.step(match.legal_actions()[0])
            while match.at_chance:
                match.resolve(match.chance_outcomes()[0][0])
        if match.to_act != 0:
            continue
        received = answers(tmp_path, match)
        trace = Trace(match.events())
        for exchange in chosen(trace, 0, random.Random(seed))[:2]:
            other = replay(trace.exchanged(*exchange))
            assert other.events() != match.events()
            assert answers(tmp_path, other) == received
            compared += 1
    assert compared > 30


def test_a_leak_would_be_seen(tmp_path):
    told_apart = 0
    for seed in range(30):
        match = at_moment(TABLES[0], seed, seed % 12, "any")
        if match.to_act == 0:
            trace = Trace(match.events())
            for exchange in chosen(trace, 1, random.Random(seed))[:1]:
                other = replay(trace.exchanged(*exchange))
                told_apart += answers(tmp_path, other) != answers(tmp_path, match)
    assert told_apart > 2


def test_ids_and_keys_are_not_to_be_guessed(tmp_path):
    held = desk(tmp_path, seed=None, lineups=[["random"]])
    games = [held.reply("new", {})["table"] for _ in range(20)]
    saved = [json.loads((tmp_path / f"{game}.json").read_text()) for game in games]
    assert len({*games}) == len({one["key"] for one in saved}) == 20
    assert all(len(game) == 22 for game in games)


# ---- refusals ------------------------------------------------------------------------------------


def test_stale_and_illegal_acts_change_nothing(client):
    told = ask(client, "new", players=4, start="me")
    game, decision, action = told["table"], told["decision"], told["view"]["legal"][0]
    for wrong, error in (
        ({"decision": decision + 1}, ("stale", "decision")),
        ({"action": "accept"}, ("illegal_action", "action")),
        ({"action": "claim 11"}, ("illegal_action", "action")),
        ({"action": "鳩" * 200}, ("illegal_action", "action")),
        ({"seat": 1}, ("illegal_action", "seat")),
    ):
        request = {"table": game, "decision": decision, "action": action, **wrong}
        assert code_of(client, "act", **request) == error
        assert ask(client, "now", table=game).items() <= told.items()
    after = act(client, told, action)
    assert after["decision"] > decision
    assert act(client, told, action)["error"]["code"] == "stale"
    assert ask(client, "now", table=game) == after


def test_nothing_is_decided_after_the_end(client):
    over = finish(client, ask(client, "new", players=2), random.Random(1))[-1]
    assert act(client, over, "doubt")["error"]["code"] == "illegal_action"


@pytest.mark.parametrize(
    ("op", "request_", "error"),
    [
        ("new", {"players": 7}, ("wrong_rules", "players")),
        ("new", {"players": "3"}, ("bad_json", "players")),
        ("new", {"players": True}, ("bad_json", "players")),
        ("new", {"bots": ["nobody"]}, ("unknown_bot", "bots")),
        ("new", {"bots": ["../../x"]}, ("unknown_bot", "bots")),
        ("new", {"bots": []}, ("bad_json", "bots")),
        ("new", {"bots": ["easy"] * 99}, ("bad_json", "bots")),
        ("new", {"start": 1}, ("bad_json", "start")),
        ("new", {"seed": 1}, ("bad_json", None)),
        ("now", {}, ("bad_json", "table")),
        ("now", {"table": 5}, ("bad_json", "table")),
        ("now", {"table": "x"}, ("unknown_table", "table")),
        ("now", {"table": "../../../../etc/passwd"}, ("unknown_table", "table")),
        ("hint", {"table": "A" * 22, "lang": "fr"}, ("bad_json", "lang")),
        ("act", {"table": "A" * 22, "decision": 1.0, "action": "doubt"}, ("bad_json", "decision")),
        ("act", {"table": "A" * 22, "decision": -1, "action": "doubt"}, ("bad_json", "decision")),
        ("act", {"table": "A" * 22, "decision": 1, "action": []}, ("bad_json", "action")),
        ("act", {"table": "A" * 22, "decision": 1, "action": "doubt"}, ("unknown_table", "table")),
    ],
)
def test_malformed_requests(client, op, request_, error):
    assert code_of(client, op, **request_) == error


def test_bodies_that_are_no_requests(client):
    kind = {"content-type": "application/json"}
    for body in (b"", b"[", b"null", b"[]", b"\xff", b'{"table":NaN}', b"[" * 5000):
        for op in OPS:
            answer = client.post(f"/play/{op}", content=body, headers=kind)
            assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_json")
    answer = client.post("/play/new", content=b" " * (MAX_BYTES + 1), headers=kind)
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")
    # A form of another site's page may be sent without asking; it is not taken.
    for other in ({}, {"content-type": "text/plain"}):
        answer = client.post("/play/new", content=b"{}", headers=other)
        assert answer.json()["error"]["code"] == "bad_json"


def test_other_paths_and_methods(client):
    for method, path, status in (
        ("GET", "/play/new", 404), ("POST", "/play/cards", 404), ("GET", "/nothing", 404),
        ("GET", "/../tables.py", 404), ("GET", "/%2e%2e/tables.py", 404), ("POST", "/", 405),
        ("GET", "/bots/selfplay/bot.json", 404), ("GET", "/openapi.json", 404),
    ):  # fmt: skip
        answer = client.request(method, path)
        assert (answer.status_code, answer.json()["error"]["code"]) == (status, "unknown_op"), path


def test_the_page_is_served_with_its_own_scripts_alone(client):
    answer = client.get("/")
    assert "main.js" in answer.text
    policy = answer.headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "unsafe-inline" not in policy
    for name in re.findall(r'(?:src|href)="(\w[^":]*)"', answer.text):
        assert client.get(f"/{name}").status_code == 200
    assert client.get("/healthz").json() == {"ok": True}


# ---- kept and restored ---------------------------------------------------------------------------


def test_a_restored_game_goes_on_as_it_would_have(tmp_path):
    first = client_of(desk(tmp_path, seed=None))
    for k in range(6):
        told = ask(first, "new", players=2 + k % 5, bots=["normal", "easy"])
        chance = random.Random(k)
        for _ in range(4 * k):
            if "record" in told:
                break
            action = chance.choice(told["view"]["legal"])
            told = {"table": told["table"], **act(first, told, action)}
        second = client_of(desk(tmp_path, seed=99))  # as after a restart
        assert ask(second, "now", table=told["table"]).items() <= told.items()
        ends = [finish(client, told, random.Random(k))[1:] for client in (first, second)]
        assert ends[0] == ends[1]


def test_damaged_and_foreign_games_are_refused(tmp_path, capsys):
    game = desk(tmp_path, lineups=[["random"]]).reply("new", {})["table"]
    record, about = (tmp_path / f"{game}{suffix}" for suffix in (".jsonl", ".json"))
    good = record.read_text(), about.read_text()
    for path, text in (
        (record, good[0].replace('"draw"', '"drawn"')), (record, "{"), (record, ""),
        (about, "[]"), (about, "{}"), (about, good[1].replace("random", "nobody")),
        (about, good[1].replace('"format": 1', '"format": 2')),
    ):  # fmt: skip
        record.write_text(good[0])
        about.write_text(good[1])
        path.write_text(text)
        error = desk(tmp_path).reply("now", {"table": game})["error"]
        assert error["code"] == "unknown_table", text
        assert "Traceback" not in capsys.readouterr().err


def test_games_are_bounded(tmp_path, monkeypatch):
    held = desk(tmp_path, most=2, lineups=[["random"]])
    client = client_of(held)
    one, two = ask(client, "new", players=2), ask(client, "new", players=2)
    assert code_of(client, "new") == ("too_many", None)
    finish(client, one, random.Random(1))  # a finished one makes room
    three = ask(client, "new")
    assert code_of(client, "now", table=one["table"]) == ("unknown_table", "table")
    assert len(list(tmp_path.glob("*.jsonl"))) == len(list(tmp_path.glob("*.json"))) == 2
    monkeypatch.setattr("kuku_env.protocol.tables.IDLE_SECONDS", -1.0)  # all are idle
    ask(client, "now", table=two["table"])
    ask(client, "new")
    assert code_of(client, "now", table=three["table"]) == ("unknown_table", "table")
    ask(client, "now", table=two["table"])


def test_what_cannot_be_saved_is_not_told(tmp_path, monkeypatch, capsys):
    held = desk(tmp_path, lineups=[["random"]])
    client = client_of(held)
    told = ask(client, "new", players=3)

    def full(*_):
        raise OSError("no space left")

    with monkeypatch.context() as patch:
        patch.setattr(held.tables.store, "save", full)
        assert act(client, told, told["view"]["legal"][0])["error"]["code"] == "internal"
    assert ask(client, "now", table=told["table"]).items() <= told.items()
    assert "no space left" in capsys.readouterr().err


# ---- bots in the browser -------------------------------------------------------------------------


def test_bots_in_the_browser_are_asked_by_the_page(tmp_path):
    client = client_of(desk(tmp_path, in_browser=True))
    told = ask(client, "new", players=3, bots=["strong", "easy"])
    chance, asked = random.Random(1), 0
    while "record" not in told:
        ask_ = told.get("ask", {"view": told["view"], "seat": 0})
        view, seat = ask_["view"], ask_["seat"]
        assert (view["seat"], view["to_act"]) == (seat, seat)
        assert seat in (0, 1)  # the script decides on the server
        asked += seat == 1
        request = {"table": told["table"], "decision": told["decision"]}
        if seat:
            assert code_of(client, "act", **request, action=view["legal"][0])[0] == "illegal_action"
            assert code_of(client, "hint", table=told["table"])[0] == "illegal_action"
            for name in ("bot.json", "policy.onnx"):
                file = SHIPPED / KUKU.name / "strong" / name
                assert client.get(f"/{ask_['bot']}/{name}").content == file.read_bytes()
        request |= {"action": chance.choice(view["legal"]), "seat": seat}
        told = {"table": told["table"], **ask(client, "act", **request)}
    assert asked
    for path in ("bots/selfplay/other", "bots/scripted-easy/bot.json", "bots/nobody/bot.json"):
        assert client.get(f"/{path}").status_code == 404


# ---- the house and the command -------------------------------------------------------------------


def test_a_house_refuses_what_it_cannot_play():
    for how, error in (
        ({"players": 7}, OptionError),
        ({"rules": {"no_such": 1}}, (OptionError, KeyError, TypeError)),
        ({"lineups": [["nobody"]]}, ProtocolError),
    ):
        with pytest.raises(error):
            House(KUKU, BOTS, **how)


def test_a_preset_that_fixes_the_table():
    house = House(KUKU, BOTS, preset="tiny", lineups=[["random"]])
    assert house.choices()["default_players"] == 2
    assert house.options(None, False).max_accepts == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--web", "--seat", "1"], "--seat"),
        (["--web", "--save", "x"], "--save"),
        (["--web", "--lang", "ja"], "--lang"),
        (["--web", "--most", "0"], "--most"),
        (["--web", "--bots-run", "browser"], "--page"),
        (["--web", "--page", "/nowhere"], "index.html"),
        (["--web", "--bots", "nobody"], "nobody"),
        (["--web", "--players", "9"], "num_players"),
        (["--web", "--games", "/dev/null/x"], "--games"),
        (["doubt", "--web"], "no page for doubt"),
        (["chess", "--web"], "chess"),
        (["--port", "1"], "--port is for --web"),
        (["--bots-run", "server"], "--bots-run is for --web"),
    ],
)
def test_the_command_refuses_in_one_line(capsys, tmp_path, monkeypatch, arguments, words):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert main(["play", *arguments]) == 2
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1
    assert words in said


class Server:
    """``kuku play --web`` in a process of its own."""

    def __init__(self, folder, port=0):
        command = [sys.executable, "-m", "kuku_env", "play", "--web", "--games", str(folder)]
        self.process = subprocess.Popen(
            [*command, "--port", str(port), "--bots", "normal"], stderr=subprocess.PIPE, text=True
        )
        said = next(line for line in self.process.stderr if "play on" in line)
        self.address = re.search(r"http://127\.0\.0\.1:\d+", said)[0]

    def ask(self, op, **request):
        kind = {"content-type": "application/json"}
        data = json.dumps(request).encode()
        asked = urllib.request.Request(f"{self.address}/play/{op}", data, kind)
        try:
            with urllib.request.urlopen(asked, timeout=60) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            return json.load(error)


@pytest.mark.slow
def test_a_game_goes_on_after_the_server_was_killed(tmp_path):
    folder, chance = tmp_path / "games", random.Random(2)
    server = Server(folder)
    try:
        told = server.ask("new", players=4)
        game, kills = told["table"], 0
        while "record" not in told:
            decision, action = told["decision"], chance.choice(told["view"]["legal"])
            told = server.ask("act", table=game, decision=decision, action=action)
            if kills < 2:
                server.process.send_signal(signal.SIGKILL)
                server.process.wait()
                server.process.stderr.close()
                kills += 1
                server = Server(folder, server.address.rpartition(":")[2])
                assert server.ask("now", table=game) == told
                again = server.ask("act", table=game, decision=decision, action=action)
                assert again["error"]["code"] == "stale"
        assert kills == 2
        assert replay(told["record"]).over
        assert (folder.stat().st_mode & 0o777) == 0o700
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(20) == 0
    finally:
        server.process.kill()
        server.process.stderr.close()
    assert not list(Path(folder).glob(".*.part"))  # nothing half-written is left
