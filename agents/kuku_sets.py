"""What a response to a bot tells apart in two-player Kuku Doubt, for ``agents.tabular``."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from agents.duel import places
from agents.tabular import Sets
from kuku_env.games.kuku_doubt.layout import LAYOUT

_FIELDS = (  # of the levels of detail that go beyond the solver's sets
    ("my_discards", "claim_numbers"),
    ("my_discards", "claim_numbers", "life_cards", "table"),
)


def coarse_sets(observation: NDArray[np.int8]) -> NDArray[np.uint64]:
    """The sets of ``agents.duel_sets`` as the one level, uint64 (N, 1)."""
    return places(torch.from_numpy(observation)).numpy()[:, None].astype(np.uint64)


def fine_sets(observation: NDArray[np.int8]) -> NDArray[np.uint64]:
    """Three levels, uint64 (N, 3): what the solver's sets leave out, all but life and table cards,
    nothing more."""
    coarse = coarse_sets(observation)
    levels = [coarse]
    for names in _FIELDS:
        cells = np.concatenate([_cells(observation, name) for name in names], axis=1)
        factors = np.random.default_rng(cells.shape[1]).integers(1, 2**62, (cells.shape[1], 1))
        levels.append(coarse + cells.astype(np.uint64) @ factors.astype(np.uint64))
    return np.concatenate(levels[::-1], axis=1)


def _cells(observation: NDArray[np.int8], name: str) -> NDArray[np.int8]:
    """The cells of a field: of the claims only the newest two, of life cards how many of a rank."""
    cells = observation[:, LAYOUT.offsets[name]]
    if name == "life_cards":
        return cells.reshape(len(cells), 2, -1).sum(1, dtype=np.int8)
    return cells[:, :2] if name == "claim_numbers" else cells


SETS: dict[str, Sets] = {"coarse": coarse_sets, "fine": fine_sets}
