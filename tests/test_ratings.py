"""Ratings find the strengths they are made of, and their intervals mean what they say."""

import itertools

import numpy as np
import pytest

from kuku_env.arena import ArenaError, play_match
from kuku_env.arena.ratings import ELO, expected_score, fit, ratings, skills
from kuku_env.bots import make_policy

GAME = "kuku-doubt"


def simulate(rng, strength, teams, deals, games, alike=0.0):
    """Games between players of known strengths (Elo): seats and wins by deal.

    Where luck has it (``alike``), all games of a deal end as its first.
    """
    seats = np.array([np.bincount(team, minlength=len(strength)) for team in teams])
    seats = np.tile(seats, (deals, 1)).astype(float)
    shares = seats * np.exp(np.array(strength) / ELO)
    edges = np.cumsum(shares / shares.sum(axis=1, keepdims=True), axis=1)
    rolls = rng.random((len(seats), games))
    rolls = np.where(rng.random((len(seats), 1)) < alike, rolls[:, :1], rolls)
    winners = (rolls[:, :, None] > edges[:, None, :]).sum(axis=2)
    wins = np.stack([(winners == bot).sum(axis=1) for bot in range(len(strength))], axis=1)
    return seats, wins.astype(float)


PAIRS = list(itertools.combinations(range(4), 2))
TABLES = {
    "pairs": PAIRS,
    "against": [(0, k) for k in (1, 2, 3)],
    "doubled": [(0, 0, 1, 2), (0, 1, 1, 3), (0, 1, 2, 2), (1, 2, 3, 3)],
}


@pytest.mark.parametrize("teams", TABLES.values(), ids=TABLES)
def test_known_strengths_are_found(teams):
    strength = np.array([-150.0, -20.0, 0.0, 170.0])
    found = fit(*simulate(np.random.default_rng(1), strength, teams, 4000, 2))
    np.testing.assert_allclose([one.value for one in found], strength, atol=15)
    assert sum(one.value for one in found) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("alike", [0.0, 0.8])
@pytest.mark.parametrize(("teams", "deals"), [("pairs", 12), ("doubled", 25)])
def test_intervals_hold_the_truth_nineteen_times_in_twenty(teams, deals, alike):
    rng, strength, held = np.random.default_rng(2), np.array([-120.0, 0, 30, 90]), []
    for _ in range(150):
        found = fit(*simulate(rng, strength, TABLES[teams], deals, 4, alike))
        held += [one.low <= truth <= one.high for one, truth in zip(found, strength, strict=True)]
    assert 0.92 < np.mean(held) < 0.99


def test_one_sided_results_are_finite_and_stay_in_doubt():
    seats = np.ones((50, 2))
    wins = np.tile([2.0, 0.0], (50, 1))
    winner, loser = fit(seats, wins)
    assert winner.value == pytest.approx(-loser.value)
    assert 300 < 2 * winner.value < 1200
    # Fifty deals won of fifty: a chance of at least nine in ten, so 380 points apart.
    assert 200 < 2 * winner.low < 500
    assert np.isfinite([winner.low, winner.high]).all()
    more = fit(np.ones((500, 2)), np.tile([2.0, 0.0], (500, 1)))[0]
    assert more.value > winner.value
    assert more.low > winner.low


def test_bots_that_never_met_are_not_compared():
    seats = np.array([[1.0, 1, 0, 0], [0, 0, 1, 1]] * 5)
    with pytest.raises(ArenaError, match=r"never met: \[\[0, 1\], \[2, 3\]\]"):
        fit(seats, seats)
    assert fit(np.ones((3, 1)), np.ones((3, 1)))[0].value == 0


def test_ratings_of_a_match_tell_its_shares():
    two = [make_policy(name, GAME) for name in ("scripted-easy", "random")]
    result = play_match(GAME, two, 2, 400, seed=1)
    easy, random = ratings([result])
    share = result.wins[result.plan.line_ups == 0].mean()
    assert expected_score(easy.elo.value - random.elo.value) == pytest.approx(share, abs=0.01)
    assert easy.elo.low > random.elo.high
    four = play_match(GAME, two, 4, 80, seed=1)
    assert ratings([result, four])[0].elo.value > 0
    strong, weak = skills(four)
    assert strong.mu > 25 > weak.mu
    assert strong.low > weak.high
    with pytest.raises(ArenaError, match="same bots"):
        ratings([])
