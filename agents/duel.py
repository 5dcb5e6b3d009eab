"""The two-player game of Kuku Doubt by counterfactual regret with coarse information.

External sampling (Lanctot et al. 2009, "Monte Carlo Sampling for Regret Minimization in Extensive
Games"), regrets floored at zero, later strategies weighing more in the average (Tammelin 2014).

What a seat remembers is coarse, so that a hundred thousand sets are enough: who responds knows the
claim, the cards discarded before it, the pair it passed itself and how many claims there were; who
claims knows its pair, the claim to beat, how many cards it discarded and which of its cards the
other has seen; who discards knows its pair and the claim. Life cards are ignored: at two players
the first loss ends the game. Pairs that do not make the claim are never named.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kuku_env.core.chance import generator_states, next_state
from kuku_env.core.game import Game
from kuku_env.core.jit import njit
from kuku_env.games import find_game
from kuku_env.games.kuku_doubt import encode, legal, rules, state
from kuku_env.games.kuku_doubt.layout import ACCEPT, CLAIM, LAYOUT

_deal, _step, _encode, _legal = rules.deal, rules.step, encode.encode, legal.legal_actions
_RESPOND, _DISCARDING, _CLAIMING, _OVER = (
    state.RESPOND, state.DISCARDING, state.CLAIMING, state.OVER,
)  # fmt: skip

_PHASE, _LAST = LAYOUT.start("phase"), LAYOUT.start("last_claim")
_HAND, _SAW, _PASSED = (LAYOUT.start(name) for name in ("hand", "saw", "passed"))
_THROWN = LAYOUT.start("thrown")
_DISCARDS, _MADE = LAYOUT.start("claim_discards"), LAYOUT.start("claims_made")

_RANKS, _PAIRS, _CLAIMS, _MOST = 10, 56, 37, 4  # pairs and claims with one for "none"
RESPONSES = _CLAIMS * 3 * _PAIRS * _MOST
DISCARDS = _CLAIMS * _PAIRS * _MOST
SETS = RESPONSES + DISCARDS + _CLAIMS * _PAIRS * 3 * 3 * _MOST
_HALF = np.uint64(32)
WIDTH = 36  # most actions of a set: all claims
DEPTH = 200  # decisions in a game: claims never fall, but may be repeated


@njit
def _pair(o: Any, at: int) -> int:
    """A pair, given as counts of ranks, as a number from 1; 0 for none."""
    low, high = -1, -1
    for r in range(_RANKS):
        for _ in range(o[at + r]):
            if low < 0:
                low = r
            else:
                high = r
    if high < 0:
        return 0
    return 1 + low * _RANKS - low * (low - 1) // 2 + high - low


@njit
def _seen(o: Any) -> int:
    """Which of my cards the other has seen: 0 none, 1 the lower, 2 the higher."""
    low = -1
    for r in range(_RANKS):
        if o[_HAND + r] > 0 and low < 0:
            low = r
    for r in range(_RANKS):
        if o[_SAW + r] > o[_THROWN + r]:
            return 1 if r == low else 2
    return 0


@njit
def set_of(o: Any) -> int:
    """The coarse information set of an observation in which a seat is to decide, below SETS."""
    last = 0
    for k in range(_CLAIMS - 1):
        if o[_LAST + k]:
            last = k + 1
    made = min(int(o[_MADE]), _MOST - 1)
    if o[_PHASE + _RESPOND]:
        return ((last * 3 + int(o[_DISCARDS])) * _PAIRS + _pair(o, _PASSED)) * _MOST + made
    hand = _pair(o, _HAND)
    if o[_PHASE + _DISCARDING]:
        return RESPONSES + (last * _PAIRS + hand) * _MOST + made
    thrown = 0
    for r in range(_RANKS):
        thrown += o[_THROWN + r]
    place = ((last * _PAIRS + hand) * 3 + thrown) * 3 + _seen(o)
    return RESPONSES + DISCARDS + place * _MOST + made


@njit
def options_of(o: Any, mask: Any, actions: Any) -> int:
    """Write the actions of a set, in an order that is always the same; how many there are.

    Claims below the last one are left out, so a claim's column is its place in the mask.
    """
    count = 0
    for a in range(len(mask)):
        if mask[a]:
            actions[count] = a
            count += 1
    return count


@njit
def _column(o: Any, action: int, k: int) -> int:
    """The column of the k-th action of a set."""
    return action - CLAIM if o[_PHASE + _CLAIMING] else k


@njit
def _strategy(o: Any, row: Any, actions: Any, count: int, sigma: Any) -> None:
    """Regret matching: as likely as regretted; even where nothing is."""
    total = 0.0
    for k in range(count):
        sigma[k] = row[_column(o, actions[k], k)]
        total += sigma[k]
    for k in range(count):
        sigma[k] = sigma[k] / total if total > 0 else 1.0 / count


@njit
def _choose(sigma: Any, count: int, dice: Any) -> int:
    dice[0] = next_state(dice[0])
    left = float(dice[0] >> _HALF) * 2.0**-32
    for k in range(count - 1):
        left -= sigma[k]
        if left < 0:
            return k
    return count - 1


@njit
def _traverse(
    S: Any, seen: Any, masks: Any, acts: Any, sigmas: Any, worth: Any, dice: Any, regret: Any,
    total: Any,
    depth: int, me: int, weight: float,
) -> float:  # fmt: skip
    """The expected returns of seat ``me`` from the record at this depth on, sampled."""
    s = S[depth]
    if s.phase == _OVER or depth + 1 == DEPTH:
        return float(s.returns[me])
    o, mask, actions, sigma = seen[depth], masks[depth], acts[depth], sigmas[depth]
    _encode(s, s.turn, o)
    _legal(s, mask)
    count = options_of(o, mask, actions)
    row = set_of(o)
    _strategy(o, regret[row], actions, count, sigma)
    if s.turn != me:
        for k in range(count):
            total[row, _column(o, actions[k], k)] += weight * sigma[k]
        S[depth + 1] = s
        _step(S[depth + 1], actions[_choose(sigma, count, dice)])
        return _traverse(
            S, seen, masks, acts, sigmas, worth, dice, regret, total, depth + 1, me, weight
        )
    mean = 0.0
    for k in range(count):
        S[depth + 1] = s
        _step(S[depth + 1], actions[k])
        found = _traverse(
            S, seen, masks, acts, sigmas, worth, dice, regret, total, depth + 1, me, weight
        )
        worth[depth, k] = found
        mean += sigma[k] * found
    for k in range(count):
        column = _column(o, actions[k], k)
        regret[row, column] = max(0.0, regret[row, column] + worth[depth, k] - mean)
    return mean


@njit
def _iterate(
    S: Any, seen: Any, masks: Any, acts: Any, sigmas: Any, worth: Any, dice: Any, regret: Any,
    total: Any,
    seeds: Any, first: int,
) -> float:  # fmt: skip
    """One game a seed, each traversed for both seats."""
    dice[0] = seeds[0]
    for i in range(len(seeds)):
        S[0].rng = seeds[i]
        _deal(S[0])
        for me in range(2):
            _traverse(
                S, seen, masks, acts, sigmas, worth, dice, regret, total, 0, me, float(first + i)
            )
    return 0.0


class DuelSolver:
    """Regrets and average strategy of the two-player game.

    ``regret`` float32 (SETS, WIDTH); ``total`` float64 (SETS, WIDTH), weighted strategies so far;
    ``iterations`` done, each a deal traversed for both seats. ``options`` are the rules' (by
    default two players, pairs that make the claim).
    """

    def __init__(self, seed: int = 0, **options: Any) -> None:
        self.game: Game = find_game("kuku-doubt")
        rules = {"num_players": 2, "see_through": "consistent", **options}
        self.seed, self.iterations = seed, 0
        self.regret = np.zeros((SETS, WIDTH), np.float32)
        self.total = np.zeros((SETS, WIDTH), np.float64)
        S = self.game.new_states([self.game.make_options(None, **rules)] * DEPTH)
        layout = self.game.layout
        self._work = (
            S, np.zeros((DEPTH, layout.size), np.int8),
            np.zeros((DEPTH, layout.num_actions), np.int8), np.zeros((DEPTH, WIDTH + 60), np.int64),
            np.zeros((DEPTH, WIDTH + 60)), np.zeros((DEPTH, WIDTH + 60)), np.zeros(1, np.uint64),
        )  # fmt: skip

    def iterate(self, count: int) -> None:
        seed = int(np.random.SeedSequence([self.seed, self.iterations]).generate_state(1)[0])
        seeds = generator_states(seed, count)
        _iterate(*self._work, self.regret, self.total, seeds, self.iterations)
        self.iterations += count

    def bot(self, name: str = "duel") -> DuelPolicy:
        return DuelPolicy(self.game, self.total.astype(np.float32), name)


@njit
def _play(observation: Any, action_mask: Any, table: Any, actions: Any, out: Any) -> None:
    for i in range(len(observation)):
        o = observation[i]
        count = options_of(o, action_mask[i], actions)
        row, sum_ = set_of(o), 0.0
        responding = o[_PHASE + _RESPOND] == 1
        k = 0
        for j in range(count):
            a = actions[j]
            if not responding or a <= ACCEPT + 1 or _makes_claim(o, a):
                out[i, a] = table[row, _column(o, a, k)]
                sum_ += out[i, a]
                k += 1
        for j in range(count):
            a = actions[j]
            if sum_ > 0:
                out[i, a] /= sum_
            else:
                out[i, a] = 1.0 / count


@njit
def _makes_claim(o: Any, action: int) -> bool:
    for k in range(_CLAIMS - 1):
        if o[_LAST + k]:
            pair = action - ACCEPT - 2
            return legal.PAIR_PRODUCT[pair] == legal.CLAIM_NUMBER[k]
    return False


class DuelPolicy:
    """The average strategy as a bot for two players (see kuku_env.core.game.Policy)."""

    def __init__(self, game: Game, table: NDArray[np.float32], name: str = "duel") -> None:
        self.game, self.table, self.name = game, table, name

    def probabilities(
        self, observation: NDArray[np.int8], action_mask: NDArray[np.int8]
    ) -> NDArray[np.float32]:
        out = np.zeros(action_mask.shape, np.float32)
        actions = np.zeros(action_mask.shape[1], np.int64)
        _play(observation, action_mask, self.table, actions, out)
        return out

    def save(self, path: Path, origin: dict[str, Any]) -> None:
        """Write the strategy (float16); an existing file is replaced only by a complete one."""
        sums = self.table.sum(1, keepdims=True)
        shares = (self.table / np.where(sums > 0, sums, 1.0)).astype(np.float16)
        rows = np.flatnonzero(sums[:, 0] > 0)
        part = path.with_name(f".{path.stem}.{os.getpid()}.part.npz")
        np.savez_compressed(
            part, rows=rows, shares=shares[rows], layout=self.game.layout.id,
            origin=json.dumps(origin),
        )  # fmt: skip
        part.replace(path)

    @classmethod
    def load(cls, path: Path, name: str = "duel") -> DuelPolicy:
        """Raises ValueError for a table of another layout."""
        game = find_game("kuku-doubt")
        with np.load(path, allow_pickle=False) as found:
            if str(found["layout"]) != game.layout.id:
                raise ValueError(f"{path} is for layout {found['layout']}, not {game.layout.id}")
            table = np.zeros((SETS, WIDTH), np.float32)
            table[found["rows"]] = found["shares"]
        return cls(game, table, name)
