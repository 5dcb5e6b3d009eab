"""The cache of compiled code: warm it compiles nothing, stale it is not used, missing it is not
missed."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest
from toy import GAMES

from kuku_env.core import jit

HERE = Path(__file__).parent
PACKAGE = Path(jit.__file__).parents[1]
compiled_only = pytest.mark.skipif(jit.PLAIN_PYTHON, reason="nothing is compiled")

# Plays games (those named) by every kernel and script, and tells what was found in the cache.
PLAY = """
import json, sys
import numpy as np
import toy
from kuku_env.bots import make_policy
from kuku_env.core import chance, jit, masks
from kuku_env.envs.batch import BatchEnv
from kuku_env.envs.match import Match

hits, misses, played = {}, {}, 0
for game in toy.GAMES:
    if game.name not in sys.argv[1:]:
        continue
    batch = BatchEnv(game, 4, seed=0)
    batch.reset()
    generators = chance.generator_states(0, 4)
    for _ in range(30):
        turns = batch.step(batch.sample(generators))
    batch.secrets()
    crew = BatchEnv(game, 128, seed=0, threads=2)
    crew.reset()
    crew.step(crew.sample(chance.generator_states(0, 128)))
    for name in game.scripted:
        make_policy(name, game).probabilities(turns.observation, turns.action_mask)
    for explicit in (False, True):
        match = Match(game, seed=0, explicit_chance=explicit)
        while not match.over:
            if match.at_chance:
                match.resolve(match.chance_outcomes()[0][0])
            else:
                match.secrets(match.to_act)
                match.step(match.legal_actions()[-1])
        played += 1
    functions = {name: getattr(masks, name) for name in ("first_illegal", "sample_legal", "keep")}
    functions |= game.scripted
    functions |= {name: getattr(game.kernels, name) for name in KERNELS}
    for name, function in functions.items():
        hits[f"{game.name} {name}"] = sum(function.stats.cache_hits.values())
        misses[f"{game.name} {name}"] = sum(function.stats.cache_misses.values())
print(json.dumps([played, hits, misses, str(jit.cache_folder())]))
"""
KERNELS = (
    *("deal", "step", "resolve", "chance_weights", "observe", "secrets"),
    *("step_range", "observe_range", "secrets_range", "serve"),
)
PLAY = PLAY.replace("KERNELS", repr(KERNELS))

# As if no folder could be written, which root, who may run the tests, cannot be refused.
NO_TEMPORARY_FOLDER = """
import tempfile
tempfile._candidate_tempdir_list = lambda: ["/dev/null/none"]
"""


def play(*names, before="", **changes):
    """Play in a process of its own, its environment changed (None: left out)."""
    env = {key: value for key, value in {**os.environ, **changes}.items() if value is not None}
    env["PYTHONPATH"] = os.pathsep.join([str(HERE), str(HERE.parent)])
    command = [sys.executable, "-c", before + PLAY, *names]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def nowhere(tmp_path_factory):
    """An environment in which home and caches are a file: nothing can be written below."""
    path = tmp_path_factory.mktemp("nowhere") / "file"
    path.touch()
    return dict.fromkeys(("HOME", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR"), str(path))


@compiled_only
def test_a_second_process_with_a_warm_cache_compiles_nothing():
    names = [game.name for game in GAMES]
    play(*names)
    played, hits, misses, _ = play(*names)
    assert played == 2 * len(names)
    assert len(hits) == sum(len(KERNELS) + 3 + len(game.scripted) for game in GAMES)
    assert min(hits.values()) > 0
    assert set(misses.values()) == {0}


@compiled_only
def test_without_a_home_games_are_played():
    played, _, _, folder = play(GAMES[0].name, HOME=None)
    assert played == 2
    assert folder != "None"


@compiled_only
@pytest.mark.parametrize("home", ["a file", "/dev/null/none"])
def test_with_a_home_that_cannot_be_written_the_temporary_folder_is_used(home, nowhere, tmp_path):
    place = tmp_path / f"kuku-env-{os.getuid()}"
    place.mkdir()
    (place / "kuku-env").symlink_to(jit.cache_folder().parent)  # a warm one, to save the time
    where = nowhere if home == "a file" else {**nowhere, "HOME": home}
    played, hits, _, folder = play(GAMES[0].name, **where, TMPDIR=str(tmp_path))
    assert played == 2
    assert Path(folder).is_relative_to(place)
    assert hits[f"{GAMES[0].name} step_range"] > 0


@compiled_only
def test_with_no_folder_to_write_games_are_compiled_and_played(nowhere):
    toy = GAMES[-1].name  # soon compiled
    played, hits, _, folder = play(toy, before=NO_TEMPORARY_FOLDER, **nowhere)
    assert (played, folder) == (2, "None")
    assert not any(hits.values())


def test_plain_python_needs_no_folder(nowhere):
    script = NO_TEMPORARY_FOLDER + PLAY.split("    functions =")[0]
    script += "\nprint(json.dumps([played, jit.PLAIN_PYTHON]))"
    env = {**os.environ, **nowhere, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(HERE)}
    command = [sys.executable, "-c", script, *(game.name for game in GAMES)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [2 * len(GAMES), True]


# ---- which folder ------------------------------------------------------------------------------


@pytest.fixture
def sources(tmp_path):
    copy = tmp_path / "kuku_env"
    ignored = shutil.ignore_patterns("__pycache__", "*.nbi", "*.nbc")
    shutil.copytree(PACKAGE, copy, ignore=ignored)
    assert jit.sources_hash(copy) == jit.sources_hash(PACKAGE)
    return copy


def hash_now(package):
    return jit.sources_hash.__wrapped__(package)


@pytest.mark.parametrize(
    "path", ["core/layout.py", "core/jit.py", "games/__init__.py", "games/kuku_doubt/cards.py"]
)
def test_a_changed_source_changes_the_key(sources, path):
    before = hash_now(sources)
    text = (sources / path).read_bytes()
    (sources / path).write_bytes(text + b"\n")
    assert hash_now(sources) != before
    (sources / path).write_bytes(text)
    assert hash_now(sources) == before


def test_a_new_or_renamed_source_changes_the_key_and_nothing_else_does(sources):
    before = hash_now(sources)
    (sources / "games" / "notes.txt").write_text("no source")
    (sources / "envs" / "batch.py").write_text("")
    assert hash_now(sources) == before
    (sources / "core" / "more.py").write_text("")
    more = hash_now(sources)
    assert more != before
    (sources / "core" / "more.py").rename(sources / "core" / "other.py")
    assert hash_now(sources) not in (before, more)


def test_another_numba_changes_the_key(sources, monkeypatch):
    before = hash_now(sources)
    monkeypatch.setattr(numba, "__version__", "0.0")
    assert hash_now(sources) != before


def test_the_first_folder_that_can_be_written_is_taken(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.touch()
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setattr(jit.tempfile, "gettempdir", lambda: str(tmp_path / "tmp"))
    key = jit.sources_hash(PACKAGE)
    roots = ["NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "HOME/.cache", f"tmp/kuku-env-{os.getuid()}"]
    for root in roots:
        found = jit.cache_folder.__wrapped__()
        assert found == tmp_path / root / "kuku-env" / key
        assert found.stat().st_mode & 0o777 == 0o700
        if "/" not in root:
            monkeypatch.setenv(root, str(blocked))
        else:
            monkeypatch.setenv("HOME", str(blocked))
    monkeypatch.setattr(jit.tempfile, "gettempdir", lambda: str(blocked))
    assert jit.cache_folder.__wrapped__() is None


def test_a_system_without_home_and_temporary_folder_has_no_cache_folder(tmp_path, monkeypatch):
    def no_home():
        raise RuntimeError("Could not determine home directory.")

    def no_temporary_folder():
        raise FileNotFoundError("No usable temporary directory found")

    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(jit.Path, "home", no_home)
    monkeypatch.setattr(jit.tempfile, "gettempdir", no_temporary_folder)
    assert jit.cache_folder.__wrapped__() is None


def test_a_folder_of_another_user_is_not_trusted(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert jit.cache_folder.__wrapped__().is_relative_to(tmp_path)
    owner = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    assert jit.cache_folder.__wrapped__() is None


@compiled_only
def test_other_users_of_numba_keep_their_own_cache_folder(tmp_path):
    before = numba.config.CACHE_DIR
    function = jit.njit(abs_difference)
    assert before == numba.config.CACHE_DIR
    assert function(2, 5) == 3
    assert function.stats.cache_path.startswith(str(jit.cache_folder()))


def abs_difference(a, b):
    return abs(a - b)


FAR = """
from kuku_env.core.jit import njit
from far.constants import ANSWER
@njit
def answer():
    return ANSWER
print(answer(), sum(answer.stats.cache_hits.values()))
"""


@compiled_only
def test_a_changed_source_of_a_game_that_lives_elsewhere_is_seen(tmp_path):
    package = tmp_path / "far"
    package.mkdir()
    (package / "rules.py").write_text(FAR)
    path = os.pathsep.join([str(tmp_path), str(HERE.parent)])
    env = {**os.environ, "PYTHONPATH": path, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    told = []
    for answer in (1, 1, 2):
        (package / "constants.py").write_text(f"ANSWER = {answer}")
        command = [sys.executable, "-c", "import far.rules"]
        told.append(subprocess.run(command, env=env, capture_output=True, check=True).stdout)
    assert told == [b"1 0\n", b"1 1\n", b"2 0\n"]


def test_plain_python_leaves_a_function_as_it_is(monkeypatch):
    monkeypatch.setattr(jit, "PLAIN_PYTHON", True)
    assert jit.njit(abs_difference) is abs_difference
