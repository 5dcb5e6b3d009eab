"""The contract between a game and everything that stands on it.

A game is its rules on structured records, compiled; a layout; and the words that tell what
happened. Environments, bots, arena and protocol know only what is declared here.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from kuku_env.core.chance import generator_states
from kuku_env.core.layout import Layout


class OptionError(ValueError):
    """An option was given a value that is not allowed."""

    def __init__(self, name: str, value: Any, allowed: str) -> None:
        super().__init__(f"option {name!r} was given {value!r}; allowed: {allowed}")
        self.name, self.value, self.allowed = name, value, allowed

    def __reduce__(self) -> tuple[Any, ...]:
        return OptionError, (self.name, self.value, self.allowed)


def check_int(name: str, value: Any, low: int, high: int) -> None:
    """Raise OptionError unless value is an integer from low to high."""
    is_int = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not is_int or not low <= value <= high:
        raise OptionError(name, value, f"an integer from {low} to {high}")


def check_choice(name: str, value: Any, choices: Sequence[Any]) -> None:
    """Raise OptionError unless value is one of the choices, of the same type."""
    if not any(type(value) is type(choice) and value == choice for choice in choices):
        raise OptionError(name, value, " or ".join(map(repr, choices)))


# What a game's kernel ``step`` returns.
ILLEGAL, PLAYED, FATES_KNOWN = 0, 1, 2


def record_type(fields: Sequence[Any]) -> np.dtype[Any]:
    """The dtype of a game's record, from its fields.

    They are ordered by size and filled up at the end, so that there are no holes: holes are not
    copied with an array, and equal games shall be equal byte for byte.
    """
    ordered = sorted(fields, key=lambda field: -np.dtype(field[1]).itemsize)
    left = -np.dtype(ordered).itemsize % 8
    if left:
        ordered.append(("unused", np.int8, left))
    return np.dtype((np.record, np.dtype(ordered, align=True)))


def rows(array: NDArray[Any]) -> NDArray[Any]:
    """A contiguous array (n, D) as n records whose one field, ``cells``, is a row.

    Compiled code that takes a row in this form knows its length and counts no references, which
    makes the loops over games a third faster.
    """
    return array.view(_row_type(array.dtype, array.shape[1]))[:, 0]


@cache
def _row_type(dtype: np.dtype[Any], size: int) -> np.dtype[Any]:
    return np.dtype((np.record, np.dtype([("cells", dtype, (size,))])))


class IllegalActionError(ValueError):
    """An action that the rules do not allow now; the game has not changed."""


class Policy(Protocol):
    """A bot: stateless, all memory is in the observation."""

    name: str

    def probabilities(
        self, observation: NDArray[np.int8], action_mask: NDArray[np.int8]
    ) -> NDArray[np.float32]:
        """Probability of every action, float32 (N, A), exactly 0 where illegal.

        ``observation`` int8 (N, D), ``action_mask`` int8 (N, A). Raises ValueError for other shapes
        or types, and for a row without a legal action.
        """


class Kernels(Protocol):
    """Compiled functions on an array of records; see a game's ``kernels.py``.

    Every record has the fields ``rng`` (generator state), ``explicit_chance``, ``phase`` (decisions
    first, then ``Game.over`` and ``Game.chance``), ``turn`` (the seat that decides), ``decisions``,
    ``truncated``, ``rewards`` (of the last step, by seat), ``returns`` (of the whole game so far),
    ``place`` (0 while a seat's fate is open), ``log`` and ``logged`` (what the last step brought).

    ``observe`` and ``secrets`` write arrays of one dimension; the ranges write ``rows``. A game may
    be over once it is dealt: ``step_range`` with ``autoreset`` deals until somebody is asked.
    """

    deal: Any
    step: Any
    resolve: Any
    chance_weights: Any
    observe: Any
    secrets: Any
    step_range: Any
    observe_range: Any
    secrets_range: Any
    serve: Any


class Telling(Protocol):
    """Words of a game: views, events and texts; see a game's ``view.py``."""

    def view(self, record: Any, seat: int, rules: Mapping[str, Any]) -> dict[str, Any]:
        """Everything one seat knows, as plain JSON (FORMATS: view)."""

    def happenings(self, record: Any, rows: Sequence[Sequence[int]]) -> list[dict[str, Any]]:
        """The events told by log rows that led to a record, complete (FORMATS: game record)."""

    def seat_event(self, event: Mapping[str, Any], seat: int) -> dict[str, Any] | None:
        """An event as one seat may read it (FORMATS: seat stream).

        None: the seat may not even know that it happened, and its stream leaves it out.
        """

    def view_of_stream(self, events: Iterable[Any]) -> dict[str, Any]:
        """The view of the seat whose stream this is. Raises ViewError for a malformed stream."""

    def outcomes(self, record: Any, event: Mapping[str, Any]) -> list[int]:
        """The outcomes of chance that an event tells, in order."""

    def action_text(self, action: int, seat: int, num_players: int) -> str:
        """The text of an action id for the seat that acts."""

    def action_id(self, text: str, seat: int, num_players: int) -> int:
        """The action id of a text. Raises ValueError for a text that is none."""

    def render(self, record: Any, seat: int | None) -> str:
        """The table in text: one seat's view, or everything."""


@dataclass(frozen=True)
class Words:
    """A game's actions and events for people, in English and Japanese.

    ``actions``: a pattern of an action's text, and the words for it with what the pattern caught.
    ``events``: the type of an event, what its ``truth`` is (None: whatever it is), and the words
    with the event's parts; of several that fit, the first whose parts the event has.
    """

    actions: Sequence[tuple[str, str, str]] = ()
    events: Sequence[tuple[str, bool | None, str, str]] = ()


@dataclass(frozen=True)
class Repair:
    """What an irregular act of a person stands for, where a game's rules repair it.

    ``acts``: legal acts in their order; none: it is undone. ``words``: why, in English and
    Japanese. ``within``: a key of the view; once its value changes, what is left is dropped.
    """

    acts: tuple[str, ...]
    words: tuple[str, str]
    within: str | None = None

    def due(self, before: Mapping[str, Any], now: Mapping[str, Any], done: int) -> str | None:
        """The act that follows ``done`` of them; None: none now, or none any more (``dropped``).

        ``before`` and ``now``: the seat's views when it acted, and at present.
        """
        if done == len(self.acts) or self.dropped(before, now):
            return None
        return self.acts[done] if self.acts[done] in now["legal"] else None

    def dropped(self, before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
        return self.within is not None and before[self.within] != now[self.within]


@dataclass(frozen=True)
class Measure:
    """A share that tells of a seat's style: ``sum(part) / sum(whole)`` over games.

    ``part`` and ``whole`` are names among the game's ``tallies``; what is in ``part`` is in
    ``whole``. ``meaning`` says in words what the share is.
    """

    name: str
    meaning: str
    part: tuple[str, ...]
    whole: tuple[str, ...]


@dataclass(frozen=True)
class Belief:
    """Something hidden that a bot may tell what it believes of.

    ``name`` is a field of the game's secrets that holds the truth: one cell that is true or not, or
    one cell for each of several possibilities. ``when`` is an action block: whoever may choose one
    of its actions has this to believe something of, and nobody else.
    """

    name: str
    when: str


@dataclass(frozen=True)
class Game:
    """A game, complete.

    ``id`` is the registered name (``namespace/Name-vN``), ``name`` the short one for command lines,
    ``options`` a frozen dataclass that checks itself: its fields, ``num_players`` among them, carry
    ``doc``, its ``write(record)`` sets the option fields of a record, and ``most_reward`` tells
    how far from zero a reward can be, where that is more than 1;
    ``state`` the record's dtype, ``layout`` what a seat observes, ``secrets`` what is hidden,
    ``decision_phases`` the first so many phase numbers, in which a player decides; ``over`` and
    ``chance`` the other two; ``max_outcomes`` bounds the outcomes of a chance event;
    ``words`` what people read, ``scripted`` its scripts by name, ``information_sets`` the sizes of
    presets that are small enough to solve.

    A game whose records count what each seat did in public, in a field ``tallies`` (seats, T),
    names these counts in ``tallies``, and in ``measures`` the shares that they give. A count that
    stops somewhere says so in ``tally_limit``.

    ``beliefs``: what bots may tell of the hidden cards, under these names.

    A game whose rules make something of what people do wrongly has ``repair``: what an act stands
    for, by the view of the seat that did it and the text of any action, legal or not. It raises
    ValueError for another text.
    """

    id: str
    name: str
    options: type[Any]
    presets: Mapping[str, Mapping[str, Any]]
    state: np.dtype[Any]
    layout: Layout
    secrets: Layout
    kernels: Any
    telling: Telling
    min_players: int
    max_players: int
    max_outcomes: int
    over: int
    chance: int
    words: Words = Words()
    scripted: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    information_sets: Mapping[str, int] = dataclasses.field(default_factory=dict)
    tallies: tuple[str, ...] = ()
    measures: tuple[Measure, ...] = ()
    tally_limit: int | None = None
    repair: Callable[[Mapping[str, Any], str], Repair] | None = None
    beliefs: tuple[Belief, ...] = ()

    def __post_init__(self) -> None:
        counted = self.state["tallies"].shape[-1] if "tallies" in (self.state.names or ()) else 0
        if self.tallies and len(self.tallies) != counted:
            raise ValueError(
                f"{self.id}: its records must count {list(self.tallies)}, given {counted} counts"
            )
        for measure in self.measures:
            if not set(measure.part) <= set(measure.whole) <= set(self.tallies):
                raise ValueError(
                    f"{self.id}: the part of measure {measure.name!r} must be in its whole, and "
                    f"that among {list(self.tallies)}"
                )
        for belief in self.beliefs:
            known = belief.name in self.secrets.offsets, belief.when in self.layout.action_offsets
            if not all(known):
                raise ValueError(
                    f"{self.id}: belief {belief} must name a field among "
                    f"{list(self.secrets.offsets)} and an action block among "
                    f"{list(self.layout.action_offsets)}"
                )

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles are the game of that id itself: its code is no data."""
        return known_game, (self.id,)

    def make_options(self, preset: str | None = None, /, **options: Any) -> Any:
        """Options from a preset and changes to it.

        Raises OptionError for an unknown preset or option, or a value that is not allowed.
        """
        if preset is not None and preset not in list(self.presets):
            raise OptionError("preset", preset, f"None or one of {sorted(self.presets)}")
        known = [f.name for f in dataclasses.fields(self.options)]
        for name, value in options.items():
            if name not in known:
                raise OptionError(name, value, f"the options of {self.id} are {known}")
        base = dict(self.presets[preset]) if preset is not None else {}
        return self.options(**{**base, **options})

    def spec(self) -> dict[str, Any]:
        """What front ends need to know of the game, as plain JSON: options, presets, layout."""
        described = [
            {"name": f.name, "default": f.default, "doc": f.metadata["doc"]}
            for f in dataclasses.fields(self.options)
        ]
        spec = {
            "format": 1,
            "game": self.id,
            "name": self.name,
            "min_players": self.min_players,
            "max_players": self.max_players,
            "options": described,
            "presets": dict(self.presets),
            "layout": self.layout.to_json(),
        }
        return dict(json.loads(json.dumps(spec)))  # tuples become lists

    def new_states(self, options: Sequence[Any], *, explicit_chance: bool = False) -> NDArray[Any]:
        """Records with these options (one each), not yet dealt, shape (len(options),)."""
        S = np.zeros(len(options), self.state)
        for record, chosen in zip(S, options, strict=True):
            chosen.write(record)
            record.explicit_chance = explicit_chance
        return S

    def deal(self, S: NDArray[Any], i: int, seed: int | None) -> None:
        """Start game i anew from a seed."""
        S[i].rng = generator_states(seed, 1)[0]
        self.kernels.deal(S, i)


# Filled by kuku_env.games, which finds them.
KNOWN_GAMES: dict[str, Game] = {}


def known_game(game_id: str) -> Game:
    """The game of an id. Raises KeyError for an unknown one."""
    if game_id not in KNOWN_GAMES:
        raise KeyError(f"unknown game {game_id!r}; known: {sorted(KNOWN_GAMES)}")
    return KNOWN_GAMES[game_id]
