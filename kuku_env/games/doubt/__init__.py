"""Doubt: cards are put down as the number called, truly or not."""

from kuku_env.core.game import Game
from kuku_env.games.doubt import kernels, state, view
from kuku_env.games.doubt.cards import MAX_PLAYERS, MIN_PLAYERS, NUM_KINDS
from kuku_env.games.doubt.layout import (
    BELIEFS,
    GAME_ID,
    LAYOUT,
    MANY,
    MEASURES,
    SECRETS,
    TALLIES,
)
from kuku_env.games.doubt.options import INFORMATION_SETS, PRESETS, Options
from kuku_env.games.doubt.scripted import SCRIPTED
from kuku_env.games.doubt.words import WORDS

GAME = Game(
    id=GAME_ID,
    name="doubt",
    options=Options,
    presets=PRESETS,
    state=state.STATE,
    layout=LAYOUT,
    secrets=SECRETS,
    kernels=kernels,
    telling=view,
    min_players=MIN_PLAYERS,
    max_players=MAX_PLAYERS,
    max_outcomes=NUM_KINDS,
    over=state.OVER,
    chance=state.CHANCE,
    scripted=SCRIPTED,
    words=WORDS,
    information_sets=INFORMATION_SETS,
    tallies=TALLIES,
    measures=MEASURES,
    tally_limit=MANY,
    beliefs=BELIEFS,
)
