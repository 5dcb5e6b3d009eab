"""One learner's seat, bots in the others: a Gymnasium ``Env`` and ``VectorEnv``.

An episode is one game from the learner's first decision until its fate is known. Games in which the
learner is never asked are dealt again.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from kuku_env.bots import LineUp, Pool
from kuku_env.core.chance import choose
from kuku_env.core.game import Game
from kuku_env.envs.seats import LearnerSeats, Opponents
from kuku_env.games import find_game

DEFAULT_OPPONENTS = ("scripted-normal",)


def sample_actions(
    probabilities: NDArray[np.float32], generator: np.random.Generator
) -> NDArray[np.int64]:
    """Draw an action for each row of probabilities (n, A): int64 (n,), never one of chance zero."""
    return choose(probabilities, generator.random(len(probabilities)))


def _seats(
    game: str | Game, num_envs: int, opponents: Opponents, autoreset: bool, **options: Any
) -> LearnerSeats:
    """Seats against a pool as it is, one bot everywhere, or a line-up that settles the table."""
    found = find_game(game)
    if not isinstance(opponents, Pool):
        kind: type[Pool] = Pool if len(opponents) == 1 else LineUp
        opponents = kind(found, opponents)
        if kind is LineUp and options.get("preset") is None:
            options.setdefault("num_players", len(opponents.bots) + 1)
    return LearnerSeats(found, num_envs, opponents=opponents, autoreset=autoreset, **options)


class SoloVectorEnv(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """Many games, each with one learner's seat; observation int8 (n, D), actions (n,).

    A game that ends is dealt anew in the same step (``AutoresetMode.SAME_STEP``): ``info`` then has
    ``final_obs`` and ``final_info``, with ``_final_obs`` telling in which games. Masks come from
    ``action_masks()`` and in ``info["action_mask"]``, int8 (n, A). ``opponents``: one name or
    ``Policy`` for all other seats, one for each, from the learner's left on, or a ``Pool`` from
    which every seat of every game draws. ``seat``: the learner's seat, None for a random one in
    each game.

    Raises OptionError or ValueError for arguments that are not allowed.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}

    def __init__(
        self,
        game: str | Game,
        num_envs: int = 1,
        *,
        opponents: Opponents = DEFAULT_OPPONENTS,
        seat: int | None = None,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        if render_mode is not None:
            raise ValueError(f"a vector of games has no render mode, given {render_mode!r}")
        self.num_envs, self.render_mode = num_envs, None
        self._seats = _seats(game, num_envs, opponents, autoreset=True, seat=seat, **options)
        layout = self._seats.game.layout
        self.single_observation_space = layout.observation_space()
        self.single_action_space = spaces.Discrete(layout.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def action_masks(self) -> NDArray[np.int8]:
        """Masks of the learner's decisions, int8 (n, A), 1 = legal."""
        return self._seats.action_masks()

    def reset(
        self, *, seed: int | list[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Deal all games anew; the same seed gives the same games, seats and opponents' choices."""
        if isinstance(seed, list):
            raise ValueError("give one seed for all games, not a list")
        super().reset(seed=seed)
        self._seats.reset(int(self.np_random.integers(2**62)))
        return self._turn()

    def step(
        self, actions: ArrayLike
    ) -> tuple[
        NDArray[np.int8], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]
    ]:
        """Act for the learner in every game.

        Raises IllegalActionError, ValueError or TypeError; then no game has changed.
        """
        outcome = self._seats.step(actions)
        over, cut = outcome.over, outcome.truncated
        info: dict[str, Any] = {}
        if over.any():
            final = np.full(self.num_envs, None, dtype=object)
            for i in np.flatnonzero(over):
                final[i] = outcome.final[i]
            info = {"final_obs": final, "_final_obs": over, "final_info": {}, "_final_info": over}
        observation, masks = self._turn()
        rewards = outcome.rewards.astype(np.float64)
        return observation, rewards, over & ~cut, cut, {**info, **masks}

    def _turn(self) -> tuple[NDArray[np.int8], dict[str, Any]]:
        return self._seats.observations(), {"action_mask": self.action_masks()}


class SoloEnv(gymnasium.Env[Any, Any]):
    """One game with one learner's seat; see ``SoloVectorEnv``, whose arguments it takes.

    ``render_mode`` ``ansi`` or ``human`` shows the table from the learner's seat.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "human"]}

    def __init__(
        self,
        game: str | Game,
        *,
        opponents: Opponents = DEFAULT_OPPONENTS,
        seat: int | None = None,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(f"render_mode must be None, 'ansi' or 'human', given {render_mode!r}")
        self.render_mode = render_mode
        self._seats = _seats(game, 1, opponents, autoreset=False, seat=seat, **options)
        layout = self._seats.game.layout
        self.observation_space = layout.observation_space()
        self.action_space = spaces.Discrete(layout.num_actions)

    def action_masks(self) -> NDArray[np.int8]:
        """Mask of the learner's decision, int8 (A,), 1 = legal; all zero after the end."""
        return self._seats.action_masks()[0]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Deal a game and play to the learner's first decision."""
        super().reset(seed=seed)
        self._seats.reset(int(self.np_random.integers(2**62)))
        return self._turn()

    def step(self, action: np.int64) -> tuple[NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        """Act for the learner, then let the others play.

        Raises IllegalActionError or TypeError, and RuntimeError after the end; the game is then
        unchanged.
        """
        if self._seats.over[0]:
            raise RuntimeError("the game is over, or was never dealt: call reset()")
        outcome = self._seats.step(np.asarray([action]))
        over, cut = bool(outcome.over[0]), bool(outcome.truncated[0])
        observation, info = self._turn()
        return observation, float(outcome.rewards[0]), over and not cut, cut, info

    def render(self) -> str | None:
        record = self._seats.batch.state_of(0)[0]
        text = str(self._seats.game.telling.render(record, int(self._seats.seats[0])))
        if self.render_mode == "human":
            print(text)
            return None
        return text

    def _turn(self) -> tuple[NDArray[np.int8], dict[str, Any]]:
        return self._seats.observations()[0], {"action_mask": self.action_masks()}
