"""The solver of two-player Kuku Doubt: what a seat remembers, and that it finds good play."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from agents import duel, duel_sets, duel_solver
from agents.duel import duel_policy, places, table_columns
from agents.duel_solver import DuelSolver, SolverError
from agents.exact import exploitability
from agents.tree import build_tree
from kuku_env.arena import play_match
from kuku_env.bots import BotError, ExportedPolicy
from kuku_env.core.chance import generator_states
from kuku_env.core.game import OptionError
from kuku_env.envs.batch import BatchEnv
from kuku_env.games import find_game

GAME = find_game("kuku-doubt")


def visited(steps: int = 100):
    """Decisions of random games, and the records in which they are made."""
    env = BatchEnv(GAME, 256, seed=1, num_players=2, see_through="consistent")
    generators = generator_states(2, 256)
    turns = env.reset(seed=3)
    for _ in range(steps):
        yield turns, np.concatenate([env.state_of(i) for i in range(16)])
        turns = env.step(env.sample(generators))


def test_a_seat_finds_its_set_in_its_observation():
    seen = set()
    for turns, records in visited():
        found = places(torch.from_numpy(turns.observation[:16]))
        kinds = duel.kinds(torch.from_numpy(turns.observation[:16]))
        for place, kind, record, mask in zip(
            found.tolist(), kinds.tolist(), records, turns.action_mask, strict=False
        ):
            assert place == duel_sets.place_in(record)
            seen.add(place)
            width = duel_sets.width_of(record["phase"])
            actions = [duel_sets.action_of(record, k) for k in range(width)]
            legal = [a for a in actions if a >= 0 and mask[a]]
            assert legal == np.flatnonzero(mask).tolist()
            columns = table_columns()[kind]
            assert [columns[a] for a in legal] == [actions.index(a) for a in legal]
    assert len(seen) > 500


def test_sets_do_not_overlap_and_fill_the_table():
    ends = (
        duel_sets.LATER_RESPONSES,
        duel_sets.DISCARDINGS,
        duel_sets.FIRST_CLAIMS,
        duel_sets.LATER_CLAIMS,
        duel_sets.SIZE,
    )
    sets = (36 * 3, 36 * 2 * 55 * 9 * 3, 36 * 55 * 4, 55, 36 * 55 * 3 * 3)
    widths = (4, 4, 3, 36, 36)
    assert list(ends) == np.cumsum(np.multiply(sets, widths)).tolist()


@pytest.fixture(scope="module")
def small():
    return build_tree(GAME, "small")


def test_the_average_comes_near_an_equilibrium_of_small_decks(small):
    tiny = build_tree(GAME, "tiny")
    solver = DuelSolver(1, **GAME.presets["tiny"])
    solver.iterate(40)
    assert exploitability(tiny, tiny.uniform()) > 0.4
    assert exploitability(tiny, tiny.plan_of(duel_policy(solver))) < 0.02
    solver, found = DuelSolver(1, **GAME.presets["small"]), []
    for blocks in (1, 9, 90):
        solver.iterate(blocks)
        found.append(exploitability(small, small.plan_of(duel_policy(solver))))
    assert found[0] > found[1] > found[2]
    assert found[2] < 0.06


def test_an_exported_table_plays_like_the_solver_and_only_where_it_can(tmp_path, capsys):
    solver = DuelSolver(3)
    solver.iterate(2)
    duel.export(solver, tmp_path / "bot")
    bot, here = ExportedPolicy(tmp_path / "bot"), duel_policy(solver)
    env = BatchEnv(GAME, 64, num_players=2)
    turns, generators = env.reset(seed=4), generator_states(5, 64)
    for _ in range(20):
        found = bot.probabilities(turns.observation, turns.action_mask)
        wanted = here.probabilities(turns.observation, turns.action_mask)
        assert np.abs(found - wanted).max() < 1e-3
        assert np.abs(found.sum(1) - 1).max() < 1e-5
        assert (found[turns.action_mask == 0] == 0).all()
        turns = env.step(env.sample(generators))
    assert play_match(GAME, [bot], 2, 10, see_through="any").forfeits == ()
    for options in ({"num_players": 3}, {"num_players": 2, "duel_lives": True}):
        with pytest.raises(BotError, match="duel plays with"):
            bot.accepts(GAME.make_options(None, **options))


def test_a_run_that_goes_on_is_the_run_that_was_never_stopped(tmp_path):
    whole, first = DuelSolver(7, **GAME.presets["small"]), DuelSolver(7, **GAME.presets["small"])
    whole.iterate(4)
    first.iterate(1)
    first.save(tmp_path / "solver.npz")
    assert [path.name for path in tmp_path.iterdir()] == ["solver.npz"]
    second = DuelSolver.load(tmp_path / "solver.npz")
    second.iterate(3)
    assert second.iterations == whole.iterations == 4 * duel_solver.BLOCK
    assert (second.regret == whole.regret).all()
    assert (second.total == whole.total).all()
    assert second.options == whole.options
    assert whole.total.any()


def test_what_is_no_solver_is_refused(tmp_path):
    path = tmp_path / "solver.npz"
    with pytest.raises(SolverError, match="no solver's table"):
        DuelSolver.load(path)
    path.write_bytes(b"no table")
    with pytest.raises(SolverError, match="no solver's table"):
        DuelSolver.load(path)
    solver = DuelSolver(0, **GAME.presets["tiny"])
    solver.regret[5] = np.nan
    solver.save(path)
    with pytest.raises(SolverError, match="finite numbers"):
        DuelSolver.load(path)
    with np.load(path) as found:
        content = dict(found)
    np.savez(path, **{**content, "regret": content["regret"][1:]})
    with pytest.raises(SolverError, match="must be float32"):
        DuelSolver.load(path)
    np.savez(path, card=np.array({"a": 1}, object), regret=0, total=0)  # would need pickle
    with pytest.raises(SolverError, match="no solver's table"):
        DuelSolver.load(path)
    with pytest.raises(OptionError, match="duel_lives"):
        DuelSolver(0, duel_lives=True)
