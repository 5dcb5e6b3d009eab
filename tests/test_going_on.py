"""A run that is interrupted, however, goes on as if it had not been."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from toy import GAMES

from agents.checkpoint import CheckpointError, load_checkpoint, newest_checkpoint, save_checkpoint
from agents.presets import make_options
from agents.selfplay import SelfPlay
from kuku_env.core.chance import generator_states
from kuku_env.envs.batch import BatchEnv

SMALL = replace(
    make_options("quick"), games=64, steps=4, minibatch=128, widths=(16,), threads=1, seed=3,
    rivals=("scripted-easy", "random"), rival_share=0.4, snapshots=2, minutes=None,
)  # fmt: skip


def same_state(one: Path, other: Path) -> None:
    """Two checkpoints hold the same, but for the time spent."""
    ours, theirs = load_file(one / "state.safetensors"), load_file(other / "state.safetensors")
    assert ours.keys() == theirs.keys()
    for name, tensor in ours.items():
        assert torch.equal(tensor, theirs[name]), name
    cards = [json.loads((path / "checkpoint.json").read_text()) for path in (one, other)]
    for card in cards:
        del card["seconds"]
    assert cards[0] == cards[1]


@pytest.mark.parametrize("changes", [{}, {"critic_sees": True, "threads": 2, "games": 128}])
def test_a_resumed_learner_learns_exactly_the_same(changes: dict, tmp_path: Path) -> None:
    straight = SelfPlay(replace(SMALL, **changes))
    for _ in range(3):
        straight.update()
    resumed = load_checkpoint(save_checkpoint(straight, tmp_path / "middle"))
    torch.rand(5)  # nothing depends on the generator that everybody shares
    for _ in range(3):
        assert resumed.update().keys() == straight.update().keys()
    assert resumed.decisions == straight.decisions
    same_state(
        save_checkpoint(straight, tmp_path / "straight"),
        save_checkpoint(resumed, tmp_path / "resumed"),
    )


def test_checkpoints_of_other_rules_are_refused(tmp_path: Path) -> None:
    folder = save_checkpoint(SelfPlay(SMALL), tmp_path)
    card = json.loads((folder / "checkpoint.json").read_text())
    (folder / "checkpoint.json").write_text(json.dumps({**card, "records": "0"}))
    with pytest.raises(CheckpointError, match="made for records 0; this version has"):
        load_checkpoint(folder)


# ---------------------------------------------------------------- kill -9

RUN = """
import json, sys
from pathlib import Path
from rich.console import Console
from agents import export, run
from agents.config import options_from
from agents.options import Options
run.LAST_GAMES, run.CHECKPOINT_SECONDS, run.MEASURE_SECONDS = 60, 0.0, 1000.0
export.write_graph = lambda *_: (b"", ["probabilities"])
folder, console = Path(sys.argv[1]), Console(quiet=True)
if (folder / "checkpoints").exists():
    run.resume(folder, console)
else:
    run.start(options_from(Options, json.loads(sys.argv[2])), folder, console)
"""


def running(folder: Path, options: str) -> subprocess.Popen:
    command = [sys.executable, "-c", RUN, str(folder), options]
    root = Path(__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    return subprocess.Popen(command, cwd=root, env=environment)


def checkpoints(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "checkpoints").glob("[0-9]" * 8))


@pytest.mark.slow
def test_a_run_that_is_killed_again_and_again_ends_the_same(tmp_path: Path) -> None:
    options = json.dumps(asdict(replace(SMALL, decisions=12_000, players=(2, 3))))
    chance = random.Random(5)
    killed = 0
    while killed < 3:
        before = checkpoints(tmp_path / "killed")
        process = running(tmp_path / "killed", options)
        while checkpoints(tmp_path / "killed") == before and process.poll() is None:
            time.sleep(0.01)
        time.sleep(chance.random() * 0.3)
        if process.poll() is not None:
            break
        process.send_signal(signal.SIGKILL)
        process.wait()
        load_checkpoint(newest_checkpoint(tmp_path / "killed" / "checkpoints"))  # it is whole
        killed += 1
    assert killed
    for folder in ("killed", "straight"):
        if not (tmp_path / folder / "bot").exists():
            assert running(tmp_path / folder, options).wait() == 0
        card = json.loads((tmp_path / folder / "bot" / "bot.json").read_text())
        assert card["origin"]["decisions"] >= 12_000
        bots = [path.name for path in (tmp_path / folder / "snapshots").iterdir()]
        assert sorted(bots) == ["01", "02"]
    same_state(
        *(newest_checkpoint(tmp_path / name / "checkpoints") for name in ("killed", "straight"))
    )


# ---------------------------------------------------------------- games


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_games_that_are_put_back_go_on(game) -> None:
    ours, theirs = (BatchEnv(game, 20) for _ in range(2))
    ours.reset(seed=1)
    generators = generator_states(2, 20)
    for _ in range(15):
        ours.step(ours.sample(generators))
    turns = theirs.put_back(ours.records())
    assert not turns.rewards.any()
    twins = generators.copy()
    for _ in range(60):
        mine, yours = ours.step(ours.sample(generators)), theirs.step(theirs.sample(twins))
        for name in ("observation", "action_mask", "seat", "rewards", "terminated", "truncated"):
            assert np.array_equal(getattr(mine, name), getattr(yours, name))


def test_games_of_another_kind_or_number_are_not_put_back() -> None:
    batch = BatchEnv("kuku-doubt", 3, seed=1)
    before = batch.reset(copy=True)
    for other in (BatchEnv("kuku-doubt", 4), BatchEnv("doubt", 3)):
        other.reset(seed=2)
        with pytest.raises(ValueError, match="records must be of kuku/KukuDoubt-v0"):
            batch.put_back(other.records())
    assert np.array_equal(batch.turns().observation, before.observation)
