"""Bots: stateless players, by name or from an exported folder.

A bot is a ``Policy``: a batch of observations and action masks in, a probability for every action
out, zero for every illegal one.
"""

from kuku_env.bots.exported import BotError, ExportedPolicy
from kuku_env.bots.named import bot_names, make_policy
from kuku_env.bots.pool import LineUp, Pool
from kuku_env.bots.simple import RandomPolicy, ScriptedPolicy
from kuku_env.core.game import Policy

__all__ = [
    "BotError",
    "ExportedPolicy",
    "LineUp",
    "Policy",
    "Pool",
    "RandomPolicy",
    "ScriptedPolicy",
    "bot_names",
    "make_policy",
]
