"""The protocol's transports: standard input and output, and HTTP."""

import io
import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

import pytest
from asking import SERVICE, ask, asked, asked_by_stream, random_match
from fastapi.testclient import TestClient
from jsonschema import Draft202012Validator
from test_protocol import malformed

from kuku_env.games import games
from kuku_env.protocol import Bots, Service
from kuku_env.protocol.http import STATUS, make_app
from kuku_env.protocol.openapi import ACT, ADVISE, ERROR, QUESTION
from kuku_env.protocol.stdio import serve
from kuku_env.protocol.wire import CODES

SERVE = [sys.executable, "-m", "kuku_env", "serve"]
HELLO = b'{"id":1,"op":"hello"}\n'


def talk(given, *options):
    """What a server process answers to its whole input; it must end well."""
    done = subprocess.run(
        [*SERVE, "--stdio", *options], input=given, capture_output=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr.decode()
    assert b"Traceback" not in done.stderr
    return [json.loads(line) for line in done.stdout.decode("utf-8").splitlines()]


class Lines:
    """A sink that keeps what is written, and notes what had been flushed."""

    def __init__(self):
        self.written, self.flushed = b"", b""

    def write(self, data):
        self.written += data

    def flush(self):
        self.flushed = self.written

    @property
    def replies(self):
        assert self.written == self.flushed
        return [json.loads(line) for line in self.written.splitlines()]


def requests(count):
    """Good and bad ones by turns, with their numbers."""
    for number in range(count):
        good = asked(random_match(number % 20), bot="scripted-easy", seed=number)
        yield {**good, "id": number, **({"temperature": -1} if number % 3 == 2 else {})}


def lines_of(some):
    return b"".join(json.dumps(request).encode() + b"\n" for request in some)


# ---- standard input and output -------------------------------------------------------------------


def test_a_conversation():
    replies = talk(HELLO + lines_of(requests(9)) + b'{"id":99,"op":"quit"}\n' + HELLO)
    assert [reply["id"] for reply in replies] == [1, *range(9)]  # in order, none after quit
    assert [reply["id"] for reply in replies if "error" in reply] == [2, 5, 8]
    assert replies[1:] == [ask(request) for request in requests(9)]


def test_byte_by_byte_and_glued_and_without_a_last_newline():
    data = lines_of(requests(6))
    with subprocess.Popen(
        [*SERVE, "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    ) as server:
        for k in range(0, 3000):
            server.stdin.write(data[k : k + 1])
        server.stdin.write(data[3000:] + data.rstrip(b"\n"))
        server.stdin.close()
        replies = [json.loads(line) for line in server.stdout]
    assert server.returncode == 0
    assert replies == [ask(request) for request in [*requests(6), *requests(6)]]


def test_every_reply_comes_before_the_next_request():
    with subprocess.Popen(
        [*SERVE, "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as server:
        for number in range(5):
            server.stdin.write(b'{"id":%d,"op":"hello"}\r\n\n  \n' % number)
            server.stdin.flush()
            assert json.loads(server.stdout.readline())["id"] == number
        server.stdin.close()
    assert server.returncode == 0


SHOWING_MEMORY = (
    "import re, sys; from kuku_env.command.main import main; main(['serve', '--stdio']);"
    "print(re.search('VmHWM:(.*) kB', open('/proc/self/status').read())[1], file=sys.stderr)"
)
needs_proc = pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="memory is told by /proc"
)


def memory_after(given):
    """The replies to a whole input, and the most memory that the server needed, in kB."""
    command = [sys.executable, "-c", SHOWING_MEMORY]
    done = subprocess.run(command, input=given, capture_output=True, check=True, timeout=300)
    assert b"Traceback" not in done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()], int(done.stderr.split()[-1])


@needs_proc
def test_a_line_of_fifty_megabytes_is_refused_in_little_memory():
    used = {}
    for size in (1, 50_000_000):
        long = b'{"id":7,"op":"hello","x":"' + b"x" * size
        replies, used[size] = memory_after(long + b"\n" + HELLO)
        assert replies[0]["error"]["code"] == ("bad_json" if size == 1 else "too_large")
        assert (replies[1]["id"], len(replies)) == (1, 2)
    assert used[50_000_000] - used[1] < 20_000


@needs_proc
def test_a_thousand_malformed_requests_leave_nothing_behind():
    chance = random.Random(4)
    lines = [malformed(chance)[1].replace(b"\n", b" ") + b"\n" for _ in range(1000)]
    good = lines_of([asked(random_match(3), bot="scripted-normal", seed=1)])
    _, first = memory_after(b"".join(lines[:50]) + good)
    replies, most = memory_after(b"".join(lines) + good)
    assert len(replies) == 1001
    assert [reply["error"]["code"] for reply in replies[:-1]].count("internal") == 0
    assert replies[-1] == ask(asked(random_match(3), bot="scripted-normal", seed=1))
    assert most - first < 10_000


def test_a_long_line_that_never_ends():
    assert [reply["error"]["code"] for reply in talk(b"[" * 5_000_000)] == ["too_large"]
    assert [reply["id"] for reply in talk(b"x" * 999 + b"\n" + HELLO, "--max-bytes", "99")] == [
        None,
        1,
    ]


@pytest.mark.parametrize("extra", [-1, 0, 1])
def test_the_limit_is_met_exactly(extra):
    service = Service(SERVICE.bots, max_bytes=200)
    line = b'{"op":"hello","id":"%s"}' % (b"x" * (200 + extra - 22))
    assert len(line) == 200 + extra
    for ending in (b"\n", b""):
        sink = Lines()
        serve(service, io.BytesIO(line + ending), sink)
        assert ("error" in sink.replies[0]) == (extra > 0), (extra, ending)


def test_nothing_is_asked_and_nothing_is_answered():
    assert talk(b"") == []
    assert talk(b"\n\r\n   \n") == []


def test_junk_does_not_end_it():
    junk = bytes(range(256)) * 40
    replies = talk(junk + b"\n" + HELLO)
    assert replies[-1]["id"] == 1
    assert all(reply["error"]["code"] == "bad_json" for reply in replies[:-1])


def test_a_listener_that_leaves_ends_it_quietly():
    with subprocess.Popen(
        [*SERVE, "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as server:
        server.stdin.write(HELLO)
        server.stdin.flush()
        server.stdout.readline()
        server.stdout.close()
        server.stdin.write(HELLO)
        server.stdin.flush()
        assert server.wait(30) == 0
        assert server.stderr.read() == b""


def test_what_is_printed_elsewhere_does_not_get_between_the_replies():
    code = (
        "import os; from kuku_env.protocol import *; from kuku_env.protocol.stdio import *\n"
        "class Loud(Service):\n"
        "    def reply(self, request):\n"
        "        print('loud', flush=True); os.write(1, b'!'); return {'id': 1}\n"
        "serve_process(Loud(Bots()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=HELLO, capture_output=True, check=True
    )
    assert done.stdout == b'{"id":1}\n'
    assert b"loud" in done.stderr


# ---- HTTP ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def client():
    with TestClient(make_app(Service(Bots(), max_bytes=300_000))) as made:
        yield made


@pytest.mark.parametrize("op", ["act", "advise"])
def test_http_replies_are_those_of_stdio(client, op):
    for seed in range(5):
        for make in (asked, asked_by_stream):
            request = make(random_match(seed), op, bot="scripted-normal", seed=seed, lang="ja")
            answer = client.post(f"/v1/{op}", json=request)
            assert answer.status_code == 200
            assert answer.headers["content-type"] == "application/json"
            assert answer.json() == ask(request)
            del request["op"]  # the path says it
            assert client.post(f"/v1/{op}", json=request).json() == answer.json()


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"op": "advise"}, "unknown_op"),
        ({"bot": "nobody"}, "unknown_bot"),
        ({"view": {}}, "bad_view"),
        ({"seed": -1}, "bad_json"),
        ({"id": "x" * 300_000}, "too_large"),
    ],
)
def test_http_errors(client, change, code):
    answer = client.post("/v1/act", json={**asked(random_match(1)), **change})
    assert answer.status_code == STATUS[code]
    assert answer.json()["error"]["code"] == code
    assert Draft202012Validator(ERROR).is_valid(answer.json())


def test_every_code_has_a_status():
    assert set(STATUS) == set(CODES)


def test_http_bodies_that_are_no_requests(client):
    for body in (b"", b"[", b"null", b"\xff", b"[" * 50_000):
        answer = client.post("/v1/act", content=body)
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_json")


def test_http_a_body_of_unknown_length_is_bounded(client):
    def endless():
        for _ in range(1000):
            yield b"x" * 10_000

    answer = client.post("/v1/act", content=endless())
    assert answer.json()["error"]["code"] == "too_large"


def test_http_what_is_only_to_be_read(client):
    assert client.get("/healthz").json() == {"ok": True}
    told = client.get("/v1/bots").json()
    hello = ask({"op": "hello"})
    assert told == {key: value for key, value in hello.items() if key != "id"}
    for game in games():
        for name in (game.name, game.id):
            assert client.get(f"/v1/spec/{name}").json() == game.spec()
    missing = client.get("/v1/spec/chess")
    assert (missing.status_code, missing.json()["error"]["field"]) == (404, "game")


def test_http_other_paths_and_methods_are_errors_of_the_protocol(client):
    for method, path, status in (
        ("GET", "/", 404), ("POST", "/v1/hello", 404), ("GET", "/v1/act", 405),
        ("DELETE", "/v1/bots", 405), ("GET", "/v1/act/", 404), ("POST", "/v1/quit", 404),
    ):  # fmt: skip
        answer = client.request(method, path)
        assert (answer.status_code, answer.json()["error"]["code"]) == (status, "unknown_op")


def test_openapi_describes_what_is_said(client):
    described = client.get("/openapi.json").json()
    assert set(described["paths"]) == {
        *("/v1/act", "/v1/advise", "/v1/repair", "/v1/new", "/v1/play", "/v1/now"),
        *("/v1/bots", "/v1/spec/{game}", "/healthz"),
    }
    body = described["paths"]["/v1/act"]["post"]["requestBody"]["content"]["application/json"]
    assert body["schema"] == QUESTION
    for schema, op in ((ACT, "act"), (ADVISE, "advise")):
        Draft202012Validator.check_schema(schema)
        for seed in range(10):
            request = asked(random_match(seed), op, level="normal", seed=seed, temperature=0.5)
            Draft202012Validator(QUESTION).validate(request)
            reply = ask(request)
            Draft202012Validator(schema).validate(reply)
            assert set(reply) <= set(schema["properties"])


def test_http_pages_of_named_origins_may_ask():
    with TestClient(make_app(SERVICE, ["https://cards.example"])) as client:
        for origin, allowed in (("https://cards.example", True), ("https://else.example", False)):
            answer = client.get("/healthz", headers={"origin": origin})
            assert ("access-control-allow-origin" in answer.headers) == allowed
    with TestClient(make_app(SERVICE)) as client:
        answer = client.get("/healthz", headers={"origin": "https://cards.example"})
        assert "access-control-allow-origin" not in answer.headers


@pytest.fixture
def server():
    """A real one on a free port of this machine; its process and its address."""
    with subprocess.Popen(
        [*SERVE, "--http", "--port", "0"], stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            said = process.stderr.readline()
            yield process, re.search(r"http://127\.0\.0\.1:\d+", said)[0]
        finally:
            process.kill()


def post(address, request):
    data = json.dumps(request).encode()
    with urllib.request.urlopen(f"{address}/v1/act", data, timeout=60) as answer:
        return json.load(answer)


def test_a_real_server_answers_many_at_once_and_stops_when_told(server):
    process, address = server
    wanted = list(requests(12))
    found = {}

    def one(request):
        found[request["id"]] = post(address, {**request, "temperature": 1})

    threads = [threading.Thread(target=one, args=(request,)) for request in wanted]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {r["id"]: ask({**r, "temperature": 1}) for r in wanted}
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) in (0, -signal.SIGTERM)
    assert "Traceback" not in process.stderr.read()


def test_a_real_server_is_stopped_by_ctrl_c(server):
    process, address = server
    assert json.load(urllib.request.urlopen(f"{address}/healthz", timeout=60)) == {"ok": True}
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 0
    assert process.stderr.read() == ""


def test_a_port_that_is_taken_is_told_in_one_line(server):
    _, address = server
    port = address.rpartition(":")[2]
    done = subprocess.run(
        [*SERVE, "--http", "--port", port], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert f"port {port}" in done.stderr


def test_serving_needs_no_extra_but_for_http(tmp_path):
    """Where fastapi is missing, stdio serves and HTTP says what is needed."""
    (tmp_path / "fastapi.py").write_text("raise ModuleNotFoundError('no', name='fastapi')")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    env = {**os.environ, "PYTHONPATH": path}
    options = {"capture_output": True, "check": False, "timeout": 60, "env": env}
    done = subprocess.run([*SERVE, "--stdio"], input=HELLO, **options)
    assert (done.returncode, json.loads(done.stdout)["id"]) == (0, 1)
    done = subprocess.run([*SERVE, "--http"], **options)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"pip install 'kuku-env[serve]'" in done.stderr
