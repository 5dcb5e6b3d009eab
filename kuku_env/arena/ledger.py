"""The ledger of a match: what came of each of its games, and where it is kept between runs.

A store is a folder with the plan (``plan.json``) and parts (``part-000000.npz``, ...), each with
the rows of games that had ended. A part is written whole or not at all, so whenever a run is
killed, the games in the parts are done, and all others are to be played.
"""

from __future__ import annotations

import dataclasses
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from kuku_env.arena.files import write_file
from kuku_env.arena.plan import ArenaError
from kuku_env.core.folders import FolderInUseError, lock_folder

FORMAT = 1
SHOWN_DIFFERENCES = 3


@dataclass(frozen=True)
class Forfeit:
    """A seat that gave no legal action: in which game of the plan, and why."""

    label: str
    game: int
    seat: int
    reason: str


@dataclass(frozen=True)
class Ledger:
    """Rows of G games at P seats, K action blocks, T tallies.

    ``rewards`` float64 (G, P), ``decisions`` int64 (G,), ``truncated`` bool (G,). ``possible`` and
    ``chosen`` int32 (G, P, K): decisions of the seat in which the block had a legal action, and in
    which one of it was taken. ``tallies`` int32 (G, P, T): the seat's public counts in the end.
    """

    rewards: NDArray[np.float64]
    decisions: NDArray[np.int64]
    truncated: NDArray[np.bool_]
    possible: NDArray[np.int32]
    chosen: NDArray[np.int32]
    tallies: NDArray[np.int32]

    @classmethod
    def empty(cls, games: int, players: int, blocks: int, tallies: int) -> Ledger:
        return cls(
            np.zeros((games, players)),
            np.zeros(games, np.int64),
            np.zeros(games, np.bool_),
            np.zeros((games, players, blocks), np.int32),
            np.zeros((games, players, blocks), np.int32),
            np.zeros((games, players, tallies), np.int32),
        )

    def columns(self) -> dict[str, NDArray[Any]]:
        return {part.name: getattr(self, part.name) for part in dataclasses.fields(self)}


class Store:
    """A match's folder, held by this process alone until it is closed.

    ``plan`` is plain JSON that says which match it is. Raises ArenaError for a folder that holds
    another one, naming the differences, or that another process works in.
    """

    def __init__(self, folder: Path, plan: Mapping[str, Any]) -> None:
        self.folder, self._parts = folder, 0
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = _locked(folder)
        try:
            self._check(json.loads(json.dumps({"format": FORMAT, **plan})))
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the folder."""
        self._lock.release()

    def load(self, ledger: Ledger) -> tuple[NDArray[np.bool_], list[Forfeit]]:
        """Fill in the rows of games that were played before; which these are, and the forfeits.

        Raises ArenaError for a part that cannot be read, or a game that stands in two of them.
        """
        done, forfeits = np.zeros(len(ledger.decisions), np.bool_), []
        for path in sorted(self.folder.glob("part-*.npz")):
            part = _read(path)
            games = part.pop("games")
            fits = all(part[name].shape[1:] == column.shape[1:] and len(part[name]) == len(games)
                       for name, column in ledger.columns().items())  # fmt: skip
            if not fits or (len(games) and not 0 <= games.min() <= games.max() < len(done)):
                raise ArenaError(f"{path} does not fit the match in its folder")
            if done[games].any() or len(np.unique(games)) < len(games):
                raise ArenaError(f"{path} has games that were played already: remove the folder")
            for name, column in ledger.columns().items():
                column[games] = part[name]
            done[games] = True
            forfeits += [Forfeit(**forfeit) for forfeit in json.loads(str(part["forfeits"]))]
            self._parts = int(path.stem.removeprefix("part-")) + 1
        return done, forfeits

    def save(self, ledger: Ledger, games: Sequence[int], forfeits: Sequence[Forfeit]) -> None:
        """Keep the rows of games that have ended since the last time, and the forfeits in them."""
        if not games:
            return
        rows = np.array(sorted(games), np.int64)
        columns = {name: column[rows] for name, column in ledger.columns().items()}
        told = json.dumps([dataclasses.asdict(forfeit) for forfeit in forfeits])
        out = io.BytesIO()
        np.savez_compressed(out, allow_pickle=False, games=rows, forfeits=np.array(told), **columns)
        write_file(self.folder / f"part-{self._parts:06d}.npz", out.getvalue())
        self._parts += 1

    def _check(self, plan: dict[str, Any]) -> None:
        path = self.folder / "plan.json"
        if not path.exists():
            if any(self.folder.glob("part-*.npz")):
                raise ArenaError(f"{self.folder} has games, but no plan.json that says of what")
            write_file(path, (json.dumps(plan, indent=1, ensure_ascii=False) + "\n").encode())
            return
        try:
            kept = json.loads(path.read_text("utf-8"))
        except ValueError:
            raise ArenaError(f"{path} is not JSON") from None
        found = list(differences(kept, plan))
        if found:
            more = len(found) - SHOWN_DIFFERENCES
            named = "; ".join(found[:SHOWN_DIFFERENCES]) + (f"; {more} more" if more > 0 else "")
            raise ArenaError(f"{self.folder} holds another plan: {named}")


def differences(kept: Any, asked: Any, name: str = "") -> Iterator[str]:
    """Where two plain JSON values differ: ``seed is 1 there, 2 here``."""
    if isinstance(kept, dict) and isinstance(asked, dict):
        for key in [*kept, *(key for key in asked if key not in kept)]:
            inner = f"{name}.{key}" if name else key
            yield from differences(kept.get(key), asked.get(key), inner)
    elif isinstance(kept, list) and isinstance(asked, list) and len(kept) == len(asked):
        for place, pair in enumerate(zip(kept, asked, strict=True)):
            yield from differences(*pair, f"{name}[{place}]")
    elif kept != asked:
        yield f"{name} is {_short(kept)} there, {_short(asked)} here"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _locked(folder: Path) -> Any:
    try:
        return lock_folder(folder)
    except FolderInUseError:
        raise ArenaError(f"another process is playing in {folder}") from None


def _read(path: Path) -> dict[str, NDArray[Any]]:
    try:
        with np.load(path, allow_pickle=False) as part:
            found = {name: part[name] for name in part.files}
    except (OSError, ValueError, EOFError, BadZipFile) as error:
        raise ArenaError(f"{path} cannot be read: {error}; remove it to play its games") from None
    names = {"games", "forfeits", *(column.name for column in dataclasses.fields(Ledger))}
    if set(found) != names:
        raise ArenaError(f"{path} must hold {sorted(names)}, given {sorted(found)}")
    return found
