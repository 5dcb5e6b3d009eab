"""OpenSpiel's leduc_poker and liars_dice: its Python loop, its batches, and its C++ alone.

Deals are chance moves that a loop has to make; they are no decisions and are not counted.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks.measure import Chunk, Duration, Memory, main, memory, timed

GAMES = 64  # side by side; more do not make a Python loop faster
TRAJECTORIES = 256
ROLLOUTS = 100_000


def loop(cores: int, game: str) -> Chunk:
    """Python's loop over a State: tensor and mask of the seat that decides, every decision."""
    import pyspiel

    played = pyspiel.load_game(game)
    draw = random.Random(0).random

    def chunk() -> int:
        decisions = 0
        for _ in range(200):
            state = played.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    deal(state, draw)
                    continue
                state.information_state_tensor()
                state.legal_actions_mask()
                legal = state.legal_actions()  # reading the mask would take Python longer
                state.apply_action(legal[int(draw() * len(legal))])
                decisions += 1
        return decisions

    return chunk


def deal(state: Any, draw: Callable[[], float]) -> None:
    """Make a chance move by its probabilities."""
    left = draw()
    outcomes = state.chance_outcomes()
    for action, chance in outcomes:
        left -= chance
        if left < 0:
            state.apply_action(action)
            return
    state.apply_action(outcomes[-1][0])  # where chances add up to a little less than 1


def environment(game: str, seed: int) -> Any:
    from open_spiel.python.rl_environment import ChanceEventSampler, Environment

    return Environment(game, chance_event_sampler=ChanceEventSampler(seed=seed))


def vector(cores: int, game: str) -> Chunk:
    """``SyncVectorEnv``: tensors of both seats every decision, legal actions as lists, no mask."""
    from open_spiel.python.rl_agent import StepOutput
    from open_spiel.python.vector_env import SyncVectorEnv

    envs = SyncVectorEnv([environment(game, k) for k in range(GAMES)])
    draw = random.Random(0).choice
    steps = envs.reset()

    def chunk() -> int:
        nonlocal steps
        for _ in range(10):
            seen = [step.observations for step in steps]
            chosen = [draw(o["legal_actions"][o["current_player"]]) for o in seen]
            steps = envs.step([StepOutput(a, None) for a in chosen], reset_if_done=True)[0]
        return 10 * GAMES

    return chunk


def trajectories(cores: int, game: str) -> Chunk:
    """``record_batched_trajectories``: whole games in C++, with tensor and mask of every decision.

    It plays a policy given as a table; a uniform one plays at random.
    """
    import pyspiel
    from open_spiel.python import policy

    played = pyspiel.load_game(game)
    uniform = policy.python_policy_to_pyspiel_policy(policy.TabularPolicy(played))
    seed = 0

    def chunk() -> int:
        nonlocal seed
        seed += 1
        told = pyspiel.record_batched_trajectories(
            played, [uniform, uniform], {}, TRAJECTORIES, True, seed, -1
        )
        return sum(map(sum, told.valid))

    return chunk


def rollouts(cores: int, game: str) -> Chunk:
    """C++ alone: random legal play to the end, a hundred thousand games a call, by the evaluator of
    its tree search. It writes neither observation nor mask.

    The games start after one deal. How many decisions they take is not told; their mean is known
    exactly from the tree.
    """
    import pyspiel

    played = pyspiel.load_game(game)
    state, draw = played.new_initial_state(), random.Random(0).random
    while state.is_chance_node():
        deal(state, draw)
    evaluator = pyspiel.RandomRolloutEvaluator(ROLLOUTS, 0)
    searcher = pyspiel.MCTSBot(played, evaluator, 2.0, 1, 1000, False, 0, False)
    decisions = round(ROLLOUTS * mean_decisions(state))

    def chunk() -> int:
        searcher.step(state)
        return decisions

    return chunk


def mean_decisions(state: Any) -> float:
    """Decisions until the end of the game under uniformly random legal play."""
    if state.is_terminal():
        return 0.0
    if state.is_chance_node():
        return sum(p * mean_decisions(state.child(a)) for a, p in state.chance_outcomes())
    legal = state.legal_actions()
    return 1 + sum(mean_decisions(state.child(a)) for a in legal) / len(legal)


def first_decision(cores: int) -> Duration:
    """From nothing imported to one decision made."""

    def decide() -> None:
        import pyspiel

        state = pyspiel.load_game("leduc_poker").new_initial_state()
        while state.is_chance_node():
            deal(state, random.Random(0).random)
        state.information_state_tensor()
        state.apply_action(state.legal_actions()[0])

    return timed(decide)


def leduc_memory(cores: int) -> Memory:
    """Games as ``rl_environment`` keeps them, one an object."""

    def build() -> list[tuple[Any, Any]]:
        envs = [environment("leduc_poker", k) for k in range(500)]
        return [(env, env.reset()) for env in envs]

    return memory(build, 500)


KINDS = {"loop": loop, "vector": vector, "trajectories": trajectories, "rollouts": rollouts}
SUBJECTS = {
    f"open-spiel-{name}-{kind}": partial(make, game=game)
    for kind, make in KINDS.items()
    for name, game in (("leduc", "leduc_poker"), ("liars-dice", "liars_dice"))
} | {"open-spiel-first-decision": first_decision, "open-spiel-leduc-memory": leduc_memory}

if __name__ == "__main__":
    main(SUBJECTS)
