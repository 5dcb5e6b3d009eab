"""BatchEnv: bad input changes nothing, restarts, copies, and what is the caller's to keep."""

import copy
import json
import pickle
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from toy import GAMES, every_game

from kuku_env.core.chance import generator_states
from kuku_env.core.game import IllegalActionError, OptionError
from kuku_env.envs.batch import BatchEnv, Turns
from kuku_env.envs.match import Match

pytestmark = pytest.mark.usefixtures("toy_is_known")

NAMES = [field.name for field in fields(Turns)]
N = 12


def sizes(game):
    return [{"num_players": n} for n in range(game.min_players, game.max_players + 1)]


def played(game, steps=20, num_envs=N, **arguments):
    """A batch after so many random steps, and the generators of the actions.

    Without automatic reset it stops as soon as a game is over.
    """
    batch = BatchEnv(game, num_envs, seed=1, tables=sizes(game), **arguments)
    batch.reset()
    generators = generator_states(2, num_envs)
    for _ in range(steps):
        batch.step(batch.sample(generators))
        if (batch.turns().seat < 0).any():
            break
    return batch, generators


def first_legal(batch):
    """Some legal action of each game, -1 where a game is over."""
    mask = batch.turns().action_mask
    return np.where(mask.any(1), mask.argmax(1), -1)


def bytes_of(batch):
    records = b"".join(batch.state_of(i).tobytes() for i in range(batch.num_envs))
    return records + b"".join(getattr(batch.turns(), name).tobytes() for name in NAMES)


# ---- bad input ---------------------------------------------------------------------------------


@every_game
@pytest.mark.parametrize("autoreset", [True, False])
@pytest.mark.parametrize("threads", [1, 3])
def test_an_illegal_action_anywhere_changes_no_game_and_names_it(game, autoreset, threads):
    batch, _ = played(game, 15, 200, autoreset=autoreset, threads=threads)  # for three threads
    before, mask = bytes_of(batch), batch.turns().action_mask
    live = np.flatnonzero(mask.any(1))
    for index in (int(live[0]), int(live[len(live) // 2]), int(live[-1])):
        illegal = np.flatnonzero(mask[index] == 0).tolist()
        size = game.layout.num_actions
        for action in (illegal[0], illegal[-1], size, size + 256, 2**62, -2, -size, -(2**62)):
            actions = first_legal(batch)
            actions[index] = action
            with pytest.raises(IllegalActionError) as caught:
                batch.step(actions)
            assert f"game {index}: action {action} " in str(caught.value)
            assert str(np.flatnonzero(mask[index]).tolist()) in str(caught.value)
            assert bytes_of(batch) == before


@every_game
def test_a_changed_mask_makes_no_action_legal(game):
    batch = BatchEnv(game, 8, seed=3)
    turns = batch.reset()
    legal, illegal = int(turns.action_mask[5].argmax()), int(turns.action_mask[5].argmin())
    before = [batch.state_of(i).tobytes() for i in range(8)]
    turns.action_mask[:] = 1 - turns.action_mask
    actions = batch.sample(generator_states(0, 8))
    actions[5] = illegal
    with pytest.raises(IllegalActionError, match=f"game 5: action {illegal} is not legal"):
        batch.step(actions)
    assert [batch.state_of(i).tobytes() for i in range(8)] == before
    actions[5] = legal
    batch.step(actions)


@every_game
@pytest.mark.parametrize("dtype", np.typecodes["AllInteger"])
def test_actions_may_be_of_any_integer_type(game, dtype):
    batch, _ = played(game)
    before, good = bytes_of(batch), first_legal(batch)
    legal = np.flatnonzero(batch.turns().action_mask[N - 1])
    limits = np.iinfo(dtype)
    for extreme in (limits.min, limits.max, limits.max - 1):
        actions = good.astype(dtype)
        actions[N - 1] = extreme
        if extreme not in legal:
            with pytest.raises(IllegalActionError, match=f"game {N - 1}"):
                batch.step(actions)
            assert bytes_of(batch) == before
    twin = batch.clone()
    batch.step(good)
    twin.step(good.astype(dtype))
    assert bytes_of(twin) == bytes_of(batch)


@every_game
def test_malformed_actions_change_no_game(game):
    batch, _ = played(game)
    before, good = bytes_of(batch), first_legal(batch)
    for actions in (good[:-1], [*good, 0], good[None], good[0], [], None, "accept", {}):
        with pytest.raises(ValueError, match=rf"shape \({N},\)"):
            batch.step(actions)
    for actions in (good.astype(float), good > 0, [None] * N, ["0"] * N, [2**70] * N):
        with pytest.raises(TypeError, match="integers"):
            batch.step(actions)
    assert bytes_of(batch) == before
    batch.step(list(good))
    assert bytes_of(batch) != before


@every_game
def test_a_batch_must_be_reset_first(game):
    batch = BatchEnv(game, 3, seed=0)
    for call in (lambda: batch.step([0, 0, 0]), lambda: batch.restart(0, 1)):
        with pytest.raises(RuntimeError, match="reset"):
            call()
    assert batch.reset().action_mask.any(1).all()


@every_game
@pytest.mark.parametrize(
    "arguments",
    [
        {"num_envs": 0},
        {"num_envs": -1},
        {"num_envs": 2.0},
        {"num_envs": "2"},
        {"num_envs": True},
        {"threads": 0},
        {"threads": 1.0},
        {"threads": None},
        {"tables": []},
        {"tables": 3},
        {"tables": ["tiny"]},
        {"tables": {"num_players": 3}},
    ],
    ids=str,
)
def test_wrong_arguments_are_refused_by_name(game, arguments):
    name, value = next(iter(arguments.items()))
    with pytest.raises(ValueError, match=name) as caught:
        BatchEnv(game, **{"num_envs": 2, **arguments})
    assert repr(value) in str(caught.value)


@every_game
def test_wrong_options_and_games_are_refused(game):
    for options in (
        {"num_players": 99},
        {"preset": "none such"},
        {"no_such_option": 1},
        {"tables": [{"num_players": 3}, {"num_players": 1}]},
        {"tables": [{"no_such_option": 2}]},
    ):
        with pytest.raises(OptionError):
            BatchEnv(game, 2, **options)
    with pytest.raises(KeyError, match="chess"):
        BatchEnv("chess", 2)


@every_game
def test_wrong_seeds_and_indices_change_nothing(game):
    batch, _ = played(game)
    before = bytes_of(batch)
    for seed in (-1, 1.5, "1", True, [1]):
        with pytest.raises(ValueError, match="seed"):
            batch.reset(seed)
        with pytest.raises(ValueError, match="seed"):
            batch.restart(0, seed)
    for index in (-1, N, 10**9):
        for call in (batch.restart, batch.state_of, lambda index: batch.observe(index, 0)):
            with pytest.raises(IndexError, match=str(index)):
                call(index)
    for seat in (-1, game.min_players):
        with pytest.raises(IndexError, match="seat"):
            batch.observe(0, seat)  # the smallest table
    assert bytes_of(batch) == before


# ---- games that end ----------------------------------------------------------------------------


def short(game):
    """A batch without automatic reset, played until some games are over and others are not."""
    batch, generators = played(game, 10**4, autoreset=False)
    assert (batch.turns().seat >= 0).any()
    return batch, generators


@every_game
def test_without_automatic_reset_a_finished_game_waits(game):
    batch, generators = short(game)
    turns = batch.turns(copy=True)
    over = turns.seat < 0
    assert (over == turns.over).all()
    assert not turns.observation[over].any()
    assert not turns.action_mask[over].any()
    assert turns.rewards[over].any(1).all()
    states = [batch.state_of(i).tobytes() for i in range(N)]
    actions = batch.sample(generators)
    assert (actions[over] == -1).all()

    later = batch.step(actions)  # again over, but not by this step
    assert not later.over[over].any()
    assert not later.rewards[over].any()
    assert (later.seat[over] == -1).all()
    assert [batch.state_of(i).tobytes() for i in np.flatnonzero(over)] == [
        states[i] for i in np.flatnonzero(over)
    ]
    with pytest.raises(IllegalActionError, match=r"legal: \[-1\]"):
        batch.step(np.where(over, 0, first_legal(batch)))


@every_game
def test_without_automatic_reset_minus_one_leaves_a_game_as_it_is(game):
    batch, _ = short(game)
    live = int(np.flatnonzero(batch.turns().seat >= 0)[0])
    before = batch.turns(copy=True)
    state = batch.state_of(live).tobytes()
    batch.step(np.full(N, -1))
    after = batch.turns()
    assert batch.state_of(live).tobytes() == state
    for name in ("observation", "action_mask", "seat"):
        assert getattr(after, name)[live].tobytes() == getattr(before, name)[live].tobytes()
    assert not after.rewards.any()
    assert not after.over.any()
    with pytest.raises(IllegalActionError, match="-1"):
        played(game)[0].step(np.full(N, -1))


@every_game
def test_restart_deals_one_game_from_its_own_seed(game):
    batch, generators = short(game)
    index = int(np.flatnonzero(batch.turns().seat < 0)[0])
    others = [i for i in range(N) if i != index]
    before = batch.turns(copy=True), [batch.state_of(i).tobytes() for i in others]
    batch.restart(index, 77)
    turns = batch.turns()
    for name in NAMES:
        left, right = (getattr(part, name)[others] for part in (turns, before[0]))
        assert left.tobytes() == right.tobytes()
    assert [batch.state_of(i).tobytes() for i in others] == before[1]

    match = Match(game, seed=77, **sizes(game)[index % len(sizes(game))])
    while True:
        observation, mask = match.observe(match.to_act)
        assert turns.seat[index] == match.to_act
        assert turns.observation[index].tobytes() == observation.tobytes()
        assert turns.action_mask[index].tobytes() == mask.tobytes()
        actions = batch.sample(generators)
        match.step(actions[index])
        turns = batch.step(actions)
        assert turns.over[index] == match.over
        if match.over:
            break
    again = batch.state_of(index)["rng"].copy()
    batch.restart(index)  # without a seed: by the game's own generator
    fresh = game.new_states([match.options])
    fresh["rng"] = again
    game.kernels.deal(fresh, 0)
    assert batch.state_of(index)["rng"] == fresh["rng"]
    assert batch.turns().seat[index] == fresh[0].turn


@every_game
def test_with_automatic_reset_the_last_rewards_come_with_the_next_game(game):
    batch, generators = played(game, 0)
    totals, ended = np.zeros((N, game.max_players)), 0
    for _ in range(300):
        turns = batch.step(batch.sample(generators))
        assert (turns.seat >= 0).all()
        assert turns.action_mask.any(1).all()
        totals += turns.rewards
        for i in np.flatnonzero(turns.over):
            ended += 1
            assert totals[i].sum() == pytest.approx(0, abs=1e-6)
            assert totals[i].any()
            assert not totals[i, batch.num_players[i] :].any()
            totals[i] = 0
            assert batch.state_of(i)["decisions"] == 0
            assert not batch.places[i].any()
    assert ended > N


@every_game
def test_resets(game):
    one, two = BatchEnv(game, N, seed=3), BatchEnv(game, N)
    assert bytes_after_reset(one) == bytes_after_reset(two, 3)
    assert bytes_after_reset(two, 4) != bytes_after_reset(two, 3)
    assert bytes_after_reset(one) == bytes_after_reset(two)  # both go on, neither starts over
    assert bytes_after_reset(one) != bytes_after_reset(one)
    assert bytes_after_reset(BatchEnv(game, N)) != bytes_after_reset(BatchEnv(game, N))
    batch, _ = short(game)
    turns = batch.reset()
    assert not turns.over.any()
    assert not turns.rewards.any()


def bytes_after_reset(batch, seed=None):
    batch.reset(seed)
    return bytes_of(batch)


@every_game
def test_tables_take_turns(game):
    few, many = game.min_players, game.max_players
    tables = [{"num_players": many}, {"num_players": few}, {}]
    batch = BatchEnv(game, 5, tables=tables, num_players=few)
    assert batch.num_players.tolist() == [many, few, few, many, few]
    assert batch.options[0] is batch.options[3]


# ---- what is the caller's ----------------------------------------------------------------------


@every_game
def test_the_buffers_are_written_again_unless_copied(game):
    batch = BatchEnv(game, N, seed=0)
    first = batch.reset()
    arrays = [getattr(first, name) for name in NAMES]
    kept = [array.copy() for array in arrays]
    mine = batch.step(first_legal(batch), copy=True)
    assert any((new != old).any() for new, old in zip(arrays, kept, strict=True))
    for turns in (batch.step(first_legal(batch)), batch.turns(), batch.reset()):
        assert all(getattr(turns, name) is a for name, a in zip(NAMES, arrays, strict=True))
    for copied in (mine, batch.turns(copy=True), batch.reset(copy=True), batch.turns().copy()):
        for name, array in zip(NAMES, arrays, strict=True):
            assert not np.shares_memory(getattr(copied, name), array)
    for fresh in (batch.state_of(0), batch.places, batch.truncated, batch.secrets()):
        before = bytes_of(batch)
        fresh[:] = np.ones(1, fresh.dtype)
        assert bytes_of(batch) == before


@every_game
def test_shapes_and_types(game):
    batch, generators = played(game)
    turns = batch.turns()
    assert turns.observation.shape == (N, game.layout.size)
    assert turns.action_mask.shape == (N, game.layout.num_actions)
    assert turns.rewards.shape == batch.places.shape == (N, game.max_players)
    for name in ("seat", "terminated", "truncated"):
        assert getattr(turns, name).shape == (N,)
    kinds = [getattr(turns, name).dtype for name in NAMES]
    assert kinds == [np.int8, np.int8, np.int8, np.float32, bool, bool]
    assert batch.sample(generators).dtype == np.int64
    assert (turns.observation <= game.layout.high).all()
    assert (turns.observation >= 0).all()


@every_game
def test_secrets_are_relative_to_the_seat_that_decides(game):
    batch, _ = played(game)
    secrets = batch.secrets()
    assert secrets.shape == (N, game.secrets.size)
    assert secrets.dtype == np.int8
    assert (secrets <= game.secrets.high).all()
    assert (secrets >= 0).all()
    for i, options in enumerate(batch.options):
        match = Match(game, **{f.name: getattr(options, f.name) for f in fields(options)})
        match.S[:] = batch.state_of(i)
        assert secrets[i].tobytes() == match.secrets(match.to_act).tobytes()
    named = game.secrets.unpack(secrets)
    assert {name: array.shape[1:] for name, array in named.items()} == {
        field.name: field.shape for field in game.secrets.fields
    }


@every_game
def test_observe_shows_what_any_seat_may_see(game):
    batch, _ = played(game)
    turns = batch.turns()
    for i, seat in enumerate(turns.seat):
        assert batch.observe(i, int(seat)).tobytes() == turns.observation[i].tobytes()
        other = (seat + 1) % batch.num_players[i]
        assert batch.observe(i, int(other)).tobytes() != turns.observation[i].tobytes()


def test_the_games_actions_are_drawn_evenly():
    game = GAMES[0]
    batch = BatchEnv(game, 1, seed=0)
    legal = np.flatnonzero(batch.reset().action_mask[0])
    generators = generator_states(0, 1)
    drawn = [int(batch.sample(generators)[0]) for _ in range(200 * len(legal))]
    counts = np.bincount(drawn, minlength=game.layout.num_actions)
    assert counts[legal].min() > 130
    assert counts.sum() == counts[legal].sum()


# ---- copies ------------------------------------------------------------------------------------


def repickled(batch):
    return pickle.loads(pickle.dumps(batch))


@every_game
@pytest.mark.parametrize("autoreset", [True, False])
@pytest.mark.parametrize("make", [BatchEnv.clone, copy.copy, copy.deepcopy, repickled])
def test_copies_continue_the_same_games_on_their_own(game, autoreset, make):
    batch, generators = played(game, autoreset=autoreset)
    before, later = bytes_of(batch), generators.copy()
    twin = make(batch)
    assert bytes_of(twin) == before
    trace = []
    for _ in range(80):
        twin.step(twin.sample(generators))
        trace.append(bytes_of(twin))
    assert bytes_of(batch) == before != trace[-1]
    for row in trace:
        batch.step(batch.sample(later))
        assert bytes_of(batch) == row
    twin.restart(0)
    assert bytes_of(batch) == trace[-1]
    assert twin.game is game


@every_game
def test_a_batch_not_yet_dealt_can_be_copied(game):
    batch = BatchEnv(game, 2, seed=8)
    twin = repickled(batch)
    assert bytes_after_reset(twin) == bytes_after_reset(batch)


CONTINUE = """
import json, pickle, sys
import toy
from kuku_env.core.game import KNOWN_GAMES
from kuku_env.core.chance import generator_states
KNOWN_GAMES[toy.GAME.id] = toy.GAME
batch = pickle.load(sys.stdin.buffer)
generators = generator_states(9, batch.num_envs)
for _ in range(40):
    turns = batch.step(batch.sample(generators))
print(json.dumps([turns.observation.tolist(), turns.rewards.tolist()]))
"""


@every_game
def test_another_process_continues_a_pickled_batch(game):
    batch, _ = played(game)
    given = pickle.dumps(batch)
    command = [sys.executable, "-c", CONTINUE]
    told = subprocess.run(command, input=given, stdout=-1, cwd=Path(__file__).parent, check=True)
    generators = generator_states(9, N)
    for _ in range(40):
        turns = batch.step(batch.sample(generators))
    assert json.loads(told.stdout) == [turns.observation.tolist(), turns.rewards.tolist()]
