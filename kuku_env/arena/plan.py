"""Plans: which bots sit where in which game, and the chance that belongs to each game.

A plan is settled before the first card: it depends on the number of bots, the table size, the
number of games and the seed, and on nothing that a bot does.

**Teams.** A team is the bots of one table. Every bot sits ``players // bots`` times in every team;
the seats that are left go to every choice of different bots in turn: four bots at two players are
the six pairs, three bots at four players are three teams with another bot doubled in each. A cycle
is all teams once, a plan is whole cycles, so every bot holds equally many seats.

**Deals.** Each team in each cycle gets one deal and a random order around the table. The deal is
played once for every rotation of that order, so every bot holds each seat equally often with the
same cards. An order that repeats itself (A B A B) has fewer rotations that differ, and only those
are played: no (deal, seating) comes twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, gcd

import numpy as np
from numpy.typing import NDArray

MAX_TEAMS = 100_000

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_A, _MIX_B = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


class ArenaError(ValueError):
    """A match that cannot be played as asked, or a bot that does not answer as it must."""


@dataclass(frozen=True)
class Plan:
    """Every game of a match; G games on D deals, P players.

    ``line_ups`` int16 (G, P): the bot at each seat. ``deal`` int64 (G,): the number of the deal.
    ``rotation`` int64 (G,): how far the deal's order is turned. Games of a deal stand together.
    """

    seed: int
    line_ups: NDArray[np.int16]
    deal: NDArray[np.int64]
    rotation: NDArray[np.int64]

    @property
    def games(self) -> int:
        return len(self.deal)

    @property
    def num_players(self) -> int:
        return int(self.line_ups.shape[1])

    @property
    def num_deals(self) -> int:
        return int(self.deal[-1]) + 1

    def chance(self) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
        """Seeds of the deals, int64 (D,), and keys of the games' dice, uint64 (G,).

        Both come from ``numpy.random.SeedSequence([seed, deal])``: word 0 for the deal, word
        1 + r for the dice of rotation r. Seeds have 53 bits, which JSON readers in other languages
        keep exactly.
        """
        count = 1 + self.num_players
        words = np.array(
            [
                np.random.SeedSequence([self.seed, deal]).generate_state(count, np.uint64)
                for deal in range(self.num_deals)
            ]
        )
        seeds = (words[:, 0] >> np.uint64(11)).astype(np.int64)
        return seeds, words[self.deal, 1 + self.rotation]


def dice(keys: NDArray[np.uint64], decisions: NDArray[np.int64]) -> NDArray[np.float64]:
    """The numbers in [0, 1) that choose actions: float64 (n,) for decision number
    ``decisions[i]`` (int64 (n,), from 0) of the game with key ``keys[i]`` (uint64 (n,)).

    A function of the two alone, so no bot can shift another's dice. SplitMix64 (Steele, Lea, Flood
    2014, "Fast splittable pseudorandom number generators"), top 52 bits.
    """
    z = keys + (decisions.astype(np.uint64) + np.uint64(1)) * _GOLDEN
    z = (z ^ (z >> np.uint64(30))) * _MIX_A
    z = (z ^ (z >> np.uint64(27))) * _MIX_B
    z ^= z >> np.uint64(31)
    return (z >> np.uint64(12)).astype(np.float64) * 2.0**-52


def balanced_teams(num_bots: int, num_players: int) -> list[tuple[int, ...]]:
    """The teams of one cycle (see the module), each the numbers of ``num_players`` bots.

    Raises ArenaError without bots or players, or where there would be more than 100,000 teams.
    """
    for name, value in (("bots", num_bots), ("players", num_players)):
        if value < 1:
            raise ArenaError(f"a match needs at least one of {name}, given {value}")
    everyone, left = divmod(num_players, num_bots)
    if comb(num_bots, left) > MAX_TEAMS:
        raise ArenaError(
            f"{num_bots} bots at {num_players} players make {comb(num_bots, left)} teams; "
            f"at most {MAX_TEAMS} are allowed: pit fewer bots"
        )
    base = tuple(range(num_bots)) * everyone
    return [tuple(sorted(base + more)) for more in combinations(range(num_bots), left)]


def field_teams(challengers: int, field: int, num_players: int) -> list[tuple[int, ...]]:
    """The teams of one cycle in which each challenger in turn meets the field, one at a table.

    Bots are numbered challengers first. The other seats are filled from the field as
    ``balanced_teams`` fills a table. Raises ArenaError as that does.
    """
    if challengers < 1:
        raise ArenaError(f"a match needs at least one challenger, given {challengers}")
    if num_players < 2:
        raise ArenaError(f"a challenger needs a table of at least 2 players, given {num_players}")
    tables = balanced_teams(field, num_players - 1)
    return [
        (challenger, *(challengers + bot for bot in table))
        for table in tables
        for challenger in range(challengers)
    ]


def make_plan(teams: Sequence[Sequence[int]], games: int, seed: int) -> Plan:
    """The fewest whole cycles of ``teams`` that make at least ``games`` games.

    ``teams`` are equally long sequences of bot numbers, usually ``balanced_teams``. A plan for more
    games begins with the same games.

    Raises ArenaError for a negative seed, or fewer games than a cycle can have.
    """
    if seed < 0:
        raise ArenaError(f"seed must be an integer of at least 0, given {seed}")
    cycle = sum(_least_rotations(team) for team in teams)
    if games < cycle:
        raise ArenaError(
            f"games must be at least {cycle}, given {games}: so many are needed for every team of "
            f"bots to be met and every bot to hold each seat equally often"
        )
    cycles = -(-games // cycle)
    each = np.tile(np.array(teams, np.int16), (cycles, 1))
    players = each.shape[1]
    # A spawn key keeps this generator apart from those of the deals.
    shuffler = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(players,)))
    orders = shuffler.permuted(each, axis=1)
    seats = np.arange(players)
    turned = orders[:, (seats - seats[:, None]) % players]  # (deal, rotation, seat)
    again = (turned == orders[:, None]).all(axis=2)
    again[:, 0] = False
    differs = ~np.logical_or.accumulate(again, axis=1)
    ends = np.cumsum(differs.reshape(cycles, -1).sum(axis=1))
    enough = int(ends[np.searchsorted(ends, games)])
    deal, rotation = np.nonzero(differs)
    return Plan(seed, turned[differs][:enough], deal[:enough], rotation[:enough])


def _least_rotations(team: Sequence[int]) -> int:
    """How many different rotations the most regular order of a team has."""
    return len(team) // gcd(*Counter(team).values())
