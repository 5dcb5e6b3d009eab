"""The variety of every game: tables of all kinds, for tests that all games share.

A game tells its own in ``<name>_tables.py``: ``TABLES``, a list of options that each name
``num_players``; ``random_options(chance)``, any legal options; ``somebody_is_asked(options)``, no
game can be over once it is dealt; ``is_complete(match)``, no card is lost or added;
``most_decisions(options)``, after which a game is over (by default ``max_decisions``);
``hidden_swaps(match, seat)``, copies of the match in which only cards that are hidden from the seat
have changed places. All of it may be left out.
"""

import importlib
import random

import numpy as np
from hypothesis import strategies as st


def _told(game, name, default):
    module = f"{game.name.replace('-', '_')}_tables"
    try:
        return getattr(importlib.import_module(module), name, default)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        return default


def sizes_of(game):
    """A table of every size."""
    return [{"num_players": n} for n in range(game.min_players, game.max_players + 1)]


def tables_of(game):
    """Tables of every size, then odd ones."""
    return [*sizes_of(game), *_told(game, "TABLES", [])]


def options_of(game):
    """A strategy: sizes, presets, and any legal options."""
    presets = st.sampled_from([{}, *({"preset": name} for name in game.presets)])
    strategies = [st.sampled_from(sizes_of(game)), presets]
    if make := _told(game, "random_options", None):
        strategies.append(st.integers(0, 2**32).map(lambda seed: make(random.Random(seed))))
    return st.one_of(strategies)


def resolve_at_random(match, chance):
    """Give the chance event that is waited for an outcome, as likely as it is."""
    outcomes, weights = zip(*match.chance_outcomes(), strict=True)
    match.resolve(chance.choices(outcomes, weights)[0])


def move_at_random(match, chance, first):
    """A random event, or an action: with probability ``first`` the first that is legal.

    Often the first legal action: that makes for long rounds.
    """
    if match.at_chance:
        resolve_at_random(match, chance)
    else:
        legal = match.legal_actions()
        match.step(legal[0] if chance.random() < first else chance.choice(legal))


def state_of(match):
    """All of a game's state but its generator and what the last step told."""
    left_out = ("rng", "explicit_chance", "logged", "log", "rewards")
    kept = (name for name in match.game.state.names if name not in left_out)
    return {name: np.array(match.record[name]).tobytes() for name in kept}


def somebody_is_asked(game, options):
    """Whether no game with these options can be over as soon as it is dealt."""
    return _told(game, "somebody_is_asked", lambda options: True)(options)


def is_complete(match):
    return _told(match.game, "is_complete", lambda match: True)(match)


def most_decisions(match):
    return most_decisions_of(match.game, match.options)


def most_decisions_of(game, options):
    default = getattr(options, "max_decisions", float("inf"))
    return _told(game, "most_decisions", lambda options: default)(options)


def random_options_of(game, seed):
    """Any legal options of a game that tells its variety."""
    return _told(game, "random_options", None)(random.Random(seed))


def hidden_swaps(match, seat):
    return _told(match.game, "hidden_swaps", lambda match, seat: ())(match, seat)
