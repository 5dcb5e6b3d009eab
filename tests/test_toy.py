"""A game that lives in a folder of its own (tests/toy/) plays in every environment, in the arena,
by the protocol and in the command, and nothing of these knows of it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import gymnasium
import numpy as np
import pytest
import toy
from asking import SERVICE, ask, asked, asked_by_stream
from fastapi.testclient import TestClient
from pettingzoo.test import api_test, seed_test

from kuku_env.arena import play_match, standings
from kuku_env.bots import make_policy
from kuku_env.command.main import main
from kuku_env.core.chance import generator_states
from kuku_env.core.encoder import ViewEncoder
from kuku_env.core.game import KNOWN_GAMES
from kuku_env.envs.aec import BluffingEnv
from kuku_env.envs.batch import BatchEnv
from kuku_env.envs.match import Match
from kuku_env.envs.records import read_events, replay, write_record
from kuku_env.envs.solo import SoloEnv, SoloVectorEnv
from kuku_env.games import add_game
from kuku_env.protocol.http import make_app

COIN = toy.GAME
HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def known():
    add_game(COIN)
    yield
    del KNOWN_GAMES[COIN.id]


def positions(num_players):
    """A match before each of its decisions, and at its end."""
    for seed in range(8):
        match = Match(COIN, seed=seed, num_players=num_players)
        while not match.over:
            yield match
            legal = match.legal_actions()
            match.step(legal[(seed + len(match.moves)) % len(legal)])
        yield match


@pytest.mark.filterwarnings("ignore:Observation")
def test_pettingzoos_environment():
    for num_players in (2, 3):
        api_test(BluffingEnv("coin", num_players=num_players), num_cycles=20)
        seed_test(lambda n=num_players: BluffingEnv("coin", num_players=n), num_cycles=20)


def test_batches():
    batch = BatchEnv("coin", 100, seed=0, tables=[{"num_players": 2}, {"num_players": 3}])
    batch.reset()
    generators, ends, rewards = generator_states(0, 100), 0, 0.0
    for _ in range(30):
        turns = batch.step(batch.sample(generators))
        ends, rewards = ends + turns.over.sum(), rewards + np.abs(turns.rewards).sum()
        assert not turns.rewards.sum(axis=1).any()
    assert ends == 50 * 15 + 50 * 10
    assert rewards > 0


def test_one_learners_seat():
    env = SoloEnv("coin", opponents=["random", "random"])
    observation, info = env.reset(seed=3)
    for _ in range(10):
        assert env.observation_space.contains(observation)
        action = int(np.flatnonzero(info["action_mask"])[0])
        observation, reward, terminated, truncated, info = env.step(action)
        assert (terminated, truncated) == (True, False)
        assert reward in (-2.0, -1.0, 0.0, 1.0, 2.0)
        observation, info = env.reset()


def test_many_learners_seats():
    env = SoloVectorEnv("coin", num_envs=50, opponents=["random"], num_players=2)
    assert isinstance(env, gymnasium.vector.VectorEnv)
    env.reset(seed=1)
    for _ in range(5):
        masks = env.action_masks()
        _, rewards, terminated, _, _ = env.step(masks.argmax(axis=1))
        assert terminated.all()
        assert set(rewards) == {-1.0, 1.0}


class Honest:
    """Says how the coin fell, and believes what is said."""

    name = "honest"

    def probabilities(self, observation, action_mask):
        coin = observation[:, COIN.layout.offsets["coin"]]
        wanted = np.concatenate([coin, np.ones_like(coin)], axis=1) * action_mask
        wanted[:, 3] = 0
        return (wanted / wanted.sum(axis=1, keepdims=True)).astype(np.float32)


def test_bots_and_the_arena():
    result = play_match(COIN, [Honest(), make_policy("random", "coin")], 3, 600, seed=0)
    assert result.plan.games == 600
    assert sum(row.wins for row in standings(result)) == pytest.approx(600)


@pytest.mark.parametrize("num_players", [2, 3])
def test_views_streams_and_observations_agree(num_players):
    encoder = ViewEncoder(COIN.layout.to_json())
    for match in positions(num_players):
        for seat in range(num_players):
            observation, mask = match.observe(seat)
            view = match.view(seat)
            assert np.array_equal(encoder.observation(view), observation)
            assert np.array_equal(encoder.action_mask(view), mask)
        if not match.over:
            stream = match.stream(match.to_act)
            assert COIN.telling.view_of_stream(stream) == match.view(match.to_act)


def test_records_and_the_command_that_checks_them(tmp_path, capsys):
    match = [match for match in positions(3) if match.over][-1]
    path = tmp_path / "coin.jsonl"
    write_record(path, match)
    assert replay(read_events(path.read_text())).events() == match.events()
    assert main(["check", str(path)]) == 0
    assert f"good: {COIN.id}, 3 players, over" in capsys.readouterr().out
    path.write_text(path.read_text().replace('"truncated":false', '"truncated":true'))
    assert main(["check", str(path)]) == 1
    assert main(["spec", "coin"]) == 0


def test_the_protocol_by_http():
    with TestClient(make_app(SERVICE)) as client:
        assert COIN.id in [game["game"] for game in client.get("/v1/bots").json()["games"]]
        assert client.get("/v1/spec/coin").json() == COIN.spec()
        for match in positions(3):
            if not match.over:
                for op in ("act", "advise"):
                    request = asked(match, op, seed=1)
                    reply = client.post(f"/v1/{op}", json=request).json()
                    assert reply == ask(request) == ask(asked_by_stream(match, op, seed=1))
                    done = reply["action" if op == "act" else "best"]
                    assert done in match.view(match.to_act)["legal"]


SERVER = """
import toy
from kuku_env.games import add_game
from kuku_env.protocol import Bots, Service
from kuku_env.protocol.stdio import serve_process
add_game(toy.GAME)
serve_process(Service(Bots()))
"""


def test_the_protocol_by_stdio():
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), str(HERE.parent)])}
    match = next(positions(2))
    lines = [{"id": 1, "op": "hello"}, asked(match, seed=1), {"id": 3, "op": "quit"}]
    given = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
    done = subprocess.run(
        [sys.executable, "-c", SERVER], input=given, env=env, capture_output=True, check=True
    )
    hello, reply = map(json.loads, done.stdout.splitlines())
    assert COIN.id in [game["game"] for game in hello["games"]]
    assert reply == ask(asked(match, seed=1))


def test_a_person_plays_it(monkeypatch, capsys):
    monkeypatch.setattr("builtins.input", lambda prompt: "say heads")
    assert main(["play", "coin", "--players", "2", "--seat", "0", "--seed", "1"]) == 0
    assert "what everybody held" in capsys.readouterr().out
