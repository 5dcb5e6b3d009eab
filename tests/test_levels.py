"""Levels: one graph of a network, the solver's table at two players, and lapses."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from agents import levels
from agents.checkpoint import CheckpointError, load_checkpoint, newest_checkpoint, save_checkpoint
from agents.duel import duel_policy
from agents.duel_solver import DuelSolver, SolverError
from agents.export import write_graph
from agents.levels import Command
from agents.network import NetworkPolicy
from agents.presets import make_options
from agents.selfplay import SelfPlay
from kuku_env.bots import ExportedPolicy
from kuku_env.core.chance import generator_states
from kuku_env.core.game import OptionError
from kuku_env.envs.batch import BatchEnv

SMALL = replace(
    make_options("quick"),
    games=64,
    minutes=None,
    widths=(32,),
    magnet=None,
    rivals=(),
    threads=1,
    players=(2, 3),
)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A run, a solver's table, and bots of two levels made from them."""
    folder = tmp_path_factory.mktemp("levels")
    learner, solver = SelfPlay(SMALL), DuelSolver(2)
    save_checkpoint(learner, folder / "run" / "checkpoints")
    solver.iterate(2)
    solver.save(folder / "solver.npz")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(levels, "GAMES", 20)
        for level, lapses in (("strong", 0.0), ("normal", 0.25)):
            levels.make(
                Command(folder / "run", folder / level, level, folder / "solver.npz", lapses)
            )
    return folder


def situations():
    env = BatchEnv("kuku-doubt", 80, tables=[{"num_players": n} for n in (2, 3)])
    turns, generators = env.reset(seed=1), generator_states(2, 80)
    for _ in range(30):
        yield turns.observation, turns.action_mask, env.num_players
        turns = env.step(env.sample(generators))


def test_the_table_plays_at_two_players_and_the_network_elsewhere(made):
    bot = ExportedPolicy(made / "strong")
    learner = load_checkpoint(newest_checkpoint(made / "run" / "checkpoints"))
    network = NetworkPolicy(learner.average, learner.game)
    table = duel_policy(DuelSolver.load(made / "solver.npz"))
    assert bot.card["level"] == "strong"
    assert bot.card["origin"]["table"]["iterations"] > 0
    for observation, mask, players in situations():
        found = bot.probabilities(observation, mask)
        two = players == 2
        wanted = np.where(
            two[:, None],
            table.probabilities(observation, mask),
            network.probabilities(observation, mask),
        )
        assert found == pytest.approx(wanted, abs=2e-3)  # weights are halves
        assert found.sum(1) == pytest.approx(1, abs=1e-3)
        assert (found[mask == 0] == 0).all()


def test_a_level_with_lapses_does_anything_in_so_many_decisions(made):
    strong, normal = (ExportedPolicy(made / level) for level in ("strong", "normal"))
    assert normal.card["origin"]["lapses"] == 0.25
    learner = load_checkpoint(newest_checkpoint(made / "run" / "checkpoints"))
    for observation, mask, _ in situations():
        mixed = 0.75 * strong.probabilities(observation, mask)
        even = learner.average.even(torch.from_numpy(mask)).exp().numpy() * mask
        found = normal.probabilities(observation, mask)
        assert found == pytest.approx(mixed + 0.25 * even, abs=1e-5)
        assert even.sum(1) == pytest.approx(1, abs=1e-5)


def test_a_small_graph_takes_half_the_space_and_tells_what_it_would(made, tmp_path):
    learner = load_checkpoint(newest_checkpoint(made / "run" / "checkpoints"))
    whole, outputs = write_graph(learner.average, learner.game, tmp_path / "whole.onnx")
    small, same = write_graph(learner.average, learner.game, tmp_path / "small.onnx", small=True)
    assert outputs == same
    assert len(small) < 0.6 * len(whole)


def test_what_is_no_level_is_refused(made, tmp_path):
    with pytest.raises(OptionError, match="lapses"):
        Command(made / "run", tmp_path / "bot", "easy", lapses=1.5)
    with pytest.raises(CheckpointError):
        levels.make(Command(tmp_path / "none", tmp_path / "bot", "easy"))
    for changes, told in (
        ({"variants": ("duel_lives=true",), "players": (2,)}, "duel_lives True"),
        ({"game": "doubt", "players": (3,), "variants": ("",)}, "kuku/Doubt-v0"),
    ):
        learner = SelfPlay(replace(SMALL, **changes))
        save_checkpoint(learner, tmp_path / told / "checkpoints")
        with pytest.raises(SolverError, match=told):
            levels.make(Command(tmp_path / told, tmp_path / "bot", "easy", made / "solver.npz"))
    assert not (tmp_path / "bot").exists()
