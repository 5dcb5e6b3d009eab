"""Reports: one page that needs nothing else, tables that say the same, and a folder to go on in."""

import csv
import json
import re
from html.parser import HTMLParser

import pytest
from toy import GAME as COIN

import evaluate
from kuku_env.arena import play_match, self_play
from kuku_env.arena.page import page
from kuku_env.arena.plots import ratings_plot
from kuku_env.arena.report import bot_report, evaluation_report, tables
from kuku_env.bots import make_policy
from kuku_env.core.game import Measure
from kuku_env.games import games

GAME = "kuku-doubt"


def run(monkeypatch, capsys, *arguments):
    monkeypatch.setattr("sys.argv", ["evaluate.py", *map(str, arguments)])
    code = evaluate.main()
    return code, capsys.readouterr()


def report_of(game, matches, mirrors, bots):
    facts = {
        "game": game.id,
        "layout": game.layout.id,
        "command": "kuku evaluate <b> & co",
        "seed": 0,
        "seconds": 0.1,
        "bots": [bot_report(label, "x", bot) for label, bot in bots.items()],
        "measures": [{"name": one.name, "meaning": one.meaning} for one in game.measures],
        "tally_limit": game.tally_limit,
    }
    return evaluation_report(facts, matches, mirrors)


class Page(HTMLParser):
    """What a page asks its reader to fetch, which tags it leaves open, and its text."""

    EMPTY = ("meta", "br", "link", "img", "input", "hr")

    def __init__(self, text):
        super().__init__()
        self.fetched, self.open, self.said = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        if tag not in self.EMPTY:
            self.open.append(tag)
        if tag in ("script", "link", "img", "iframe", "object", "embed", "image"):
            self.fetched.append(tag)
        for name, value in attributes:
            local = (value or "").startswith("#")
            if name in ("src", "href", "xlink:href", "srcset", "data") and not local:
                self.fetched.append((tag, name, value))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.said.append(data)


def check_page(text):
    """The page is whole, and a browser without a network shows all of it."""
    read = Page(text)
    assert read.fetched == []
    assert read.open == []
    assert "http:" not in text
    assert "https:" not in text
    assert "@import" not in text
    assert set(re.findall(r"url\((.)", text)) <= {"#"}
    assert "default-src 'none'" in text
    assert "viewport" in text
    assert "prefers-color-scheme: dark" in text
    assert "#010203" not in text
    return " ".join(read.said)


def test_a_report_is_one_page_that_fetches_nothing(monkeypatch, capsys, tmp_path):
    arguments = ("selfplay", "scripted-easy", "random", "--players", 2, 4, "--games", 24)
    code, said = run(monkeypatch, capsys, *arguments, "--self-play", 4, "--out", tmp_path)
    assert code == 0, said.err
    text = (tmp_path / "report.html").read_text("utf-8")
    words = check_page(text)
    assert text.count("<svg") == 5
    report = json.loads((tmp_path / "results.json").read_text("utf-8"))
    assert page(report) == text  # from the numbers alone
    for expected in ("python evaluate.py selfplay", "Seed 0", "numba", "Elo", "lies", "seat 3"):
        assert expected in words
    for bot in report["bots"]:
        assert bot["label"] in words
    assert report["bots"][0]["sha256"][:16] in words
    share = report["matches"][1]["seats"]["random"][2]
    assert f"{100 * share['value']:.1f} %" in words


def test_tables_say_what_the_numbers_say(monkeypatch, capsys, tmp_path):
    run(monkeypatch, capsys, "scripted-easy", "random", "--games", 16, "--out", tmp_path)
    report = json.loads((tmp_path / "results.json").read_text("utf-8"))

    def rows(name):
        return list(csv.DictReader((tmp_path / f"{name}.csv").read_text("utf-8").splitlines()))

    for row, bot in zip(rows("standings"), report["matches"][0]["bots"], strict=False):
        assert (row["players"], row["bot"]) == ("2", bot["label"])
        assert float(row["share"]) == bot["share"]["value"]
    rated = {(row["players"], row["model"], row["bot"]): row for row in rows("ratings")}
    assert {key[:2] for key in rated} == {
        *(("all", "elo"), ("2", "elo"), ("4", "elo"), ("4", "openskill"))
    }
    pooled = report["ratings"][0]
    assert float(rated["all", "elo", pooled["label"]]["rating"]) == pooled["elo"]["value"]
    assert len(rows("seats")) == 2 * (2 + 4)
    assert len(rows("head_to_head")) == 4
    assert {row["kind"] for row in rows("style")} == {"action", "measure"}


def test_the_same_command_goes_on_and_another_is_refused(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    arguments = ("scripted-easy", "random", "--players", 2, "--games", 20)
    _, said = run(monkeypatch, capsys, *arguments)
    (folder,) = (tmp_path / "runs" / "evaluations").iterdir()
    assert "Played 20 games." in said.out
    before = json.loads((folder / "results.json").read_text("utf-8"))
    code, said = run(monkeypatch, capsys, *arguments)
    assert code == 0
    assert "Played 0 games, and read 20 that were there." in said.out
    after = json.loads((folder / "results.json").read_text("utf-8"))
    assert {**after, "seconds": 0} == {**before, "seconds": 0}
    code, said = run(monkeypatch, capsys, *arguments, "--seed", 1, "--out", folder)
    assert code == 2
    assert "holds another plan: seed is 0 there, 1 here" in said.err
    code, said = run(
        monkeypatch, capsys, *arguments, "--rules", "reward", "placement", "--out", folder
    )
    assert code == 2
    assert 'rules.reward is "winner" there, "placement" here' in said.err


def test_one_against_a_field(monkeypatch, capsys, tmp_path):
    arguments = ("scripted-normal", "--against", "scripted-easy", "random", "--games", 40)
    code, said = run(monkeypatch, capsys, *arguments, "--players", 2, 4, "--out", tmp_path)
    assert code == 0, said.err
    two, four = json.loads((tmp_path / "results.json").read_text("utf-8"))["matches"]
    assert two["head_to_head"]["scripted-easy"]["random"] is None
    assert two["bots"][0]["seats"] == two["games"]
    assert four["bots"][0]["seats"] == four["games"]
    assert sum(bot["seats"] for bot in four["bots"]) == 4 * four["games"]


def test_a_game_that_counts_nothing_has_a_report_too():
    bots = {"random #1": make_policy("random", COIN), "random #2": make_policy("random", COIN)}
    result = play_match(COIN, list(bots.values()), 3, 30)
    assert result.tallies.shape == (result.plan.games, 3, 0)
    mirror = self_play(COIN, make_policy("random", COIN), 2, 5, labels=["random #1"])
    report = report_of(COIN, [result], [mirror], bots)
    words = check_page(page(report))
    assert "kuku evaluate <b> & co" in words  # text, not markup
    assert "standings.csv" in tables(report)
    alone = report_of(COIN, [], [mirror], {"random #1": bots["random #1"]})
    check_page(page(alone))
    assert list(tables(alone)) == ["style.csv"]


@pytest.mark.parametrize("game", games(), ids=lambda game: game.name)
def test_every_game_tells_what_its_counts_say(game):
    assert [measure.name for measure in game.measures][:2] == ["lies", "doubts right"]
    bots = [make_policy(name, game) for name in ("scripted-easy", "random")]
    result = play_match(game, bots, max(2, game.min_players), 60)
    for told in report_of(game, [result], [], dict(zip(result.labels, bots, strict=True)))[
        "matches"
    ][0]["style"].values():
        assert 0 <= told["measures"]["lies"]["value"] <= 1


def test_wrong_measures_are_refused():
    import dataclasses

    game = games()[0]
    with pytest.raises(ValueError, match="must be in its whole"):
        dataclasses.replace(game, measures=(Measure("m", "", ("plays",), ("doubts_right",)),))
    with pytest.raises(ValueError, match="must count"):
        dataclasses.replace(game, tallies=("one",), measures=())


def test_plots_are_the_same_every_time():
    rows = [{"label": "a" * 40, "elo": {"value": 1.0, "low": -1.0, "high": 3.0}}]
    assert ratings_plot(rows, "x") == ratings_plot(rows, "x") != ratings_plot(rows, "y")
