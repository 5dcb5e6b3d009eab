"""Adapters to libraries outside the base install: each says what to install for it."""

import importlib
import sys
import tomllib
from pathlib import Path

import pytest

EXTRAS = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))[
    "project"
]["optional-dependencies"]


@pytest.mark.parametrize(
    ("module", "library", "extra"),
    [
        ("sb3", "stable_baselines3", "sb3"),
        ("open_spiel", "pyspiel", "open-spiel"),
        ("torchrl", "torchrl", "torchrl"),
    ],
)
def test_a_missing_library_is_named_with_its_extra(module, library, extra, monkeypatch):
    name = f"kuku_env.integrations.{module}"
    for loaded in list(sys.modules):
        if loaded == name or loaded.split(".")[0] == library:
            monkeypatch.delitem(sys.modules, loaded)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ModuleNotFoundError, match=rf"pip install 'kuku-env\[{extra}\]'"):
        importlib.import_module(name)
    assert extra in EXTRAS


def test_importing_the_adapters_package_needs_nothing():
    from kuku_env import integrations

    assert integrations.__doc__
