"""The learner: credit by seat, openings, the network's promises, checkpoints, runs."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

import train
from agents import export, run
from agents.cast import Cast
from agents.checkpoint import (
    CheckpointError,
    load_checkpoint,
    newest_checkpoint,
    save_checkpoint,
)
from agents.experience import Experience
from agents.habits import Habits
from agents.network import NetworkPolicy, PolicyValueNetwork, sample
from agents.options import Options
from agents.presets import make_options
from agents.selfplay import SelfPlay
from kuku_env.bots import make_policy
from kuku_env.core.chance import generator_states
from kuku_env.core.game import Game, OptionError
from kuku_env.envs.batch import BatchEnv
from kuku_env.games import find_game, games

GAME = find_game("kuku-doubt")
SMALL = replace(
    make_options("quick"), games=60, steps=16, minibatch=256, widths=(32,), threads=1, seed=3
)


@pytest.fixture(scope="module")
def learner() -> SelfPlay:
    made = SelfPlay(SMALL)
    made.update()
    return made


# ---------------------------------------------------------------- credit


def experience_of(steps: list[dict], seats: int = 3) -> Experience:
    """Steps of one game: seat, value, rewards by seat, over, live."""
    e = Experience(len(steps), np.array([seats]), replace(GAME, max_players=seats))
    for row, step in enumerate(steps, start=seats):
        e.seat[row] = step["seat"]
        e.value[row] = step.get("value", 0.0)
        e.live[row] = step.get("live", True)
        e.over[row] = step.get("over", False)
        for seat, reward in step.get("rewards", {}).items():
            e.reward[row, 0, seat] = reward
    return e


def test_rewards_reach_the_decisions_of_their_own_seat() -> None:
    steps = [
        {"seat": 0, "value": 0.1},
        {"seat": 1, "value": 0.2},
        {"seat": 2, "value": 0.3, "rewards": {1: -0.5}},  # seat 1 is out by what seat 2 does
        {"seat": 0, "value": 0.4, "rewards": {0: 1.0, 2: -0.5}, "over": True},
        {"seat": 2, "value": 0.7},  # the next game
    ]
    e = experience_of(steps)
    e.credit(1.0, torch.zeros(1, 3))
    new = slice(3, None)
    assert e.own_reward[new, 0].tolist() == [0.0, -0.5, -0.5, 1.0, 0.0]
    assert torch.allclose(e.advantage[new, 0], torch.tensor([0.9, -0.7, -0.8, 0.6, 0.0]))
    assert e.closed[new, 0].tolist() == [True, True, True, True, False]
    e.credit(0.0, torch.zeros(1, 3))  # trusts the value of seat 0's next decision
    assert torch.allclose(e.advantage[new, 0], torch.tensor([0.3, -0.7, -0.8, 0.6, 0.0]))


def test_opening_moves_are_not_learned_from() -> None:
    steps = [{"seat": 0, "live": False}, {"seat": 1}, {"seat": 0, "over": True, "rewards": {1: 1}}]
    e = experience_of(steps)
    e.credit(1.0, torch.zeros(1, 3))
    assert e.closed[3:, 0].tolist() == [False, True, True]
    assert e.own_reward[4, 0] == 1.0


def test_open_decisions_are_learned_from_in_the_next_round() -> None:
    steps = [{"seat": 2, "value": 0.5}, {"seat": 0, "value": 0.1, "rewards": {2: -0.25}}]
    e = experience_of(steps)
    e.action[3, 0], e.observation[3, 0, 7] = 11, 1
    e.credit(1.0, torch.zeros(1, 3))
    assert not e.closed.any()
    e.carry_over()
    assert e.live[:3, 0].tolist() == [True, False, True]
    assert e.action[2, 0] == 11
    assert e.observation[2, 0, 7] == 1
    for row, seat in ((3, 1), (4, 2)):  # the next round
        e.seat[row], e.value[row], e.live[row], e.reward[row] = seat, 0.0, True, 0.0
    e.reward[4, 0] = torch.tensor([1.0, -0.5, -0.25])
    e.over[4] = True
    e.credit(1.0, torch.zeros(1, 3))
    assert e.closed[:, 0].tolist() == [True, False, True, True, True]
    assert e.own_reward[e.closed].tolist() == [1.0, -0.25, -0.5, -0.25]


@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 10_000), steps=st.integers(3, 40), trace=st.floats(0, 1))
def test_credit_adds_up_to_the_rewards(seed: int, steps: int, trace: float) -> None:
    """Over any number of rounds: a seat's decisions get what the game brought it, each once."""
    options = replace(SMALL, games=15, steps=steps, opening_bot=None, rivals=(), seed=seed)
    player = SelfPlay(options)
    e = player.experience
    brought: dict[tuple[int, int, int], float] = {}  # by column, number of the game, seat
    credited: dict[tuple[int, int, int], float] = {}
    number = np.zeros(15, int)
    closed = 0
    for _ in range(4):
        player._collect(None)
        e.credit(trace, torch.zeros(15, 6))
        closed += int(e.closed.sum())
        names = ("closed", "seat", "own_reward", "reward", "over")
        is_closed, seats, own, rewards, over = (getattr(e, name).tolist() for name in names)
        for row, column in np.ndindex(e.seat.shape):
            at = column, int(number[column])
            if is_closed[row][column]:
                key = (*at, seats[row][column])
                credited[key] = credited.get(key, 0.0) + own[row][column]
            if row >= e.seats:  # the rest was brought in the round before
                for seat, reward in enumerate(rewards[row][column]):
                    brought[*at, seat] = brought.get((*at, seat), 0.0) + reward
                number[column] += over[row][column]
        e.carry_over()
    assert closed + int(e.live[: e.seats].sum()) == 4 * steps * 15
    finished = {key for key in credited if key[1] < number[key[0]]}
    for key in finished:
        assert credited[key] == pytest.approx(brought[key])


# ---------------------------------------------------------------- cast


def test_scripts_open_games_and_hold_some_seats_but_never_all() -> None:
    options = replace(SMALL, games=600, rivals=("scripted-easy", "random"), rival_share=0.5)
    env = BatchEnv(GAME, 600, tables=options.tables())
    cast = Cast(options, GAME, env.options, seed=1)
    generators = generator_states(0, 600)
    turns = env.reset(seed=0)
    assert 0.5 < cast.mixed.mean() < 0.95
    decided = np.zeros((600, 6), np.int64)
    for _ in range(60):
        scripted, moves = cast.scripted(turns)
        assert not scripted[~cast.mixed].any()
        actions = env.sample(generators)
        actions[scripted] = moves  # legal, or the step would raise
        decided[np.flatnonzero(~scripted), turns.seat[~scripted]] += 1
        turns = env.step(actions)
        cast.next_games(turns.over)
    assert (decided.sum(1) > 0).all()


def test_without_scripts_the_learner_decides_everything() -> None:
    options = replace(SMALL, opening_bot=None, rivals=())
    env = BatchEnv(GAME, 60, num_players=4)
    cast, turns = Cast(options, GAME, env.options, seed=1), env.reset(seed=0)
    assert not cast.mixed.any()
    assert not cast.scripted(turns)[0].any()


# ---------------------------------------------------------------- network


def test_an_unlearned_network_finds_all_kinds_of_action_alike() -> None:
    env = BatchEnv(GAME, 64, num_players=2)
    turns = env.reset(seed=1)
    turns = env.step(env.sample(np.arange(1, 65, dtype=np.uint64)))  # all respond now
    network = PolicyValueNetwork(GAME, (8,))
    chances = NetworkPolicy(network, GAME).probabilities(turns.observation, turns.action_mask)
    assert np.allclose(chances[:, GAME.layout.start("accept")], 1 / 3)
    assert np.allclose(chances[:, GAME.layout.start("doubt")], 1 / 3)
    see = GAME.layout.start("see")
    assert np.allclose(chances[:, see : see + 55], 1 / 3 / 55)


def test_probabilities_of_illegal_actions_are_exactly_zero(learner: SelfPlay) -> None:
    turns = learner.env.turns()
    policy = NetworkPolicy(learner.network, GAME)
    chances = policy.probabilities(turns.observation, turns.action_mask)
    assert (chances[turns.action_mask == 0] == 0).all()
    assert np.allclose(chances.sum(1), 1, atol=1e-5)


def test_samples_are_possible_and_follow_the_probabilities() -> None:
    torch.manual_seed(0)
    chances = torch.tensor([0.0, 0.3, 0.0, 0.7, 0.0]).expand(20_000, 5)
    counts = torch.bincount(sample(chances, torch.rand(20_000)), minlength=5)
    assert counts[[0, 2, 4]].sum() == 0
    assert abs(counts[3] / 20_000 - 0.7) < 0.02


@pytest.mark.parametrize("widths", [(), (8, 0)])
def test_widths_must_be_positive(widths: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="widths"):
        PolicyValueNetwork(GAME, widths)


# ---------------------------------------------------------------- learning


def test_updates_learn_and_count() -> None:
    player = SelfPlay(SMALL)
    habits = Habits(GAME, player.env.num_players)
    before = [p.clone() for p in player.network.parameters()]
    for _ in range(3):
        losses = player.update(habits)
        assert all(math.isfinite(loss) for loss in losses.values())
    assert player.updates == 3
    # Learned from all decisions but scripted ones and those that are still open.
    assert 0.25 * 3 * 60 * 16 < player.decisions < 3 * 60 * 16
    assert any((a != b).any() for a, b in zip(before, player.network.parameters(), strict=True))
    assert all(torch.isfinite(p).all() for p in player.average.parameters())
    assert 0.2 < habits.rates()["accept", 2] < 0.5
    assert set(habits.sizes) == {2, 3, 4, 5, 6}
    assert {"claim", "accept-doubt-see"} <= set(habits.entropies())
    assert habits.lengths()[2] < habits.lengths()[3]
    assert 0.2 < habits.shares_true()["lie", 3] < 1
    assert habits.collapsed() == []


def test_a_kind_of_action_that_dies_out_is_told() -> None:
    env = BatchEnv(GAME, 300, num_players=2)
    habits = Habits(GAME, env.num_players)
    turns = env.reset(seed=0)
    everywhere = np.ones(300, bool)
    for doubter in (False, True):
        rows = torch.from_numpy(turns.action_mask.astype(np.float32))
        if doubter:  # all but one
            rows[1:] = 0
            rows[1:, GAME.layout.start("doubt")] = 1
            rows[0, GAME.layout.start("doubt")] = 0
        chances = rows / rows.sum(1, keepdim=True)
        actions = sample(chances, torch.rand(300)).numpy()
        habits.watch(turns, env.secrets(), chances, actions, everywhere)
        turns = env.step(actions)
    assert any(line.startswith("accept at 2 players") for line in habits.collapsed())
    assert 0.5 < habits.shares_true()["lie", 2] <= 1.0  # of claims at random


def test_honesty_is_told_as_a_collapse_too() -> None:
    env = BatchEnv(GAME, 300, num_players=2)
    habits = Habits(GAME, env.num_players)
    turns, honest = env.reset(seed=0), make_policy("scripted-easy", GAME)
    secrets = np.zeros_like(env.secrets())
    for _ in range(2):
        chances = torch.from_numpy(honest.probabilities(turns.observation, turns.action_mask))
        actions = sample(chances, torch.rand(300)).numpy()
        habits.watch(turns, secrets, chances, actions, np.ones(300, bool))
        turns = env.step(actions)
    assert habits.shares_true() == {("lie", 2): 0.0}
    assert any(line.startswith("lie at 2 players: 0.00%") for line in habits.collapsed())


def test_time_ends_a_run_as_well() -> None:
    player = SelfPlay(replace(SMALL, minutes=2.0))
    player.decisions = SMALL.decisions // 4
    assert player.progress() == 0.25
    player.seconds = 60.0
    assert player.progress() == 0.5
    assert player.pull() == pytest.approx(math.sqrt(SMALL.pull_start * SMALL.pull_end))


@pytest.mark.parametrize(
    "wrong",
    [
        {"game": "chess"},
        {"games": 0},
        {"widths": (64, 0)},
        {"players": ()},
        {"trace": 1.5},
        {"minutes": 0.0},
    ],
)
def test_wrong_options_are_named(wrong: dict[str, object]) -> None:
    with pytest.raises(OptionError, match=next(iter(wrong))):
        Options(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "variants", [("see_through",), ("see_through=maybe",), ("colour=1",), ("preset=huge",)]
)
def test_wrong_variants_are_named(variants: tuple[str, ...]) -> None:
    with pytest.raises(OptionError):
        SelfPlay(replace(SMALL, variants=variants))


def test_a_variant_may_begin_with_a_preset() -> None:
    """Its table size gives way to those that are asked for."""
    options = Options(game="doubt", variants=("preset=exchange,jokers=1", ""), players=(2, 4))
    exchange = {**find_game("doubt").presets["exchange"], "jokers": 1}
    tables = [{**exchange, "num_players": 2}, {**exchange, "num_players": 4}]
    assert options.tables() == [*tables, {"num_players": 2}, {"num_players": 4}]


# ---------------------------------------------------------------- checkpoints


def test_a_checkpoint_brings_everything_back(learner: SelfPlay, tmp_path: Path) -> None:
    folder = save_checkpoint(learner, tmp_path)
    back = load_checkpoint(folder)
    assert back.options == learner.options
    assert (back.decisions, back.updates) == (learner.decisions, learner.updates)
    assert back.seconds == learner.seconds
    for name in ("network", "average"):
        theirs = getattr(back, name).state_dict()
        for key, tensor in getattr(learner, name).state_dict().items():
            assert torch.equal(tensor, theirs[key])
    ours, theirs = learner.optimiser.state_dict(), back.optimiser.state_dict()
    for index, state in ours["state"].items():
        for key, tensor in state.items():
            assert torch.equal(tensor, theirs["state"][index][key])
    back.update()
    assert back.updates == learner.updates + 1


def test_a_checkpoint_from_before_the_first_round(tmp_path: Path) -> None:
    back = load_checkpoint(save_checkpoint(SelfPlay(SMALL), tmp_path))
    assert back.updates == 0
    assert back.update()


def test_only_the_newest_checkpoints_are_kept(learner: SelfPlay, tmp_path: Path) -> None:
    before = learner.updates
    try:
        for number in (9, 10, 11):
            learner.updates = number
            save_checkpoint(learner, tmp_path)
    finally:
        learner.updates = before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["00000010", "00000011"]
    assert newest_checkpoint(tmp_path).name == "00000011"


def test_damaged_checkpoints_are_refused(learner: SelfPlay, tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="no checkpoint"):
        newest_checkpoint(tmp_path)
    folder = save_checkpoint(learner, tmp_path)
    state, card = folder / "state.safetensors", folder / "checkpoint.json"
    good_state, good_card = state.read_bytes(), card.read_text()
    state.write_bytes(good_state[:-9])
    with pytest.raises(CheckpointError, match="damaged"):
        load_checkpoint(folder)
    state.unlink()
    with pytest.raises(CheckpointError, match="cannot read"):
        load_checkpoint(folder)
    state.write_bytes(good_state)
    card.write_text(json.dumps({**json.loads(good_card), "layout": "kuku/KukuDoubt-v0:0:0"}))
    with pytest.raises(CheckpointError, match=r"layout kuku/KukuDoubt-v0:0:0; this version has"):
        load_checkpoint(folder)
    card.write_text(good_card[:50])
    with pytest.raises(CheckpointError, match="damaged"):
        load_checkpoint(folder)


# ---------------------------------------------------------------- runs


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "short"
    options = replace(SMALL, decisions=2000, players=(2, 3))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "LAST_GAMES", 60)
        patch.setattr(run, "CHECKPOINT_SECONDS", 0.0)
        patch.setattr(run, "MEASURE_SECONDS", 0.0)
        bot = run.start(options, folder, Console(quiet=True))
    assert bot == folder / "bot"
    return folder


def test_a_run_leaves_bot_checkpoints_and_curves(finished: Path) -> None:
    card = json.loads((finished / "bot" / "bot.json").read_text())
    assert card["name"] == "short"
    assert card["origin"]["decisions"] >= 2000
    assert {f["against"] for f in card["strength"]["wins"]} == {"random", *GAME.scripted}
    assert [f["players"] for f in card["strength"]["self_play"]] == [2, 3]
    assert list(finished.glob("events*"))
    assert {path.name for path in finished.iterdir() if path.is_dir()} == {"bot", "checkpoints"}


def test_finished_and_used_folders_are_refused(finished: Path, tmp_path: Path) -> None:
    quiet = Console(quiet=True)
    with pytest.raises(run.RunError, match="finished run"):
        run.start(SMALL, finished, quiet)
    with pytest.raises(run.RunError, match="finished run"):
        run.resume(finished, quiet)
    (tmp_path / "notes.txt").touch()
    with pytest.raises(run.RunError, match="not empty"):
        run.start(SMALL, tmp_path, quiet)
    with pytest.raises(run.RunError, match="not empty"):
        run.start(SMALL, tmp_path / "notes.txt", quiet)
    with pytest.raises(run.RunError, match="cannot write"):
        run.start(SMALL, tmp_path / "notes.txt" / "run", quiet)


def test_an_interrupted_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = replace(SMALL, decisions=1500, players=(2,))
    player = SelfPlay(options)
    player.update()
    save_checkpoint(player, tmp_path / "checkpoints")
    monkeypatch.setattr(run, "LAST_GAMES", 60)
    monkeypatch.setattr(export, "write_graph", lambda *_: (b"", ["probabilities"]))
    bot = run.resume(tmp_path, Console(quiet=True))
    origin = json.loads((bot / "bot.json").read_text())["origin"]
    assert origin["updates"] > 1
    assert origin["decisions"] >= 1500


# ---------------------------------------------------------------- command line


def command(monkeypatch: pytest.MonkeyPatch, *words: str) -> None:
    monkeypatch.setattr("sys.argv", ["train.py", *words])


def test_budgets_give_defaults_that_options_change(monkeypatch: pytest.MonkeyPatch) -> None:
    command(monkeypatch, "--preset", "quick", "--run", "x", "--games", "64", "--widths", "8", "8")
    read = train.read_command()
    assert read.options == replace(make_options("quick"), games=64, widths=(8, 8))
    assert read.run == Path("x")


def test_a_preset_of_the_rules_takes_the_place_of_the_variants(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    command(monkeypatch, "--game", "doubt", "--preset", "traditional")
    assert train.read_command().options.variants == ("preset=traditional",)
    command(monkeypatch, "--game", "doubt", "--preset", "cheat", "quick")
    assert train.read_command().options == make_options("quick", "doubt", "cheat")
    for names in (["quick", "demo"], ["cheat", "traditional"], ["nobody"]):
        command(monkeypatch, "--game", "doubt", "--preset", *names)
        with pytest.raises(OptionError, match="one of demo, strong, quick, and one of cheat, exch"):
            train.read_command()
    command(monkeypatch, "--game", "doubt")
    read = train.read_command()
    assert read.options.variants == ("preset=kirakuken", "preset=traditional")


@pytest.mark.parametrize("game", games(), ids=lambda game: game.name)
def test_every_game_can_be_learned_as_it_stands(game: Game) -> None:
    options = replace(make_options("quick", game.name), games=60, steps=4, widths=(8,), threads=1)
    learner = SelfPlay(options)
    assert {"loss", "policy", "divergence", "value", "pull"} <= set(learner.update())


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--resume", "nowhere"), "no checkpoint in nowhere"),
        (("--resume", "x", "--games", "64"), "leave the others out"),
        (("--run", "{finished}"), "finished run"),
    ],
)
def test_what_cannot_be_run_is_told_in_one_line(
    words: tuple[str, ...],
    told: str,
    finished: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    command(monkeypatch, *(word.format(finished=finished) for word in words))
    assert train.main() == 1
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 1
    assert told in lines[0]
