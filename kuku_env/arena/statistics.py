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
    return _wilson(p, inverse_size, student(deals - 1))


def student(degrees: int) -> float:
    """The quantile of Student's t that makes a 95 % interval. Needs scipy."""
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


def shares_by_seat(result: MatchResult) -> list[list[Share | None]]:
    """Wins per seat held of every bot (rows) at every seat; None where it never sat there."""
    wins, rows = result.wins, []
    for bot in range(len(result.labels)):
        held = result.plan.line_ups == bot
        row: list[Share | None] = []
        for seat in range(result.plan.num_players):
            here = held[:, seat].astype(np.float64)
            pair = _by_deal(result, here * wins[:, seat], here)
            row.append(clustered_share(*pair) if here.any() else None)
        rows.append(row)
    return rows


def action_shares(result: MatchResult) -> list[list[Share | None]]:
    """How often every bot (rows) took each kind of action (layout's blocks) where it could; None
    where it never could."""
    blocks = range(len(result.game.layout.actions))
    return _over_seats(result, [(result.chosen[:, :, k], result.possible[:, :, k]) for k in blocks])


def measure_shares(result: MatchResult) -> list[list[Share | None]]:
    """The game's measures of style (columns) of every bot (rows); None of nothing."""
    names = list(result.game.tallies)

    def total(some: tuple[str, ...]) -> NDArray[Any]:
        return result.tallies[:, :, [names.index(name) for name in some]].sum(axis=2)

    measures = result.game.measures
    return _over_seats(result, [(total(one.part), total(one.whole)) for one in measures])


def _over_seats(
    result: MatchResult, figures: list[tuple[NDArray[Any], NDArray[Any]]]
) -> list[list[Share | None]]:
    """Shares of each bot, from parts and wholes by game and seat."""
    rows = []
    for bot in range(len(result.labels)):
        held = result.plan.line_ups == bot
        row: list[Share | None] = []
        for part, whole in figures:
            pair = _by_deal(result, (part * held).sum(axis=1), (whole * held).sum(axis=1))
            row.append(clustered_share(*pair) if pair[1].sum() else None)
        rows.append(row)
    return rows


def _by_deal(result: MatchResult, *of_games: NDArray[Any]) -> list[NDArray[Any]]:
    """Sums over the games of each deal."""
    deal, count = result.plan.deal, result.plan.num_deals
    return [np.bincount(deal, values, count) for values in of_games]
