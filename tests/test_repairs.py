"""What people do wrongly is repaired where a game's rules say how: in ``kuku play``, told in words,
and by the protocol. What stands for what is tested with the rulings of the game itself."""

import pytest
from asking import KUKU, SERVICE, ask
from fastapi.testclient import TestClient
from jsonschema import Draft202012Validator
from test_liars_cry_rulings import A, B, C, deal

from kuku_env.command.main import main
from kuku_env.command.play import _Table
from kuku_env.envs.match import Match
from kuku_env.protocol.http import make_app
from kuku_env.protocol.openapi import REPAIR, REPAIRING

# ---- in the terminal -----------------------------------------------------------------------------


def typing(monkeypatch, *lines):
    """Somebody who types these lines."""
    typed = iter(lines)
    monkeypatch.setattr("builtins.input", lambda prompt: next(typed))


def sit_down(match, seat, lang="en"):
    return _Table(match, seat, {}, None, lang)


def test_a_card_face_up_on_others_is_a_collect_and_then_the_lead(monkeypatch, capsys):
    match = deal(A, B, C)
    for act in ("lead C1", "play C7"):
        match.act(act)
    table = sit_down(match, 1)
    typing(monkeypatch, "lead c6", "take 1")
    for expected in ("collect", "take 1", "lead C6"):
        act = table.repaired() or table.ask()
        assert act == expected
        match.act(act)
    assert table.repaired() is None
    said = capsys.readouterr().out
    assert "“lead C6” is taken as: collect · lead C6; a card face up while table cards lie" in said
    assert "dropped" not in said


def test_what_is_left_when_the_deal_ends_is_dropped(monkeypatch, capsys):
    match = deal("C1 C2", "C3 C4", "C1 C2")
    for act in ("lead C1", "play C2"):
        match.act(act)
    typing(monkeypatch, "lead C4", "take 1")
    sit_down(match, 1).play()
    assert match.over
    assert "“lead C4” is dropped." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("lang", "words"), [("en", "no face-down card can be doubted: undone"), ("ja", "取り消し")]
)
def test_what_is_undone_is_told_and_the_player_asked_again(monkeypatch, capsys, lang, words):
    match = deal(A, B, C)
    match.act("lead C1")
    match.act("skip")
    before = match.S.tobytes()
    typing(monkeypatch, "doubt", "collect")
    assert sit_down(match, 1, lang).ask() == "collect"
    assert match.S.tobytes() == before
    assert words in capsys.readouterr().out


def test_a_whole_line_of_the_command(monkeypatch, capsys):
    rules = {"num_players": 3, "first_player": 0, "deals": 1}
    hand = Match("liars-cry", seed=7, **rules).view(0)["hand"]
    first, second = [card for card in dict.fromkeys(hand) if card.startswith("C")][:2]
    typing(monkeypatch, f"lead {first}", f"lead {second}", "quit")
    main([
        "play", "liars-cry", "--players", "3", "--seed", "7",
        "--rule", "first_player", "0", "--rule", "deals", "1",
    ])  # fmt: skip
    said = capsys.readouterr().out
    assert f"“lead {second}” is taken as: collect · lead {second}" in said
    assert f"seat 0: lead {second} face up" in said


def test_other_games_say_that_it_cannot_be_done(monkeypatch, capsys):
    match = Match(KUKU, seed=1, num_players=2, first_player=0)
    typing(monkeypatch, "doubt", "claim 24")
    assert sit_down(match, 0).ask() == "claim 24"
    assert "'doubt' is nothing you can do now." in capsys.readouterr().out


# ---- by the protocol -----------------------------------------------------------------------------


def asked(match, seat, act, **more):
    return {"id": 1, "op": "repair", "act": act, "view": match.view(seat), **more}


def test_the_protocol_tells_what_an_act_stands_for():
    match = deal(A, B, C)
    for act in ("lead C1", "play C7"):
        match.act(act)
    cases = [
        (1, "lead C6", ["collect", "lead C6"], "deal"),
        (1, "doubt", ["doubt"], None),
        (2, "doubt", [], None),  # out of turn
    ]
    for seat, act, acts, within in cases:
        request = asked(match, seat, act)
        reply = ask(request)
        assert (reply["acts"], reply["within"]) == (acts, within)
        del request["view"]
        assert ask({**request, "events": match.stream(seat)}) == reply
        japanese = ask(asked(match, seat, act, lang="ja"))
        assert japanese["acts"] == acts
        assert japanese["words"] != reply["words"]
        Draft202012Validator(REPAIR).validate(reply)
        Draft202012Validator(REPAIRING).validate(request)


def test_a_doubt_of_a_hanyu_is_explained():
    match = deal(A, B, C)
    for act in ("lead C1", "play C7", "skip"):
        match.act(act)
    reply = ask(asked(match, 2, "doubt"))
    assert reply["acts"] == ["doubt"]
    assert "Hanyu" in reply["words"]


@pytest.mark.parametrize(
    ("change", "code", "field"),
    [
        ({"act": "shout"}, "bad_json", "act"),
        ({"act": None}, "bad_json", "act"),
        ({"act": ["doubt"]}, "bad_json", "act"),
        ({"lang": "fr"}, "bad_json", "lang"),
        ({"view": {}}, "bad_view", "game"),
        ({"bot": "random"}, "bad_json", None),
        ({"view": Match(KUKU, seed=1, num_players=2).view(0)}, "illegal_action", "act"),
    ],
)
def test_what_cannot_be_repaired_is_an_error(change, code, field):
    error = ask({**asked(deal(A, B, C), 0, "doubt"), **change})["error"]
    assert (error["code"], error.get("field")) == (code, field)


def test_http_repairs_as_stdio_does():
    request = asked(deal(A, B, C), 0, "lead Hanyu", lang="ja")
    with TestClient(make_app(SERVICE)) as client:
        answer = client.post("/v1/repair", json=request)
    assert answer.status_code == 200
    assert answer.json() == ask(request)
