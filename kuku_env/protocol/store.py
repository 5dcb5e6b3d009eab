"""Games in a folder: a record (``ID.jsonl``) and what was agreed on (``ID.json``) for each."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

from kuku_env.core.folders import lock_folder
from kuku_env.envs.match import Match
from kuku_env.envs.records import RecordError, read_events, replay, write_record

_ID = re.compile(r"[-_A-Za-z0-9]{22}")  # secrets.token_urlsafe(16)


class Store:
    """The folder, for this user and one process alone until it is closed.

    Raises OSError where it cannot be had, FolderInUseError where another process has it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._lock = lock_folder(folder)

    def close(self) -> None:
        """Let go of the folder."""
        self._lock.release()

    def ids(self) -> dict[str, float]:
        """Saved games and when each was last written, in seconds since the epoch."""
        found = (path for path in self.folder.glob("*.jsonl") if is_id(path.stem))
        return {path.stem: path.stat().st_mtime for path in found}

    def open(self, game: str, about: dict[str, Any], match: Match) -> None:
        """Save a new game: the record comes last, and only with it is there a game."""
        target = self.folder / f"{game}.json"
        part = target.with_suffix(".part")
        try:
            part.write_text(json.dumps(about), "utf-8")
            os.replace(part, target)
        finally:
            part.unlink(missing_ok=True)
        self.save(game, match)

    def save(self, game: str, match: Match) -> None:
        """Replace a game's record by a complete one."""
        write_record(self.folder / f"{game}.jsonl", match)

    def load(self, game: str) -> tuple[dict[str, Any], Match] | None:
        """What was saved; None where there is no such game. Raises ValueError for a damaged one."""
        if not is_id(game):  # it becomes part of a path
            return None
        try:
            record = (self.folder / f"{game}.jsonl").read_text("utf-8")
            about = json.loads((self.folder / f"{game}.json").read_text("utf-8"))
        except FileNotFoundError:
            return None
        if not isinstance(about, dict):
            raise RecordError(1, "what was agreed on is no JSON object")
        return about, replay(read_events(record))

    def remove(self, game: str) -> None:
        """Forget a game."""
        for suffix in (".jsonl", ".json"):
            (self.folder / f"{game}{suffix}").unlink(missing_ok=True)


def is_id(text: str) -> bool:
    """Whether a text may be the id of a game."""
    return _ID.fullmatch(text) is not None
