"""A crew: threads that share a job on many games, and stay in compiled code between two jobs.

A step of a few thousand games takes less than a millisecond, and waking a thread, or waiting for
Python's lock, a good part of that. So between jobs the members of a crew wait awake for a while, in
compiled code and without the lock. Each has a range of games, whose records its core has in its
cache: taking over even a few games of another costs more than it saves. The leader does the ranges
of members that are asleep, so nobody ever waits for a thread to wake up.

A game's kernel ``serve`` is the loop that all members run; the functions here are its parts.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.numpy_support import carray
from numpy.typing import NDArray

from kuku_env.core.jit import PLAIN_PYTHON, njit
from kuku_env.core.masks import first_illegal, sample_legal
from kuku_env.core.parallel import MIN_RANGE

SAMPLE, PLAY, STEP = (
    0,
    1,
    2,
)  # the jobs; PLAY is to check actions, and STEP follows if all are legal
_JOBS = 4

_MOVE = 8  # games that change hands when a range proved too large
_LOOKS = 1_000_000  # at the board, a fraction of a millisecond, before a member falls asleep

# The board, int64 (members + 1, 8), is what all members see. Row k belongs to member k: its games
# begin at FIRST and end where those of row k + 1 begin; CLAIMED and DONE are the numbers of the
# last orders for which somebody took them on and finished; AWAKE is 1 while it looks. The last row
# is the leader's: FIRST is the number of games, ORDER what is to be done, ACTIONS and GENERATORS
# where the caller's arrays lie. Each member reads and writes its own rows of them: a copy made by
# the leader would move all of it between the cores' caches. A row is a cache line.
_FIRST, _CLAIMED, _DONE, _AWAKE, _ORDER, _ACTIONS, _GENERATORS = range(7)


def _cell(emit: Callable[..., Any], operands: int) -> Any:
    """An atomic operation on a cell of the board, for compiled code; it gives what was there."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind, (board, row, column, *values) = signature.args[0], arguments
        array = context.make_array(kind)(context, builder, board)
        at = cgutils.get_item_pointer(context, builder, kind, array, [row, column])
        return emit(builder, at, *values)

    def typed(board: Any) -> Any:
        return types.int64(board, *[types.int64] * (2 + operands)), code

    if operands == 0:
        return intrinsic(lambda typing, board, row, column: typed(board))
    if operands == 1:
        return intrinsic(lambda typing, board, row, column, value: typed(board))
    return intrinsic(lambda typing, board, row, column, old, new: typed(board))


_look = _cell(lambda builder, at: builder.load_atomic(at, "seq_cst", 8), 0)
_write = _cell(lambda builder, at, value: builder.atomic_rmw("xchg", at, value, "seq_cst"), 1)
_replace = _cell(
    lambda builder, at, old, new: builder.extract_value(
        builder.cmpxchg(at, old, new, "seq_cst", "seq_cst"), 0
    ),
    2,
)


def _as_pointer(typing: Any, address: Any) -> Any:
    """An address, int64, as a pointer."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], cgutils.voidptr_t)

    return types.voidptr(types.int64), code


_pointer: Any = intrinsic(_as_pointer)


@njit
def first_order(board: Any, member: int, job: int) -> int:
    """The order to begin with: the leader, member 0, gives it, the others read it."""
    crew = board.shape[0] - 1
    if member > 0:
        _write(board, member, _AWAKE, 1)
        return _look(board, crew, _ORDER)
    return _give(board, job)


@njit
def _give(board: Any, job: int) -> int:
    crew = board.shape[0] - 1
    order = (board[crew, _ORDER] // _JOBS + 1) * _JOBS + job
    _write(board, crew, _ORDER, order)
    return order


@njit
def is_step(order: int) -> bool:
    return order % _JOBS == STEP


@njit
def see_to_actions(
    board: Any,
    order: int,
    k: int,
    start: int,
    stop: int,
    actions: Any,
    autoreset: bool,
    choice: Any,
) -> None:
    """The jobs that need no rules, on the k-th range: draw actions for the caller, or take over the
    caller's to ``actions`` and check them there, where nobody else can change them.

    ``choice``: action masks int8 (n, A) and, int64 (members,), the first game of each range with an
    illegal action, -1 without one.
    """
    legal, illegal = choice
    leader = board[board.shape[0] - 1]
    given = carray(_pointer(leader[_ACTIONS]), actions.shape, np.int64)
    if order % _JOBS == SAMPLE:
        generators = carray(_pointer(leader[_GENERATORS]), actions.shape, np.uint64)
        sample_legal(legal, generators, given, start, stop)
    else:
        actions[start:stop] = given[start:stop]
        illegal[k] = first_illegal(legal, actions, not autoreset, start, stop)


@njit
def claim(board: Any, member: int, order: int) -> int:
    """Whose range this member does next for an order: its own or, as the leader, a sleeper's.

    -1: there is none that nobody has taken on.
    """
    number = order // _JOBS
    for k in range(board.shape[0] - 1):
        mine = k == member or (member == 0 and _look(board, k, _AWAKE) == 0)
        if mine and _replace(board, k, _CLAIMED, number - 1, number) == number - 1:
            return k
    return -1


@njit
def first_game(board: Any, k: int) -> int:
    return board[k, _FIRST]


@njit
def report(board: Any, k: int, order: int) -> None:
    """The k-th range is done."""
    _write(board, k, _DONE, order // _JOBS)


@njit
def next_order(board: Any, member: int, order: int, choice: Any) -> int:
    """What comes after an order: the next, for which a member waits; -1: leave.

    When all ranges are done the leader leaves, or has legal actions played: ``choice`` as in
    ``see_to_actions``. A member leaves when it has waited for long.
    """
    crew = board.shape[0] - 1
    if member == 0:
        _wait_and_balance(board, order)
        return _give(board, STEP) if order % _JOBS == PLAY and choice[1].max() < 0 else -1
    for _ in range(_LOOKS):
        if _look(board, crew, _ORDER) != order:
            return _look(board, crew, _ORDER)
    _write(board, member, _AWAKE, 0)
    # The leader may have given an order just before, and found this member awake.
    if _look(board, crew, _ORDER) == order:
        return -1
    _write(board, member, _AWAKE, 1)
    return _look(board, crew, _ORDER)


@njit
def _wait_and_balance(board: Any, order: int) -> None:
    """Wait for the others; who was slower in a step than the leader loses some games to it.

    And gains some if it was faster. Cores are seldom equally fast, and whoever comes first waits
    for the last. Other jobs are too short to tell.
    """
    number = order // _JOBS
    for k in range(1, board.shape[0] - 1):
        late = _look(board, k, _DONE) != number
        while _look(board, k, _DONE) != number:
            pass
        move = _MOVE if late else -_MOVE
        smaller = board[k + 1, _FIRST] - board[k, _FIRST] if late else board[1, _FIRST]
        told = is_step(order) and _look(board, k, _AWAKE) == 1
        if told and smaller >= MIN_RANGE + _MOVE:
            for j in range(1, k + 1):
                board[j, _FIRST] += move


def new_board(games: int, members: int) -> NDArray[np.int64]:
    """A board whose ranges are of equal size."""
    board = np.zeros((members + 1, 8), np.int64)
    board[:, _FIRST] = [games * k // members for k in range(members + 1)]
    return board


class _Member:
    """A thread that serves when it is called."""

    def __init__(self, serve: Callable[[], None]) -> None:
        self._calls: SimpleQueue[bool] = SimpleQueue()
        self._called = False
        self._serve = serve
        threading.Thread(target=self._work, name="kuku-env", daemon=True).start()

    def call(self) -> None:
        """Unless it serves already."""
        if not self._called:
            self._called = True
            self._calls.put(True)

    def dismiss(self) -> None:
        self._calls.put(False)

    def _work(self) -> None:
        while self._calls.get():
            self._serve()
            self._called = False


class Crew:
    """``members`` threads for ``games`` games: the caller of ``do``, who leads, and others.

    ``serve(board, member, job, *parts)`` is the game's kernel, whose parts stay the same: records,
    actions and ``autoreset``; the arrays of turns; masks and illegal actions.
    """

    def __init__(self, serve: Any, games: int, members: int, parts: tuple[Any, ...]) -> None:
        self._serve, self._parts = serve, parts
        self._games, self._size = games, members
        self._process = -1
        self._others: list[_Member] = []

    @staticmethod
    def members_for(games: int, threads: int) -> int:
        """How many members ``games`` games are worth, at most ``threads``."""
        return 1 if PLAIN_PYTHON else max(1, min(threads, games // MIN_RANGE))

    def do(
        self,
        job: int,
        actions: NDArray[np.int64] | None = None,
        generators: NDArray[np.uint64] | None = None,
    ) -> None:
        """Do a job on all games: PLAY, or SAMPLE.

        The caller's arrays, contiguous, (games,): ``actions`` to PLAY, none of them if one is
        illegal; or, to SAMPLE, where they are written, and the ``generators`` that are advanced.
        """
        if self._process != os.getpid():  # threads do not live on in a forked child
            self._gather()
        for cell, array in ((_ACTIONS, actions), (_GENERATORS, generators)):
            self._board[-1, cell] = 0 if array is None else array.ctypes.data
        for member in self._others:
            member.call()
        self._serve(self._board, 0, job, *self._parts)

    def _gather(self) -> None:
        self._process = os.getpid()
        self._board = new_board(self._games, self._size)
        serve = partial(self._serve, self._board)
        self._others = [_Member(partial(serve, k, 0, *self._parts)) for k in range(1, self._size)]
        weakref.finalize(self, _dismiss, self._others)


def _dismiss(members: list[_Member]) -> None:
    for member in members:
        member.dismiss()
