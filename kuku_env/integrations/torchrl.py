"""TorchRL: many games as one batched environment, with action masks.

    from torchrl.envs import TransformedEnv
    from torchrl.envs.transforms import ActionMask
    from kuku_env.integrations.torchrl import SeatsEnv

    env = SeatsEnv("doubt", 256, opponents=["scripted-normal", "random"])
    TransformedEnv(env, ActionMask()).rollout(100)  # random play

Needs the extra ``torchrl``. Illegal actions are refused: a policy needs the mask, as in
``ProbabilisticActor(..., in_keys={"logits": "logits", "mask": "action_mask"},
distribution_class=MaskedCategorical)``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kuku_env.core.game import Game
from kuku_env.envs.seats import LearnerSeats, Opponents

try:
    import torch
    from tensordict import TensorDict, TensorDictBase
    from torchrl.data import Binary, Bounded, Categorical, Composite, Unbounded
    from torchrl.envs import EnvBase
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        f"{__name__} needs TorchRL ({missing}): pip install 'kuku-env[torchrl]'"
    ) from missing

DEFAULT_OPPONENTS = ("scripted-normal",)


class SeatsEnv(EnvBase):
    """``num_envs`` games with one learner's seat each, batch size (n,); arguments: LearnerSeats.

    ``observation`` int8 (n, D), ``action_mask`` bool (n, A), ``action`` int64 (n,), ``reward``
    float32 (n, 1), ``done``, ``terminated`` and ``truncated`` bool (n, 1). A game that ended waits
    until it is reset, as TorchRL's collectors and rollouts do; until then it takes any action, and
    nothing comes of it. ``pool`` is what opponents are drawn from whenever a game is dealt.

    Raises OptionError, BotError or ValueError for arguments that are not allowed.
    """

    def __init__(
        self,
        game: str | Game,
        num_envs: int,
        *,
        opponents: Opponents = DEFAULT_OPPONENTS,
        seat: int | None = None,
        **options: Any,
    ) -> None:
        super().__init__(batch_size=(num_envs,))
        self.learner_seats = LearnerSeats(
            game, num_envs, opponents=opponents, seat=seat, autoreset=False, **options
        )
        self.game, self.pool = self.learner_seats.game, self.learner_seats.pool
        self._next_seed: int | None = None
        self._dealt = False
        layout = self.game.layout
        space, n, actions = layout.observation_space(), num_envs, layout.num_actions
        low, high = (torch.from_numpy(np.tile(end, (n, 1))) for end in (space.low, space.high))
        self.observation_spec = Composite(
            observation=Bounded(low, high, dtype=torch.int8),
            action_mask=Binary(actions, shape=(n, actions), dtype=torch.bool),
            shape=(n,),
        )
        self.action_spec = Categorical(actions, shape=(n,), dtype=torch.int64)
        self.reward_spec = Unbounded(shape=(n, 1), dtype=torch.float32)
        flag = Categorical(2, shape=(n, 1), dtype=torch.bool)
        self.done_spec = Composite(
            done=flag, terminated=flag.clone(), truncated=flag.clone(), shape=(n,)
        )

    def _reset(self, tensordict: TensorDictBase | None = None, **kwargs: Any) -> TensorDictBase:
        """Deal anew where ``_reset`` says so, everywhere at first or without it."""
        chosen = None if tensordict is None else tensordict.get("_reset", None)
        if chosen is None or not self._dealt or self._next_seed is not None:
            self.learner_seats.reset(self._next_seed)
            self._dealt, self._next_seed = True, None
        else:
            self.learner_seats.restart(np.flatnonzero(chosen.numpy()))
        return TensorDict(self._turn(), self.batch_size)

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        """Raises IllegalActionError, ValueError or TypeError; then no game has changed."""
        seats = self.learner_seats
        outcome = seats.step(np.where(seats.over, -1, tensordict["action"].numpy()))
        ended = {
            "reward": outcome.rewards,
            "done": seats.over,
            "terminated": outcome.over & ~outcome.truncated,
            "truncated": outcome.truncated,
        }
        columns = {name: torch.from_numpy(value)[:, None] for name, value in ended.items()}
        return TensorDict({**self._turn(), **columns}, self.batch_size)

    def _set_seed(self, seed: int | None) -> None:
        """Taken at the next reset, which then deals all games."""
        self._next_seed = seed

    def _turn(self) -> dict[str, torch.Tensor]:
        seats = self.learner_seats
        mask = (seats.action_masks() > 0) | seats.over[:, None]
        return {
            "observation": torch.from_numpy(seats.observations()),
            "action_mask": torch.from_numpy(mask),
        }
