"""Games of Kuku Doubt played at random: what several test files use."""

import random

from variety import resolve_at_random

from kuku_env.core.layout import Layout
from kuku_env.envs.match import Match
from kuku_env.games import find_game

GAME = find_game("kuku-doubt")
LAYOUT: Layout = GAME.layout
ACCEPT = LAYOUT.start("accept")


def play(match, chance, patience, moves=None):
    """Play at random, ``patience`` being how often a pair is accepted; yields before each move.

    An explicit random event is a move as a decision is. Stops at the end, or after ``moves``.
    """
    while not match.over and moves != 0:
        yield match
        if match.at_chance:
            resolve_at_random(match, chance)
        else:
            legal = match.legal_actions()
            patient = ACCEPT in legal and chance.random() < patience
            match.step(ACCEPT if patient else chance.choice(legal))
        moves = None if moves is None else moves - 1
    yield match


def random_game(rules, seed, moves=None, explicit=False):
    """Positions of a random game, the last one included; the same match, played on."""
    chance = random.Random(seed)
    match = Match(GAME, seed=seed, explicit_chance=explicit, **{"max_decisions": 150, **rules})
    return play(match, chance, chance.choice([0.3, 0.7, 0.95]), moves)


def random_match(rules, seed, moves=None, explicit=False):
    """A match after so many random moves."""
    for match in random_game(rules, seed, moves, explicit):
        last = match
    return last
