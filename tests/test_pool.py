"""Opponents from a pool: drawn when a game is dealt, snapshots coming and going."""

import numpy as np
import pytest

from kuku_env.bots import BotError, LineUp, Pool, RandomPolicy, make_policy
from kuku_env.core.chance import choose
from kuku_env.envs.seats import LearnerSeats
from kuku_env.envs.solo import SoloVectorEnv
from kuku_env.games import games


@pytest.fixture(params=games(), ids=lambda game: game.name)
def game(request):
    return request.param


class Named(RandomPolicy):
    """Random play under a name of its own."""

    def __init__(self, game, name):
        super().__init__(game)
        self.name = name


def names(pool):
    return [bot.name for bot in pool.bots]


def some_actions(seats, random):
    """Random legal actions, -1 in games that are over."""
    masks = seats.action_masks()
    drawn = choose(masks + 1e-12 * ~masks.any(1)[:, None], random.random(len(masks)))
    return np.where(seats.over, -1, drawn)


def test_snapshots_come_and_go_beside_the_ready_bots(game):
    pool = Pool(game, ["random", "random", Named(game, "mine")], snapshots=2)
    assert pool.bots[0] is pool.bots[1]
    for number in range(3):
        pool.add(Named(game, str(number)))
    assert names(pool) == ["random", "random", "mine", "1", "2"]
    pool.replace(["scripted-easy"])
    assert names(pool) == ["scripted-easy", "1", "2"]
    without = Pool(game, ["random"], snapshots=0)
    without.add(Named(game, "never"))
    assert names(without) == ["random"]


def test_every_bot_comes_up_as_often_as_it_is_named(game):
    pool = Pool(game, ["random", "random", "scripted-easy"])
    drawn = pool.draw(np.random.default_rng(0), 6000)
    share = sum(bot.name == "random" for bot in drawn) / 6000
    assert abs(share - 2 / 3) < 0.03


def test_what_is_wrong_is_refused_and_changes_nothing(game):
    pool = Pool(game, ["random"])
    for bad in ([], "random"):
        with pytest.raises(ValueError, match="list of names"):
            pool.replace(bad)
    with pytest.raises(BotError, match="no bot 'nobody'"):
        pool.replace(["scripted-easy", "nobody"])
    with pytest.raises(ValueError, match="at least 0, given -1"):
        Pool(game, ["random"], snapshots=-1)
    assert names(pool) == ["random"]


def test_bots_must_be_meant_for_every_table_that_draws():
    class Choosy(RandomPolicy):
        name = "choosy"

        def accepts(self, options):
            if options.num_players != 2:
                raise BotError("choosy plays for two")

    choosy = Choosy(games()[0])
    pool = Pool(games()[0], [choosy])
    LearnerSeats(games()[0], 2, opponents=pool, num_players=2)
    with pytest.raises(BotError, match="for two"):
        LearnerSeats(games()[0], 2, opponents=pool, num_players=3)
    pool.replace(["random"])
    LearnerSeats(games()[0], 2, opponents=pool, num_players=3)
    for join in (pool.add, lambda bot: pool.replace([bot])):
        with pytest.raises(BotError, match="for two"):
            join(choosy)
    assert names(pool) == ["random"]


def test_a_pool_is_for_one_game():
    first, second = games()[:2]
    with pytest.raises(ValueError, match=f"for {first.name} is needed, given {second.name}"):
        LearnerSeats(first, 2, opponents=Pool(second, ["random"]))


@pytest.mark.parametrize("make", [LearnerSeats, SoloVectorEnv])
def test_the_pool_changes_between_games_only(game, make):
    """And environments that share one take in the same snapshot."""
    pool = Pool(game, [Named(game, "old")])
    env = make(game, 12, opponents=pool)
    seats = env if make is LearnerSeats else env._seats
    env.reset(seed=0)
    pool.replace([Named(game, "new")])
    fresh, random = np.zeros(12, bool), np.random.default_rng(0)
    for _ in range(600):
        seats_before = [seats.holders(i) for i in range(12)]
        fresh |= seats.step(some_actions(seats, random)).over
        for i in range(12):
            assert set(seats.holders(i)) == {"new" if fresh[i] else "old", None}
            assert fresh[i] or seats.holders(i) == seats_before[i]
        if fresh.all():
            break
    assert fresh.all()


def test_a_line_up_keeps_its_order(game):
    if game.max_players < 3:
        pytest.skip("two players need no order")
    bots = [make_policy("random", game), make_policy("scripted-easy", game)]
    seats = LearnerSeats(game, 20, opponents=LineUp(game, bots), num_players=3)
    seats.reset(0)
    for index, seat in enumerate(seats.seats):
        held = seats.holders(index)
        around = [held[(seat + away) % 3] for away in range(3)]
        assert around == [None, "random", "scripted-easy"]
    assert len(set(seats.seats)) == 3
    with pytest.raises(ValueError, match="must be 1 or 3 for 4 players, given 2"):
        LearnerSeats(game, 2, opponents=LineUp(game, bots), num_players=4)


def test_without_automatic_reset_games_wait(game):
    """What is over shows its end and takes no action, and a restart touches no other game."""
    seats = LearnerSeats(game, 16, opponents=["random"], autoreset=False)
    assert seats.over.all()
    seats.reset(0)
    with pytest.raises(ValueError, match="ids of the layout, given -1"):
        seats.step(np.full(16, -1))
    random, ended = np.random.default_rng(0), 0
    while ended < 30:
        outcome = seats.step(some_actions(seats, random))
        over = seats.over
        assert (outcome.over == over).all()
        assert not outcome.rewards[~over].any()
        assert not seats.action_masks()[over].any()
        assert seats.action_masks()[~over].any(1).all()
        assert (seats.observations()[over] == outcome.final[over]).all()
        if over.any():
            before = seats.observations()
            if over.all():
                assert not seats.step(np.full(16, -1)).rewards.any()
            with pytest.raises(ValueError, match="must be -1: it is over"):
                seats.step(np.zeros(16, int))
            seats.restart(np.flatnonzero(over))
            assert (seats.observations()[~over] == before[~over]).all()
            assert not seats.over.any()
        ended += int(over.sum())
