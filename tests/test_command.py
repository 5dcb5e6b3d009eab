"""The command ``kuku``: what it prints, what it refuses, and games played through it."""

import json
import os
import random
import subprocess
import sys

import pytest
from asking import KUKU, random_match

import kuku_env
from kuku_env.bots import bot_names
from kuku_env.bots.named import SHIPPED
from kuku_env.command import play as playing
from kuku_env.command.main import _parser, main
from kuku_env.command.play import meant
from kuku_env.envs.records import read_events, replay, to_lines, write_record
from kuku_env.envs.words import action_words, event_words
from kuku_env.games import games

every_game = pytest.mark.parametrize("game", games(), ids=lambda game: game.name)


def run(capsys, *arguments):
    code = main([str(argument) for argument in arguments])
    said = capsys.readouterr()
    return code, said.out, said.err


@pytest.fixture
def record(tmp_path):
    """The record of a finished game."""
    match, chance = random_match(2, moves=0, num_players=3), random.Random(2)
    while not match.over:
        match.step(chance.choice(match.legal_actions()))
    write_record(tmp_path / "game.jsonl", match)
    return tmp_path / "game.jsonl"


# ---- what is told --------------------------------------------------------------------------------


def test_version_and_help(capsys):
    for arguments, words in (("--version", kuku_env.__version__), ("--help", "serve")):
        with pytest.raises(SystemExit) as stopped:
            main([arguments])
        assert stopped.value.code == 0
        assert words in capsys.readouterr().out
    for command in ("play", "serve", "bots", "spec", "check", "replay"):
        with pytest.raises(SystemExit) as stopped:
            main([command, "--help"])
        assert stopped.value.code == 0
        told = capsys.readouterr().out
        examples = [line.split()[1:] for line in told.splitlines() if line.startswith("  kuku ")]
        assert examples
        for arguments in examples:  # such as can be given
            assert _parser().parse_args(arguments).run


def test_it_is_installed_and_answers_at_once():
    code = "import sys; from kuku_env.command.main import _parser, main\n"
    code += "try: main(['--help'])\nfinally: print(sorted(sys.modules), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    for heavy in ("torch", "onnxruntime", "fastapi", "uvicorn", "rich", "tyro"):
        assert f"'{heavy}'" not in done.stderr


def test_spec_and_bots(capsys):
    for game in games():
        for name in (game.name, game.id):
            code, out, _ = run(capsys, "spec", name)
            assert code == 0
            assert json.loads(out) == game.spec()
    code, out, _ = run(capsys, "bots")
    assert code == 0
    for game in games():
        for name in bot_names(game):
            assert name in out
    code, out, _ = run(capsys, "bots", KUKU.name, "--json")
    assert {entry["name"] for entry in json.loads(out)} == set(bot_names(KUKU))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["spec", "chess"], "unknown game 'chess'"),
        (["bots", "chess"], "unknown game 'chess'"),
        (["play", "chess"], "unknown game 'chess'"),
        (["play", "--players", "9"], "'num_players' was given 9"),
        (["play", "--seat", "4", "--players", "4"], "--seat must be from 0 to 3"),
        (["play", "--bots", "nobody"], "given 'nobody'"),
        (["play", "--rule", "reward", "placement", "--bots", "strong"], "plays with reward in"),
        (["play", "--rule", "seed", "3"], "'seed' was given 3"),
        (["play", "--preset", "huge"], "preset"),
        (["play", "--seed", "-1"], "seed"),
        (["serve", "--stdio", "--bots", "/nowhere"], "cannot read"),
        (["serve", "--stdio", "--default", "nobody"], "no bot is called 'nobody'"),
        (["serve", "--stdio", "--max-bytes", "0"], "at least 1"),
    ],
)
def test_refusals_in_one_line(capsys, arguments, message):
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert message in err


# ---- records -------------------------------------------------------------------------------------


def test_check_and_replay(capsys, record):
    code, out, err = run(capsys, "check", record)
    assert (code, err) == (0, "")
    assert f"{record}: good: {KUKU.id}, 3 players, over" in out
    code, everything, _ = run(capsys, "replay", record)
    events = read_events(record.read_text())
    assert code == 0
    assert everything.splitlines() == [event_words(event) for event in events]
    seen = set()
    for seat in range(3):
        code, out, _ = run(capsys, "replay", record, "--seat", seat, "--lang", "ja")
        assert code == 0
        assert len(out.splitlines()) == len(events)
        assert "ラウンド" in out
        seen.add(out)
    assert len(seen) == 3


def test_check_names_the_line_and_the_reason(capsys, record, tmp_path):
    lines = record.read_text().splitlines(keepends=True)
    at = next(k for k, line in enumerate(lines) if '"act"' in line)
    event = json.loads(lines[at])
    cases = [
        ([*lines[:at], to_lines([{**event, "action": "claim 11"}])], at + 1, "claim 11"),
        ([*lines[:at], to_lines([{**event, "seat": 2}])], at + 1, "is to act"),
        ([*lines[:at], "{\n"], at + 1, "not JSON"),
        (lines[1:], 1, "game event"),
        ([], 1, "game event"),
    ]
    for k, (wrong, line, reason) in enumerate(cases):
        path = tmp_path / f"wrong{k}.jsonl"
        path.write_text("".join(wrong))
        code, _, err = run(capsys, "check", record, path)
        assert code == 1
        assert err.startswith(f"{path}: line {line}: ")
        assert reason in err
        assert run(capsys, "replay", path)[0] == 1
    path.write_bytes(b"\xff")
    assert "not UTF-8" in run(capsys, "check", path)[2]
    assert "No such file" in run(capsys, "check", tmp_path / "none")[2]
    assert run(capsys, "replay", record, "--seat", 3)[0] == 2


def test_every_event_and_action_has_words():
    for seed in range(10):
        for event in random_match(seed, moves=60).events():
            for lang in ("en", "ja"):
                words = event_words(event, lang)
                assert words
                assert "{" not in words
                if event["type"] != "game":
                    assert not words.startswith(event["type"])  # told as it stands
    for action in range(KUKU.layout.num_actions):
        text = KUKU.telling.action_text(action, 0, 6)
        assert action_words(text, "ja") != text
    assert action_words("bow to 3", "ja") == "bow to 3"
    assert event_words({"type": "bid", "seat": 1, "amount": 2}) == "bid: seat 1, amount 2"
    assert event_words({"type": "show", "cards": [1]}) == "show: cards 1"
    assert event_words({"type": "bow"}) == "bow"


# ---- play ----------------------------------------------------------------------------------------


def play(monkeypatch, capsys, typed, *options):
    """A game in which a function of what was printed last, or a list, gives what is typed."""
    given = iter(typed) if isinstance(typed, list) else None

    def answer(prompt):
        print(prompt, end="")
        if given is None:
            return typed()
        try:
            return next(given)
        except StopIteration:
            raise EOFError from None

    monkeypatch.setattr("builtins.input", answer)
    return run(capsys, "play", *options)


@pytest.mark.parametrize("lang", ["en", "ja"])
@pytest.mark.parametrize("players", [2, 4])
def test_a_whole_game(monkeypatch, capsys, tmp_path, players, lang):
    chance, table = random.Random(players), {}
    ask = playing._Table.ask

    def remember(self):
        table["view"] = self.match.view(self.me)
        return ask(self)

    monkeypatch.setattr(playing._Table, "ask", remember)
    path = tmp_path / "game.jsonl"
    options = ["--players", players, "--lang", lang, "--seed", 4, "--save", path, "--seat", 1]
    code, out, err = play(
        monkeypatch, capsys, lambda: chance.choice(table["view"]["legal"]), *options
    )
    assert (code, err) == (0, "")
    match = replay(read_events(path.read_text()))
    assert match.over
    review = {"en": "what everybody held", "ja": "振り返り"}[lang]
    news, _, told = out.partition(review)
    for event in match.stream(1):
        assert event_words(event, lang) in news
    for event in match.events():
        assert event_words(event, lang) in told
    hidden = [event for event in match.events() if event.get("private") == [0]]
    assert hidden
    for event in hidden:
        assert event_words(event, lang) not in news.splitlines()


def test_the_same_seed_is_the_same_game(monkeypatch, capsys):
    games_told = {
        play(monkeypatch, capsys, ["claim 1"], "--players", 2, "--seed", seed, "--bots", "easy")[1]
        for seed in (7, 7, 7, 8)
    }
    assert len(games_told) == 2


def test_what_can_be_asked_at_the_table(monkeypatch, capsys):
    typed = ["help", "legal", "hint", "table", "history", "nonsense", "cl", "", "ヒント", "quit"]
    options = ["--players", 2, "--rule", "first_player", "0", "--seed", 1]
    code, out, err = play(monkeypatch, capsys, typed, *options)
    assert (code, err) == (0, "")
    for words in (
        "You sit at seat 0.", "Seat 1: strong.", "your cards: ", "claim 1 … claim 81",
        "Type an action", "Win chance now: ", "seat 0  lives", "'nonsense' is nothing",
        "Which of these? claim 1, claim 2", "You leave the table.",
    ):  # fmt: skip
        assert words in out, words


def test_bots_may_be_levels_names_and_folders(monkeypatch, capsys):
    folder = sorted(path.parent for path in SHIPPED.glob(f"{KUKU.name}/*/bot.json"))[0]
    bots = ["easy", "scripted-normal", folder]
    code, out, err = play(monkeypatch, capsys, [], "--players", 4, "--bots", *bots)
    assert (code, err) == (0, "")
    for seat, name in ((1, "scripted-easy"), (2, "scripted-normal"), (3, folder.name)):
        assert f"Seat {seat}: {name}." in out


def test_by_default_the_best_bot_that_plays_such_a_table(monkeypatch, capsys):
    for rules, bot in (([], "strong"), (["--rule", "reward", "placement"], "scripted-normal")):
        code, out, err = play(monkeypatch, capsys, ["hint"], "--players", 2, *rules)
        assert (code, err) == (0, "")
        assert f"Seat 1: {bot}." in out


@every_game
def test_every_game_can_be_played(monkeypatch, capsys, game):
    """By whoever always does what comes first."""
    monkeypatch.setattr(playing._Table, "ask", lambda self: self.match.view(self.me)["legal"][0])
    options = ["--rule", "max_decisions", 60, "--seed", 2]
    code, out, err = play(monkeypatch, capsys, [], game.name, *options)
    assert (code, err) == (0, "")
    assert "what everybody held" in out


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("accept", ["accept"]),
        ("ACC", ["accept"]),
        ("3  6", ["see 3 6"]),
        ("see 3 6", ["see 3 6"]),
        ("l l", ["see L L"]),
        ("6", ["see 1 6", "see 3 6"]),
        ("see", ["see 1 6", "see 3 6", "see L L"]),
        ("nothing", []),
    ],
)
def test_what_a_few_typed_words_mean(typed, found):
    assert meant(typed, ["accept", "see 1 6", "see 3 6", "see L L"]) == found


def test_a_real_terminal_session():
    """Through a process, its standard streams and its encoding."""
    done = subprocess.run(
        [sys.executable, "-m", "kuku_env", "play", "--players", "2", "--lang", "ja", "--seed", "3"],
        input="ヒント\n終了\n".encode(),
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONUTF8": "1"},
        timeout=120,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert "席を立ちました" in done.stdout.decode()
    assert done.stderr == b""
