"""Other programs in the arena: they play whole games, and what they do wrong costs them alone."""

import json
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest
from asking import KUKU
from rich.console import Console

import evaluate
from kuku_env.arena import ArenaError, PlayerError, StdioPlayer, make_player, play_match, standings
from kuku_env.arena.report import match_report
from kuku_env.arena.tables import print_match
from kuku_env.bots import make_policy

# A program that takes the first legal action, but for what is put in at WRONG.
PROGRAM = """
import json, os, sys, time
count = 0
for line in sys.stdin:
    request = json.loads(line)
    reply = {"id": request["id"]}
    if request["op"] == "act":
        count += 1
        reply["action"] = request["view"]["legal"][0]
        WRONG
    print(json.dumps(reply), flush=True)
"""
EVERY_FIFTH = "if request['seed'] % 5 == 0: "
FAULTS = {
    "illegal": (EVERY_FIFTH + "reply['action'] = 'fold'", "which is not legal"),
    "no action": (EVERY_FIFTH + "reply['action'] = 7", "gave no action"),
    "crash": (EVERY_FIFTH + "sys.exit(3)", "ended, with exit status 3"),
    "error": (EVERY_FIFTH + "reply['error'] = {'code': 'bad_view'}", "gave an error"),
    "another id": (EVERY_FIFTH + "reply['id'] = 0", "gave no reply to request"),
    "no JSON": (EVERY_FIFTH + "print('hm')", "said what is not JSON"),
    "no object": (EVERY_FIFTH + "reply = [reply]", "gave no reply"),
    "timeout": ("if request['seed'] % 31 == 0: time.sleep(60)", "took longer than 0.5 s"),
}


class First:
    """In this process what PROGRAM is in another."""

    name = "first"

    def decide(self, view, seed):
        return view["legal"][0]


class Quits:
    """Who never plays."""

    name = "quits"

    def decide(self, view, seed):
        raise PlayerError("had enough")


@pytest.fixture
def player(tmp_path):
    """A player of PROGRAM with something wrong; closed in the end."""
    made = []

    def make(wrong="", **times):
        path = tmp_path / "first"
        path.write_text(PROGRAM.replace("WRONG", wrong or "pass"))
        made.append(StdioPlayer(shlex.join([sys.executable, str(path)]), **times))
        return made[-1]

    yield make
    for one in made:
        one.close()


def match(one, players=2, games=40, **more):
    bots = [one, make_policy("scripted-easy", KUKU)]
    return play_match(KUKU, bots, players, games, 3, threads=1, **more)


def same(a, b, games=slice(None)):
    for field in ("rewards", "decisions", "truncated"):
        np.testing.assert_array_equal(getattr(a, field)[games], getattr(b, field)[games])
    np.testing.assert_array_equal(a.deal_seeds, b.deal_seeds)


def test_a_program_plays_as_the_same_bot_here(player):
    result = match(player(), players=3)
    same(result, match(First(), players=3))
    assert result.forfeits == ()
    assert result.style.decisions.tolist() == match(First(), players=3).style.decisions.tolist()


def test_results_do_not_depend_on_threads_and_batches(player):
    one = player()
    result = match(one)
    bots = [one, make_policy("scripted-easy", KUKU)]
    same(result, play_match(KUKU, bots, 2, 40, 3, threads=2, batch_size=3))


@pytest.mark.parametrize(("wrong", "reason"), FAULTS.values(), ids=FAULTS)
def test_a_fault_loses_the_game_and_nothing_else(player, wrong, reason):
    result, honest = match(player(wrong, seconds=0.5)), match(First())
    assert result.forfeits
    lost = {(forfeit.game, forfeit.seat) for forfeit in result.forfeits}
    assert len(lost) == len(result.forfeits) < result.plan.games
    for forfeit in result.forfeits:
        assert forfeit.label == "first"
        assert reason in forfeit.reason
        assert result.plan.line_ups[forfeit.game, forfeit.seat] == 0
        assert result.rewards[forfeit.game].tolist() == ([-1, 1] if forfeit.seat == 0 else [1, -1])
        assert result.wins[forfeit.game, forfeit.seat] == 0
    played = [game for game in range(result.plan.games) if game not in {g for g, _ in lost}]
    same(result, honest, played)
    np.testing.assert_allclose(result.rewards.sum(axis=1), 0, atol=1e-6)
    np.testing.assert_allclose(result.wins.sum(axis=1), 1)


def test_at_a_larger_table_the_others_play_on():
    result = match(Quits(), players=4)
    quitting = result.plan.line_ups == 0
    assert {(f.game, f.seat) for f in result.forfeits} == set(
        zip(*np.nonzero(quitting), strict=True)
    )
    assert (result.wins[quitting] == 0).all()
    np.testing.assert_allclose(result.wins.sum(axis=1), 1)
    np.testing.assert_allclose(result.rewards.sum(axis=1), 0, atol=1e-6)
    lowest = result.rewards.min(axis=1, keepdims=True)
    assert (np.where(quitting, result.rewards, lowest) == lowest).all()
    assert result.style.decisions[0] == 0
    standings(result)


def test_a_game_that_all_forfeit_is_nobodys():
    result = play_match(KUKU, [Quits()], 2, 5, threads=1)
    assert result.wins.sum() == 0
    assert standings(result)[0].wins == 0


def test_who_fails_again_and_again_is_not_started_any_more(player):
    one = player("sys.exit(1)")
    result = match(one, games=100)
    assert len(result.forfeits) == 100
    assert "given up after 20 faults" in result.forfeits[-1].reason


def test_forfeits_are_reported(player):
    result = match(player(FAULTS["illegal"][0]))
    report = match_report(result)
    assert report["forfeits"][0]["label"] == "first"
    json.dumps(report, allow_nan=False)
    console = Console(width=140, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    print_match(console, result)
    told = console.export_text()
    assert f"first forfeited {len(result.forfeits)} games" in told
    assert "'fold', which is not legal" in told


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("", "needs a command"),
        ("'", "cannot be read"),
        ("/no/such/program", "cannot be started"),
        (f"{sys.executable} -c pass", "ended, with exit status 0"),
        (f"{sys.executable} -c 'print(1)'", "gave no reply"),
    ],
)
def test_programs_that_cannot_play(command, message):
    with pytest.raises(ArenaError, match=message):
        make_player(f"stdio:{command}", KUKU)


def test_a_program_needs_time():
    for seconds in (0, -1, float("nan")):
        with pytest.raises(ArenaError, match="needs time"):
            make_player("stdio:cat", KUKU, seconds)


def test_a_program_that_never_says_hello():
    with pytest.raises(ArenaError, match=r"took longer than 0\.3 s"):
        StdioPlayer(f"{sys.executable} -c 'import time; time.sleep(99)'", start_seconds=0.3)


def test_what_a_program_started_is_ended_too():
    """A shell whose child holds the pipes open."""
    with pytest.raises(ArenaError, match="took longer"):
        StdioPlayer("sh -c 'sleep 99; true'", start_seconds=0.3)


def test_our_own_server_is_a_player(tmp_path, monkeypatch, capsys):
    command = f"{sys.executable} -m kuku_env serve --stdio --default scripted-easy"
    arguments = [f"stdio:{command}", "scripted-easy", "--players", "2", "--games", "20"]
    monkeypatch.setattr("sys.argv", ["evaluate.py", *arguments, "--out", str(tmp_path / "out")])
    assert evaluate.main() == 0, capsys.readouterr().err
    saved = json.loads((tmp_path / "out" / "results.json").read_text())
    assert saved["matches"][0]["forfeits"] == []
    assert [bot["given"] for bot in saved["bots"]] == arguments[:2]
    assert Path(tmp_path / "out" / "report.html").exists()
    assert "scripted-easy #1" in capsys.readouterr().out
