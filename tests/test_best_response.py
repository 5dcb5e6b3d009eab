"""Responses to a bot, in tables and learned: they find what is planted."""

from __future__ import annotations

import dataclasses
import json
import sys

import numpy as np
import pytest
import torch

from agents import best_response
from agents.cast import Cast
from agents.checkpoint import save_checkpoint
from agents.duel import duel_policy
from agents.duel_solver import DuelSolver
from agents.exact import best_response as exact_response
from agents.exact import expected_returns
from agents.exploiter import LOOKS, Exploiter
from agents.kuku_sets import SETS
from agents.measure import win_shares
from agents.opponents import make_opponent
from agents.options import Options
from agents.selfplay import SelfPlay
from agents.tabular import TabularResponse
from agents.tree import build_tree
from kuku_env.bots import BotError
from kuku_env.core.game import OptionError
from kuku_env.envs.batch import BatchEnv
from kuku_env.games import find_game

GAME = find_game("kuku-doubt")


def won(response, bot, games=4000, **rules):
    [figure] = win_shares(GAME, response, [bot], [2], games, seed=9, threads=1, **rules)
    return figure


@pytest.mark.parametrize(("flaw", "least"), [("never-accept", 0.8), ("believe-from-40", 0.8)])
def test_planted_flaws_are_found(flaw, least):
    bot = make_opponent(f"{flaw}:scripted-normal", GAME)
    response = TabularResponse(GAME, bot, SETS["coarse"], 1, see_through="consistent")
    response.learn(400_000)
    figure = won(response, bot, see_through="consistent")
    assert figure["low"] > least


def test_on_a_small_deck_it_comes_near_the_exact_best_response():
    tree = build_tree(GAME, "small")
    solver = DuelSolver(1, **GAME.presets["small"])
    solver.iterate(1)
    bot = duel_policy(solver)
    plan = tree.plan_of(bot)
    options = GAME.presets["small"]
    response = TabularResponse(GAME, bot, SETS["fine"], 1, **options)
    response.learn(400_000)
    exact = np.mean([exact_response(tree, plan, seat)[1] for seat in range(2)])
    mine = tree.plan_of(response)
    learned = []
    for seat in range(2):
        both = np.where((tree.owner == seat)[:, None], mine, plan)
        learned.append(expected_returns(tree, both)[seat])
    assert exact - 0.05 < np.mean(learned) <= exact + 1e-9


def test_the_command_writes_what_it_found(tmp_path, monkeypatch, capsys):
    out = tmp_path / "found.json"
    arguments = ["best_response", "honest", "--decisions", "20000", "--games", "400", "--out"]
    monkeypatch.setattr(sys, "argv", [*arguments, str(out)])
    assert best_response.main() == 0
    found = json.loads(out.read_text())
    assert found == json.loads(capsys.readouterr().out)
    assert found["bot"] == "honest"
    assert found["sha256"] is None
    assert found["low"] < found["wins"] < found["high"]
    assert found["command"].endswith(f"--out {out}")
    monkeypatch.setattr(sys, "argv", ["best_response", "nobody"])
    assert best_response.main() == 1
    assert "no bot 'nobody'" in capsys.readouterr().err


def test_the_honest_script_says_what_it_holds():
    bot = make_opponent("honest", GAME)
    figure = won(bot, make_opponent("scripted-easy", GAME), 2000)
    assert figure["wins"] > 0.4
    with pytest.raises(BotError):
        make_opponent("never-accept:nobody", GAME)


def test_one_seat_learns_and_the_bot_holds_all_others():
    options = Options(
        players=(2, 4), rivals=("honest",), rival_share=1.0, rival_seats="all but one"
    )
    env = BatchEnv(GAME, 400, tables=options.tables())
    players = env.num_players
    cast = Cast(options, GAME, env.options, 1)
    turns = env.reset(seed=2)
    held = np.stack(
        [cast.scripted(dataclasses.replace(turns, seat=np.full(400, k)))[0] for k in (0, 1)]
    )
    assert (held[:, players == 2].sum(0) == 1).all()
    assert 0.2 < held[0, players == 2].mean() < 0.8
    assert 0.65 < held[:, players == 4].mean() < 0.85


def test_a_network_learns_to_beat_a_flaw(monkeypatch):
    monkeypatch.setattr("agents.exploiter.GAMES", 1000)
    exploiter = Exploiter(
        "never-accept:scripted-easy", players=2, decisions=400_000, seed=1, pull_start=0.1,
        widths=(64, 64), warm=None, see_through="consistent", threads=1,
    )  # fmt: skip
    exploiter.learn()
    tries = [one["average"] for one in exploiter.history]
    assert len(tries) <= LOOKS
    assert max(tries) > tries[0] + 0.02
    bot = make_opponent("never-accept:scripted-easy", GAME)
    assert won(exploiter.best(), bot, see_through="consistent")["low"] > 0.55


def test_a_warm_start_begins_with_what_was_learned(tmp_path):
    learner = SelfPlay(Options(widths=(16,), games=64, threads=1))
    torch.nn.init.normal_(learner.average.policy.weight)
    checkpoint = save_checkpoint(learner, tmp_path)
    exploiter = Exploiter(
        "random", players=3, decisions=1000, seed=1, pull_start=0.1, widths=(8,),
        warm=checkpoint, see_through="any", threads=1,
    )  # fmt: skip
    assert exploiter.learner.options.widths == (16,)
    assert (exploiter.learner.network.policy.weight == learner.average.policy.weight).all()


def test_tables_need_two_players():
    with pytest.raises(OptionError, match="players"):
        best_response.Options("random", players=3)
