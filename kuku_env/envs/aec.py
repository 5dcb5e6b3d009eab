"""PettingZoo's AEC environment: one game, checked inside, wrapped in nothing.

Illegal, out-of-range and out-of-order actions are refused here and change nothing, so ``env`` needs
none of the usual wrappers, which cost more than the game itself.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from kuku_env.core.game import Game
from kuku_env.envs.match import Match
from kuku_env.games import find_game

RENDER_MODES = ("ansi", "human")
_CELL = np.dtype(np.int8)  # numpy makes an array of a dtype sooner than of a type

Observation = dict[str, NDArray[np.int8]]


class BluffingEnv(AECEnv[str, Observation, int | None]):
    """A game of the package as an AEC environment; agents ``player_0`` to ``player_{n-1}``.

    Observations are ``{"observation": int8 (D,), "action_mask": int8 (A,)}``, fresh arrays, by
    the game's layout. The mask of a seat that is not asked is all zero. A reward arrives when a
    player's fate is known. An eliminated seat's ``terminations`` turns true when it has made its
    last choice; its dead step (action None) comes next.

    Attributes: ``match`` (the game with its history: views, records, text of actions).
    """

    def __init__(
        self,
        game: str | Game,
        *,
        preset: str | None = None,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        if render_mode not in (None, *RENDER_MODES):
            raise ValueError(f"render_mode must be None, 'ansi' or 'human', given {render_mode!r}")
        self.game = find_game(game)
        self.match = Match(self.game, preset=preset, **options)
        self.render_mode = render_mode
        version = self.game.id.partition("/")[2]
        self.metadata = {
            "name": version,
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
        }
        self.possible_agents = [f"player_{k}" for k in range(self.match.num_players)]
        self.agents: list[str] = []
        self._seats = {agent: k for k, agent in enumerate(self.possible_agents)}
        layout = self.game.layout
        self._observation_space = spaces.Dict(
            {"observation": layout.observation_space(), "action_mask": layout.mask_space()}
        )
        self._size, self._num_actions = layout.size, layout.num_actions
        self.observation_spaces = dict.fromkeys(self.possible_agents, self._observation_space)
        self.action_spaces = {a: spaces.Discrete(layout.num_actions) for a in self.possible_agents}
        high = np.concatenate([layout.high, self.game.secrets.high])
        self._bind()
        self.state_space = spaces.Box(np.zeros_like(high), high, dtype=np.int8)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game; without a seed the deal comes from the operating system's entropy.

        Raises ValueError for a negative seed.
        """
        self.match.deal(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self._rewarded = False
        self._leaving: list[str] = []
        self._bind()
        self.agent_selection = self.possible_agents[self._turn[0]]
        if self.match.over:  # before anybody was asked
            self._pay()
            self._say_goodbye()
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> Observation:
        """What an agent may see now. Raises KeyError for an unknown agent."""
        observation, mask = np.empty(self._size, _CELL), np.empty(self._num_actions, _CELL)
        self._observe(self._S, 0, self._seats[agent], observation, mask)
        return {"observation": observation, "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Act for ``agent_selection``; None where that agent is dead.

        Raises IllegalActionError or TypeError for an action that cannot be taken, ValueError for an
        action of a dead agent, RuntimeError before ``reset`` and after the end; nothing has then
        changed.
        """
        if not self.agents:
            raise RuntimeError("the game is over, or was never dealt: call reset()")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        fates_known = self.match.step(action)  # type: ignore[arg-type]
        self._cumulative_rewards[agent] = 0.0
        if self._rewarded:
            self._clear_rewards()
            self._rewarded = False
        if fates_known:
            self._pay()
        if self._leaving:
            self._say_goodbye()
        else:
            self.agent_selection = self.possible_agents[self._turn[0]]
        if self.render_mode == "human":
            self.render()

    def _pay(self) -> None:
        """Somebody's fate became known: hand out the rewards of this step."""
        S, agents = self._S, self.possible_agents
        for seat, reward in enumerate(S["rewards"][0, : len(agents)].tolist()):
            if reward:
                self.rewards[agents[seat]] = reward
                self._cumulative_rewards[agents[seat]] += reward
        self._rewarded = True
        placed = S["place"][0].tolist()
        self._leaving = [agent for agent in self.agents if placed[self._seats[agent]]]

    def _say_goodbye(self) -> None:
        """Seats whose fate is known end, once they are not asked anything more."""
        if self._phase[0] == self.game.over:
            ended = self.truncations if self._S["truncated"][0] else self.terminations
            ended.update(dict.fromkeys(self.agents, True))
            self._leaving = []
        else:
            decider = self.possible_agents[self._turn[0]]
            self.agent_selection = decider
            for agent in self._leaving:
                self.terminations[agent] = agent != decider
            self._leaving = [agent for agent in self._leaving if agent == decider]
        self._deads_step_first()

    def _bind(self) -> None:
        """Short ways to what every step needs; an array's field is read faster than a record."""
        self._S, self._observe = self.match.S, self.game.kernels.observe
        self._phase, self._turn = self._S["phase"], self._S["turn"]

    def clone(self) -> BluffingEnv:
        """An independent environment that continues the same game."""
        return copy.deepcopy(self)

    __copy__ = clone

    def __deepcopy__(self, memo: dict[int, Any]) -> BluffingEnv:
        twin = object.__new__(type(self))
        memo[id(self)] = twin
        twin.__setstate__(copy.deepcopy(self.__getstate__(), memo))
        return twin

    def __getstate__(self) -> dict[str, Any]:
        bound = ("_S", "_observe", "_phase", "_turn")
        return {k: v for k, v in self.__dict__.items() if k not in bound}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._bind()

    def state(self) -> NDArray[np.int8]:
        """Everything, for centralised critics; never for a bot. int8 (state_space.shape).

        The observation of the seat that decides (seat 0 where none does), then what is hidden from
        it, by ``game.secrets``.
        """
        seat = max(self.match.to_act, 0)
        observation, _ = self.match.observe(seat)
        return np.concatenate([observation, self.match.secrets(seat)])

    def render(self, seat: int | None = None) -> str | None:
        """The table as text, of one seat or all: ``ansi`` returns it, ``human`` prints."""
        text = str(self.game.telling.render(self.match.record, seat))
        if self.render_mode == "human":
            print(text)
            return None
        return text

    def close(self) -> None:
        """Nothing is held open."""
