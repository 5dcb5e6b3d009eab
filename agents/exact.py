"""Exact values, best responses and exploitability on the whole tree of a small game."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.tree import Tree
from kuku_env.core.jit import njit

Plan = NDArray[np.float64]


@njit
def _probabilities(parent: Any, edge: Any, chance: Any, sets: Any, plan: Any, out: Any) -> None:
    """The probability of each node's last move, given that its parent was reached."""
    for i in range(1, len(parent)):
        at = sets[parent[i]]
        out[i] = chance[i] if at < 0 else plan[at, edge[i]]


@njit
def _reach(parent: Any, seat: Any, moves: Any, me: int, own: Any, others: Any) -> None:
    """How likely each node is by one seat's moves, and by all others' and chance."""
    own[0], others[0] = 1.0, 1.0
    for i in range(1, len(parent)):
        up = parent[i]
        mine = seat[up] == me
        own[i] = own[up] * (moves[i] if mine else 1.0)
        others[i] = others[up] * (1.0 if mine else moves[i])


@njit
def _values(parent: Any, moves: Any, values: Any) -> None:
    """Expected returns of every node; ``values`` holds those of the ends."""
    for i in range(len(parent) - 1, 0, -1):
        values[parent[i]] += moves[i] * values[i]


@njit
def _weigh(
    parent: Any, edge: Any, sets: Any, owner_seat: int, owner: Any, others: Any, values: Any,
    weights: Any,
) -> None:  # fmt: skip
    """What each action of a seat's sets is worth: returns weighted by the others' reach."""
    for i in range(1, len(parent)):
        at = sets[parent[i]]
        if at >= 0 and owner[at] == owner_seat:
            weights[at, edge[i]] += others[parent[i]] * values[i]


def moves_of(tree: Tree, plan: Plan) -> NDArray[np.float64]:
    """The probability of each node's last move, float64 (N,)."""
    moves = np.ones(len(tree.parent))
    _probabilities(tree.parent, tree.edge, tree.chance, tree.information_set, plan, moves)
    return moves


def expected_returns(tree: Tree, plan: Plan) -> NDArray[np.float64]:
    """What every seat gets where all play by the plan, float64 (P,)."""
    moves = moves_of(tree, plan)
    found = []
    for seat in range(tree.num_players):
        values = tree.returns[:, seat].copy()
        _values(tree.parent, moves, values)
        found.append(values[0])
    return np.array(found)


def action_worths(
    tree: Tree, plan: Plan, seat: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Counterfactual worth of every action in a seat's sets, float64 (S, K), and the seat's own
    reach of every node, float64 (N,)."""
    moves = moves_of(tree, plan)
    own, others = np.empty(len(moves)), np.empty(len(moves))
    _reach(tree.parent, tree.seat, moves, seat, own, others)
    values = tree.returns[:, seat].copy()
    _values(tree.parent, moves, values)
    worths = np.zeros_like(plan)
    _weigh(tree.parent, tree.edge, tree.information_set, seat, tree.owner, others, values, worths)
    return worths, own


def best_response(tree: Tree, plan: Plan, seat: int) -> tuple[Plan, float]:
    """The plan of a seat that gets most against a plan of all others, and what it gets.

    Sets of other seats keep the plan. Later decisions are settled before earlier ones: a seat
    remembers all that it did, so its sets are ordered by how often it has decided before.
    """
    best = plan.copy()
    mine = tree.owner == seat
    for depth in sorted(set(tree.own_depth[mine].tolist()), reverse=True):
        worths, _ = action_worths(tree, best, seat)
        rows = np.flatnonzero(mine & (tree.own_depth == depth))
        chosen = np.where(tree.legal[rows], worths[rows], -np.inf).argmax(1)
        best[rows] = 0.0
        best[rows, chosen] = 1.0
    return best, float(expected_returns(tree, best)[seat])


def nash_conv(tree: Tree, plan: Plan) -> float:
    """How much all seats together would gain by best responses; 0 in an equilibrium."""
    now = expected_returns(tree, plan)
    return sum(best_response(tree, plan, s)[1] - now[s] for s in range(tree.num_players))


def exploitability(tree: Tree, plan: Plan) -> float:
    """What a best response gains on average over the seats: NashConv / players."""
    return nash_conv(tree, plan) / tree.num_players
