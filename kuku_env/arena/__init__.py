"""The arena: bots against each other on shared deals with balanced seats, figures with intervals.

``play_match`` plays, ``standings`` and ``head_to_head`` give the figures, ``MatchResult.style``
tells what the bots did. Playing needs the wheel alone; intervals need scipy, tables rich, plots
matplotlib: ``pip install 'kuku-env[evaluate]'``.
"""

from kuku_env.arena.external import Player, PlayerError, StdioPlayer, ViewPlayer, make_player
from kuku_env.arena.ledger import Forfeit
from kuku_env.arena.match import MatchResult, check_match, distinct_labels, play_match, self_play
from kuku_env.arena.plan import ArenaError, Plan, balanced_teams, field_teams, make_plan
from kuku_env.arena.statistics import Share, Standing, clustered_share, head_to_head, standings
from kuku_env.arena.style import Style

__all__ = [
    "ArenaError",
    "Forfeit",
    "MatchResult",
    "Plan",
    "Player",
    "PlayerError",
    "Share",
    "Standing",
    "StdioPlayer",
    "Style",
    "ViewPlayer",
    "balanced_teams",
    "check_match",
    "clustered_share",
    "distinct_labels",
    "field_teams",
    "head_to_head",
    "make_plan",
    "make_player",
    "play_match",
    "self_play",
    "standings",
]
