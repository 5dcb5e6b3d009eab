"""What we compare ourselves with. One subject a process: ``python -m benchmarks.peers pgx``."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks.measure import Chunk, aec_chunk, main

GAMES = 4096
STEPS = 200  # decisions of every game in one compiled scan


def pgx(cores: int, tuned: bool = False) -> Chunk:
    """Pgx's leduc_holdem: random legal play by vmap and scan, finished games dealt anew.

    Plain: Pgx's own ``auto_reset``, which computes a new deal for every game at every step; that
    is nine tenths of the time. Tuned: deals are computed for the finished games alone, the fastest
    that we found without changing Pgx's rules.

    Either way the whole state, observation and mask included, is carried through the scan and
    returned, so the compiler cannot leave the observation out.
    """
    os.environ["JAX_PLATFORMS"] = "cpu"
    if cores == 1:  # JAX's own threads only cost time on one core
        os.environ["XLA_FLAGS"] = (
            "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
        )
    import jax
    import jax.numpy as jnp
    import pgx as library
    from pgx.experimental import auto_reset

    env = library.make("leduc_holdem")
    deal = jax.vmap(env.init)
    room = GAMES * 9 // 32  # about 1,000 games end at each step

    def choose(mask: Any, key: Any) -> Any:
        # Cheaper than jax.random.categorical, which takes a logarithm for every action.
        legal = jnp.cumsum(mask.astype(jnp.uint32), axis=-1)
        bits = jax.random.bits(key, (GAMES,), jnp.uint32) >> 16
        target = (bits * legal[:, -1]) >> 16
        return jnp.sum(legal <= target[:, None], axis=-1, dtype=jnp.int32)

    plain_step = jax.vmap(auto_reset(env.step, env.init))
    bare_step = jax.vmap(lambda state, a: env.step(state.replace(terminated=jnp.bool_(False)), a))

    def deal_few(state: Any, key: Any) -> Any:
        ended = jnp.nonzero(state.terminated, size=room, fill_value=GAMES)[0]
        fresh = deal(jax.random.split(key, room))
        return jax.tree.map(lambda old, new: old.at[ended].set(new, mode="drop"), state, fresh)

    def deal_many(state: Any, key: Any) -> Any:
        def where(old: Any, new: Any) -> Any:
            return jnp.where(state.terminated.reshape(-1, *[1] * (old.ndim - 1)), new, old)

        return jax.tree.map(where, state, deal(jax.random.split(key, GAMES)))

    def tuned_step(state: Any, action: Any, key: Any) -> Any:
        state = bare_step(state, action)
        few = state.terminated.sum() <= room
        fresh = jax.lax.cond(few, deal_few, deal_many, state, key)
        return fresh.replace(
            terminated=state.terminated, truncated=state.truncated, rewards=state.rewards
        )

    def decide(carry: Any, _: None) -> tuple[Any, None]:
        state, key = carry
        key, for_action, for_deal = jax.random.split(key, 3)
        action = choose(state.legal_action_mask, for_action)
        if tuned:
            state = tuned_step(state, action, for_deal)
        else:
            state = plain_step(state, action, jax.random.split(for_deal, GAMES))
        return (state, key), None

    play = jax.jit(lambda state, key: jax.lax.scan(decide, (state, key), None, length=STEPS)[0])
    keys = jax.random.split(jax.random.key(0), GAMES)
    carry = jax.jit(deal)(keys), jax.random.key(1)

    def chunk() -> int:
        nonlocal carry
        carry = jax.block_until_ready(play(*carry))
        return GAMES * STEPS

    return chunk


def leduc(cores: int) -> Chunk:
    """PettingZoo's leduc_holdem_v4.env(), as its documentation has it used."""
    from pettingzoo.classic import leduc_holdem_v4

    env = leduc_holdem_v4.env()
    env.reset(seed=0)
    return aec_chunk(env, games=50)


def solo_env() -> Any:
    """One learner's seat of Kuku Doubt, as gymnasium hands it out."""
    import gymnasium

    import kuku_env  # noqa: F401  registers the id

    # The checker is for finding mistakes, and would only slow the peer down.
    return gymnasium.make("kuku/KukuDoubtSolo-v0", disable_env_checker=True)


def maskable_ppo(cores: int, make_env: Callable[[], Any] = solo_env) -> Chunk:
    """sb3-contrib's MaskablePPO with its defaults: 8 environments in turn, a 64x64 network."""
    import torch
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.env_util import make_vec_env
    from stable_baselines3.common.vec_env import DummyVecEnv

    torch.set_num_threads(cores)
    envs = make_vec_env(make_env, n_envs=8, seed=0, vec_env_cls=DummyVecEnv)
    model = MaskablePPO(
        "MlpPolicy", envs, policy_kwargs={"net_arch": [64, 64]}, device="cpu", seed=0
    )
    rollout = model.n_steps * 8  # each is followed by ten passes over it

    def chunk() -> int:
        model.learn(rollout, reset_num_timesteps=False)
        return rollout

    return chunk


SUBJECTS = {
    "pgx": pgx,
    "pgx-tuned": partial(pgx, tuned=True),
    "leduc": leduc,
    "maskable-ppo": maskable_ppo,
}

if __name__ == "__main__":
    main(SUBJECTS)
