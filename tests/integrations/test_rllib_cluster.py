"""A Ray cluster of two nodes on this machine, one of which is lost in the middle of the work."""

import contextlib
import dataclasses
import json
import os
import subprocess
import sys
import time
import uuid
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("ray.rllib", reason="needs the extra rllib")

import ray
from ray import cloudpickle
from ray.cluster_utils import Cluster as Nodes
from rich.console import Console
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from agents import rllib_run, run
from agents.checkpoint import CheckpointError, newest_checkpoint, read_checkpoint
from agents.network import NetworkPolicy
from agents.rllib_options import ClusterError, RllibOptions, make_rllib_options
from kuku_env.arena import ArenaError, Cluster, play_match
from kuku_env.arena.ledger import Ledger
from kuku_env.bots import BotError, ExportedPolicy, make_policy
from kuku_env.core.game import OptionError
from kuku_env.envs.batch import BatchEnv

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # the bots below are sent
ROOT = Path(__file__).parents[2]
GAME = "kuku-doubt"
STORE = 150_000_000  # bytes of each node's object store
QUIET = Console(quiet=True)

SMALL = replace(
    make_rllib_options("quick", GAME), decisions=3000, games=16, batch=500, minibatch=250,
    widths=(16,), players=(2, 3), runners=1, threads=1, minutes=None,
)  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def nothing_is_left_running():
    """Every process that Ray started below, wherever, has ended at the end of this file."""
    mark = f"KUKU_TEST_{uuid.uuid4().hex}"
    os.environ[mark] = "1"
    # Ray would keep a token for its clusters in the home folder; these are nobody else's affair.
    os.environ["RAY_AUTH_MODE"] = "disabled"
    yield
    del os.environ[mark], os.environ["RAY_AUTH_MODE"]
    until = time.monotonic() + 20
    while (left := marked(mark)) and time.monotonic() < until:
        time.sleep(0.5)
    assert not left


def marked(mark):
    """Command lines of processes that were started with this in their environment."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # another user's, or gone meanwhile
            if mark.encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
    return found


@pytest.fixture
def nodes():
    """Two nodes with a CPU each; the first holds Ray's own books."""
    made = Nodes(
        initialize_head=True,
        head_node_args={
            "num_cpus": 1, "object_store_memory": STORE, "include_dashboard": False,
        },
    )  # fmt: skip
    made.add_node(num_cpus=1, object_store_memory=STORE)
    made.wait_for_nodes()
    yield made
    made.shutdown()


def lose_a_node(nodes):
    nodes.remove_node(nodes.list_all_nodes()[-1], allow_graceful=False)


# ---- training


def curve(folder, name):
    """(decisions, value) of the points that TensorBoard would show."""
    if not list(folder.glob("events*")):
        return []
    events = EventAccumulator(str(folder))
    events.Reload()
    if name not in events.Tags()["scalars"]:
        return []
    return [(point.step, point.value) for point in events.Scalars(name)]


def wait_for(happened, process, seconds=150):
    until = time.monotonic() + seconds
    while not happened():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until, "nothing happened for too long"
        time.sleep(0.5)


@pytest.mark.slow
def test_training_survives_the_loss_of_a_node_and_its_bot_plays(nodes, tmp_path):
    folder = tmp_path / "run"
    options = "--runners 2 --games 64 --batch 2000 --widths 32 --players 2 --threads 1 --minutes 2"
    command = [
        sys.executable, "train.py", "--learner", "rllib", "--address", nodes.address,
        "--run", str(folder), "--decisions", "1000000000", *options.split(),
    ]  # fmt: skip
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:

            def rounds(runners):
                return [step for step, there in curve(folder, "runners") if there == runners]

            wait_for(lambda: len(rounds(2)) >= 2, process)
            lose_a_node(nodes)
            wait_for(lambda: len(rounds(1)) >= 3, process)
            lonely = rounds(1)
            assert lonely == sorted(set(lonely)), "no decision was learned from meanwhile"
            nodes.add_node(num_cpus=1, object_store_memory=STORE)
            wait_for(lambda: rounds(2)[-1] > lonely[-1], process)
            output, errors = process.communicate(timeout=200)
        except BaseException:
            process.kill()
            raise
    assert process.returncode == 0, errors
    assert "1 runners lost: 1 of 2 runners play on" in output
    assert "1 runners back: 2 of 2 runners play on" in output

    bot = folder / "bot"
    card = json.loads((bot / "bot.json").read_text())
    assert card["origin"]["learner"] == "rllib"
    assert card["origin"]["decisions"] >= rounds(2)[-1] > lonely[-1]
    results = [evaluated(bot, tmp_path / name, *more) for name, more in
               (("here", []), ("there", ["--ray", nodes.address]))]  # fmt: skip
    assert results[0] == results[1]
    assert results[0]["matches"]


def evaluated(bot, out, *more):
    """What evaluate.py says about a bot, but for how and when it was asked."""
    command = [
        sys.executable, "evaluate.py", str(bot), "random", "--players", "2", "--games", "1000",
        "--out", str(out), *more,
    ]  # fmt: skip
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    results = json.loads((out / "results.json").read_text())
    return {name: part for name, part in results.items() if name not in ("command", "seconds")}


def test_a_run_leaves_a_bot_and_checkpoints_to_go_on_from(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "LAST_GAMES", 40)
    monkeypatch.setattr(rllib_run, "CHECKPOINT_SECONDS", 0.0)
    learners = []
    learn = rllib_run.learn
    monkeypatch.setattr(
        rllib_run, "learn", lambda *given: (learners.append(learn(*given)), learners[-1])[1]
    )
    folder = tmp_path / "mine"
    bot = run.start(SMALL, folder, QUIET)
    assert not ray.is_initialized()
    [first] = learners
    assert first.decisions >= 3000
    exported, policy = ExportedPolicy(bot), NetworkPolicy(first.average, first.game)
    turns = BatchEnv(GAME, 64).reset(0)
    answer = exported.probabilities(turns.observation, turns.action_mask)
    assert answer == pytest.approx(
        policy.probabilities(turns.observation, turns.action_mask), abs=1e-5
    )
    assert (answer[turns.action_mask == 0] == 0).all()

    # Go on: counters, weights and the optimiser are those that were saved.
    card, tensors = read_checkpoint(newest_checkpoint(folder / "checkpoints"))
    (bot / "bot.json").unlink()
    (bot / "policy.onnx").unlink()
    bot.rmdir()
    path = newest_checkpoint(folder / "checkpoints") / "checkpoint.json"
    card["options"]["decisions"] = first.decisions + 500
    path.write_text(json.dumps(card))
    seen = []
    monkeypatch.setattr(
        rllib_run.RllibLearner, "update", lambda self: seen.append(self._tensors()) or update(self)
    )
    assert run.resume(folder, QUIET) == bot
    assert learners[-1].decisions >= first.decisions + 500
    assert learners[-1].updates > first.updates
    assert seen[0].keys() == tensors.keys()
    for name, tensor in tensors.items():
        np.testing.assert_allclose(seen[0][name], tensor, atol=1e-7, err_msg=name)


update = rllib_run.RllibLearner.update


def test_what_cannot_be_is_told(tmp_path):
    with pytest.raises(ClusterError, match="no Ray cluster at 'localhost:1'"):
        run.start(replace(SMALL, address="localhost:1"), tmp_path / "a", QUIET)
    with pytest.raises(BotError, match="nobody"):
        run.start(replace(SMALL, rivals=("nobody",)), tmp_path / "b", QUIET)
    assert not any(file for name in "ab" for file in (tmp_path / name).iterdir())
    with pytest.raises(CheckpointError):
        run.resume(tmp_path / "c", QUIET)
    for name, value in (("runners", 0), ("trace", 1.5), ("widths", ()), ("game", "chess")):
        with pytest.raises(OptionError, match=name):
            RllibOptions(**{name: value})


# ---- the arena


class Slow:
    """A bot that takes its time, so that something is lost with a node."""

    name = "slow"

    def probabilities(self, observation, action_mask):
        time.sleep(0.02)
        return action_mask.astype(np.float32) / action_mask.sum(axis=1, keepdims=True)


def same(a, b):
    for column in dataclasses.fields(Ledger):
        np.testing.assert_array_equal(getattr(a, column.name), getattr(b, column.name))


def test_a_match_on_a_cluster_is_the_same_though_a_node_is_lost(nodes, tmp_path):
    bots = [make_policy(name, GAME) for name in ("selfplay", "scripted-easy")]
    bots.append(Slow())
    here = play_match(GAME, bots, 3, 1500, 7, threads=2)
    told = []

    def lose_one(games):
        if not told:
            lose_a_node(nodes)
        told.append(games)

    with Cluster(nodes.address) as cluster:
        assert cluster.cores == 2
        there = play_match(
            GAME, bots, 3, 1500, 7, cluster=cluster, folder=tmp_path, progress=lose_one
        )
        same(here, there)
        assert sum(told) == here.plan.games
        assert len(told) > 4
        again = play_match(GAME, bots, 3, 1500, 7, cluster=cluster, folder=tmp_path)
    same(here, again)
    assert again.kept == here.plan.games


class Wrong:
    name = "wrong"

    def probabilities(self, observation, action_mask):
        return action_mask.astype(np.float32)


class Program:
    name = "program"

    def decide(self, view, seed):
        return view["legal"][0]


def test_errors_of_bots_come_from_the_cluster_as_they_are():
    with Cluster("local") as cluster:
        for bot, told in ((Wrong(), "wrong must give probabilities"), (Program(), "is a program")):
            with pytest.raises(ArenaError, match=told):
                play_match(GAME, [bot, make_policy("random", GAME)], 2, 400, cluster=cluster)
    with pytest.raises(ArenaError, match="no Ray cluster at 'localhost:1'"):
        Cluster("localhost:1")
