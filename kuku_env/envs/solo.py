"""One learner's seat, bots in the others: a Gymnasium ``Env`` and ``VectorEnv``.

An episode is one game from the learner's first decision until its fate is known. Games in which the
learner is never asked are dealt again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from kuku_env.bots import Policy, make_policy
from kuku_env.core.chance import choose
from kuku_env.core.game import Game
from kuku_env.envs.batch import BatchEnv
from kuku_env.games import find_game

Opponents = Sequence[str | Policy]
DEFAULT_OPPONENTS = ("scripted-normal",)


def sample_actions(
    probabilities: NDArray[np.float32], generator: np.random.Generator
) -> NDArray[np.int64]:
    """Draw an action for each row of probabilities (n, A): int64 (n,), never one of chance zero."""
    return choose(probabilities, generator.random(len(probabilities)))


class _Seats:
    """A batch in which the learner holds one seat of every game and bots play the others."""

    def __init__(
        self,
        game: str | Game,
        num_envs: int,
        opponents: Opponents,
        seat: int | None,
        **options: Any,
    ) -> None:
        self.game = find_game(game)
        if isinstance(opponents, str) or not opponents:
            raise ValueError(f"opponents must be a list of names or policies, given {opponents!r}")
        if len(opponents) > 1 and options.get("preset") is None:
            options.setdefault("num_players", len(opponents) + 1)
        self.batch = BatchEnv(self.game, num_envs, autoreset=False, **options)
        self.num_players = int(self.batch.options[0].num_players)
        if len(opponents) not in (1, self.num_players - 1):
            raise ValueError(
                f"opponents must be 1 or {self.num_players - 1} for {self.num_players} players, "
                f"given {len(opponents)}"
            )
        if seat is not None and not 0 <= seat < self.num_players:
            raise ValueError(f"seat must be None or 0 to {self.num_players - 1}, given {seat!r}")
        made = [make_policy(o, self.game) if isinstance(o, str) else o for o in opponents]
        for policy in made:
            if hasattr(policy, "accepts"):
                policy.accepts(self.batch.options[0])
        self.bots = made * (self.num_players - 1) if len(made) == 1 else made
        self.fixed_seat = seat
        self.seats = np.zeros(num_envs, np.int64)
        self.rewards = np.zeros(num_envs, np.float64)

    def deal(self, index: int, generator: np.random.Generator, seed: int | None = None) -> None:
        """Start a game; the learner sits where it should, or where the generator says."""
        self.batch.restart(index, seed)
        seat = self.fixed_seat
        self.seats[index] = generator.integers(self.num_players) if seat is None else seat
        self.rewards[index] = 0.0

    def decided(self) -> NDArray[np.bool_]:
        """In which games the learner's fate is known."""
        places = self.batch.places
        return places[np.arange(len(places)), self.seats] > 0

    def step(self, actions: NDArray[np.int64]) -> None:
        """Act in some games (-1: not in this one) and add up the learner's rewards."""
        turns = self.batch.step(actions)
        self.rewards += turns.rewards[np.arange(len(actions)), self.seats]

    def play_on(self, generator: np.random.Generator) -> None:
        """Let the bots play until every game waits for the learner or its fate is known."""
        turns = self.batch.turns()
        while True:
            away = (turns.seat - self.seats) % self.num_players  # relative to the learner
            waiting = (turns.seat >= 0) & (away > 0) & ~self.decided()
            if not waiting.any():
                return
            actions = np.full(len(away), -1, np.int64)
            for bot in {id(bot): bot for bot in self.bots}.values():
                theirs = [k + 1 for k, other in enumerate(self.bots) if other is bot]
                rows = np.flatnonzero(waiting & np.isin(away, theirs))
                if len(rows):
                    chances = bot.probabilities(turns.observation[rows], turns.action_mask[rows])
                    actions[rows] = sample_actions(chances, generator)
            self.step(actions)

    def observation(self, index: int) -> NDArray[np.int8]:
        return self.batch.observe(index, int(self.seats[index]))


class SoloVectorEnv(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """Many games, each with one learner's seat; observation int8 (n, D), actions (n,).

    A game that ends is dealt anew in the same step (``AutoresetMode.SAME_STEP``): ``info`` then has
    ``final_obs`` and ``final_info``, with ``_final_obs`` telling in which games. Masks come from
    ``action_masks()`` and in ``info["action_mask"]``, int8 (n, A). ``opponents``: one name or
    ``Policy`` for all other seats, or one for each, from the learner's left on. ``seat``: the
    learner's seat, None for a random one in each game.

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
        self._seats = _Seats(game, num_envs, opponents, seat, **options)
        layout = self._seats.game.layout
        self.single_observation_space = layout.observation_space()
        self.single_action_space = spaces.Discrete(layout.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def action_masks(self) -> NDArray[np.int8]:
        """Masks of the learner's decisions, int8 (n, A), 1 = legal."""
        return self._seats.batch.turns().action_mask.copy()

    def reset(
        self, *, seed: int | list[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Deal all games anew; the same seed gives the same games, seats and opponents' choices."""
        if isinstance(seed, list):
            raise ValueError("give one seed for all games, not a list")
        super().reset(seed=seed)
        self._seats.batch.reset(int(self.np_random.integers(2**62)))
        self._deal(list(range(self.num_envs)))
        return self._turn()

    def step(
        self, actions: ArrayLike
    ) -> tuple[
        NDArray[np.int8], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]
    ]:
        """Act for the learner in every game.

        Raises IllegalActionError, ValueError or TypeError; then no game has changed.
        """
        seats = self._seats
        chosen = np.asarray(actions)
        if (chosen < 0).any():
            raise ValueError(f"actions must be ids of the layout, given {chosen.min()}")
        seats.rewards[:] = 0.0
        seats.step(chosen)
        seats.play_on(self.np_random)
        rewards, over = seats.rewards.copy(), seats.decided()
        cut = seats.batch.truncated
        terminated, truncated = over & ~cut, over & cut
        info: dict[str, Any] = {}
        if over.any():
            final = np.full(self.num_envs, None, dtype=object)
            for i in np.flatnonzero(over):
                final[i] = seats.observation(int(i))
            info = {"final_obs": final, "_final_obs": over, "final_info": {}, "_final_info": over}
            self._deal([int(i) for i in np.flatnonzero(over)])
        observation, masks = self._turn()
        return observation, rewards, terminated, truncated, {**info, **masks}

    def _deal(self, indices: list[int]) -> None:
        while indices:
            for i in indices:
                self._seats.deal(i, self.np_random)
            self._seats.play_on(self.np_random)
            over = self._seats.decided()
            indices = [i for i in indices if over[i]]

    def _turn(self) -> tuple[NDArray[np.int8], dict[str, Any]]:
        turns = self._seats.batch.turns(copy=True)
        return turns.observation, {"action_mask": turns.action_mask}


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
        self._seats = _Seats(game, 1, opponents, seat, **options)
        layout = self._seats.game.layout
        self.observation_space = layout.observation_space()
        self.action_space = spaces.Discrete(layout.num_actions)
        self._over = True

    def action_masks(self) -> NDArray[np.int8]:
        """Mask of the learner's decision, int8 (A,), 1 = legal; all zero after the end."""
        mask = self._seats.batch.turns().action_mask[0].copy()
        return np.zeros_like(mask) if self._over else mask

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Deal a game and play to the learner's first decision."""
        super().reset(seed=seed)
        self._seats.batch.reset(int(self.np_random.integers(2**62)))
        self._over = False
        while True:
            self._seats.deal(0, self.np_random)
            self._seats.play_on(self.np_random)
            if not self._seats.decided()[0]:
                return self._turn()

    def step(self, action: np.int64) -> tuple[NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        """Act for the learner, then let the others play.

        Raises IllegalActionError or TypeError, and RuntimeError after the end; the game is then
        unchanged.
        """
        if self._over:
            raise RuntimeError("the game is over, or was never dealt: call reset()")
        chosen = np.asarray([action])
        if chosen.shape == (1,) and chosen.dtype.kind in "iu" and chosen[0] < 0:
            raise ValueError(f"an action is an id of the layout, given {action!r}")
        seats = self._seats
        seats.rewards[:] = 0.0
        seats.step(chosen)
        seats.play_on(self.np_random)
        self._over = bool(seats.decided()[0])
        cut = bool(seats.batch.truncated[0])
        observation, info = self._turn()
        reward = float(seats.rewards[0])
        return observation, reward, self._over and not cut, self._over and cut, info

    def render(self) -> str | None:
        record = self._seats.batch.state_of(0)[0]
        text = str(self._seats.game.telling.render(record, int(self._seats.seats[0])))
        if self.render_mode == "human":
            print(text)
            return None
        return text

    def _turn(self) -> tuple[NDArray[np.int8], dict[str, Any]]:
        return self._seats.observation(0), {"action_mask": self.action_masks()}
