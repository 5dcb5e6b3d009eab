"""A run's options as a file (TOML) or as plain JSON, every value checked when it is read.

The file says ``learner`` and then every option by its name. One that is None, which TOML cannot
say, is left out: where an option may be None, that is its default.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import tomli_w
from rich.console import Console

from kuku_env.core.game import OptionError

Chosen = TypeVar("Chosen")
CONFIG = "config.toml"  # in a run's folder


class ConfigError(ValueError):
    """A file of options that cannot be read."""


def write_config(learner: str, options: Any, path: Path) -> None:
    """Write all options. An existing file is replaced only by a complete one."""
    told = {name: value for name, value in asdict(options).items() if value is not None}
    part = path.with_name(f".{path.name}.part")
    part.write_text(tomli_w.dumps({"learner": learner, **told}), encoding="utf-8")
    os.replace(part, path)


def note_options(learner: str, options: Any, folder: Path, console: Console) -> None:
    """Write all options into a run's folder, and tell them."""
    write_config(learner, options, folder / CONFIG)
    told = ", ".join(f"{name} {value}" for name, value in asdict(options).items())
    console.print(f"{learner} with {told}", markup=False, highlight=False)


def read_config(path: Path) -> tuple[str, dict[str, Any]]:
    """The learner and the options of a file, not yet checked: see ``options_from``.

    Raises ConfigError for a file that is missing, no TOML, or without a learner.
    """
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is no TOML: {error}") from None
    learner = values.pop("learner", None)
    if not isinstance(learner, str):
        raise ConfigError(f'{path} must name its learner, as in: learner = "self-play"')
    return learner, values


def options_from(kind: type[Chosen], values: Mapping[str, Any]) -> Chosen:
    """Options of a dataclass from plain values, where tuples are lists.

    Raises OptionError for an unknown option, or a value that is not allowed.
    """
    hints = get_type_hints(kind)
    for name, value in values.items():
        if name not in hints:
            raise OptionError(name, value, f"no such option; there are {', '.join(hints)}")
        if not _fits(value, hints[name]):
            raise OptionError(name, value, _in_words(hints[name]))
    tuples = {n: tuple(v) if isinstance(v, list | tuple) else v for n, v in values.items()}
    return kind(**tuples)


def _fits(value: Any, hint: Any) -> bool:
    if isinstance(hint, UnionType):
        return any(_fits(value, one) for one in get_args(hint))
    if get_origin(hint) is tuple:
        return isinstance(value, list | tuple) and all(_fits(v, get_args(hint)[0]) for v in value)
    if isinstance(value, bool):  # which Python takes for a number
        return hint is bool
    return isinstance(value, int | float) if hint is float else isinstance(value, hint)


def _in_words(hint: Any) -> str:
    words = {str: "a text", bool: "true or false", int: "an integer", float: "a number"}
    if isinstance(hint, UnionType):
        return " or ".join(_in_words(one) for one in get_args(hint) if one is not NoneType)
    if get_origin(hint) is tuple:
        return f"a list, each entry {_in_words(get_args(hint)[0])}"
    return words[hint]
