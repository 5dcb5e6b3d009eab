"""Match: one game with its whole history, for records, solvers, servers and the AEC environment."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kuku_env.core.chance import generator_states
from kuku_env.core.game import FATES_KNOWN, ILLEGAL, Game, IllegalActionError
from kuku_env.games import find_game

_FAR = 1 << 30  # no game has so many actions; compiled code takes machine integers


class Match:
    """One game: its record, and the moves (actions and explicit chance outcomes) that led to it.

    With ``explicit_chance`` the game stops at every random event until ``resolve`` is given its
    outcome; otherwise chance comes from the seed. Copies and pickles continue the same game.

    Raises OptionError for options that are not allowed.
    """

    def __init__(
        self,
        game: str | Game,
        *,
        seed: int | None = None,
        explicit_chance: bool = False,
        preset: str | None = None,
        **options: Any,
    ) -> None:
        self.game = find_game(game)
        self.options = self.game.make_options(preset, **options)
        self.S = self.game.new_states([self.options], explicit_chance=explicit_chance)
        self._step = self.game.kernels.step
        self.deal(seed)

    def deal(self, seed: int | None = None) -> None:
        """Start anew. Raises ValueError for a negative seed."""
        self.S[0].rng = generator_states(seed, 1)[0]
        self.seed = seed
        self.moves: list[int] = []
        self._first_rng = self.S[0].rng
        self.game.kernels.deal(self.S, 0)

    @property
    def record(self) -> Any:
        """The game's record; read it, never write it."""
        return self.S[0]

    @property
    def num_players(self) -> int:
        return int(self.options.num_players)

    @property
    def over(self) -> bool:
        return bool(self.record.phase == self.game.over)

    @property
    def at_chance(self) -> bool:
        """Whether an outcome of chance is waited for."""
        return bool(self.record.phase == self.game.chance)

    @property
    def to_act(self) -> int:
        """The seat that decides; -1 at a chance event and after the end."""
        return -1 if self.over or self.at_chance else int(self.record.turn)

    @property
    def returns(self) -> NDArray[np.float64]:
        """Rewards so far by seat, float64 (num_players,)."""
        return np.array(self.record.returns[: self.num_players])

    def observe(self, seat: int) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        """Observation and action mask of a seat, fresh int8 arrays; all-zero mask: not its turn."""
        observation = np.empty(self.game.layout.size, np.int8)
        mask = np.empty(self.game.layout.num_actions, np.int8)
        self.game.kernels.observe(self.S, 0, self._checked_seat(seat), observation, mask)
        return observation, mask

    def secrets(self, seat: int) -> NDArray[np.int8]:
        """What is hidden, by ``game.secrets``, seats relative to ``seat``: never for a bot."""
        out = np.empty(self.game.secrets.size, np.int8)
        self.game.kernels.secrets(self.S, 0, self._checked_seat(seat), out)
        return out

    def legal_actions(self) -> list[int]:
        """Legal action ids of the seat that decides, ascending; none where no seat decides."""
        if self.to_act < 0:
            return []
        return [int(action) for action in np.flatnonzero(self.observe(self.to_act)[1])]

    def step(self, action: int) -> bool:
        """Act for the seat that decides; whether somebody's fate became known by it.

        Raises IllegalActionError, or TypeError for what is no integer; the game is then unchanged.
        """
        if type(action) is not int:
            if isinstance(action, bool | np.bool_) or not isinstance(action, int | np.integer):
                raise TypeError(f"an action is an integer id of the layout, given {action!r}")
            action = int(action)
        status = self._step(self.S, 0, action if -1 <= action <= _FAR else -1)
        if status == ILLEGAL:
            raise self._illegal(action)
        self.moves.append(action)
        return bool(status == FATES_KNOWN)

    def act(self, text: str) -> None:
        """Act by text, such as ``claim 24``. Raises ValueError for a text that names no action."""
        if self.to_act < 0:
            raise self._illegal(text)
        self.step(self.game.telling.action_id(text, self.to_act, self.num_players))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Outcomes of the chance event that is waited for, with probabilities; none elsewhere."""
        if not self.at_chance:
            return []
        weights = self._chance_weights()
        total = float(weights.sum())
        return [(int(k), float(weights[k]) / total) for k in np.flatnonzero(weights)]

    def resolve(self, outcome: int) -> None:
        """Give the waiting chance event its outcome. Raises ValueError for an impossible one."""
        weights = self._chance_weights() if self.at_chance else np.zeros(0, np.int64)
        is_int = isinstance(outcome, int | np.integer) and not isinstance(outcome, bool)
        if not is_int or not 0 <= outcome < len(weights) or weights[outcome] == 0:
            allowed = np.flatnonzero(weights).tolist() or "none: no chance event is waited for"
            raise ValueError(f"chance outcome {outcome!r} is not possible; possible: {allowed}")
        self.game.kernels.resolve(self.S, 0, int(outcome))
        self.moves.append(int(outcome))

    def rules(self) -> dict[str, Any]:
        """All options as plain JSON values."""
        plain = json.loads(json.dumps(dataclasses.asdict(self.options)))
        return dict(plain)

    def view(self, seat: int) -> dict[str, Any]:
        """Everything one seat knows, as plain JSON."""
        found = self.game.telling.view(self.record, self._checked_seat(seat), self.rules())
        return dict(found)

    def events(self) -> list[dict[str, Any]]:
        """The game so far as a complete record: the first event names the game and its rules.

        While an explicit chance event is waited for, the last events may still grow.
        """
        past = self.clone()
        past.S[0].rng = self._first_rng
        kernels, rows = self.game.kernels, []
        kernels.deal(past.S, 0)
        rows += _log(past.record)
        told: list[dict[str, Any]] = []
        for move in self.moves:
            if past.at_chance:
                kernels.resolve(past.S, 0, move)
            else:
                told += self.game.telling.happenings(past.record, rows)
                rows = []
                kernels.step(past.S, 0, move)
            rows += _log(past.record)
        told += self.game.telling.happenings(past.record, rows)
        head = {"type": "game", "format": 1, "game": self.game.id, "rules": self.rules()}
        return [{**head, "seed": self.seed}, *told]

    def stream(self, seat: int) -> list[dict[str, Any]]:
        """The events as one seat reads them."""
        self._checked_seat(seat)
        read = (self.game.telling.seat_event(event, seat) for event in self.events())
        return [event for event in read if event is not None]

    def information_state(self, seat: int) -> str:
        """The whole seat stream as one line of JSON: perfect recall, for exact solvers."""
        return json.dumps(self.stream(seat), separators=(",", ":"))

    def clone(self) -> Match:
        """An independent match that continues the same game."""
        twin = object.__new__(Match)
        twin.__dict__.update(self.__dict__)
        twin.S, twin.moves = self.S.copy(), list(self.moves)
        return twin

    __copy__ = clone

    def __deepcopy__(self, memo: dict[int, Any]) -> Match:
        return self.clone()

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in self.__dict__.items() if k != "_step"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._step = self.game.kernels.step
        self.S = self.S.view(self.game.state)

    def _chance_weights(self) -> NDArray[np.int64]:
        weights = np.zeros(self.game.max_outcomes, np.int64)
        self.game.kernels.chance_weights(self.S, 0, weights)
        return weights

    def _checked_seat(self, seat: int) -> int:
        if isinstance(seat, bool) or not isinstance(seat, int | np.integer):
            raise TypeError(f"a seat is an integer, given {seat!r}")
        if not 0 <= seat < self.num_players:
            raise ValueError(f"seat must be from 0 to {self.num_players - 1}, given {seat}")
        return int(seat)

    def _illegal(self, action: Any) -> IllegalActionError:
        if self.over:
            return IllegalActionError(f"action {action!r}: the game is over")
        if self.at_chance:
            return IllegalActionError(f"action {action!r}: a chance event is waited for")
        seat, n, telling = self.to_act, self.num_players, self.game.telling
        legal = {a: telling.action_text(a, seat, n) for a in self.legal_actions()}
        return IllegalActionError(f"action {action!r} of seat {seat} is not legal; legal: {legal}")


def _log(record: Any) -> list[tuple[int, ...]]:
    return [tuple(int(cell) for cell in row) for row in record.log[: record.logged]]
