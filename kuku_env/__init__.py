"""Bluffing card games: rules, environments and bots.

Importing the package makes its games known to PettingZoo (``pettingzoo.make("aec", id)``) and, for
one learner's seat, to Gymnasium (``gymnasium.make``, ids ending in ``Solo-v0``).
"""

from kuku_env.envs.register import register_games

__version__ = "0.1.0"

register_games()
