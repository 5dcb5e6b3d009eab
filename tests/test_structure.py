"""How the package hangs together: imports run one way, and only games know their names."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kuku_env.games import games

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "kuku_env"
# Each layer may import those before it.
LAYERS = ["core", "games", "bots", "envs", "arena", "protocol", "web", "command"]
BESIDE = {"integrations": "envs"}  # imports what envs may, and envs; nothing imports it
VERSION = "kuku_env.__version__"  # which everyone may know
SOURCES = sorted(PACKAGE.rglob("*.py"))
GENERIC = [layer for layer in LAYERS if layer not in ("games", "command")]  # has a default game


def layer_of(module):
    """``kuku_env.core.jit`` -> ``core``; None for what is in no layer, such as the package."""
    parts = module.split(".")
    known = (*LAYERS, *BESIDE)
    return parts[1] if parts[0] == "kuku_env" and len(parts) > 1 and parts[1] in known else None


def module_of(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(source, package):
    """Modules and names that the source of a module in a package imports, at its top or within."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package.split(".")[: None if node.level < 2 else 1 - node.level]
            module = ".".join(
                [*base, *filter(None, [node.module])] if node.level else [node.module]
            )
            yield from (f"{module}.{alias.name}" for alias in node.names)


def allowed_layers(layer):
    if layer in BESIDE:
        return {*LAYERS[: LAYERS.index(BESIDE[layer]) + 1], layer}
    return {*LAYERS[: LAYERS.index(layer) + 1]}


def test_imports_are_found():
    source = """
import a.b
from c import d
def f():
    from kuku_env import envs
    from . import jit
    from .jit import njit
    from ..envs.match import Match
"""
    assert list(imports_of(source, "kuku_env.core")) == [
        *("a.b", "c.d", "kuku_env.envs", "kuku_env.core.jit"),
        *("kuku_env.core.jit.njit", "kuku_env.envs.match.Match"),
    ]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_run_one_way(path):
    layer = layer_of(module_of(path))
    package = ".".join(path.relative_to(ROOT).parts[:-1])
    for imported in imports_of(path.read_text("utf-8"), package):
        assert imported.split(".")[0] not in ("agents", "train", "evaluate", "tests"), imported
        other = layer_of(imported)
        if layer is None or imported == VERSION or not imported.startswith("kuku_env"):
            continue
        assert other is not None, f"{imported}: the package itself is above its layers"
        assert other in allowed_layers(layer), imported
        if layer == "games" and other == "games":  # a game knows itself alone
            game = path.relative_to(PACKAGE / "games").parts[0]
            assert imported.split(".")[2] == game or game == "__init__.py", imported


def test_no_layer_is_forgotten():
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir() and path.name[0] != "_"}
    assert folders <= {*LAYERS, *BESIDE}
    assert set(LAYERS) <= folders


def names_of(game):
    """``kuku-doubt`` as it may be written: KukuDoubt, kuku_doubt, KUKU DOUBT."""
    return re.compile(r"[-_ ]?".join(map(re.escape, game.name.split("-"))), re.IGNORECASE)


@pytest.mark.parametrize("game", games(), ids=lambda game: game.name)
def test_what_stands_on_all_games_names_none(game):
    assert names_of(game).search(game.id)
    files = [path for layer in GENERIC for path in (PACKAGE / layer).rglob("*")]
    files = [path for path in files if path.suffix in (".py", ".json", ".md")]
    files = [path for path in files if "shipped" not in path.parts]
    assert len(files) > 15
    for path in files:
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            assert not names_of(game).search(line), f"{path}:{number}: {line}"


@pytest.mark.parametrize("game", games(), ids=lambda game: game.name)
def test_a_game_has_the_files_of_a_game(game):
    folder = PACKAGE / "games" / game.name.replace("-", "_")
    names = {path.name for path in folder.iterdir()}
    assert {"rules.py", "layout.py", "encode.py", "kernels.py", "view.py", "scripted.py"} <= names


@pytest.mark.parametrize("game", games(), ids=lambda game: game.name)
def test_a_record_has_no_holes(game):
    """Then equal games are equal byte for byte, copied and pickled ones too."""
    sizes = [game.state.fields[name][0].itemsize for name in game.state.names]
    assert sum(sizes) == game.state.itemsize


def test_importing_the_package_is_light():
    heavy = ["torch", "onnxruntime", "matplotlib", "stable_baselines3", "pandas", "tyro", "rich"]
    heavy += ["tensorboard", "agents", "safetensors", "onnx", "hypothesis"]
    code = f"import sys, kuku_env.envs.batch; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr
