"""The wheel alone, in an environment of its own: it holds the package, and plays without torch."""

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

PLAY = """
import sys
from kuku_env import kuku_doubt_v0
from kuku_env.bots import bot_names, make_policy
from kuku_env.games import games

for game in games():
    shipped = [name for name in bot_names(game) if hasattr(make_policy(name, game), "card")]
    assert shipped, game.id
    bot = make_policy(shipped[0], game)
env = kuku_doubt_v0.env(num_players=4)
env.reset(seed=0)
for agent in env.agent_iter():
    observation, _, terminated, truncated, _ = env.last()
    if terminated or truncated:
        env.step(None)
        continue
    chances = bot.probabilities(observation["observation"][None], observation["action_mask"][None])
    env.step(int(chances[0].argmax()))
assert env.match.over
assert not {"torch", "scipy", "matplotlib", "rich"} & set(sys.modules)
print(kuku_doubt_v0.__file__)
"""


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


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


def test_a_bundled_bot_plays_where_torch_is_not_installed(wheel, tmp_path):
    home = tmp_path / "env"
    venv.create(home, with_pip=True)
    python = home / "bin" / "python"
    run(python, "-m", "pip", "install", "-q", "-c", str(ROOT / "constraints.txt"), str(wheel))
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    said = run(python, "-c", PLAY, cwd=tmp_path, env=clean)
    assert str(home) in said
