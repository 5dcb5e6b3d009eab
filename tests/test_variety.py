"""Two hundred random options of every game, through PettingZoo's tests and our own properties."""

import warnings

import pytest
from pettingzoo.test import api_test, seed_test
from test_properties import check_masks, check_whole_game
from variety import random_options_of, somebody_is_asked

from kuku_env.envs.aec import BluffingEnv
from kuku_env.envs.match import Match
from kuku_env.games import games

SOME = 10


@pytest.mark.parametrize("first", range(0, 200, SOME))
@pytest.mark.parametrize("game", games(), ids=lambda game: game.name)
def test_random_options(game, first):
    for seed in range(first, first + SOME):
        options = random_options_of(game, seed)
        if somebody_is_asked(game, game.make_options(**options)):
            with warnings.catch_warnings():
                # It would rather see a bare array than a dictionary with the mask.
                warnings.filterwarnings("ignore", message="Observation")
                api_test(BluffingEnv(game, **options), num_cycles=20)
        seed_test(lambda options=options: BluffingEnv(game, **options), num_cycles=20)
        check_masks(Match(game, seed=seed, **options), seed)
        check_whole_game(Match(game, seed=seed, explicit_chance=seed % 2 == 0, **options), seed)
