"""Liar's Cry: cards are played face down, as what was led or as something else."""

from kuku_env.core.game import Game
from kuku_env.games.liars_cry import kernels, state, view
from kuku_env.games.liars_cry.cards import MAX_PLAYERS, MIN_PLAYERS, NUM_KINDS
from kuku_env.games.liars_cry.layout import (
    BELIEFS,
    GAME_ID,
    LAYOUT,
    MANY,
    MEASURES,
    SECRETS,
    TALLIES,
)
from kuku_env.games.liars_cry.options import INFORMATION_SETS, PRESETS, Options
from kuku_env.games.liars_cry.repairs import repair
from kuku_env.games.liars_cry.scripted import SCRIPTED
from kuku_env.games.liars_cry.words import WORDS

GAME = Game(
    id=GAME_ID,
    name="liars-cry",
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
    repair=repair,
    beliefs=BELIEFS,
)
