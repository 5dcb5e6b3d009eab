"""OpenSpiel: every game here as an OpenSpiel game, on the same rules, with chance as nodes.

    import pyspiel
    import kuku_env.integrations.open_spiel  # registers python_kuku_doubt, python_doubt, ...

    game = pyspiel.load_game("python_liars_cry(preset=tiny)")

Needs the extra ``open-spiel``. A game's parameters are its options. OpenSpiel knows no None and no
tuples: None is -1 (or an empty text), a tuple is a text such as ``[2 3 4 6]``. ``preset`` names a
preset, on top of which every parameter counts that differs from its default.

Information states are whole seat streams (perfect recall), observations the bounded summary that
networks play from. Rewards come at the end.
"""

from __future__ import annotations

import dataclasses
import json
import typing
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kuku_env.core.game import Game, OptionError, check_int
from kuku_env.envs.match import Match
from kuku_env.games import games

try:
    import pyspiel
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        f"{__name__} needs OpenSpiel ({missing}): pip install 'kuku-env[open-spiel]'"
    ) from missing

# Rows of an information state tensor, where the parameter ``history`` says nothing else.
DEFAULT_HISTORY = 16
MAX_HISTORY = 1000
# Most decisions past ``max_decisions``: a play that has begun is finished and answered first.
_TAIL = 256


def short_name(game: Game) -> str:
    """The name that OpenSpiel knows a game by, such as ``python_liars_cry``."""
    return "python_" + game.name.replace("-", "_")


# ---- parameters


def _is_tuple(game: Game, name: str) -> bool:
    hint = typing.get_type_hints(game.options)[name]
    return any(typing.get_origin(part) is tuple for part in (hint, *typing.get_args(hint)))


def _as_parameter(game: Game, name: str, value: Any) -> Any:
    if _is_tuple(game, name):
        return "" if value is None else "[" + " ".join(map(str, value)) + "]"
    return -1 if value is None else value


def _as_option(game: Game, name: str, value: Any) -> Any:
    """The option that a parameter stands for. Raises OptionError for a text that is no tuple."""
    if not _is_tuple(game, name):
        may_be_none = type(None) in typing.get_args(typing.get_type_hints(game.options)[name])
        return None if may_be_none and value == -1 else value
    if value == "":
        return None
    try:
        return tuple(int(part) for part in value.strip("[] ").split())
    except ValueError:
        raise OptionError(name, value, "numbers in brackets, such as [2 3 4 6]") from None


def parameters(game: Game) -> dict[str, Any]:
    """The parameters of a game with their defaults, as OpenSpiel takes them."""
    options = {
        field.name: _as_parameter(game, field.name, field.default)
        for field in dataclasses.fields(game.options)
    }
    return {"preset": "", "history": DEFAULT_HISTORY, **options}


def options_of(game: Game, given: dict[str, Any]) -> Any:
    """The options that OpenSpiel's parameters stand for. Raises OptionError."""
    defaults = parameters(game)
    changed = {
        name: _as_option(game, name, value)
        for name, value in given.items()
        if name not in ("preset", "history") and value != defaults[name]
    }
    return game.make_options(given.get("preset") or None, **changed)


# ---- the game


def _game_type(game: Game) -> Any:
    kinds = pyspiel.GameType
    return kinds(
        short_name=short_name(game),
        long_name=game.id,
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kinds.Information.IMPERFECT_INFORMATION,
        utility=kinds.Utility.ZERO_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=game.max_players,
        min_num_players=game.min_players,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=parameters(game),
    )


def _game_info(game: Game, options: Any) -> Any:
    # Rewards are within one unless the options say how far they reach.
    bound = float(getattr(options, "most_reward", 1.0))
    return pyspiel.GameInfo(
        num_distinct_actions=game.layout.num_actions,
        max_chance_outcomes=game.max_outcomes,
        num_players=options.num_players,
        min_utility=-bound,
        max_utility=bound,
        utility_sum=0.0,
        max_game_length=options.max_decisions + _TAIL,
    )


class SpielGame(pyspiel.Game):
    """One of our games with its options; made by ``pyspiel.load_game``.

    Raises OptionError for parameters that are no allowed options.
    """

    rules: Game  # of the subclass that register() makes
    kind: Any

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = dict(params or {})
        self.history = given.get("history", DEFAULT_HISTORY)
        check_int("history", self.history, 1, MAX_HISTORY)
        options = options_of(self.rules, given)
        # One match for all initial states: options need to be checked only once.
        self.start = Match(self.rules, explicit_chance=True, **vars(options))
        super().__init__(self.kind, _game_info(self.rules, options), given)

    def new_initial_state(self) -> SpielState:
        return SpielState(self)

    def make_py_observer(
        self, iig_obs_type: Any = None, params: dict[str, Any] | None = None
    ) -> SpielObserver:
        """An observer of one seat. Raises ValueError for other kinds of observation."""
        if params:
            raise ValueError(f"observers take no parameters, given {params}")
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        own = pyspiel.PrivateInfoType.SINGLE_PLAYER
        if not kind.public_info or kind.private_info != own:
            raise ValueError(
                "what a seat may know is public and its own, together: given "
                f"public_info={kind.public_info}, private_info={kind.private_info}"
            )
        return SpielObserver(self.rules, self.history if kind.perfect_recall else 0)


class _Table:
    """A match and its records at past decisions; copies share what will not change."""

    def __init__(self, match: Match, past: tuple[NDArray[Any], ...] = ()) -> None:
        self.match, self.past = match, past

    def move(self, move: int) -> None:
        match = self.match
        if match.at_chance:
            match.resolve(move)
            return
        before = match.S.copy()
        match.step(move)
        self.past = (*self.past, before)

    def __deepcopy__(self, memo: dict[int, Any]) -> _Table:
        return _Table(self.match.clone(), self.past)


class SpielState(pyspiel.State):
    """A position; ``match`` is ours, to be read."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self._table = _Table(game.start.clone())

    @property
    def match(self) -> Match:
        return self._table.match

    def current_player(self) -> int:
        if self.match.over:
            return int(pyspiel.PlayerId.TERMINAL)
        return int(pyspiel.PlayerId.CHANCE) if self.match.at_chance else self.match.to_act

    def _legal_actions(self, player: int) -> list[int]:
        return self.match.legal_actions() if player == self.match.to_act else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return self.match.chance_outcomes()

    def _apply_action(self, action: int) -> None:
        self._table.move(int(action))

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"chance {action}"
        match = self.match
        return str(match.game.telling.action_text(action, player, match.num_players))

    def is_terminal(self) -> bool:
        return self.match.over

    def returns(self) -> list[float]:
        """Of the whole game, at its end; zeros before (OpenSpiel: reward model TERMINAL)."""
        match = self.match
        return match.returns.tolist() if match.over else [0.0] * match.num_players

    def __str__(self) -> str:
        match = self.match
        moves = " ".join(map(str, match.moves))
        return f"moves: {moves}\n{match.game.telling.render(match.record, None)}"


# ---- observers


class SpielObserver:
    """What one seat knows: ``tensor`` float32, its parts by name in ``dict``, and a string.

    Without ``history`` the observation: each field of the layout, every cell by its highest value.
    With it the information state: the seat, and what it observed at past decisions (its own and
    others', repetitions left out), in rows, the newest first; what is older than ``history`` rows
    is left out, and so is what no observation tells, such as the order in which two cards came.
    The string is complete.
    """

    def __init__(self, game: Game, history: int) -> None:
        self._game, self._history = game, history
        layout = game.layout
        if history:
            parts = [("seat", (game.max_players,)), ("observations", (history, layout.size))]
        else:
            parts = [(field.name, field.shape) for field in layout.fields]
        sizes = [int(np.prod(shape)) for _, shape in parts]
        self.tensor = np.zeros(sum(sizes), np.float32)
        cuts = np.split(self.tensor, np.cumsum(sizes)[:-1])
        self.dict = {
            name: cut.reshape(shape) for (name, shape), cut in zip(parts, cuts, strict=True)
        }

    def set_from(self, state: SpielState, player: int) -> None:
        """Write the tensor as ``player`` knows ``state``."""
        self.tensor.fill(0.0)
        scale = self._game.layout.scale
        if not self._history:
            self.tensor[:] = state.match.observe(player)[0] * scale
            return
        self.dict["seat"][player] = 1.0
        rows = self.dict["observations"]
        for row, cells in enumerate(self._newest(state._table, player)):
            rows[row] = cells * scale

    def string_from(self, state: SpielState, player: int) -> str:
        match = state.match
        if self._history:
            return match.information_state(player)
        return json.dumps(match.view(player), separators=(",", ":"))

    def _newest(self, table: _Table, player: int) -> list[NDArray[np.int8]]:
        """The seat's observations, newest first, as far as they differ from the one before.

        Others may decide unseen; only what changes the observation is known to have happened.
        """
        layout, observe = self._game.layout, self._game.kernels.observe
        mask = np.empty(layout.num_actions, np.int8)
        found: list[NDArray[np.int8]] = []
        for S in (table.match.S, *reversed(table.past)):
            cells = np.empty(layout.size, np.int8)
            observe(S, 0, player, cells, mask)
            if not found or not np.array_equal(cells, found[-1]):
                found.append(cells)
            if len(found) == self._history:
                break
        return found


def register(game: Game) -> str:
    """Make a game known to OpenSpiel, once; its name there."""
    name = short_name(game)
    if name not in pyspiel.registered_names():
        kind = _game_type(game)
        made = type("SpielGame_" + name, (SpielGame,), {"rules": game, "kind": kind})
        pyspiel.register_game(kind, made)
    return name


for _game in games():
    register(_game)
