"""Exact solvers: trees, values, best responses and CFR+ on games small enough to walk."""

from itertools import islice, product

import numpy as np
import pytest

from agents.cfr import TableError, TablePolicy, solve
from agents.exact import best_response, expected_returns, exploitability, nash_conv
from agents.tree import CHANCE, END, build_tree
from kuku_env.arena import play_match
from kuku_env.games import find_game

GAME = find_game("kuku-doubt")


@pytest.fixture(scope="module")
def tiny():
    return build_tree("kuku-doubt", "tiny")


@pytest.fixture(scope="module")
def small():
    return build_tree("kuku-doubt", "small")


def random_plan(tree, seed):
    weights = np.random.default_rng(seed).exponential(size=tree.actions.shape) * tree.legal
    return weights / weights.sum(1, keepdims=True)


def test_a_tree_has_every_history_once(tiny, small):
    for name, tree in (("tiny", tiny), ("small", small)):
        assert len(tree.text) == GAME.information_sets[name]
        assert (tree.parent[1:] < np.arange(1, len(tree.parent))).all()
        inner = tree.seat == CHANCE
        sums = np.bincount(tree.parent[1:], tree.chance[1:], len(tree.seat))
        assert sums[inner] == pytest.approx(1)
        children = np.bincount(tree.parent[1:], minlength=len(tree.seat))
        decided = tree.seat >= 0
        assert (children[decided] == tree.legal.sum(1)[tree.information_set[decided]]).all()
        assert (children[tree.seat == END] == 0).all()
        assert tree.returns.sum(1) == pytest.approx(0)


def test_values_are_those_of_games_that_are_played(small):
    bot = TablePolicy.from_plan(small, random_plan(small, 1))
    played = play_match(GAME, [bot], 2, 20_000, seed=1, preset="small").rewards
    error = 4 * played.std(0) / np.sqrt(len(played))
    assert (abs(played.mean(0) - expected_returns(small, small.plan_of(bot))) < error).all()
    assert expected_returns(small, small.uniform()).sum() == pytest.approx(0)


def test_no_pure_plan_beats_the_best_response(tiny):
    plan = random_plan(tiny, 2)
    for seat in range(2):
        best, worth = best_response(tiny, plan, seat)
        assert worth == pytest.approx(expected_returns(tiny, best)[seat])
        assert (best[tiny.owner != seat] == plan[tiny.owner != seat]).all()
        sets = np.flatnonzero(tiny.owner == seat)
        choices = [range(int(tiny.legal[k].sum())) for k in sets]
        plans = list(islice(product(*choices), 3000))
        worths = []
        for pure in plans:
            tried = plan.copy()
            tried[sets] = 0
            tried[sets, pure] = 1
            worths.append(expected_returns(tiny, tried)[seat])
        assert max(worths) <= worth + 1e-12


def test_regret_minimisation_comes_near_an_equilibrium(tiny, small):
    assert exploitability(tiny, tiny.uniform()) > 0.4
    assert exploitability(tiny, solve(tiny, 300)) < 0.002
    told = []
    plan = solve(small, 200, lambda t, average: told.append(t))
    assert told[-1] == 200
    assert exploitability(small, plan) < 0.002
    assert nash_conv(small, plan) == pytest.approx(2 * exploitability(small, plan))


def test_a_table_plays_what_its_plan_says(small, tmp_path):
    plan = solve(small, 50)
    bot = TablePolicy.from_plan(small, plan)
    assert exploitability(small, small.plan_of(bot)) < 0.02
    bot.save(tmp_path / "small.npz")
    again = TablePolicy.load(tmp_path / "small.npz")
    assert again.name == "small"
    assert (small.plan_of(again) == small.plan_of(bot)).all()
    assert [path.name for path in tmp_path.iterdir()] == ["small.npz"]


def test_what_is_no_table_is_refused(tmp_path):
    (tmp_path / "a.npz").write_bytes(b"no table")
    with pytest.raises(TableError, match="no table of a solver"):
        TablePolicy.load(tmp_path / "a.npz")
    np.savez(tmp_path / "b.npz", game=GAME.id, layout="other", observation=0, chances=0)
    with pytest.raises(TableError, match="other"):
        TablePolicy.load(tmp_path / "b.npz")
