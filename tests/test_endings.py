"""Random games of every preset end, or are truncated when they may be at the latest.

``pytest tests/test_endings.py --games 100000 -s`` plays so many and prints how they ended.
"""

import numpy as np
import pytest
from variety import most_decisions_of

from kuku_env.core.chance import generator_states
from kuku_env.envs.batch import BatchEnv
from kuku_env.games import games

AT_ONCE = 1000
PRESETS = [(game, preset) for game in games() for preset in (None, *game.presets)]


@pytest.mark.parametrize(("game", "preset"), PRESETS, ids=lambda one: getattr(one, "name", one))
def test_random_games_end(request, game, preset):
    left, seed, truncated, decisions = request.config.getoption("--games"), 0, 0, []
    while left > 0:
        played, cut = lengths(game, preset, min(left, AT_ONCE), seed)
        left, seed, truncated = left - len(played), seed + 1, truncated + cut
        decisions.append(played)
    decisions = np.concatenate(decisions)
    print(
        f"{game.name} {preset or 'default'}: {len(decisions):,} games over, {truncated:,} of them "
        f"truncated; decisions {decisions.mean():.1f} on average, {decisions.max()} at most"
    )


def lengths(game, preset, count, seed):
    """Decisions of so many games, and how many were truncated. Each must be over in time."""
    batch = BatchEnv(game, count, seed=seed, preset=preset, autoreset=False)
    turns = batch.reset()
    generators, decisions, truncated = generator_states(seed, count), np.zeros(count, int), 0
    for _ in range(most_decisions_of(game, batch.options[0])):
        if (turns.seat < 0).all():
            break
        decisions += turns.seat >= 0
        turns = batch.step(batch.sample(generators))
        truncated += int(turns.truncated.sum())
    assert (turns.seat < 0).all()
    return decisions, truncated
