"""Stable-Baselines3's learner for masked actions, from sb3-contrib."""

from __future__ import annotations

from typing import Any

from benchmarks.measure import Chunk, main

ENVS, STEPS = 8, 256


def solo_env() -> Any:
    """One learner's seat of Kuku Doubt, as gymnasium hands it out."""
    import gymnasium

    import kuku_env  # noqa: F401  registers the id

    # The checker is for finding mistakes, and would only slow the peer down.
    return gymnasium.make("kuku/KukuDoubtSolo-v0", disable_env_checker=True)


def maskable_ppo(cores: int) -> Chunk:
    """MaskablePPO with its defaults, a 64x64 network, on 8 environments in turn.

    Only the rollout is shorter than by default (256 steps for 2048), so that a turn is; there are
    as many passes and gradient steps a decision as by default.
    """
    import torch
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.env_util import make_vec_env
    from stable_baselines3.common.vec_env import DummyVecEnv

    torch.set_num_threads(cores)
    envs = make_vec_env(solo_env, n_envs=ENVS, seed=0, vec_env_cls=DummyVecEnv)
    layers = {"net_arch": [64, 64]}
    model = MaskablePPO(
        "MlpPolicy", envs, n_steps=STEPS, policy_kwargs=layers, device="cpu", seed=0
    )

    def chunk() -> int:
        model.learn(ENVS * STEPS, reset_num_timesteps=False)
        return ENVS * STEPS

    return chunk


SUBJECTS = {"maskable-ppo": maskable_ppo}

if __name__ == "__main__":
    main(SUBJECTS)
