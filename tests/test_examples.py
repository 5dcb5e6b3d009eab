"""The examples run: clients and players that share nothing with us but the protocol."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from asking import KUKU

from kuku_env.arena import StdioPlayer, play_match
from kuku_env.bots import make_policy
from kuku_env.envs.records import read_events, replay

EXAMPLES = Path(__file__).parents[1] / "examples"
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
PROGRAMS = [
    pytest.param([sys.executable], "py", id="python"),
    pytest.param(["node"], "mjs", id="node", marks=needs_node),
]


@pytest.mark.parametrize(("program", "ending"), PROGRAMS)
def test_clients_play_whole_games_that_follow_the_rules(program, ending):
    command = [*program, str(EXAMPLES / f"client.{ending}")]
    server = [sys.executable, "-m", "kuku_env", "serve", "--stdio"]
    done = subprocess.run(
        [*command, *server], capture_output=True, text=True, check=False, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
    games = []
    for event in read_events(done.stdout):
        if event["type"] == "game":
            games.append([])
        games[-1].append(event)
    assert len(games) == 10
    for events in games:
        assert replay(events).over


@pytest.mark.parametrize(("program", "ending"), PROGRAMS)
def test_players_play_whole_games_in_the_arena(program, ending):
    player = StdioPlayer(" ".join([*program, str(EXAMPLES / f"player.{ending}")]))
    try:
        bots = [player, make_policy("scripted-easy", KUKU)]
        results = [play_match(KUKU, bots, 4, 12, 1, threads=1) for _ in range(2)]
    finally:
        player.close()
    for result in results:
        assert result.forfeits == ()
        assert result.decisions.min() > 3
        assert (result.rewards == results[0].rewards).all()
