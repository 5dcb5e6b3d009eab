"""Options of a run as TOML: written whole, read strictly."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import pytest

import train
from agents.config import ConfigError, options_from, read_config, write_config
from agents.maskable_ppo import PpoOptions
from agents.options import Options
from agents.presets import BUDGETS, make_options
from kuku_env.core.game import OptionError

EVERY = [*(make_options(name) for name in BUDGETS), Options(), PpoOptions(), PpoOptions(minutes=3)]


@pytest.mark.parametrize("options", EVERY)
def test_what_is_written_is_read(options: Options | PpoOptions, tmp_path: Path) -> None:
    write_config("self-play", options, tmp_path / "config.toml")
    learner, values = read_config(tmp_path / "config.toml")
    assert learner == "self-play"
    assert options_from(type(options), values) == options
    assert [path.name for path in tmp_path.iterdir()] == ["config.toml"]


def test_what_toml_cannot_say_is_the_default() -> None:
    for kind in (Options, PpoOptions):
        for field in fields(kind):
            assert "None" not in str(field.type) or field.default is None


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"colour": 1}, "option 'colour' was given 1; allowed: no such option; there are game,"),
        ({"games": "many"}, "option 'games' was given 'many'; allowed: an integer"),
        ({"games": 1.5}, "allowed: an integer"),
        ({"games": True}, "allowed: an integer"),
        ({"trace": "x"}, "allowed: a number"),
        ({"widths": 64}, "allowed: a list, each entry an integer"),
        ({"widths": [64, "x"]}, "allowed: a list, each entry an integer"),
        ({"rivals": ["random", 3]}, "allowed: a list, each entry a text"),
        ({"critic_sees": 1}, "allowed: true or false"),
        ({"magnet": 3}, "allowed: a text"),
        ({"games": 0}, "allowed: over 0"),
    ],
)
def test_wrong_options_are_named(values: dict, told: str) -> None:
    with pytest.raises(OptionError) as caught:
        options_from(Options, values)
    assert told in str(caught.value)


def test_whole_numbers_are_numbers() -> None:
    assert options_from(Options, {"minutes": 5, "learning_rate": 1}).minutes == 5.0


def command(monkeypatch: pytest.MonkeyPatch, *words: str) -> None:
    monkeypatch.setattr("sys.argv", ["train.py", *words])


def test_a_file_gives_defaults_that_options_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine.toml"
    mine = replace(make_options("strong"), games=77, players=(2, 4))
    write_config("self-play", mine, path)
    command(monkeypatch, "--config", str(path), "--seed", "9")
    assert train.read_command().options == replace(mine, seed=9)
    theirs = PpoOptions(steps=12)
    write_config("maskable-ppo", theirs, path)
    command(monkeypatch, "--config", str(path))
    assert train.read_command().options == theirs


@pytest.mark.parametrize(
    ("content", "words", "told"),
    [
        (None, (), "cannot read"),
        ("games = ", (), "is no TOML"),
        ("games = 3", (), "must name its learner"),
        ('learner = "dqn"', (), "names the learner 'dqn'"),
        ('learner = "self-play"\ngames = "x"', (), "option 'games' was given 'x'"),
        ('learner = "self-play"', ("--preset", "demo"), "leave --preset out"),
        ('learner = "self-play"', ("--learner", "maskable-ppo"), "is for the learner self-play"),
    ],
)
def test_a_file_that_cannot_be_used_is_told_in_one_line(
    content: str | None,
    words: tuple[str, ...],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "mine.toml"
    if content is not None:
        path.write_text(content)
    command(monkeypatch, "--config", str(path), "--run", str(tmp_path / "run"), *words)
    assert train.main() == 1
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 1
    assert told in lines[0]
    assert not (tmp_path / "run").exists()


def test_a_broken_file_is_no_config(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="no TOML"):
        read_config(tmp_path / "bad.toml")
