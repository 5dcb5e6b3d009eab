"""The wheel alone, in an environment of its own: it holds the package, and plays without torch."""

import json
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from kuku_env.games import games

ROOT = Path(__file__).parents[1]

PLAY = """
import sys
import kuku_env
from kuku_env.bots import bot_names, make_policy
from kuku_env.envs.aec import BluffingEnv
from kuku_env.games import games

for game in games():
    bots = [make_policy(name, game) for name in bot_names(game)]
    shipped = [bot for bot in bots if hasattr(bot, "card")]
    assert shipped or game.name != "kuku-doubt"
    bot, env = (shipped or bots)[-1], BluffingEnv(game, num_players=4)
    env.reset(seed=0)
    for agent in env.agent_iter():
        seen, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.step(None)
            continue
        chances = bot.probabilities(seen["observation"][None], seen["action_mask"][None])
        env.step(int(chances[0].argmax()))
    assert env.match.over
assert not {"torch", "scipy", "matplotlib", "rich"} & set(sys.modules)
print(kuku_env.__file__)
"""


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


CLEAN = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--outdir", str(folder), str(ROOT))
    return next(folder.glob("*.whl"))


def test_the_wheel_holds_the_package_and_its_data_alone(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"kuku_env"}
    tracked = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "kuku_env").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert tracked <= set(names)
    assert "kuku_env/py.typed" in names  # without it type checkers would not look at our types


@pytest.fixture(scope="module")
def home(wheel, tmp_path_factory):
    """An environment with the wheel and what it needs, and nothing else."""
    home = tmp_path_factory.mktemp("home") / "env"
    venv.create(home, with_pip=True)
    python = home / "bin" / "python"
    pins = str(ROOT / "constraints.txt")
    run(python, "-m", "pip", "install", "-q", "-c", pins, str(wheel), env=CLEAN)
    return home


def test_a_bundled_bot_plays_where_torch_is_not_installed(home, tmp_path):
    said = run(home / "bin" / "python", "-c", PLAY, cwd=tmp_path, env=CLEAN)
    assert str(home) in said


def test_the_command_plays_and_serves_without_extras(home, tmp_path):
    kuku, options = home / "bin" / "kuku", {"cwd": tmp_path, "env": CLEAN}
    for game in games():
        assert json.loads(run(kuku, "spec", game.name, **options)) == game.spec()
    assert "scripted-easy" in run(kuku, "bots", **options)
    hello = run(kuku, "serve", "--stdio", input='{"id":1,"op":"hello"}\n', **options)
    assert json.loads(hello)["id"] == 1
    assert "hint" in run(kuku, "play", "--bots", "random", input="quit\n", **options)
    for arguments, extra in (
        (["serve", "--http"], "serve"),
        (["play", "--web"], "serve"),
        (["evaluate", "random"], "evaluate"),
    ):
        done = subprocess.run([kuku, *arguments], capture_output=True, text=True, **options)
        assert done.returncode != 0
        assert f"pip install 'kuku-env[{extra}]'" in done.stderr
