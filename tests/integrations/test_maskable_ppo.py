"""``train.py --learner maskable-ppo``: what it learns against, and the bot it leaves."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="needs the extra train")

import torch
from rich.console import Console

import train
from agents import run
from agents.checkpoint import load_checkpoint, save_checkpoint
from agents.habits import Habits
from agents.maskable_ppo import MaskedActor, PpoLearner, PpoOptions, make_ppo_options
from agents.network import NetworkPolicy
from kuku_env.bots import BotError, ExportedPolicy
from kuku_env.core.game import OptionError
from kuku_env.envs.batch import BatchEnv
from kuku_env.games import games

SMALL = replace(
    make_ppo_options("quick", "kuku-doubt"), decisions=1500, games=32, steps=16, widths=(16,),
    players=(2, 3), minibatch=128, past_selves=2, past_every=400, threads=1, minutes=None,
    teacher=None,
)  # fmt: skip


def decisions_of(game, num_envs=64):
    turns = BatchEnv(game, num_envs).reset(0)
    return turns.observation.copy(), turns.action_mask.copy()


@pytest.mark.parametrize("game", games(), ids=lambda game: game.name)
def test_every_game_has_settings_that_fit(game):
    options = make_ppo_options("demo", game.name)
    assert {"random"} <= set(options.opponents)
    for table in options.tables():
        game.make_options(**table)


def test_the_actor_is_the_policy_with_the_mask_inside():
    learner = PpoLearner(SMALL)
    observation, mask = decisions_of(learner.game)
    chances = NetworkPolicy(learner.average, learner.game).probabilities(observation, mask)
    policy = learner.model.policy
    theirs = policy.get_distribution(torch.from_numpy(observation), action_masks=mask.astype(bool))
    assert chances == pytest.approx(theirs.distribution.probs.detach().numpy(), abs=1e-5)
    assert (chances[mask == 0] == 0).all()


def test_a_snapshot_does_not_go_on_learning():
    learner = PpoLearner(SMALL)
    observation, mask = decisions_of(learner.game)
    actor = MaskedActor(learner.model.policy)
    before = NetworkPolicy(actor, learner.game).probabilities(observation, mask)
    with torch.no_grad():
        for weight in learner.model.policy.parameters():
            weight.add_(0.1)
    assert (NetworkPolicy(actor, learner.game).probabilities(observation, mask) == before).all()
    after = NetworkPolicy(learner.average, learner.game).probabilities(observation, mask)
    assert not np.allclose(after, before)


def test_a_run_grows_its_pool_and_exports_a_bot(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(run, "LAST_GAMES", 40)
    learners, finish = [], run._finish
    monkeypatch.setattr(
        run, "_finish", lambda one, *more: (learners.append(one), finish(one, *more))[1]
    )
    folder = tmp_path / "mine"
    bot = run.start(SMALL, folder, Console(quiet=True))
    [learner] = learners
    names = [bot.name for bot in learner.pool.bots]
    assert names == [*SMALL.opponents, "snapshot-1024", "snapshot-1536"]

    card = json.loads((bot / "bot.json").read_text())
    assert card["origin"]["learner"] == "maskable-ppo"
    assert card["origin"]["decisions"] == 1536
    assert card["rules"]["num_players"] == [2, 3]
    assert {figure["players"] for figure in card["strength"]["wins"]} == {2, 3}
    assert list(folder.glob("events*"))

    exported = ExportedPolicy(bot)
    observation, mask = decisions_of(learner.game)
    expected = NetworkPolicy(learner.average, learner.game).probabilities(observation, mask)
    answer = exported.probabilities(observation, mask)
    assert answer == pytest.approx(expected, abs=1e-5)
    assert (answer[mask == 0] == 0).all()
    with pytest.raises(BotError, match="num_players"):
        exported.accepts(learner.game.make_options(num_players=4))
    with pytest.raises(run.RunError, match="finished run"):
        run.start(SMALL, folder, Console(quiet=True))


def test_lessons_make_it_play_as_its_teacher_does():
    """With few lessons it is about as it was, and all kinds of action are alike."""
    few, many = (
        PpoLearner(replace(SMALL, lessons=lessons, widths=(64,)))._take_lessons("scripted-easy")
        for lessons in (2_000, 400_000)
    )
    assert many < few / 2


def test_a_run_ends_when_its_time_is_up():
    learner = PpoLearner(replace(SMALL, decisions=10**9, minutes=0.01))
    habits = Habits(learner.game, learner.num_players)
    while learner.progress() < 1:
        losses = learner.update(habits)
    assert 0 < learner.decisions < 10**6
    assert {"entropy_loss", "value_loss"} <= set(losses)


def test_a_run_goes_on_from_its_checkpoint(tmp_path: Path):
    learner = PpoLearner(replace(SMALL, decisions=10**6))
    habits = Habits(learner.game, learner.num_players)
    for _ in range(3):
        learner.update(habits)
    saved = save_checkpoint(learner, tmp_path)
    again = load_checkpoint(saved)
    assert isinstance(again, PpoLearner)
    assert again.options == learner.options
    assert (again.decisions, again.updates) == (learner.decisions, 3)
    assert again.progress() == learner.progress()
    observation, mask = decisions_of(learner.game)
    before = NetworkPolicy(learner.average, learner.game).probabilities(observation, mask)
    assert (
        NetworkPolicy(again.average, again.game).probabilities(observation, mask) == before
    ).all()
    ours, theirs = (one.model.policy.optimizer.state_dict()["state"] for one in (learner, again))
    for index, state in ours.items():
        for name, tensor in state.items():
            assert torch.equal(tensor, theirs[index][name])
    again.update(habits)
    assert again.decisions == learner.decisions + 32 * 16
    assert again.model.num_timesteps == again.decisions


def test_the_command_line_chooses_the_learner(monkeypatch):
    def read(*words):
        monkeypatch.setattr("sys.argv", ["train.py", *words])
        return train.read_command()

    command = read("--learner", "maskable-ppo", "--game", "doubt", "--games", "8", "--run", "x")
    assert isinstance(command, train.PpoCommand)
    assert command.options == replace(make_ppo_options("demo", "doubt"), games=8)
    assert command.run == Path("x")
    assert isinstance(read("--preset", "quick"), train.Command)
    assert isinstance(read("--learner", "self-play"), train.Command)


@pytest.mark.parametrize(
    ("name", "value"),
    [("games", 0), ("trace", 1.5), ("past_selves", -1), ("opponents", ()), ("widths", ()),
     ("minutes", 0.0), ("game", "chess")],
)  # fmt: skip
def test_options_that_cannot_be_are_named(name, value):
    with pytest.raises(OptionError, match=name):
        PpoOptions(**{name: value})
