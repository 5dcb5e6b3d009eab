"""How fast the HTTP server answers ``act``, beside an empty handler in the same server.

One client, one connection that is kept, requests in turn: a hundred of one kind, then a hundred of
the other, so that a busy machine slows both alike. ``python -m benchmarks.serving``
"""

from __future__ import annotations

import argparse
import http.client
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable
from statistics import median, quantiles
from typing import Any

from kuku_env.envs.match import Match

TURN = 100  # requests of a kind, one after the other


def views(count: int) -> list[bytes]:
    """Bodies of ``act``: decisions of four-player games."""
    bodies: list[bytes] = []
    seed = 0
    while len(bodies) < count:
        match = Match("kuku-doubt", num_players=4, seed=seed)
        while not match.over:
            request = {"view": match.view(match.to_act), "seed": seed}
            bodies.append(json.dumps(request).encode())
            match.step(match.legal_actions()[seed % len(match.legal_actions())])
        seed += 1
    return bodies[:count]


def ask(connection: http.client.HTTPConnection, method: str, path: str, body: Any = None) -> float:
    """Seconds until the reply was read."""
    began = time.perf_counter()
    connection.request(method, path, body)
    reply = connection.getresponse()
    reply.read()
    if reply.status != 200:
        raise RuntimeError(f"{method} {path}: {reply.status}")
    return time.perf_counter() - began


def measure(port: int, turns: int) -> dict[str, list[float]]:
    """Seconds of every request, by kind."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    bodies = views(TURN)
    kinds: dict[str, Callable[[int], float]] = {
        "empty": lambda k: ask(connection, "GET", "/healthz"),
        "act": lambda k: ask(connection, "POST", "/v1/act", bodies[k]),
    }
    for call in kinds.values():  # warm-up
        for k in range(TURN):
            call(k)
    found: dict[str, list[float]] = {kind: [] for kind in kinds}
    for _ in range(turns):
        for kind, call in kinds.items():
            found[kind] += [call(k) for k in range(TURN)]
    return found


def table(found: dict[str, list[float]]) -> str:
    lines = ["| request | replies/s | p50 ms | p99 ms |", "|---|---:|---:|---:|"]
    for kind, seconds in found.items():
        p99 = quantiles(seconds, n=100)[98]
        rate = len(seconds) / sum(seconds)
        lines.append(f"| {kind} | {rate:,.0f} | {median(seconds) * 1e3:.2f} | {p99 * 1e3:.2f} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=30, help="hundreds of requests of each kind")
    options = parser.parse_args()
    command = [sys.executable, "-m", "kuku_env", "serve", "--http", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            told = server.stderr.readline()
            found = measure(int(re.search(r":(\d+)", told)[1]), options.turns)  # type: ignore[index]
        finally:
            server.terminate()
    print(table(found))
    pairs = zip(
        (found["empty"][k : k + TURN] for k in range(0, len(found["empty"]), TURN)),
        (found["act"][k : k + TURN] for k in range(0, len(found["act"]), TURN)),
        strict=True,
    )
    ratio = median(sum(empty) / sum(act) for empty, act in pairs)
    print(f"\nact answers at {ratio:.2f} of the empty handler's rate (median over turns)")


if __name__ == "__main__":
    main()
