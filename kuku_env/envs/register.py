"""Registration of every game with PettingZoo and Gymnasium."""

from __future__ import annotations

import gymnasium
import pettingzoo

from kuku_env.core.game import Game
from kuku_env.games import games


def solo_id(game: Game) -> str:
    """Gymnasium's id for one learner's seat: ``kuku/NameSolo-vN``."""
    name, _, version = game.id.rpartition("-")
    return f"{name}Solo-{version}"


def register_games() -> None:
    """Make every known game known to both libraries; done again, it changes nothing."""
    for game in games():
        if game.id not in pettingzoo.aec_registry:
            pettingzoo.register(
                "aec", game.id, "kuku_env.envs.aec:BluffingEnv", kwargs={"game": game.id}
            )
        if solo_id(game) not in gymnasium.registry:
            gymnasium.register(
                solo_id(game),
                entry_point="kuku_env.envs.solo:SoloEnv",
                vector_entry_point="kuku_env.envs.solo:SoloVectorEnv",
                kwargs={"game": game.id},
                disable_env_checker=True,  # it samples actions without their mask
            )
