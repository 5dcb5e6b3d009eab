"""Self-play for learning libraries: every decision comes once, with what its own seat earned."""

import numpy as np
import pytest

from kuku_env.bots import BotError
from kuku_env.core.chance import choose
from kuku_env.core.game import IllegalActionError, OptionError
from kuku_env.envs.batch import BatchEnv
from kuku_env.envs.shared import SharedSeats
from kuku_env.games import games

ALL = [pytest.param(game, id=game.name) for game in games()]


def sizes(game):
    return [{"num_players": n} for n in range(game.min_players, game.max_players + 1)]


class Network:
    """Plays at random, and numbers its decisions."""

    def __init__(self, seed=0):
        self.random, self.count = np.random.default_rng(seed), 0

    def __call__(self, observation, action_mask):
        n = len(action_mask)
        numbers = np.arange(self.count, self.count + n)
        self.count += n
        chances = action_mask / action_mask.sum(axis=1, keepdims=True)
        return {"actions": choose(chances, self.random.random(n)), "number": numbers}


@pytest.mark.parametrize("game", ALL)
def test_trails_are_what_each_seat_did_and_earned(game):
    """Told again by hand: the same games, and credit worked out backwards at the end of each."""
    tables = sizes(game)
    shared = SharedSeats(game, 12, tables=tables)
    shared.reset(3)
    network = Network()
    batch = BatchEnv(game, 12, tables=tables)
    turns = batch.reset(3)
    steps = [[] for _ in range(12)]  # (number, seat, rewards) of the game being played
    expected, found = {}, {}
    for _ in range(400):
        before = network.count
        seats = turns.seat.copy()
        actions = []

        def decide(observation, action_mask, actions=actions):
            made = network(observation, action_mask)
            actions.extend(made["actions"])
            return made

        for trail in shared.step(decide):
            found[tuple(trail["number"])] = trail["rewards"]
        turns = batch.step(np.array(actions))
        for k in range(12):
            steps[k].append((before + k, seats[k], turns.rewards[k].copy()))
        for k in np.flatnonzero(turns.over):
            for seat in {seat for _, seat, _ in steps[k]}:
                numbers = tuple(number for number, who, _ in steps[k] if who == seat)
                earned, later = [], 0.0
                for _, who, rewards in reversed(steps[k]):
                    later += rewards[seat]
                    if who == seat:
                        earned.append(later)
                        later = 0.0
                expected[numbers] = np.array(earned[::-1])
            steps[k] = []
    assert len(expected) > 20
    assert found.keys() == expected.keys()
    for numbers, rewards in expected.items():
        assert found[numbers] == pytest.approx(rewards)


def test_what_was_seen_comes_with_what_was_done():
    shared = SharedSeats("kuku-doubt", 8)
    shared.reset(1)
    network, seen = Network(), {}

    def decide(observation, action_mask):
        made = network(observation, action_mask)
        for number, *both in zip(made["number"], observation, action_mask, strict=True):
            seen[number] = [cells.copy() for cells in both]
        return made

    trails = [trail for _ in range(300) for trail in shared.step(decide)]
    assert len(trails) > 10
    for trail in trails:
        for row, number in enumerate(trail["number"]):
            np.testing.assert_array_equal(trail["observation"][row], seen[number][0])
            np.testing.assert_array_equal(trail["action_mask"][row], seen[number][1])
            assert trail["action_mask"][row, trail["actions"][row]] == 1


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_rivals_hold_some_seats_of_some_games(share):
    shared = SharedSeats(
        "kuku-doubt", 400, rivals=["random", "scripted-easy"], rival_share=share,
        tables=[{"num_players": n} for n in (2, 3, 5)],
    )  # fmt: skip
    shared.reset(0)
    held = shared._holders != None  # noqa: E711
    assert (held & (np.arange(6) >= shared.num_players[:, None])).sum() == 0
    counts = held.sum(axis=1)
    assert (counts < shared.num_players).all()
    assert (counts > 0).mean() == pytest.approx(share, abs=0.08 if share == 0.5 else 0)
    if share:
        assert {bot.name for bot in shared._holders[held]} == {"random", "scripted-easy"}
    network = Network()
    kept = sum(len(t["rewards"]) for _ in range(150) for t in shared.step(network))
    assert kept <= network.count
    if share:
        assert network.count < 150 * 400


def test_rewards_with_rivals_are_the_networks_own():
    """Two players, a rival in each game: one trail a game, and who is not the winner lost."""
    shared = SharedSeats("kuku-doubt", 50, rivals=["random"], rival_share=1.0, num_players=2)
    shared.reset(0)
    network = Network()
    trails = [trail for _ in range(200) for trail in shared.step(network)]
    assert len(trails) > 50
    totals = [trail["rewards"].sum() for trail in trails]
    assert set(np.round(totals, 5)) == {-1.0, 1.0}


def test_a_seed_gives_the_same_games():
    def played(seed):
        shared = SharedSeats("kuku-doubt", 20, rivals=["random"], num_players=3)
        shared.reset(seed)
        network = Network()
        return [trail for _ in range(80) for trail in shared.step(network)]

    first, again, other = played(4), played(4), played(5)
    assert len(first) == len(again) > 10
    for a, b in zip(first, again, strict=True):
        for name, column in a.items():
            np.testing.assert_array_equal(column, b[name])
    assert [len(t["rewards"]) for t in first] != [len(t["rewards"]) for t in other]


def test_an_illegal_action_changes_nothing():
    shared = SharedSeats("kuku-doubt", 5)
    shared.reset(0)
    before = shared.batch.turns(copy=True)

    def illegal(observation, action_mask):
        return {"actions": action_mask.argmin(axis=1)}

    with pytest.raises(IllegalActionError):
        shared.step(illegal)
    np.testing.assert_array_equal(shared.batch.turns().observation, before.observation)
    assert not any(rows for game in shared._open for rows in game)
    assert shared.step(Network()) == []


@pytest.mark.parametrize(
    ("arguments", "error", "told"),
    [
        ({"rival_share": 1.5, "rivals": ["random"]}, ValueError, "rival_share must be from 0 to 1"),
        ({"rivals": "random"}, ValueError, "must be a list of names"),
        ({"rivals": ["nobody"]}, BotError, "nobody"),
        ({"num_players": 99}, OptionError, "num_players"),
    ],
)
def test_what_is_not_allowed_is_named(arguments, error, told):
    with pytest.raises(error, match=told):
        SharedSeats("kuku-doubt", 4, **arguments)
