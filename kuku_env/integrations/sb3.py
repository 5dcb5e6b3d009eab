"""Stable-Baselines3: many games as one ``VecEnv``, with action masks as sb3-contrib asks for them.

    from sb3_contrib import MaskablePPO
    from kuku_env.integrations.sb3 import SeatsVecEnv, policy_settings

    env = SeatsVecEnv("liars-cry", 256, opponents=["scripted-normal", "random"])
    model = MaskablePPO(
        "MlpPolicy", env, n_steps=64, batch_size=2048, gamma=1.0, policy_kwargs=policy_settings()
    )

Needs the extra ``sb3``. Illegal actions are refused, so learn with masks, and *play* with them too:
``model.predict(observation, action_masks=env.action_masks())``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from kuku_env.core.game import Game
from kuku_env.envs.seats import LearnerSeats, Opponents, Outcome

try:
    import torch
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
    from stable_baselines3.common.vec_env import VecEnv
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        f"{__name__} needs Stable-Baselines3 ({missing}): pip install 'kuku-env[sb3]'"
    ) from missing

Indices = None | int | Iterable[int]
DEFAULT_OPPONENTS = ("scripted-normal",)
# What get_attr answers for every game: the number of them is the batch's affair.
_SHARED = ("render_mode", "spec", "observation_space", "action_space", "metadata")


class SeatsVecEnv(VecEnv):
    """``num_envs`` games with one learner's seat each; see ``LearnerSeats`` for the arguments.

    Observations int8 (n, D), rewards float32 (n,). The infos are Monitor's: an episode that ended
    has ``episode`` (``r`` its rewards, ``l`` the learner's decisions, ``t`` seconds since the
    start), ``terminal_observation`` and ``TimeLimit.truncated``; besides ``place`` (1 = winner) and
    ``num_players``. No ``VecMonitor`` is needed.

    ``env_method("action_masks")`` and ``action_masks()`` give the masks. ``pool`` is what opponents
    are drawn from: what joins it plays in the games dealt from then on. Seeds are those of
    ``seed()``, taken at the next ``reset``: the first one settles all games.

    Raises OptionError, BotError or ValueError for arguments that are not allowed.
    """

    actions: NDArray[np.int64]

    def __init__(
        self,
        game: str | Game,
        num_envs: int,
        *,
        opponents: Opponents = DEFAULT_OPPONENTS,
        seat: int | None = None,
        **options: Any,
    ) -> None:
        self.learner_seats = LearnerSeats(game, num_envs, opponents=opponents, seat=seat, **options)
        self.game, self.pool = self.learner_seats.game, self.learner_seats.pool
        self.spec, self.metadata = None, {"render_modes": []}
        layout = self.game.layout
        self.render_mode: str | None = None
        self._started = time.perf_counter()
        super().__init__(
            self.learner_seats.batch.num_envs,
            layout.observation_space(),
            spaces.Discrete(layout.num_actions),
        )

    def action_masks(self) -> NDArray[np.int8]:
        """Masks of the learner's decisions, int8 (n, A), 1 = legal."""
        return self.learner_seats.action_masks()

    def reset(self) -> NDArray[np.int8]:
        """Deal all games anew; int8 (n, D)."""
        self.learner_seats.reset(self._seeds[0])
        self._reset_seeds()
        self._reset_options()
        return self.learner_seats.observations()

    def step_async(self, actions: NDArray[Any]) -> None:
        self.actions = actions

    def step_wait(
        self,
    ) -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Raises IllegalActionError, ValueError or TypeError; then no game has changed."""
        outcome = self.learner_seats.step(self.actions)
        infos: list[dict[str, Any]] = [
            {"TimeLimit.truncated": bool(cut)} for cut in outcome.truncated
        ]
        for index in np.flatnonzero(outcome.over):
            infos[index].update(self._episode(outcome, int(index)))
        return self.learner_seats.observations(), outcome.rewards, outcome.over, infos

    def _episode(self, outcome: Outcome, index: int) -> dict[str, Any]:
        told = {
            "r": round(float(outcome.returns[index]), 6),
            "l": int(outcome.lengths[index]),
            "t": round(time.perf_counter() - self._started, 6),
        }
        return {
            "episode": told,
            "terminal_observation": outcome.final[index],
            "place": int(outcome.places[index]),
            "num_players": int(self.learner_seats.num_players[index]),
        }

    def close(self) -> None:
        """Nothing is held open."""

    # ---- what VecEnv asks of the environments it thinks it holds

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """The same value for each game. Raises AttributeError for an unknown name."""
        chosen = list(self._get_indices(indices))
        if attr_name == "action_masks":
            return [partial(self._mask_of, index) for index in chosen]
        if attr_name == "num_players":
            return [int(self.learner_seats.num_players[index]) for index in chosen]
        if attr_name not in _SHARED:
            known = ("action_masks", "num_players", *_SHARED)
            raise AttributeError(f"the games have no attribute {attr_name!r}; known: {known}")
        return [getattr(self, attr_name) for _ in chosen]

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Raises AttributeError: nothing of a single game can be set."""
        raise AttributeError(f"{attr_name!r} of a game cannot be set; opponents: pool")

    def env_method(
        self, method_name: str, *method_args: Any, indices: Indices = None, **method_kwargs: Any
    ) -> list[Any]:
        """``action_masks``: int8 (A,) of each game. Raises AttributeError for another method."""
        if method_name != "action_masks":
            raise AttributeError(
                f"the games have no method {method_name!r}; known: ['action_masks']"
            )
        masks = self.action_masks()
        return [masks[index] for index in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Indices = None) -> list[bool]:
        """True for Monitor, whose statistics are in the infos."""
        is_wrapped = issubclass(Monitor, wrapper_class)
        return [is_wrapped for _ in self._get_indices(indices)]

    def _mask_of(self, index: int) -> NDArray[np.int8]:
        return self.action_masks()[index]


class ScaledCells(BaseFeaturesExtractor):
    """Observations as float32 between 0 and 1: each cell by its highest value."""

    scale: torch.Tensor

    def __init__(self, observation_space: spaces.Box) -> None:
        super().__init__(observation_space, int(np.prod(observation_space.shape)))
        scale = 1.0 / observation_space.high.astype(np.float32).reshape(-1)
        self.register_buffer("scale", torch.from_numpy(scale), persistent=False)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """``observations`` (N, D) of any number type."""
        return observations.float() * self.scale


def policy_settings(
    widths: Iterable[int] = (128, 128),
    activation: Callable[[], torch.nn.Module] = torch.nn.ReLU,
) -> dict[str, Any]:
    """``policy_kwargs`` that suit these observations: scaled cells, and hidden layers so wide."""
    sizes = list(widths)
    return {
        "features_extractor_class": ScaledCells,
        "net_arch": {"pi": sizes, "vf": sizes},
        "activation_fn": activation,
    }
