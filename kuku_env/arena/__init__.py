"""The arena: bots against each other on shared deals with balanced seats, figures with intervals.

``play_match`` plays, ``standings``, ``head_to_head`` and ``ratings`` give the figures,
``MatchResult.style`` and ``measure_shares`` tell what the bots did. Playing needs the wheel alone;
figures, folders and reports need more: ``pip install 'kuku-env[evaluate]'``.
"""

from kuku_env.arena.cluster import Cluster
from kuku_env.arena.external import Player, PlayerError, StdioPlayer, ViewPlayer, make_player
from kuku_env.arena.ledger import Forfeit
from kuku_env.arena.match import MatchResult, check_match, distinct_labels, play_match, self_play
from kuku_env.arena.plan import ArenaError, Plan, balanced_teams, field_teams, make_plan
from kuku_env.arena.ratings import Rating, Skill, ratings, skills
from kuku_env.arena.statistics import (
    Share,
    Standing,
    action_shares,
    clustered_share,
    head_to_head,
    measure_shares,
    shares_by_seat,
    standings,
)
from kuku_env.arena.style import Style

__all__ = [
    "ArenaError",
    "Cluster",
    "Forfeit",
    "MatchResult",
    "Plan",
    "Player",
    "PlayerError",
    "Rating",
    "Share",
    "Skill",
    "Standing",
    "StdioPlayer",
    "Style",
    "ViewPlayer",
    "action_shares",
    "balanced_teams",
    "check_match",
    "clustered_share",
    "distinct_labels",
    "field_teams",
    "head_to_head",
    "make_plan",
    "make_player",
    "measure_shares",
    "play_match",
    "ratings",
    "self_play",
    "shares_by_seat",
    "skills",
    "standings",
]
