"""Pgx: games as JAX functions, batched by vmap and compiled as a whole."""

from __future__ import annotations

import os
from functools import partial
from typing import Any

from benchmarks.measure import Chunk, Duration, Memory, main, memory, timed

GAMES = 4096
STEPS = 200  # decisions of every game in one compiled scan


def pgx(cores: int, game: str, tuned: bool = False) -> Chunk:
    """Random legal play by vmap and scan, finished games dealt anew.

    Plain: Pgx's own ``auto_reset``, which computes a new deal for every game at every step; with
    leduc_holdem that is nine tenths of the time. Tuned: deals are computed for the finished games
    alone, the fastest that we found without changing Pgx's rules.

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

    env = library.make(game)
    deal = jax.vmap(env.init)
    room = GAMES * 9 // 32  # of leduc_holdem about 1,000 end at each step

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


def first_decision(cores: int) -> Duration:
    """From nothing imported to one decision of one game, compiled as Pgx's documentation does."""

    def decide() -> None:
        import jax
        import pgx as library

        env = library.make("leduc_holdem")
        state = jax.jit(env.init)(jax.random.key(0))
        jax.block_until_ready(jax.jit(env.step)(state, state.legal_action_mask.argmax()))

    os.environ["JAX_PLATFORMS"] = "cpu"
    return timed(decide)


def games_memory(cores: int, game: str) -> Memory:
    """Games of a batch: their whole state, which holds observation and mask."""
    os.environ["JAX_PLATFORMS"] = "cpu"
    import jax
    import pgx as library

    deal = jax.jit(jax.vmap(library.make(game).init))
    keys = jax.random.split(jax.random.key(0), GAMES)
    return memory(lambda: jax.block_until_ready(deal(keys)), GAMES)


SUBJECTS = {
    "pgx-leduc": partial(pgx, game="leduc_holdem"),
    "pgx-leduc-tuned": partial(pgx, game="leduc_holdem", tuned=True),
    "pgx-connect-four": partial(pgx, game="connect_four"),
    "pgx-first-decision": first_decision,
    "pgx-leduc-memory": partial(games_memory, game="leduc_holdem"),
    "pgx-connect-four-memory": partial(games_memory, game="connect_four"),
}

if __name__ == "__main__":
    main(SUBJECTS)
