"""RLlib: self-play of all seats on Ray, and a module that knows masks (new API stack, torch).

    from ray.rllib.algorithms.ppo import PPOConfig
    from kuku_env.integrations.rllib import self_play

    config = self_play(PPOConfig(), "kuku-doubt", tables=[{"num_players": n} for n in (2, 3, 4)])
    algorithm = config.build_algo()
    algorithm.train()

Needs the extra ``rllib``, on every node of a cluster. ``MaskedModule`` is for RLlib's own
environments, too: with ``PettingZooEnv(kuku_doubt_v0.env())`` each seat may have a policy of its
own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from kuku_env.core.game import Game
from kuku_env.envs.shared import Columns, SharedSeats
from kuku_env.games import find_game

try:
    import torch
    from ray.rllib.algorithms.algorithm_config import AlgorithmConfig
    from ray.rllib.core.columns import Columns as Names
    from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.rllib.core.rl_module.torch.torch_rl_module import TorchRLModule
    from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner
    from ray.rllib.env.single_agent_episode import SingleAgentEpisode
    from ray.rllib.env.utils.infinite_lookback_buffer import InfiniteLookbackBuffer
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        f"{__name__} needs RLlib ({missing}): pip install 'kuku-env[rllib]'"
    ) from missing

IMPOSSIBLE = -1e9  # logit of an illegal action: its probability becomes exactly 0
DEFAULT_WIDTHS = (128, 128)

AnyConfig = TypeVar("AnyConfig", bound=AlgorithmConfig)


def self_play(
    config: AnyConfig,
    game: str | Game,
    num_games: int = 256,
    *,
    widths: Sequence[int] = DEFAULT_WIDTHS,
    **options: Any,
) -> AnyConfig:
    """An RLlib config in which one network plays all seats; changed in place, and returned.

    Each env runner plays ``num_games`` games side by side, as ``SharedSeats`` does, whose arguments
    ``options`` are (``tables``, ``rivals``, the game's own options ...). Everything else is the
    config's: the algorithm's settings, ``env_runners(num_env_runners=...)``, learners, callbacks at
    the end of sampling. Every seat of every game is an episode of its own; no discount is wanted
    (``training(gamma=1.0)``), which is set.

    Raises what ``SharedSeats`` raises for arguments that are not allowed.
    """
    found = find_game(game)
    SharedSeats(found, 1, **options)  # what is wrong is told here, not on some other machine
    layout = found.layout
    return (
        config.environment(
            observation_space=observation_space(found),
            action_space=spaces.Discrete(layout.num_actions),
            env_config={"game": found.id, **options},
        )
        .env_runners(env_runner_cls=SeatsEnvRunner, num_envs_per_env_runner=num_games)
        .rl_module(rl_module_spec=module_spec(found, widths))
        .training(gamma=1.0)
    )


def observation_space(game: str | Game) -> spaces.Dict:
    """What a seat of a game is given: ``observation`` and ``action_mask``, both int8."""
    layout = find_game(game).layout
    return spaces.Dict(
        {"observation": layout.observation_space(), "action_mask": layout.mask_space()}
    )


def module_spec(game: str | Game, widths: Sequence[int] = DEFAULT_WIDTHS) -> RLModuleSpec:
    """A ``MaskedModule`` for a game, with hidden layers so wide."""
    layout = find_game(game).layout
    return RLModuleSpec(
        module_class=MaskedModule,
        observation_space=observation_space(game),
        action_space=spaces.Discrete(layout.num_actions),
        model_config={"widths": list(widths), "kinds": [block.size for block in layout.actions]},
    )


class MaskedModule(TorchRLModule, ValueFunctionAPI):
    """A policy and a value on one trunk; illegal actions have probability 0.

    Observations are dicts of ``observation`` (N, D) and ``action_mask`` (N, A), of any number type.
    ``model_config``: ``widths`` of the hidden layers; ``kinds``, sizes of the runs of action ids
    that mean the same kind of action (by default all are one kind). An unlearned network finds all
    kinds that are legal equally likely, and all actions of a kind: uniform play would hardly ever
    choose a kind with one action beside a kind with fifty.
    """

    scale: torch.Tensor
    kinds: torch.Tensor

    def setup(self) -> None:
        """Build the layers. Raises ValueError for spaces or settings that do not fit."""
        seen, settings = self.observation_space, self.model_config
        if not isinstance(seen, spaces.Dict) or set(seen) != {"observation", "action_mask"}:
            raise ValueError(
                f"observations must be dicts of 'observation' and 'action_mask', given {seen}"
            )
        cells = seen["observation"]
        if not isinstance(cells, spaces.Box):
            raise ValueError(f"observations must be arrays, given {cells}")
        count = int(self.action_space.n)
        widths = settings.get("widths", DEFAULT_WIDTHS)
        sizes = [cells.shape[0], *widths]
        kinds = settings.get("kinds", [count])
        if sum(kinds) != count:
            raise ValueError(f"kinds must be sizes that sum to {count} actions, given {kinds}")
        layers = [(torch.nn.Linear(a, b), torch.nn.ReLU()) for a, b in pairwise(sizes)]
        self.trunk = torch.nn.Sequential(*(part for layer in layers for part in layer))
        self.policy = torch.nn.Linear(sizes[-1], count)
        self.value = torch.nn.Linear(sizes[-1], 1)
        # Few cells of an observation are not zero: with a usual start they would be hardly heard.
        torch.nn.init.normal_(layers[0][0].weight, std=0.25)
        for head in (self.policy, self.value):
            torch.nn.init.zeros_(head.weight)
            torch.nn.init.zeros_(head.bias)
        scale = 1.0 / cells.high.astype(np.float32)
        number = torch.repeat_interleave(torch.arange(len(kinds)), torch.tensor(kinds))
        self.register_buffer("scale", torch.from_numpy(scale), persistent=False)
        self.register_buffer("kinds", torch.eye(len(kinds))[number], persistent=False)

    def even(self, action_mask: torch.Tensor) -> torch.Tensor:
        """Log-probabilities of an unlearned network, float32 (N, A), where legal."""
        legal = action_mask.float() @ self.kinds  # legal actions of each kind
        kinds = (legal > 0).sum(-1, keepdim=True)
        return -(legal.clamp(min=1).log() + kinds.clamp(min=1).log()) @ self.kinds.T

    def logits(self, observation: torch.Tensor, action_mask: torch.Tensor) -> torch.Tensor:
        """float32 (N, A), ``IMPOSSIBLE`` where illegal."""
        return self._masked(self._hidden(observation), action_mask)

    def compute_values(
        self, batch: Mapping[str, Any], embeddings: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Rewards that the seat can still expect, float32 (N,)."""
        if embeddings is None:
            embeddings = self._hidden(batch[Names.OBS]["observation"])
        return self.value(embeddings).squeeze(-1)

    def _forward(self, batch: Mapping[str, Any], **_: Any) -> dict[str, torch.Tensor]:
        seen = batch[Names.OBS]
        hidden = self._hidden(seen["observation"])
        logits = self._masked(hidden, seen["action_mask"])
        return {Names.ACTION_DIST_INPUTS: logits, Names.EMBEDDINGS: hidden}

    def _hidden(self, observation: torch.Tensor) -> torch.Tensor:
        return self.trunk(observation.float() * self.scale)

    def _masked(self, hidden: torch.Tensor, action_mask: torch.Tensor) -> torch.Tensor:
        logits = self.policy(hidden) + self.even(action_mask)
        return torch.where(action_mask > 0, logits, IMPOSSIBLE)


class _Games(SharedSeats):
    """The games of one runner, with what RLlib reads from a vector environment."""

    def __init__(self, num_envs: int, game: str, **options: Any) -> None:
        super().__init__(game, num_envs, **options)
        self.observation_space = self.single_observation_space = observation_space(self.game)
        self.action_space = self.single_action_space = spaces.Discrete(self.game.layout.num_actions)

    @property
    def unwrapped(self) -> _Games:
        return self

    def close(self) -> None:
        """Nothing is held open."""


class SeatsEnvRunner(SingleAgentEnvRunner):
    """Plays ``SharedSeats`` in place of a Gymnasium environment: ``self_play`` sets it.

    Samples are episodes of whole trails, one for each seat of a game that has ended, so that no
    decision is learned from before its fate is known. What is sampled is no less than was asked
    for, in decisions of the network. Connectors between environment and module, and callbacks of
    single steps and episodes are not called: there is nothing to be converted.
    """

    env: _Games | None

    def make_env(self) -> None:
        self.env = _Games(self.config.num_envs_per_env_runner, **self.config.env_config)
        self.num_envs = self.env.num_envs
        self._needs_initial_reset = True

    def _sample(
        self,
        *,
        num_timesteps: int | None = None,
        num_episodes: int | None = None,
        explore: bool,
        random_actions: bool = False,
        force_reset: bool = False,
    ) -> list[SingleAgentEpisode]:
        assert self.env is not None
        if self._needs_initial_reset or force_reset or num_episodes is not None:
            self.env.reset(self._seed if self._needs_initial_reset else None)
            self._needs_initial_reset = False

        def decide(observation: NDArray[np.int8], action_mask: NDArray[np.int8]) -> Columns:
            return self._decide(observation, action_mask, explore, random_actions)

        found: list[SingleAgentEpisode] = []
        steps = 0
        while steps < (num_timesteps or 0) or len(found) < (num_episodes or 0):
            for trail in self.env.step(decide):
                found.append(episode_of(trail))
                steps += len(found[-1])
        self._done_episodes_for_metrics.extend(found)
        self._log_env_steps(self._metrics_num_env_steps_sampled, steps)
        self._increase_sampled_metrics(steps, len(found))
        return found

    @torch.no_grad()
    def _decide(
        self,
        observation: NDArray[np.int8],
        action_mask: NDArray[np.int8],
        explore: bool,
        random_actions: bool,
    ) -> Columns:
        seen = {
            "observation": torch.from_numpy(observation).to(self._device),
            "action_mask": torch.from_numpy(action_mask).to(self._device),
        }
        forward = self.module.forward_exploration if explore else self.module.forward_inference
        logits = forward({Names.OBS: seen})[Names.ACTION_DIST_INPUTS]
        if random_actions:
            logits = torch.where(seen["action_mask"] > 0, 0.0, IMPOSSIBLE)
        chances = self.module.get_exploration_action_dist_cls().from_logits(logits)
        chosen = chances if explore or random_actions else chances.to_deterministic()
        actions = chosen.sample()
        return {
            Names.ACTIONS: actions.cpu().numpy(),
            Names.ACTION_LOGP: chances.logp(actions).cpu().numpy(),
            Names.ACTION_DIST_INPUTS: logits.cpu().numpy(),
        }


def episode_of(trail: Columns) -> SingleAgentEpisode:
    """A trail (see ``SharedSeats``) as a finished episode of RLlib's."""

    def column(values: Any) -> InfiniteLookbackBuffer:
        return InfiniteLookbackBuffer(values)

    length = len(trail["rewards"])
    # An episode has an observation after its last action. Nobody looks at it: it is terminated.
    rows = np.minimum(np.arange(length + 1), length - 1)
    return SingleAgentEpisode(
        observations=column({name: trail[name][rows] for name in ("observation", "action_mask")}),
        infos=[{}] * (length + 1),
        actions=column(trail[Names.ACTIONS]),
        rewards=column(trail["rewards"]),
        extra_model_outputs={
            name: column(trail[name]) for name in (Names.ACTION_LOGP, Names.ACTION_DIST_INPUTS)
        },
        terminated=True,
        len_lookback_buffer=0,
    )
