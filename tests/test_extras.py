"""Adapters to libraries outside the base install: each says what to install for it."""

import importlib
import pkgutil
import socket
import sys
import tomllib
from pathlib import Path

import pytest

import train
from kuku_env import integrations
from kuku_env.arena.cluster import knock
from kuku_env.command import evaluate

EXTRAS = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))[
    "project"
]["optional-dependencies"]


@pytest.mark.parametrize(
    ("module", "library", "extra"),
    [
        ("sb3", "stable_baselines3", "sb3"),
        ("open_spiel", "pyspiel", "open-spiel"),
        ("torchrl", "torchrl", "torchrl"),
        ("rllib", "ray", "rllib"),
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


@pytest.mark.parametrize("name", [m.name for m in pkgutil.iter_modules(integrations.__path__)])
def test_an_adapter_can_be_imported_where_its_library_is(name):
    """Skipped, and listed in the summary, where it is not: make test-integrations has them all."""
    pytest.importorskip(f"kuku_env.integrations.{name}", reason=f"{name}: its library is missing")


def test_a_cluster_without_ray_names_the_extra(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "ray", None)
    arguments = ["scripted-easy", "random", "--players", "2", "--ray"]
    assert evaluate.main(arguments) == 2
    assert "pip install 'kuku-env[rllib]'" in capsys.readouterr().err


@pytest.mark.parametrize(
    "address", ["localhost:1", "127.0.0.1:99999", "no.such.host.invalid:6379", "a..b:1"]
)
def test_a_cluster_that_cannot_be_reached_is_told_at_once(address):
    with pytest.raises(ConnectionError, match="it cannot be reached"):
        knock(address)


@pytest.mark.parametrize(
    ("family", "host", "address"),
    [(socket.AF_INET, "127.0.0.1", "127.0.0.1:{}"), (socket.AF_INET6, "::1", "[::1]:{}")],
)
def test_a_cluster_that_listens_is_found(family, host, address):
    with socket.socket(family) as listener:
        try:
            listener.bind((host, 0))
        except OSError:
            pytest.skip(f"this machine has no {host}")
        listener.listen()
        knock(address.format(listener.getsockname()[1]))


@pytest.mark.parametrize("address", [None, "auto", "local", "ray://there:10001"])
def test_other_addresses_are_left_to_ray(address):
    knock(address)


def test_training_on_ray_without_ray_writes_nothing(tmp_path, monkeypatch, capsys):
    for loaded in list(sys.modules):
        if loaded in ("agents.rllib", "agents.rllib_run", "kuku_env.integrations.rllib"):
            monkeypatch.delitem(sys.modules, loaded)
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.setattr(
        sys, "argv", ["train.py", "--learner", "rllib", "--run", str(tmp_path / "run")]
    )
    assert train.main() == 1
    assert "rllib" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
