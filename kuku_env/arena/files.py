"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from kuku_env.arena.plan import ArenaError


def check_writable(folder: Path) -> None:
    """Raise ArenaError unless files can be written into a folder, which need not exist yet.

    Nothing is left behind.
    """
    place = folder.absolute()
    while not place.exists() and not place.is_symlink():
        place = place.parent
    try:
        with tempfile.TemporaryFile(dir=place):
            pass
    except OSError as error:
        raise ArenaError(f"cannot write to {folder}: {place}: {error.strerror}") from None


def write_file(path: Path, content: bytes) -> None:
    """Write a file whole or not at all: an existing one is replaced only by a complete one."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
