"""Folders that one process at a time may write to."""

from __future__ import annotations

from pathlib import Path
from typing import Any


class FolderInUseError(OSError):
    """Another process uses the folder."""


def lock_folder(folder: Path) -> Any:
    """Keep other processes from a folder until ``release`` of the lock, or until this one ends.

    However it ends: the operating system lets go. Raises FolderInUseError; ModuleNotFoundError
    where the extra ``serve`` or ``evaluate`` is not installed.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(folder / ".lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise FolderInUseError(f"another process uses {folder}") from None
    return lock
