"""Compilation of rules: ``njit`` with a disk cache that sees every source of the package.

numba's own cache looks only at the file of the compiled function, so a constant changed in another
file would leave old machine code in use. Here the cache folder is named after a hash of all sources
that take part. ``NUMBA_DISABLE_JIT=1`` runs the same functions as plain Python.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import config

F = TypeVar("F", bound=Callable[..., Any])

PLAIN_PYTHON = bool(config.DISABLE_JIT)


@cache
def _sources_hash() -> str:
    package = Path(__file__).parents[1]
    digest = hashlib.sha256(numba.__version__.encode())
    for folder in ("core", "games"):
        for source in sorted((package / folder).rglob("*.py")):
            digest.update(source.relative_to(package).as_posix().encode() + source.read_bytes())
    return digest.hexdigest()[:16]


@cache
def cache_folder() -> Path | None:
    """Where compiled code is kept, or None where no folder can be written (then nothing is kept)."""
    roots = [os.environ.get("NUMBA_CACHE_DIR"), os.environ.get("XDG_CACHE_HOME")]
    try:
        roots.append(str(Path.home() / ".cache"))
    except RuntimeError:  # no home folder at all
        pass
    user = os.getuid() if hasattr(os, "getuid") else "user"
    roots.append(str(Path(tempfile.gettempdir()) / f"kuku-env-{user}"))
    for root in filter(None, roots):
        folder = Path(root) / "kuku-env" / _sources_hash()
        if _is_ours_to_write(folder):
            return folder
    return None


def _is_ours_to_write(folder: Path) -> bool:
    """Compiled code is run as it is found, so a folder that another user owns is not trusted."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if hasattr(os, "getuid"):
            if any(place.stat().st_uid != os.getuid() for place in (folder, folder.parent)):
                return False
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def njit(function: F) -> F:
    """Compile a function of the rules; its callers' constants are part of the cache's name."""
    if PLAIN_PYTHON:
        return function
    compiled = numba.njit(nogil=True, error_model="numpy", no_cfunc_wrapper=True)(function)
    folder = cache_folder()
    if folder is not None:
        # The folder is read when caching is switched on; other users of numba keep their own.
        before, config.CACHE_DIR = config.CACHE_DIR, str(folder)
        try:
            compiled.enable_caching()
        finally:
            config.CACHE_DIR = before
    return compiled  # type: ignore[no-any-return]
