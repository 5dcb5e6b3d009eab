"""The whole tree of a small game: every history, every chance outcome, every information set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from kuku_env.core.game import Game
from kuku_env.envs.match import Match


@dataclass
class TreeSize:
    """Counts of a game's tree; an information set is what one seat knows when it decides."""

    decisions: int = 0
    chances: int = 0
    ends: int = 0
    information_sets: set[tuple[int, str]] = field(default_factory=set)


def measure_tree(game: str | Game, preset: str | None = None, **options: Any) -> TreeSize:
    """Walk the whole tree. Only for games small enough: time grows with the number of histories.

    Raises OptionError for options that are not allowed.
    """
    size = TreeSize()
    match = Match(game, explicit_chance=True, preset=preset, **options)
    for node in _walk(match):
        if node.over:
            size.ends += 1
        elif node.at_chance:
            size.chances += 1
        else:
            size.decisions += 1
            size.information_sets.add((node.to_act, node.information_state(node.to_act)))
    return size


def _walk(match: Match) -> Iterator[Match]:
    yield match
    if match.over:
        return
    moves = [outcome for outcome, _ in match.chance_outcomes()] or match.legal_actions()
    for move in moves:
        child = match.clone()
        if match.at_chance:
            child.resolve(move)
        else:
            child.step(move)
        yield from _walk(child)
