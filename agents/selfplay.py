"""Self-play: one network plays every seat of many games and learns from all of its decisions.

Policy gradient with clipped ratios (PPO), pulled towards the network's reference policy: strongly
at first, weakly in the end. Without that pull, bluffing games collapse: nobody ever accepts a
claim, so nobody learns to claim, so accepting loses. For the same reason scripted bots take part
(see ``agents.cast``).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from agents.cast import Cast
from agents.experience import Experience, turned
from agents.guesses import guess_losses
from agents.habits import Habits
from agents.network import PolicyValueNetwork, sample
from agents.options import Options
from agents.reference import Reference
from kuku_env.core.game import Game
from kuku_env.core.parallel import run_ranges
from kuku_env.envs.batch import BatchEnv
from kuku_env.games import find_game


class _Part(NamedTuple):
    """What one thread found out about its part of a minibatch."""

    gradients: tuple[Tensor, ...]
    losses: dict[str, float]


class SelfPlay:
    """The learner. ``update`` plays and learns one round; ``progress`` says how far the run is.

    Attributes: ``network`` (learns), ``average`` (its average over time), ``decisions`` (learned
    from so far, each counted once), ``updates``, ``seconds`` (spent so far), ``env``, ``cast``,
    ``experience`` and ``random`` (the games, who plays in them, what is still to be learned from,
    and the generator of all that is drawn here).

    Raises OptionError for table options that are not allowed, BotError for an unknown bot, or one
    that does not play at these tables.
    """

    name = "self-play"

    def __init__(self, options: Options) -> None:
        self.options = options
        self.game: Game = find_game(options.game)
        torch.manual_seed(options.seed)
        # Threads of our own share the work: torch's wait for each other at every operation.
        torch.set_num_threads(1)
        shape = self.game, options.widths, options.critic_sees
        self.network, self.average = PolicyValueNetwork(*shape), PolicyValueNetwork(*shape)
        self.average.load_state_dict(self.network.state_dict())
        self.optimiser = torch.optim.Adam(
            self.network.parameters(), options.learning_rate, fused=True
        )
        self.decisions, self.updates, self.seconds = 0, 0, 0.0
        self.random = torch.Generator().manual_seed(options.seed)
        self.env = BatchEnv(
            self.game, options.games, threads=options.threads, tables=options.tables()
        )
        self._turns = self.env.reset(seed=options.seed)
        tables = self.env.options
        magnets = options.magnet.split(",") if options.magnet is not None else []
        self._reference = Reference(magnets, options.magnet_share, self.game, tables)
        self.cast = Cast(options, self.game, tables, options.seed)
        self.experience = Experience(options.steps, self.env.num_players, self.game)
        # Of the newest decisions.
        self._chances = torch.zeros(options.games, self.game.layout.num_actions)

    @property
    def num_players(self) -> NDArray[np.int64]:
        """Table size of each game, int64 (games,)."""
        return self.env.num_players

    def progress(self) -> float:
        """How much of the run is done, from 0 to 1."""
        done = self.decisions / self.options.decisions
        if self.options.minutes is not None:
            done = max(done, self.seconds / (60 * self.options.minutes))
        return min(1.0, done)

    def pull(self) -> float:
        """The present weight of the pull to the reference policy."""
        start, end = self.options.pull_start, self.options.pull_end
        return float(start * (end / start) ** self.progress())

    def update(self, habits: Habits | None = None) -> dict[str, float]:
        """Play one round and learn from it; means of the losses and the pull, by name.

        ``habits`` counts what is done in games without scripted moves.
        """
        began = time.perf_counter()
        self._collect(habits)
        self.experience.credit(self.options.trace, self._hopes())
        losses = self._learn()
        self.experience.carry_over()
        self._follow()
        losses["pull"] = self.pull()
        if self.updates:  # the first round may have to compile the game
            self.seconds += time.perf_counter() - began
        self.updates += 1
        return losses

    # ------------------------------------------------------------ playing

    @torch.no_grad()
    def _collect(self, habits: Habits | None) -> None:
        e, threads = self.experience, self.options.threads
        for row in range(e.seats, e.seats + self.options.steps):
            turns = self._turns
            e.secrets[row] = torch.from_numpy(self.env.secrets())
            scripted, moves = self.cast.scripted(turns)
            own = torch.from_numpy(np.flatnonzero(~scripted))
            draws = torch.rand(len(own), generator=self.random)
            run_ranges(partial(self._decide, row, own, draws), len(own), threads)
            e.seat[row] = torch.from_numpy(turns.seat)
            e.live[row] = torch.from_numpy(~scripted)
            e.fair[row] = torch.from_numpy(self.cast.fair)
            actions = e.action[row].numpy()
            actions[scripted] = moves
            if habits is not None:
                secrets, pure = e.secrets[row].numpy(), ~self.cast.mixed
                habits.watch(turns, secrets, self._chances, actions, pure)
            turns = self.env.step(actions)
            if habits is not None:
                habits.count_ends(turns.over, ~self.cast.mixed)
            e.note(row, turns.rewards, turns.over)
            self.cast.next_games(turns.over)

    @torch.no_grad()
    def _decide(self, row: int, own: Tensor, draws: Tensor, start: int, stop: int) -> None:
        """Decide in the games ``own[start:stop]``, and write it into a row of the experience."""
        e, games = self.experience, own[start:stop]
        observation = self._turns.observation[games.numpy()]
        action_mask = self._turns.action_mask[games.numpy()]
        seen = self.network.look(torch.from_numpy(observation))
        legal = torch.from_numpy(action_mask)
        choice = self.network.choose(seen, legal)
        action = sample(choice.probabilities, draws[start:stop])
        chosen = choice.log_probabilities.gather(1, action[:, None]).squeeze(1)
        e.observation[row, games] = torch.from_numpy(observation)
        e.action_mask[row, games] = legal
        e.action[row, games] = action
        e.value[row, games] = self.network.expect(seen, e.secrets[row, games])
        e.log_probability[row, games] = chosen
        e.log_reference[row, games] = self._reference.log_probabilities(
            games.numpy(), observation, action_mask, self.network.even(legal)
        )
        self._chances[games] = choice.probabilities

    @torch.no_grad()
    def _hopes(self) -> Tensor:
        """Each absolute seat's chance to win the games as they stand, float32 (games, seats)."""
        e, turns = self.experience, self._turns

        def guess(start: int, stop: int) -> Tensor:
            observation = torch.from_numpy(turns.observation[start:stop])
            seats = self.network.guess(self.network.look(observation), observation).seats
            return torch.softmax(seats, 1)

        relative = torch.cat(run_ranges(guess, self.options.games, self.options.threads))
        return turned(relative, -torch.from_numpy(turns.seat).long(), e.num_players)

    # ------------------------------------------------------------ learning

    def _learn(self) -> dict[str, float]:
        e, options = self.experience, self.options
        for group in self.optimiser.param_groups:
            group["lr"] = options.learning_rate * (1 - 0.9 * self.progress())
        ready = e.closed.flatten().nonzero().squeeze(1)
        if not len(ready):
            return {}
        gradients = partial(self._gradients, self.pull(), self._stakes())
        sums: dict[str, float] = {}
        steps = 0
        for _ in range(options.passes):
            shuffled = ready[torch.randperm(len(ready), generator=self.random)]
            for some in shuffled.tensor_split(max(1, round(len(ready) / options.minibatch))):
                for name, loss in self._descend(some, gradients).items():
                    sums[name] = sums.get(name, 0.0) + loss
                steps += 1
        self.decisions += len(ready)
        return {name: total / steps for name, total in sums.items()}

    def _descend(self, some: Tensor, gradients: Callable[..., _Part]) -> dict[str, float]:
        """One step of the optimiser on these decisions, each thread on its part; the losses."""
        parts = run_ranges(partial(gradients, some), len(some), self.options.threads)
        for index, parameter in enumerate(self.network.parameters()):
            parameter.grad = torch.stack([part.gradients[index] for part in parts]).sum(0)
        nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.optimiser.step()
        return {name: sum(part.losses[name] for part in parts) for name in parts[0].losses}

    def _gradients(self, pull: float, stakes: Tensor, some: Tensor, start: int, stop: int) -> _Part:
        """The share of decisions ``start`` to ``stop`` among ``some`` in gradients and losses."""
        share = (stop - start) / len(some)
        losses = self._losses(some[start:stop], pull, stakes)
        gradients = torch.autograd.grad(losses["loss"] * share, list(self.network.parameters()))
        told = {name: float(loss.detach()) * share for name, loss in losses.items()}
        return _Part(gradients, told)

    def _stakes(self) -> Tensor:
        """How much a decision matters at each game's table, float32 (games,): a typical advantage.

        One among many decisions at a large table changes little, and the pull would drown it.
        """
        e, sizes = self.experience, torch.from_numpy(self.env.num_players)
        stakes = torch.ones(len(sizes))
        for size in sizes.unique():
            here = sizes == size
            found = e.advantage[:, here][e.closed[:, here]]
            stakes[here] = found.square().mean().sqrt().nan_to_num(1.0).clamp(min=0.01)
        return stakes

    def _losses(self, some: Tensor, pull: float, stakes: Tensor) -> dict[str, Tensor]:
        """Losses over the decisions with these flat indices, ``loss`` the one to minimise."""
        e = self.experience

        def pick(tensor: Tensor) -> Tensor:
            return tensor.flatten(0, 1).index_select(0, some)

        observation, action_mask = pick(e.observation), pick(e.action_mask)
        seen = self.network.look(observation)
        choice = self.network.choose(seen, action_mask)
        advantage = pick(e.advantage)
        target = advantage + pick(e.value)
        advantage = advantage / stakes[some % len(stakes)]
        logs = choice.log_probabilities
        chosen = logs.gather(1, pick(e.action)[:, None]).squeeze(1)
        ratio = (chosen - pick(e.log_probability)).exp()
        clipped = ratio.clamp(1 - self.options.clip, 1 + self.options.clip)
        policy = -torch.minimum(ratio * advantage, clipped * advantage).mean()
        away = choice.probabilities * (logs - pick(e.log_reference))
        divergence = away.sum(1).mean()
        value = (self.network.expect(seen, pick(e.secrets)) - target).square().mean()
        loss = policy + pull * divergence + self.options.value_weight * value
        told = {"policy": policy, "divergence": divergence, "value": value}
        for name, guess in self._guess_losses(some, seen, observation, action_mask).items():
            loss = loss + self.options.guess_weight * guess
            told[f"guess_{name}"] = guess
        return {"loss": loss, **told}

    def _guess_losses(
        self, some: Tensor, seen: Tensor, observation: Tensor, action_mask: Tensor
    ) -> dict[str, Tensor]:
        """Means over these decisions, in which only those count that were made among equals: a
        bot's guesses are about tables of its like."""
        e = self.experience
        fair = e.fair.flatten().index_select(0, some).nonzero().squeeze(1)

        def pick(tensor: Tensor) -> Tensor:
            return tensor.flatten(0, 1).index_select(0, some[fair])

        guesses = self.network.guess(seen[fair], observation[fair])
        known = pick(e.action), action_mask[fair], pick(e.outcome), pick(e.secrets)
        losses = guess_losses(self.game, guesses, *known)
        return {name: loss.sum() / len(some) for name, loss in losses.items()}

    @torch.no_grad()
    def _follow(self) -> None:
        """Move the average towards the network: it forgets as slowly as the run is long."""
        weight = 1 / (1 + self.options.average * self.updates)
        pairs = zip(self.average.parameters(), self.network.parameters(), strict=True)
        for average, newest in pairs:
            average.lerp_(newest, weight)
