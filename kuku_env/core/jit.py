"""Compilation of rules: ``njit`` with a disk cache that sees every source of the package.

numba's own cache looks only at the file of the compiled function, so a constant changed in another
file would leave old machine code in use. Here the cache folder is named after a hash of all sources
that take part: those of this package, and of a game's own folder where it lives elsewhere.
``NUMBA_DISABLE_JIT=1`` runs the same functions as plain Python.
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
import numba.core.config

F = TypeVar("F", bound=Callable[..., Any])

_config: Any = numba.core.config
_PACKAGE = Path(__file__).resolve().parents[1]

PLAIN_PYTHON = bool(_config.DISABLE_JIT)

# Nothing calls rules from C, and leaving that entry out shortens the first compilation.
_SETTINGS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}


@cache
def sources_hash(package: Path) -> str:
    """A hash of numba's version and of all sources that compiled code can depend on."""
    digest = hashlib.sha256(numba.__version__.encode())
    for folder in ("core", "games"):
        for source in sorted((package / folder).rglob("*.py")):
            digest.update(source.relative_to(package).as_posix().encode() + source.read_bytes())
    return digest.hexdigest()[:16]


@cache
def _hash_elsewhere(folder: Path) -> str | None:
    """A hash of the sources in a folder outside this package; None for a folder of its own."""
    if folder.is_relative_to(_PACKAGE):
        return None
    digest = hashlib.sha256()
    for source in sorted(folder.glob("*.py")):
        digest.update(source.name.encode() + source.read_bytes())
    return digest.hexdigest()[:16]


@cache
def cache_folder() -> Path | None:
    """Where compiled code is kept; None where no folder can be written: then nothing is kept."""
    roots = [os.environ.get("NUMBA_CACHE_DIR"), os.environ.get("XDG_CACHE_HOME")]
    try:
        roots.append(str(Path.home() / ".cache"))
    except RuntimeError:  # no home folder at all
        pass
    try:
        user = os.getuid() if hasattr(os, "getuid") else "user"
        roots.append(str(Path(tempfile.gettempdir()) / f"kuku-env-{user}"))
    except FileNotFoundError:  # no folder for temporary files either
        pass
    for root in filter(None, roots):
        folder = Path(root) / "kuku-env" / sources_hash(_PACKAGE)
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
    compiled = numba.njit(**_SETTINGS)(function)
    folder = cache_folder()
    if folder is not None:
        elsewhere = _hash_elsewhere(Path(function.__code__.co_filename).resolve().parent)
        folder = folder if elsewhere is None else folder / elsewhere
        # The folder is read when caching is switched on; other users of numba keep their own.
        before, _config.CACHE_DIR = _config.CACHE_DIR, str(folder)
        try:
            compiled.enable_caching()
        finally:
            _config.CACHE_DIR = before
    return compiled
