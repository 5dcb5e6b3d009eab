"""Other programs as players: ``stdio:COMMAND`` speaks the bot protocol over its standard streams.

Such a player is asked with a view, and is expected to answer in time with a legal action. Where it
does not, it forfeits the game in hand (see ``match``) and is started anew for the next.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, Protocol, runtime_checkable

from kuku_env.arena.plan import ArenaError
from kuku_env.bots import make_policy
from kuku_env.core.checks import shown
from kuku_env.core.game import Game, Policy

PREFIX = "stdio:"
ANSWER_SECONDS = 10.0
START_SECONDS = 60.0  # a program may have much to load before its first answer
GRACE_SECONDS = 1.0  # for a program to end by itself
MAX_FAULTS = 20  # in a row; after them the program is not started again
MAX_REPLY = 1 << 20  # bytes


class PlayerError(Exception):
    """A player gave no legal action: it crashed, took too long, or said something else."""


@runtime_checkable
class ViewPlayer(Protocol):
    """A player that is asked one view at a time, and answers with an action."""

    name: str

    def decide(self, view: Mapping[str, Any], seed: int) -> str:
        """The text of a legal action. Raises PlayerError."""


Player = Policy | ViewPlayer


def make_player(bot: str | Path, game: Game, seconds: float = ANSWER_SECONDS) -> Player:
    """A bot by name or folder, or a program by ``stdio:COMMAND``, which has so long for an answer.

    Raises BotError as ``make_policy`` does, ArenaError for a program that cannot be started.
    """
    if str(bot).startswith(PREFIX):
        return StdioPlayer(str(bot).removeprefix(PREFIX), seconds=seconds)
    return make_policy(bot, game)


class StdioPlayer:
    """A program that speaks the bot protocol, run as a process of its own.

    ``seconds`` is the time it has for an answer, ``start_seconds`` for its first. Several threads
    may ask; they are served in turn. Raises ArenaError unless the program starts and says hello.
    """

    def __init__(
        self, command: str, *, seconds: float = ANSWER_SECONDS, start_seconds: float = START_SECONDS
    ) -> None:
        try:
            self._words = shlex.split(command)
        except ValueError as error:
            raise ArenaError(f"the command {command!r} cannot be read: {error}") from None
        if not self._words:
            raise ArenaError(f"{PREFIX} needs a command, as in '{PREFIX}node my_bot.js'")
        if not (seconds > 0 and start_seconds > 0):
            raise ArenaError(f"a program needs time for an answer, given {seconds:g} s")
        self.name = Path(self._words[-1]).name
        self.command, self.seconds, self.start_seconds = command, seconds, start_seconds
        self._lock, self._faults = Lock(), 0
        self._program: _Program | None = None
        try:
            self._start()
        except PlayerError as error:
            self._stop(at_once=True)
            raise ArenaError(f"{PREFIX}{command}: {error}") from None

    def decide(self, view: Mapping[str, Any], seed: int) -> str:
        """The program's action for a view. Raises PlayerError; the program is then stopped."""
        with self._lock:
            if self._faults >= MAX_FAULTS:
                raise PlayerError(f"given up after {MAX_FAULTS} faults in a row")
            try:
                action = self._decide(view, seed)
            except PlayerError:
                self._faults += 1
                self._stop(at_once=True)
                raise
            self._faults = 0
            return action

    def close(self) -> None:
        """End the program."""
        with self._lock:
            self._stop()

    def _decide(self, view: Mapping[str, Any], seed: int) -> str:
        program = self._program or self._start()
        reply = program.request({"op": "act", "view": view, "seed": seed}, self.seconds)
        action = reply.get("action")
        if not isinstance(action, str):
            raise PlayerError(f"gave no action but {shown(reply)}")
        if action not in view["legal"]:
            raise PlayerError(f"played {shown(action)}, which is not legal there")
        return action

    def _start(self) -> _Program:
        self._program = _Program(self._words)
        self._program.request({"op": "hello"}, self.start_seconds)
        return self._program

    def _stop(self, *, at_once: bool = False) -> None:
        if self._program is not None:
            self._program.stop(0 if at_once else GRACE_SECONDS)
        self._program = None


class _Program:
    """A running process, and a thread that talks to it: reading and writing may both be blocked,
    and whoever asks must not be. Raises PlayerError where it cannot be started."""

    def __init__(self, words: Sequence[str]) -> None:
        try:
            self._process = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
            )
        except (OSError, ValueError) as error:
            raise PlayerError(f"cannot be started: {error}") from None
        self._requests: SimpleQueue[bytes | None] = SimpleQueue()
        self._replies: SimpleQueue[bytes] = SimpleQueue()
        self._count = 0
        self._thread = Thread(target=self._talk, daemon=True, name="kuku-player")
        self._thread.start()

    def request(self, request: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """The reply: it has the request's id, and is no error. Raises PlayerError."""
        self._count += 1
        words = json.dumps({"id": self._count, **request}, separators=(",", ":"))
        self._requests.put(words.encode() + b"\n")
        try:
            answer = self._replies.get(timeout=seconds)
        except Empty:
            raise PlayerError(f"took longer than {seconds:g} s") from None
        if not answer:
            raise PlayerError(f"ended, with exit status {self._status()}")
        try:
            reply = json.loads(answer)
        except (ValueError, RecursionError):
            raise PlayerError(f"said what is not JSON: {shown(answer)}") from None
        if not isinstance(reply, dict) or reply.get("id") != self._count:
            raise PlayerError(f"gave no reply to request {self._count} but {shown(reply)}")
        if "error" in reply:
            raise PlayerError(f"gave an error: {shown(reply['error'])}")
        return reply

    def stop(self, seconds: float) -> None:
        """End the process: its input is closed, and so many seconds later it is killed."""
        self._requests.put(None)
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._kill()
        self._process.wait()

    def _talk(self) -> None:
        """Carry requests to the process and replies back; an empty one where it has ended."""
        source, sink = self._process.stdout, self._process.stdin
        assert source is not None
        assert sink is not None
        with source, contextlib.suppress(OSError), sink:
            while (line := self._requests.get()) is not None:
                try:
                    sink.write(line)
                    sink.flush()
                    self._replies.put(source.readline(MAX_REPLY))
                except OSError:
                    self._replies.put(b"")

    def _kill(self) -> None:
        """The process and what it started, which would hold our pipes open."""
        if hasattr(os, "killpg"):
            with contextlib.suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()

    def _status(self) -> int | str:
        try:
            return self._process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            return "none yet: only its output is closed"
