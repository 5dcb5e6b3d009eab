"""A second game, the smallest that fulfils the contract: what stands on games must not lean on one.

Coin: a coin is tossed and shown to seat 0, who says how it fell, truly or not. Every other seat in
turn believes or doubts it; who is right gets a point from seat 0, who is wrong gives one.
"""

import pytest

from kuku_env.core.game import Game
from kuku_env.games import games
from toy import kernels, rules, view
from toy.layout import GAME_ID, LAYOUT, SECRETS
from toy.options import SEATS, Options

GAME = Game(
    id=GAME_ID,
    name="coin",
    options=Options,
    presets={},
    state=rules.STATE,
    layout=LAYOUT,
    secrets=SECRETS,
    kernels=kernels,
    telling=view,
    min_players=2,
    max_players=SEATS,
    max_outcomes=2,
    over=rules.OVER,
    chance=rules.CHANCE,
)

GAMES = [*games(), GAME]
every_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
