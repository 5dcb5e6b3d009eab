"""Counterfactual regret with coarse information for Kuku Doubt at two players: the learner.

External sampling (Lanctot et al. 2009, "Monte Carlo Sampling for Regret Minimization in Extensive
Games"), regrets floored at zero, later strategies weighing more in the average (Tammelin 2014).

What a seat remembers is told in ``agents.duel_sets``. At two players the first loss ends the game.
"""

from __future__ import annotations

import io
import json
import time
import zipfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.duel_sets import (
    CLAIMS,
    DISCARDINGS,
    DISCARDS,
    FIRST_CLAIMS,
    FIRST_RESPONSES,
    RESPONSES,
    SIZE,
    WAYS,
    action_of,
    place_in,
    width_of,
)
from kuku_env.arena.files import write_file
from kuku_env.core.chance import generator_states, next_state
from kuku_env.core.game import Game, OptionError
from kuku_env.core.jit import njit
from kuku_env.games import find_game
from kuku_env.games.kuku_doubt import cards, legal, rules, state

_deal, _step, _is_legal = rules.deal, rules.step, legal.is_legal
_last_claim, _is_true = state.last_claim, rules.pair_is_as_claimed
_RESPOND, _CLAIMING = state.RESPOND, state.CLAIMING
_OVER, _NUMBER = state.OVER, state.NUMBER
_LOW, _HIGH = cards.PAIR_LOW, cards.PAIR_HIGH

BLOCK = 500  # deals in one portion of work
DEPTH = 200  # decisions of one game: claims never fall, but may be repeated
# What follows if a claim of mine is accepted is looked into with this probability at least, and
# surely where the claim is a third of what I play or more. Later claims alone are treated so.
CURIOSITY = 0.1
_HALF = np.uint64(32)

# All that a walk works on, in one record: a compiled call with one argument is cheap.
WORK = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("regret", np.float32, SIZE),
                ("total", np.float64, SIZE),
                ("chances", np.float64, (DEPTH, CLAIMS)),
                ("worths", np.float64, (DEPTH, CLAIMS)),
                ("hope", np.float64, DEPTH),
                ("looked", np.float64, DEPTH),
                ("place", np.int64, DEPTH),
                ("column", np.int64, DEPTH),  # walked into last
                ("drawn", np.int64, DEPTH),
                ("dice", np.uint64, 1),
            ]
        ),
    )
)


# ---------------------------------------------------------------- regret


@njit
def regret_matching(s: Any, weights: Any, place: int, chances: Any) -> None:
    """Write the chance of each column: as likely as regretted, even where nothing is regretted.

    -1 marks what is not legal.
    """
    sum_, count = 0.0, 0
    width = width_of(s.phase)
    for k in range(width):
        action = action_of(s, k)
        if _is_legal(s, action):
            chances[k] = weights[place + k]
            sum_ += chances[k]
            count += 1
        else:
            chances[k] = -1.0
    for k in range(width):
        if chances[k] >= 0.0:
            chances[k] = chances[k] / sum_ if sum_ > 0.0 else 1.0 / count


@njit
def roll(dice: Any) -> float:
    """A number from 0 to below 1."""
    dice[0] = next_state(dice[0])
    return float(dice[0] >> _HALF) * 2.0**-32


@njit
def draw(chances: Any, width: int, dice: Any) -> int:
    """A column by its chance."""
    left, last = roll(dice), 0
    for k in range(width):
        if chances[k] > 0.0:
            last = k
            left -= chances[k]
            if left < 0.0:
                return k
    return last


@njit
def challenge_wins(s: Any, column: int) -> bool:
    """Whether Doubt, or naming the column's pair, would win. It ends the game, one way or other."""
    if column == 1:
        return not _is_true(s)
    pair = WAYS[_last_claim(s)[_NUMBER], column - 2]
    return s.pair[0] == _LOW[pair] and s.pair[1] == _HIGH[pair]


@njit
def open_node(s: Any, w: Any, depth: int, me: int, looked: float) -> None:
    """Begin the node at this depth: chances, the column to follow where the other decides, and
    what challenges bring, which is known without a walk.

    What an accept of the other's brings is looked into with the probability ``looked``, and then
    counts for all the times that it was not.
    """
    chances, width = w.chances[depth], width_of(s.phase)
    w.place[depth], w.column[depth] = place_in(s), -1
    w.looked[depth], w.hope[depth] = looked, 0.0
    regret_matching(s, w.regret, w.place[depth], chances)
    mine = s.turn == me
    if not mine:
        w.drawn[depth] = draw(chances, width, w.dice)
        if roll(w.dice) >= looked:
            w.drawn[depth] = -1
    if s.phase == _RESPOND:
        for k in range(1, width):
            if chances[k] >= 0.0:
                w.worths[depth, k] = 1.0 if challenge_wins(s, k) == mine else -1.0
                w.hope[depth] += chances[k] * w.worths[depth, k]


@njit
def next_column(s: Any, w: Any, depth: int, me: int) -> int:
    """The next column to walk into, -1 after the last: all of mine, of the other's the drawn."""
    last = 1 if s.phase == _RESPOND else width_of(s.phase)
    for k in range(w.column[depth] + 1, last):
        if w.chances[depth, k] >= 0.0 and (s.turn == me or k == w.drawn[depth]):
            w.column[depth] = k
            return k
    return -1


@njit
def take(s: Any, w: Any, depth: int, me: int, value: float) -> None:
    """The column that was walked into brought me this value."""
    k = w.column[depth]
    w.worths[depth, k] = value
    w.hope[depth] += w.chances[depth, k] * value if s.turn == me else value / w.looked[depth]


@njit
def close_node(s: Any, w: Any, depth: int, me: int, weight: float) -> float:
    """Learn from the node: regrets if I decide, else the average. What it is worth to me."""
    place, mean = w.place[depth], w.hope[depth]
    for k in range(width_of(s.phase)):
        chance = w.chances[depth, k]
        if chance < 0.0:
            continue
        if s.turn == me:
            w.regret[place + k] = max(0.0, w.regret[place + k] + w.worths[depth, k] - mean)
        else:
            w.total[place + k] += weight * chance
    return mean


@njit
def walk(S: Any, w: Any, me: int, weight: float) -> float:
    """What the game in record S[0] is worth to seat ``me``, sampled; learns on the way.

    A loop, because compiled recursion cannot be kept on disk.
    """
    depth = 0
    open_node(S[0], w, 0, me, 1.0)
    while True:
        s = S[depth]
        k = next_column(s, w, depth, me)
        if k < 0:
            value = close_node(s, w, depth, me, weight)
            if depth == 0:
                return value
            depth -= 1
            take(S[depth], w, depth, me, value)
            continue
        S[depth + 1] = s
        child = S[depth + 1]
        _step(child, action_of(s, k))
        if child.phase == _OVER or depth + 2 == DEPTH:
            take(s, w, depth, me, float(child.returns[me]))
            continue
        later_claim = s.turn == me and s.phase == _CLAIMING and s.claims_made > 0
        looked = min(1.0, CURIOSITY + 3.0 * w.chances[depth, k]) if later_claim else 1.0
        depth += 1
        open_node(child, w, depth, me, looked)


@njit
def iterate(S: Any, W: Any, seeds: Any, first: int) -> None:
    """One deal a seed, walked for both seats."""
    for i in range(len(seeds)):
        for me in range(2):
            S[0].rng = seeds[i]
            _deal(S[0])
            walk(S, W[0], me, float(first + i))


# ---------------------------------------------------------------- the solver


class SolverError(ValueError):
    """A file that is no solver's, or a solver for which it was not made."""


class DuelSolver:
    """Regrets and average strategy of the two-player game.

    ``options`` of the rules, in which everybody names only pairs that make the claim; ``seed`` of
    the deals; ``iterations`` done so far, each a deal walked for both seats; ``seconds`` spent.

    Raises OptionError for options that are not allowed.
    """

    def __init__(self, seed: int = 0, **options: Any) -> None:
        self.game: Game = find_game("kuku-doubt")
        self.options = self.game.make_options(
            None, **{**options, "num_players": 2, "see_through": "consistent"}
        )
        if self.options.duel_lives:
            raise OptionError("duel_lives", True, "False: a solver plays one round")
        self.seed, self.iterations, self.seconds = seed, 0, 0.0
        self._records = self.game.new_states([self.options] * DEPTH)
        self._work = np.zeros(1, WORK)

    @property
    def regret(self) -> NDArray[np.float32]:
        """How much each action is regretted, float32 (SIZE,), at least 0."""
        found: NDArray[np.float32] = self._work["regret"][0]
        return found

    @property
    def total(self) -> NDArray[np.float64]:
        """How often each action was meant to be taken, weighted, float64 (SIZE,)."""
        found: NDArray[np.float64] = self._work["total"][0]
        return found

    def average(self) -> NDArray[np.uint8]:
        """The average strategy, uint8 (SIZE,): each action's share of its set in 255ths; all 0
        where a set was never reached."""
        shares = np.empty(SIZE, np.uint8)
        for start, stop, width in (
            (FIRST_RESPONSES, DISCARDINGS, RESPONSES),
            (DISCARDINGS, FIRST_CLAIMS, DISCARDS),
            (FIRST_CLAIMS, SIZE, CLAIMS),
        ):
            weights = self.total[start:stop].reshape(-1, width)
            sums = weights.sum(1, keepdims=True)
            shares[start:stop] = np.rint(255 * weights / np.where(sums > 0, sums, 1.0)).ravel()
        return shares

    def iterate(self, blocks: int = 1) -> None:
        """So many times BLOCK deals more; the same seed gives the same table."""
        began = time.perf_counter()
        for _ in range(blocks):
            entropy = np.random.SeedSequence([self.seed, self.iterations])
            states = generator_states(int(entropy.generate_state(1)[0]), BLOCK + 1)
            self._work["dice"][0] = states[BLOCK]
            iterate(self._records, self._work, states[:BLOCK], self.iterations + 1)
            self.iterations += BLOCK
        self.seconds += time.perf_counter() - began

    def save(self, path: Path) -> None:
        """Write all that is needed to go on; an existing file is replaced by a complete one."""
        card = {
            "game": self.game.id, "size": SIZE, "options": asdict(self.options),
            "seed": self.seed, "iterations": self.iterations, "seconds": self.seconds,
        }  # fmt: skip
        content = io.BytesIO()
        np.savez_compressed(content, card=json.dumps(card), regret=self.regret, total=self.total)
        write_file(path, content.getvalue())

    @classmethod
    def load(cls, path: Path) -> DuelSolver:
        """The solver that was saved. Raises SolverError for what is none."""
        try:
            with np.load(path, allow_pickle=False) as found:
                card, tables = json.loads(str(found["card"])), (found["regret"], found["total"])
            if (card["game"], card["size"]) != ("kuku/KukuDoubt-v0", SIZE):
                raise SolverError(f"{path} holds {card['size']} cells of {card['game']}")
            solver = cls(int(card["seed"]), **card["options"])
            solver.iterations, solver.seconds = int(card["iterations"]), float(card["seconds"])
            for mine, read in zip((solver.regret, solver.total), tables, strict=True):
                _check_table(read, mine, path)
                mine[:] = read
        except SolverError:
            raise
        except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
            raise SolverError(f"{path} is no solver's table: {error}") from None
        return solver


def _check_table(given: NDArray[Any], wanted: NDArray[Any], path: Path) -> None:
    if given.shape != wanted.shape or given.dtype != wanted.dtype:
        raise SolverError(
            f"{path}: a table must be {wanted.dtype} {wanted.shape}, "
            f"given {given.dtype} {given.shape}"
        )
    if not (np.isfinite(given).all() and (given >= 0).all()):
        raise SolverError(f"{path}: a table must hold finite numbers of at least 0")
