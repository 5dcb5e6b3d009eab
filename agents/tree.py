"""The whole tree of a small game as arrays, for solvers and exact best responses.

Nodes stand in the order of a walk: a node comes before its children. An information set is what one
seat knows when it decides; a *plan* gives every information set probabilities for its actions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kuku_env.core.game import Game, Policy
from kuku_env.envs.match import Match

CHANCE, END = -1, -2  # in place of a seat


@dataclass(frozen=True)
class Tree:
    """N nodes and S information sets with at most K legal actions; P seats.

    ``seat`` int64 (N,): who decides, CHANCE or END; ``parent`` int64 (N,), -1 at the root; ``edge``
    int64 (N,): which of its parent's actions or outcomes led here; ``chance`` float64 (N,): the
    probability of that outcome, 1 for an action; ``information_set`` int64 (N,), -1 where nobody
    decides; ``returns`` float64 (N, P), at ends. By set: ``owner`` int64 (S,), ``actions`` int64
    (S, K) ids of the layout, -1 past the last, ``own_depth`` int64 (S,): how often its seat has
    decided before, ``observation`` int8 (S, D) and ``action_mask`` int8 (S, A), ``text`` what the
    seat knows.
    """

    game: Game
    num_players: int
    seat: NDArray[np.int64]
    parent: NDArray[np.int64]
    edge: NDArray[np.int64]
    chance: NDArray[np.float64]
    information_set: NDArray[np.int64]
    returns: NDArray[np.float64]
    owner: NDArray[np.int64]
    actions: NDArray[np.int64]
    own_depth: NDArray[np.int64]
    observation: NDArray[np.int8]
    action_mask: NDArray[np.int8]
    text: tuple[str, ...]

    @cached_property
    def legal(self) -> NDArray[np.bool_]:
        """Which columns of a plan are actions, bool (S, K)."""
        return self.actions >= 0

    @cached_property
    def first_nodes(self) -> NDArray[np.int64]:
        """A node of each information set, int64 (S,): its seat reaches all of them alike."""
        nodes = np.flatnonzero(self.information_set >= 0)
        return nodes[np.unique(self.information_set[nodes], return_index=True)[1]]

    def uniform(self) -> NDArray[np.float64]:
        """The plan that finds all legal actions equally likely, float64 (S, K)."""
        return self.legal / self.legal.sum(1, keepdims=True)

    def plan_of(self, bot: Policy) -> NDArray[np.float64]:
        """How a bot plays this game, float64 (S, K)."""
        probabilities = bot.probabilities(self.observation, self.action_mask).astype(np.float64)
        plan = np.take_along_axis(probabilities, self.actions.clip(0), 1) * self.legal
        return plan / plan.sum(1, keepdims=True)


class _Builder:
    """Collects nodes and information sets on a walk."""

    def __init__(self, players: int) -> None:
        self.players = players
        self.nodes: list[tuple[int, int, int, float, int]] = []
        self.returns: list[NDArray[np.float64] | None] = []
        self.sets: dict[tuple[int, str], int] = {}
        self.known: list[dict[str, Any]] = []

    def add(self, match: Match, parent: int, edge: int, chance: float, depths: list[int]) -> int:
        seat, found = match.to_act, -1
        if match.over:
            seat = END
        elif match.at_chance:
            seat = CHANCE
        else:
            found = self.set_of(match, seat, depths[seat])
        self.nodes.append((seat, parent, edge, chance, found))
        self.returns.append(match.returns if match.over else None)
        return len(self.nodes) - 1

    def set_of(self, match: Match, seat: int, depth: int) -> int:
        key = seat, match.information_state(seat)
        if key not in self.sets:
            self.sets[key] = len(self.known)
            observation, action_mask = match.observe(seat)
            self.known.append(
                {"owner": seat, "own_depth": depth, "text": key[1],
                 "observation": observation, "action_mask": action_mask}
            )  # fmt: skip
        return self.sets[key]


def build_tree(game: str | Game, preset: str | None = None, **options: Any) -> Tree:
    """Walk the whole game. Only for small ones: time and memory grow with the histories.

    Raises OptionError for options that are not allowed.
    """
    root = Match(game, explicit_chance=True, preset=preset, **options)
    builder = _Builder(root.num_players)
    waiting = [(root, -1, 0, 1.0, [0] * root.num_players)]
    while waiting:
        match, parent, edge, chance, depths = waiting.pop()
        node = builder.add(match, parent, edge, chance, depths)
        if match.over:
            continue
        if match.at_chance:
            moves = match.chance_outcomes()
        else:
            moves = [(action, 1.0) for action in match.legal_actions()]
            depths = [d + (seat == match.to_act) for seat, d in enumerate(depths)]
        for k, (move, probability) in reversed(list(enumerate(moves))):
            child = match.clone()
            (child.resolve if match.at_chance else child.step)(move)
            waiting.append((child, node, k, probability, depths))
    return _tree(root, builder)


def _tree(root: Match, builder: _Builder) -> Tree:
    seat, parent, edge, chance, sets = zip(*builder.nodes, strict=True)
    returns = np.zeros((len(seat), root.num_players))
    for node, found in enumerate(builder.returns):
        if found is not None:
            returns[node] = found
    known = builder.known
    legal = [np.flatnonzero(one["action_mask"]) for one in known]
    actions = np.full((len(known), max(map(len, legal))), -1)
    for row, some in zip(actions, legal, strict=True):
        row[: len(some)] = some
    return Tree(
        root.game, root.num_players, np.array(seat), np.array(parent), np.array(edge),
        np.array(chance), np.array(sets), returns,
        np.array([one["owner"] for one in known]), actions,
        np.array([one["own_depth"] for one in known]),
        np.array([one["observation"] for one in known]),
        np.array([one["action_mask"] for one in known]),
        tuple(one["text"] for one in known),
    )  # fmt: skip
