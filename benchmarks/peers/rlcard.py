"""RLCard's games in its own loop, ``env.step``, with random legal actions.

A state brings the observation as an array and the legal actions as a dictionary; RLCard writes no
mask.
"""

from __future__ import annotations

import random
from functools import partial

from benchmarks.measure import Chunk, Duration, main, timed


def play(cores: int, game: str, games: int) -> Chunk:
    import rlcard

    env = rlcard.make(game, config={"seed": 0})
    draw = random.Random(0).random

    def chunk() -> int:
        decisions = 0
        for _ in range(games):
            state, _ = env.reset()
            while not env.is_over():
                legal = list(state["legal_actions"])
                state, _ = env.step(legal[int(draw() * len(legal))])
                decisions += 1
        return decisions

    return chunk


def first_decision(cores: int) -> Duration:
    """From nothing imported to one decision made."""

    def decide() -> None:
        import rlcard

        env = rlcard.make("leduc-holdem", config={"seed": 0})
        state, _ = env.reset()
        env.step(next(iter(state["legal_actions"])))

    return timed(decide)


SUBJECTS = {
    "rlcard-leduc": partial(play, game="leduc-holdem", games=100),
    "rlcard-uno": partial(play, game="uno", games=5),
    "rlcard-doudizhu": partial(play, game="doudizhu", games=1),
    "rlcard-gin-rummy": partial(play, game="gin-rummy", games=5),
    "rlcard-first-decision": first_decision,
}

if __name__ == "__main__":
    main(SUBJECTS)
