"""Figures of a match, with intervals clustered by deal.

Games on the same deal are not independent, deals are: so a figure is a ratio of sums over deals,
its variance comes from whole deals (the linearised ratio of cluster sampling, Cochran 1977,
"Sampling Techniques", chapter 6; the same as a cluster-robust error), and its interval is Wilson's
(1927) for the sample size that has this variance, with Student's t for few deals (after Korn and
Graubard 1998). It stays within 0 and 1, and has a width where all games went one way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from kuku_env.arena.match import MatchResult

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Share:
    """A share from 0 to 1 with the ends of its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Standing:
    """How a bot did: ``share`` is its wins per seat held, ``times_fair`` that over 1/players."""

    label: str
    seats: int
    wins: float
    share: Share
    times_fair: float
    mean_reward: float


def clustered_share(part: ArrayLike, whole: ArrayLike) -> Share:
    """``sum(part) / sum(whole)`` with its 95 % interval; one entry a deal, 0 <= part <= whole.

    Raises ValueError for other shapes or values, or a whole of nothing. Needs scipy.
    """
    x, y = np.asarray(part, np.float64), np.asarray(whole, np.float64)
    if x.shape != y.shape or x.ndim != 1 or not ((x >= 0) & (x <= y + 1e-9)).all() or not y.sum():
        raise ValueError("part and whole must be equally long, 0 <= part <= whole, whole not all 0")
    p = min(1.0, float(x.sum() / y.sum()))
    deals = int(np.count_nonzero(y))
    if deals < 2:
        return Share(p, 0.0, 1.0)
    residuals = x - p * y
    variance = deals / (deals - 1) * float(residuals @ residuals) / float(y.sum()) ** 2
    if 0 < p < 1:  # plus one deal as if one-sided: that none deviated is no proof that none would
        inverse_size = variance / (p * (1 - p)) + 1 / deals**2
    else:  # no variance seen: count the deals, as if games of a deal were all alike
        inverse_size = 1 / deals
    return _wilson(p, inverse_size, _student(deals - 1))


def _student(degrees: int) -> float:
    from scipy.special import stdtrit  # type: ignore[import-untyped]

    return float(stdtrit(degrees, 0.5 + CONFIDENCE / 2))


def _wilson(p: float, inverse_size: float, quantile: float) -> Share:
    a = quantile**2 * inverse_size
    centre = (p + a / 2) / (1 + a)
    half = (a * p * (1 - p) + a**2 / 4) ** 0.5 / (1 + a)
    # Clipped to hold p in spite of rounding.
    return Share(p, min(p, max(0.0, centre - half)), max(p, min(1.0, centre + half)))


def standings(result: MatchResult) -> list[Standing]:
    """Wins per seat held of every bot, in the order of the labels."""
    wins, rows = result.wins, []
    for bot, label in enumerate(result.labels):
        held = result.plan.line_ups == bot
        won = np.where(held, wins, 0.0)
        share = clustered_share(*_by_deal(result, won.sum(axis=1), held.sum(axis=1)))
        rows.append(
            Standing(
                label,
                int(held.sum()),
                float(won.sum()),
                share,
                share.value * result.plan.num_players,
                float(result.rewards[held].mean()),
            )
        )
    return rows


def head_to_head(result: MatchResult) -> list[list[Share | None]]:
    """Row against column: of the wins per seat held of the two, in games where both sit, the row's.

    For two players that is the share of games won. None on the diagonal, and for two that never met
    or never won.
    """
    bots = range(len(result.labels))
    return [[_against(result, a, b) if a != b else None for b in bots] for a in bots]


def _against(result: MatchResult, a: int, b: int) -> Share | None:
    seats = result.plan.line_ups
    met = (seats == a).any(axis=1) & (seats == b).any(axis=1)
    rates = []
    for bot in (a, b):
        held = (seats == bot) & met[:, None]
        rates.append(np.where(held, result.wins, 0.0).sum(axis=1) / max(1, held.sum()))
    mine, both = _by_deal(result, rates[0], rates[0] + rates[1])
    return clustered_share(mine, both) if both.sum() > 0 else None


def _by_deal(result: MatchResult, *of_games: NDArray[Any]) -> list[NDArray[Any]]:
    """Sums over the games of each deal."""
    deal, count = result.plan.deal, result.plan.num_deals
    return [np.bincount(deal, values, count) for values in of_games]
