"""Every channel by which a seat receives something of a game."""

import json

import numpy as np
import pytest

from kuku_env.core.encoder import ViewEncoder
from kuku_env.core.game import IllegalActionError
from kuku_env.envs.aec import BluffingEnv
from kuku_env.envs.batch import BatchEnv


def every_channel(match, seat):
    """Everything that a seat receives of a game, by name."""
    observation, mask = match.observe(seat)
    view = match.view(seat)
    found = {
        "observation": observation.tobytes(),
        "mask": mask.tobytes(),
        "view": json.dumps(view),
        "encoded view": ViewEncoder(match.game.layout.to_json()).observation(view).tobytes(),
        "stream": json.dumps(match.stream(seat)),
        "information state": match.information_state(seat),
        "picture": match.game.telling.render(match.record, seat),
        "returns": match.returns.tobytes(),
    }
    if match.to_act == seat:
        found["errors"] = errors(match, mask)
    if not match.at_chance and not match.over:
        found |= environment(match, seat)
        found |= batch(match, seat)
    return found


def errors(match, mask):
    """What a seat is told when it does what it may not."""
    told = []
    for action in [*np.flatnonzero(mask == 0)[::9].tolist(), 999, "no action"]:
        with pytest.raises(ValueError) as caught:  # noqa: PT011 (of both kinds)
            (match.act if isinstance(action, str) else match.step)(action)
        told.append(str(caught.value))
    return told


def environment(match, seat):
    """The AEC environment in the midst of this game."""
    env = BluffingEnv(match.game, render_mode="ansi", **match.rules())
    env.reset(seed=1)
    env.match = match.clone()
    env._bind()
    agent = env.possible_agents[seat]
    env.agent_selection = env.possible_agents[match.to_act]
    seen = env.observe(agent)
    found = {f"env {name}": cells.tobytes() for name, cells in seen.items()}
    found["env infos"] = str(env.infos[agent])
    found["env render"] = env.render(seat)
    if env.agent_selection == agent:
        seen, *rest = env.last()
        found["env last"] = str(
            (seen["observation"].tobytes(), seen["action_mask"].tobytes(), rest)
        )
        with pytest.raises(IllegalActionError) as caught:
            env.step(int(np.flatnonzero(match.observe(seat)[1] == 0)[0]))
        found["env error"] = str(caught.value)
    return found


def batch(match, seat):
    """A batch with this game in it."""
    env = BatchEnv(match.game, 1, seed=1, **match.rules())
    env._S[:] = match.S
    found = {"batch observe": env.observe(0, seat).tobytes()}
    env._observe(0, 1)
    if match.to_act == seat:
        turns = env.turns()
        found["batch turns"] = turns.observation.tobytes() + turns.action_mask.tobytes()
    return found


def different(one, other):
    assert one.keys() == other.keys()
    return {name for name in one if one[name] != other[name]}
