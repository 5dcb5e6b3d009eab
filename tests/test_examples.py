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
        match = replay(events)
        assert match.over
        assert match.num_players == 4


@pytest.mark.parametrize("name", ["client.py", "client.mjs", "player.py", "player.mjs"])
def test_programs_of_thirty_lines_know_nothing_of_ours(name):
    source = (EXAMPLES / name).read_text("utf-8")
    assert len(source.splitlines()) <= 30
    assert "import kuku" not in source
    assert "from kuku" not in source


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


def test_the_single_file_learner_runs_and_tells_how_it_fares():
    command = [sys.executable, str(EXAMPLES / "ppo_single_file.py"), "--decisions", "2048"]
    small = ["--num-envs", "32", "--num-steps", "32", "--width", "16", "--measure-games", "40"]
    done = subprocess.run(
        [*command, *small, "--num-players", "3", "--threads", "1"],
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    first, *rounds, normal, easy = done.stdout.splitlines()
    assert first.startswith("a fair share of wins is 33.3%; before: ")
    assert normal.endswith("against scripted-normal")
    assert easy.endswith("against scripted-easy")
    decisions = [int(line.split()[0].replace(",", "")) for line in rounds]
    assert decisions == sorted(decisions)
    assert decisions[-1] >= 2048


def test_the_single_file_learner_credits_its_seat_for_what_it_earns():
    """By hand: own moves 0 and 2, the bot's 1 and 3; the last one ends the game, and we win."""
    import runpy

    import numpy as np
    import torch

    module = runpy.run_path(str(EXAMPLES / "ppo_single_file.py"))
    data = module["Round"](module["Args"](num_envs=1, num_steps=5), KUKU.layout)
    data.mine[:, 0] = [True, False, True, False, True]
    data.value[:, 0] = torch.tensor([0.1, 0.0, 0.3, 0.0, 0.4])
    data.reward[3, 0], data.over[3, 0] = 1.0, True  # the fifth move is of the next game
    advantage, known = module["advantages"](data, 1.0)
    assert known[:, 0].tolist() == [True, False, True, False, False]
    assert np.allclose(advantage[[0, 2], 0], [0.9, 0.7])
