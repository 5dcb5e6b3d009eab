"""Ratings: how strong bots are on one scale, from all their games.

**Model.** A seat's chance to win is its bot's strength over the sum of the strengths at the table:
at two players Bradley and Terry (1952), at more Luce's choice (1959), the first place of Plackett
and Luce. Ratings are the logarithms on Elo's scale, 400 points for odds of ten to one, with mean 0.

**Fit.** By maximum likelihood. For every two bots that met, half a deal won by each is added, so
that one-sided results have finite ratings.

**Intervals.** Games on the same deal are not independent: the variance is that of whole deals (the
cluster-robust sandwich), with Student's t for few deals. The added half deals count in it, which
keeps intervals wide where all games went one way.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kuku_env.arena.match import MatchResult
from kuku_env.arena.plan import ArenaError
from kuku_env.arena.statistics import Share, student

ELO = 400 / math.log(10)  # points for odds of e to one
ADDED = 0.5  # deals won by each of two that met


@dataclass(frozen=True)
class Rating:
    """A bot's rating with its 95 % interval: Elo points, 0 is the mean of the bots."""

    label: str
    elo: Share


@dataclass(frozen=True)
class Skill:
    """A bot's OpenSkill rating: mean and standard deviation, and the ends of mu ± 1.96 sigma."""

    label: str
    mu: float
    sigma: float

    @property
    def low(self) -> float:
        return self.mu - 1.96 * self.sigma

    @property
    def high(self) -> float:
        return self.mu + 1.96 * self.sigma


def ratings(results: Sequence[MatchResult]) -> list[Rating]:
    """Ratings of the bots of one match, or over several with the same labels.

    Raises ArenaError where bots are not comparable: others, or in groups that never met. Needs
    scipy.
    """
    if not results or any(result.labels != results[0].labels for result in results):
        raise ArenaError("ratings need at least one match, and matches of the same bots")
    pairs = [_by_deal(result) for result in results]
    seats, wins = (np.concatenate(parts) for parts in zip(*pairs, strict=True))
    fitted = fit(seats, wins)
    return [Rating(label, elo) for label, elo in zip(results[0].labels, fitted, strict=True)]


def _by_deal(result: MatchResult) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Seats of each bot at the table of each deal, and its wins on it, both (D, B)."""
    plan, won = result.plan, result.wins
    first = np.searchsorted(plan.deal, np.arange(plan.num_deals))
    seats, wins = (np.zeros((plan.num_deals, len(result.labels))) for _ in range(2))
    for bot in range(len(result.labels)):
        held = plan.line_ups == bot
        seats[:, bot] = held[first].sum(axis=1)
        wins[:, bot] = np.bincount(plan.deal, (held * won).sum(axis=1), plan.num_deals)
    return seats, wins


def fit(seats: NDArray[np.float64], wins: NDArray[np.float64]) -> list[Share]:
    """Ratings of B bots from D deals, with intervals clustered by deal.

    ``seats`` (D, B): how many seats of the deal's table each bot holds, the same in all of its
    games. ``wins`` (D, B): its wins over the games of the deal, fractions where a win is shared.
    Raises ArenaError where the bots are in groups that never met.
    """
    bots = seats.shape[1]
    if bots == 1:
        return [Share(0.0, 0.0, 0.0)]
    met = ((seats > 0).T.astype(np.int64) @ (seats > 0)) > 0
    _check_connected(met)
    played = wins.sum(axis=1) > 0  # a game that everybody forfeited tells nothing
    seats, wins = seats[played], wins[played]
    deals = len(seats)
    weights = np.ones(deals)
    size = float(wins.sum() / deals) if deals else 1.0  # games on a deal
    for a, b in zip(*np.nonzero(np.triu(met, 1)), strict=True):
        pair = np.zeros((2, bots))
        pair[:, [a, b]] = 1
        won = np.zeros((2, bots))
        won[0, a] = won[1, b] = size
        seats, wins = np.concatenate([seats, pair]), np.concatenate([wins, won])
        weights = np.append(weights, [ADDED, ADDED])
    tables = _Tables(seats, wins, weights)
    strength = tables.fit()
    variance = tables.variance(strength, deals)
    half = student(max(1, deals - bots)) * np.sqrt(np.diag(variance))
    return [
        Share(float(ELO * value), float(ELO * (value - width)), float(ELO * (value + width)))
        for value, width in zip(strength, half, strict=True)
    ]


def _check_connected(met: NDArray[np.bool_]) -> None:
    from scipy.sparse.csgraph import connected_components  # type: ignore[import-untyped]

    groups, group = connected_components(met, directed=False)
    if groups > 1:
        parts = [np.flatnonzero(group == k).tolist() for k in range(groups)]
        raise ArenaError(f"bots must be comparable; these groups of them never met: {parts}")


class _Tables:
    """The likelihood of what happened at tables; rows with the same seats are taken together."""

    def __init__(
        self,
        seats: NDArray[np.float64],
        wins: NDArray[np.float64],
        weights: NDArray[np.float64],
    ) -> None:
        self.wins, self.weights = wins, weights
        self.kinds, kind = np.unique(seats, axis=0, return_inverse=True)
        self.kind = kind.ravel()
        weighted = wins * weights[:, None]
        self.won = weighted.sum(axis=0)
        self.games = np.bincount(self.kind, weighted.sum(axis=1), len(self.kinds))

    def fit(self) -> NDArray[np.float64]:
        """Logarithms of the strengths, (B,), with mean 0."""
        from scipy.optimize import minimize  # type: ignore[import-untyped]

        found = minimize(
            self._loss, np.zeros(len(self.won)), jac=self._slope, hess=self._curvature,
            method="trust-exact", options={"gtol": 1e-8 * self.games.sum(), "maxiter": 1000},
        )  # fmt: skip
        return np.asarray(found.x - found.x.mean())

    def chances(self, strength: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of each bot to win at each kind of table."""
        shares = self.kinds * np.exp(strength - strength.max())
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def variance(self, strength: NDArray[np.float64], deals: int) -> NDArray[np.float64]:
        """The covariance of the strengths (B, B), from whole deals."""
        expected = self.chances(strength)[self.kind] * self.wins.sum(axis=1, keepdims=True)
        scores = self.wins - expected
        meat = (
            (scores * self.weights[:, None]).T @ scores * (deals / (deals - 1) if deals > 1 else 1)
        )
        bread = np.linalg.inv(self._curvature(strength))  # scores sum to 0, and so do the rows
        return np.asarray(bread @ meat @ bread)

    def _loss(self, strength: NDArray[np.float64]) -> float:
        highest = strength.max()
        total = np.log(self.kinds @ np.exp(strength - highest)) + highest
        # Only differences matter; the last term keeps the mean at 0.
        return float(self.games @ total - self.won @ strength + strength.sum() ** 2 / 2)

    def _slope(self, strength: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(self.games @ self.chances(strength) - self.won + strength.sum())

    def _curvature(self, strength: NDArray[np.float64]) -> NDArray[np.float64]:
        return self._information(strength) + 1.0

    def _information(self, strength: NDArray[np.float64]) -> NDArray[np.float64]:
        chances = self.chances(strength)
        return np.asarray(
            np.diag(self.games @ chances) - (chances * self.games[:, None]).T @ chances
        )


def skills(result: MatchResult) -> list[Skill]:
    """OpenSkill ratings (Plackett-Luce; Weng and Lin 2011) of a match's games, in their order.

    Ranks are those of the rewards, forfeits last. Bots do not change, so no uncertainty is added
    over time. ``sigma`` takes games as independent; the intervals of ``ratings`` do not. A bot that
    holds several seats moves by the sum of their changes. Needs openskill.
    """
    from openskill.models import PlackettLuce

    model = PlackettLuce(tau=0.0)
    blank: Any = model.rating()
    mu = np.full(len(result.labels), blank.mu)
    sigma = np.full(len(result.labels), blank.sigma)
    for line_up, ranks in zip(result.plan.line_ups.tolist(), _ranks(result), strict=True):
        seats = [[model.rating(mu=mu[bot], sigma=sigma[bot])] for bot in line_up]
        before = mu[line_up], sigma[line_up]
        for k, (new,) in enumerate(model.rate(seats, ranks=ranks)):
            mu[line_up[k]] += new.mu - before[0][k]
            sigma[line_up[k]] *= new.sigma / before[1][k]
    known = zip(result.labels, mu, sigma, strict=True)
    return [Skill(label, float(mean), float(deviation)) for label, mean, deviation in known]


def _ranks(result: MatchResult) -> list[list[float]]:
    """Ranks of the seats of each game, 1 is the best; equal rewards share one."""
    rewards = result.rewards.round(6)
    for lost in result.forfeits:
        rewards[lost.game, lost.seat] = -np.inf
    better = rewards[:, None, :] > rewards[:, :, None]
    ranks: list[list[float]] = (1.0 + better.sum(axis=2)).tolist()
    return ranks


def expected_score(elo_difference: float) -> float:
    """The chance to win head to head of a bot that is so many points stronger."""
    return 1 / (1 + 10 ** (-elo_difference / 400))
