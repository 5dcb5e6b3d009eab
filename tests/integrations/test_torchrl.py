"""The games as a TorchRL environment, and the example that learns from it."""

import numpy as np
import pytest

pytest.importorskip("torchrl", reason="needs the extra torchrl")

import torch
from running import run_example
from torchrl.envs import TransformedEnv
from torchrl.envs.transforms import ActionMask
from torchrl.envs.utils import check_env_specs

from kuku_env.bots import Pool
from kuku_env.core.game import IllegalActionError, OptionError
from kuku_env.games import games
from kuku_env.integrations.torchrl import SeatsEnv


@pytest.fixture(params=games(), ids=lambda game: game.name)
def game(request):
    return request.param


def random_play(game, steps, seed=0, **arguments):
    env = TransformedEnv(SeatsEnv(game, 12, opponents=["random"], **arguments), ActionMask())
    env.set_seed(seed)
    torch.manual_seed(seed)
    return env.rollout(steps, break_when_any_done=False)


def test_torchrl_finds_nothing_wrong(game):
    check_env_specs(TransformedEnv(SeatsEnv(game, 6, opponents=["random"]), ActionMask()))


def test_games_that_end_are_dealt_anew_and_pay_once(game):
    played = random_play(game, 200, max_decisions=60)
    done = played["next", "done"].squeeze(-1)
    assert done.sum() > 12
    assert played["action_mask"].any(-1).all()
    assert played["next", "action_mask"][done].all()
    chosen = played["action_mask"].gather(-1, played["action"][..., None])
    assert chosen.all()
    # Where a game went on, the next decision is the one that the step led to.
    went_on = ~done[:, :-1]
    after, then = played["next", "observation"][:, :-1], played["observation"][:, 1:]
    assert (after[went_on] == then[went_on]).all()
    assert (played["next", "reward"].squeeze(-1)[done] != 0).any()


def test_a_game_that_ended_takes_any_action_and_stays_as_it_is(game):
    env = SeatsEnv(game, 6, opponents=["random"], max_decisions=60)
    env = TransformedEnv(env, ActionMask())
    last = env.rollout(400, break_when_all_done=True)[:, -1]["next"]
    assert last["done"].all()
    after = env.step(last.clone().set("action", torch.zeros(6, dtype=torch.int64)))["next"]
    assert (after["observation"] == last["observation"]).all()
    assert after["done"].all()
    assert not after["reward"].any()


def test_the_same_seed_gives_the_same_games(game):
    one, other = random_play(game, 40), random_play(game, 40)
    assert (one["observation"] == other["observation"]).all()
    assert (one["next", "reward"] == other["next", "reward"]).all()
    assert not (one["observation"] == random_play(game, 40, seed=1)["observation"]).all()


def test_truncation_is_told_apart(game):
    played = random_play(game, 40, max_decisions=9)
    cut = played["next", "truncated"]
    assert cut.any()
    assert not (cut & played["next", "terminated"]).any()
    assert (played["next", "done"] == cut | played["next", "terminated"]).all()


def test_opponents_come_from_a_pool():
    game = games()[0]
    pool = Pool(game, ["random", "scripted-easy"])
    env = SeatsEnv(game, 64, opponents=pool, num_players=2)
    env.reset()
    held = {name for index in range(64) for name in env.learner_seats.holders(index)}
    assert env.pool is pool
    assert held == {"random", "scripted-easy", None}


def test_what_is_wrong_is_refused(game):
    env = SeatsEnv(game, 4, opponents=["random"])
    turn = env.reset()
    illegal = turn["action_mask"].int().argmin(-1)
    with pytest.raises(IllegalActionError, match="legal"):
        env.step(turn.clone().set("action", illegal))
    assert (env.learner_seats.observations() == turn["observation"].numpy()).all()
    with pytest.raises(OptionError, match="num_player"):
        SeatsEnv(game, 2, num_player=3)


def test_the_example_learns():
    small = ["--decisions", "60_000", "--num-envs", "128", "--width", "64"]
    lines = run_example("torchrl_ppo.py", *small, "--opponents", "random")
    shares = [float(line.split("wins ")[1].split("%")[0]) for line in lines]
    assert len(shares) > 3
    assert shares[-1] > shares[0] + 5
    assert np.isfinite(shares).all()
