"""Kuku Doubt: claims are products of the times table."""

from kuku_env.core.game import Game
from kuku_env.games.kuku_doubt import kernels, state, view
from kuku_env.games.kuku_doubt.cards import MAX_PLAYERS, MIN_PLAYERS, NUM_RANKS
from kuku_env.games.kuku_doubt.layout import (
    BELIEFS,
    GAME_ID,
    LAYOUT,
    MANY,
    MEASURES,
    SECRETS,
    TALLIES,
)
from kuku_env.games.kuku_doubt.options import INFORMATION_SETS, PRESETS, Options
from kuku_env.games.kuku_doubt.scripted import SCRIPTED
from kuku_env.games.kuku_doubt.words import WORDS

GAME = Game(
    id=GAME_ID,
    name="kuku-doubt",
    options=Options,
    presets=PRESETS,
    state=state.STATE,
    layout=LAYOUT,
    secrets=SECRETS,
    kernels=kernels,
    telling=view,
    min_players=MIN_PLAYERS,
    max_players=MAX_PLAYERS,
    max_outcomes=NUM_RANKS,
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
