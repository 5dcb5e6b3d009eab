"""PufferLib's tripletriad, a card game in C; built by ``benchmarks/peers/build_tripletriad.py``."""

from __future__ import annotations

from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any

from benchmarks.measure import Chunk, Memory, main, memory
from benchmarks.peers.build_tripletriad import BUILT

GAMES = 4096
STEPS = 100


def load() -> Any:
    """Its compiled module, without ``import pufferlib``, which links files into the folder where it
    is called. Raises FileNotFoundError where it has not been built."""
    if not BUILT.exists():
        raise FileNotFoundError("PufferLib's tripletriad has not been built")
    loader = ExtensionFileLoader("binding", str(BUILT))
    spec = spec_from_file_location("binding", BUILT, loader=loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


def make(binding: Any) -> tuple[Any, tuple[Any, ...]]:
    """Games in C, and the arrays that they read and write; sizes are those of its Python class."""
    import numpy as np

    arrays = (
        np.zeros((GAMES, 114), np.float32),  # observations
        np.zeros(GAMES, np.int32),  # actions
        np.zeros(GAMES, np.float32),  # rewards
        np.zeros(GAMES, np.bool_),  # terminals
        np.zeros(GAMES, np.bool_),  # truncations
    )
    sizes = {"width": 990, "height": 690, "card_width": 192, "card_height": 224}
    games = binding.vec_init(*arrays, GAMES, 0, **sizes)
    binding.vec_reset(games, 0)
    return games, arrays


def tripletriad(cores: int) -> Chunk:
    """Random legal play: a card that is left, then a free place.

    The observation, 114 float32, is written every step. Its mask tells of places alone, so what is
    legal is read from the whole of it, by compiled code. The answer of the scripted opponent is
    part of a step and not counted; nor is the step after an end, which takes no action.
    """
    import numba
    import numpy as np

    binding = load()
    games, arrays = make(binding)
    observations, actions, _, terminals, _ = arrays
    random_bits = np.random.default_rng(0).integers(1, 2**63, GAMES, np.uint64)

    @numba.njit
    def choose(seen: Any, chosen: Any, bits: Any) -> None:
        for k in range(len(chosen)):
            x = bits[k]
            x ^= x << np.uint64(13)
            x ^= x >> np.uint64(7)
            x ^= x << np.uint64(17)
            bits[k] = x
            # First action, its cell (0: it is free), and how many follow: cards, or places.
            first, cell, size = (0, 104, 5) if seen[k, 24] < 0 else (5, 14, 9)
            legal = 0
            for place in range(size):
                legal += seen[k, cell + place] == 0
            # Where nothing is legal the game is over, and the action is ignored.
            pick = int((x >> np.uint64(32)) * np.uint64(legal) >> np.uint64(32))
            for place in range(size):
                if seen[k, cell + place] == 0:
                    if pick == 0:
                        chosen[k] = first + place
                        break
                    pick -= 1

    def chunk() -> int:
        decisions = 0
        for _ in range(STEPS):
            choose(observations, actions, random_bits)
            decisions += GAMES - int(np.count_nonzero(terminals))
            binding.vec_step(games)
        assert all(len(array) == GAMES for array in arrays)  # C writes to them: they must live on
        return decisions

    return chunk


def tripletriad_memory(cores: int) -> Memory:
    binding = load()
    return memory(lambda: make(binding), GAMES)


SUBJECTS = {
    "pufferlib-tripletriad": tripletriad,
    "pufferlib-tripletriad-memory": tripletriad_memory,
}

if __name__ == "__main__":
    main(SUBJECTS)
