"""What is kept of a match: an interrupted one goes on, and no planned game is played twice."""

import dataclasses
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from kuku_env.arena import ArenaError, PlayerError, play_match, worker
from kuku_env.arena.ledger import Forfeit, Ledger, Store, differences
from kuku_env.bots import make_policy

GAME = "kuku-doubt"
ROOT = Path(__file__).parents[1]
COLUMNS = [column.name for column in dataclasses.fields(Ledger)]


def match(folder=None, *, games=120, seed=5, third=None, **more):
    bots = [make_policy(name, GAME) for name in ("scripted-normal", "scripted-easy")]
    third = third or make_policy("random", GAME)
    return play_match(GAME, [*bots, third], 4, games, seed, folder=folder, threads=2, **more)


def same(a, b):
    for column in COLUMNS:
        np.testing.assert_array_equal(getattr(a, column), getattr(b, column))
    assert a.forfeits == b.forfeits


def games_of(folder):
    """Numbers of the games in all parts."""
    parts = [np.load(path)["games"].tolist() for path in sorted(folder.glob("part-*.npz"))]
    return [game for part in parts for game in part]


class Watched:
    """A bot that counts how often it is asked, and may fall ill."""

    name = "random"

    def __init__(self, falls_ill_after=None):
        self.asked, self.falls_ill_after = 0, falls_ill_after

    def probabilities(self, observation, action_mask):
        self.asked += 1
        if self.asked == self.falls_ill_after:
            raise KeyboardInterrupt
        return action_mask.astype(np.float32) / action_mask.sum(axis=1, keepdims=True)


class Quits:
    """A player that forfeits every game whose seed is odd."""

    name = "quits"

    def decide(self, view, seed):
        if seed % 2:
            raise PlayerError("had enough")
        return view["legal"][0]


def test_a_match_in_a_folder_is_the_same_and_is_played_once(tmp_path):
    result = match(tmp_path)
    same(result, match())
    assert sorted(games_of(tmp_path)) == list(range(result.plan.games))
    watched = Watched()
    again = match(tmp_path, third=watched)
    same(result, again)
    assert (result.kept, again.kept, watched.asked) == (0, result.plan.games, 0)


@pytest.mark.parametrize("after", [3, 40, 90])
def test_an_interrupted_match_goes_on(tmp_path, after):
    with pytest.raises(KeyboardInterrupt):
        match(tmp_path, third=Watched(after), batch_size=8)
    before = games_of(tmp_path)
    told = []
    result = match(tmp_path, progress=told.append)
    assert result.kept == len(before) < result.plan.games
    assert told[0] == len(before)
    assert sum(told) == result.plan.games
    assert sorted(games_of(tmp_path)) == list(range(result.plan.games))
    same(result, match())


def test_forfeits_are_kept_with_their_games(tmp_path, monkeypatch):
    monkeypatch.setattr(worker, "SAVE_SECONDS", 0.01)
    result = match(tmp_path, third=Quits())
    assert result.forfeits
    assert (
        result.tallies[[f.game for f in result.forfeits], [f.seat for f in result.forfeits]] == 0
    ).all()
    again = match(tmp_path, third=Quits())
    assert again.kept == again.plan.games
    same(result, again)


KILLED = f"""
import sys, time
from pathlib import Path
from kuku_env.arena import play_match, worker
from kuku_env.bots import make_policy
worker.SAVE_SECONDS = 0.02
bots = [make_policy(name, "{GAME}") for name in ("scripted-normal", "scripted-easy", "random")]
def slowly(ended):
    time.sleep(0.01)
play_match("{GAME}", bots, 4, 120, 5, folder=Path(sys.argv[1]), threads=2, batch_size=2,
           progress=slowly)
"""


def test_a_killed_match_goes_on_as_if_nothing_had_been(tmp_path):
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path)], cwd=ROOT)
    try:
        until = time.monotonic() + 100
        while not games_of(tmp_path) and time.monotonic() < until:
            time.sleep(0.01)
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    before = games_of(tmp_path)
    assert before
    assert len(before) < 120, "killed too late for the test to tell anything"
    result = match(tmp_path)
    assert result.kept == len(before)
    assert sorted(games_of(tmp_path)) == list(range(result.plan.games))
    same(result, match())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seed": 6}, "seed is 5 there, 6 here"),
        ({"games": 240}, "games is 120 there, 240 here"),
        ({"see_through": "consistent"}, 'rules.see_through is "any" there, "consistent" here'),
        ({"third": Quits()}, r'bots\[2\].label is "random" there, "quits" here'),
        ({"teams": [(0, 1, 2, 2)]}, "teams is "),
    ],
)
def test_another_plan_is_refused_and_the_difference_named(tmp_path, changes, message):
    match(tmp_path)
    kept = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(ArenaError, match=f"holds another plan: {message}"):
        match(tmp_path, **changes)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == kept


def test_a_folder_that_is_in_use_or_spoilt_is_refused(tmp_path):
    ledger = Ledger.empty(4, 2, 3, 1)
    with Store(tmp_path, {"seed": 1}) as store:
        store.save(ledger, [2, 0], [Forfeit("a", 2, 1, "slow")])
        with pytest.raises(ArenaError, match="another process is playing"):
            Store(tmp_path, {"seed": 1})
    with Store(tmp_path, {"seed": 1}) as store:
        done, forfeits = store.load(Ledger.empty(4, 2, 3, 1))
        assert done.tolist() == [True, False, True, False]
        assert forfeits == [Forfeit("a", 2, 1, "slow")]
        store.save(ledger, [2], [])
        with pytest.raises(ArenaError, match="has games that were played already"):
            store.load(ledger)
        with pytest.raises(ArenaError, match="does not fit"):
            store.load(Ledger.empty(2, 2, 3, 1))
        (tmp_path / "part-000000.npz").write_bytes(b"PK")
        with pytest.raises(ArenaError, match="cannot be read"):
            store.load(ledger)
    (tmp_path / "plan.json").unlink()
    with pytest.raises(ArenaError, match=r"no plan\.json"):
        Store(tmp_path, {"seed": 1})


def test_differences_are_named_by_their_place():
    kept = {"a": 1, "b": {"c": [1, 2]}, "d": None}
    asked = {"a": 1, "b": {"c": [1, 3]}, "e": 0}
    assert list(differences(kept, asked)) == [
        "b.c[1] is 2 there, 3 here",
        "e is null there, 0 here",
    ]
