"""Irregular acts of people at a table, and the legal acts that each stands for.

The rulebook repairs a wrong act so that as much of it as possible becomes a right one. An act is
the text of an action, legal or not; ``lead KIND`` is any card put on the table face up. An
environment's ``step`` with an illegal action stays an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kuku_env.core.game import Repair
from kuku_env.games.liars_cry.cards import HANYU, KIND_NAMES
from kuku_env.games.liars_cry.layout import LAYOUT

_HANYU = KIND_NAMES[HANYU]

_LEGAL = ("it is legal", "正しい行動です")
_OF_HANYU = (
    "a doubt of a face-up Hanyu is one of the last face-down card",
    "表の羽入へのダウトは、最後の裏返しの場札へのダウトです",
)
_OUT_OF_TURN = ("it is not this seat's turn: undone", "手番ではないので取り消し")
_NOT_HELD = ("no such card is held: undone", "手札にないので取り消し")
_NOT_NOW = ("it cannot be done now: undone", "今はできないので取り消し")
_NO_DOUBT = (
    "no face-down card can be doubted: undone",
    "ダウトできる裏返しの場札がないので取り消し",
)
_NO_LEAD = (
    "this card cannot be led and goes back to hand: undone",
    "リードできないカードなので手札に戻して取り消し",
)
_SKIP = ("a Hanyu face up is a skip", "羽入を表で出すのはスキップです")
_COLLECT = (
    "a card face up while table cards lie: they are collected, then it is led; if the deal ends "
    "before that, it goes back to hand",
    "場札があるのに表で出したので、場札を回収してからリード。回収でゲームが終われば手札に戻す",
)


def repair(view: Mapping[str, Any], act: str) -> Repair:
    """What an act of the seat whose view this is stands for. A legal act stands for itself.

    After ``collect``, which card to take is asked as always. Raises ValueError for a text that is
    no action's.
    """
    if not isinstance(act, str) or act not in LAYOUT.action_texts:
        raise ValueError(f"no action is called {act!r}")
    if view["to_act"] != view["seat"]:
        return _undone(_OUT_OF_TURN)
    if act in view["legal"]:
        of_hanyu = act == "doubt" and view["table"][-1]["face_up"]
        return Repair((act,), _OF_HANYU if of_hanyu else _LEGAL)
    kind, _, card = act.partition(" ")
    if kind in ("lead", "play") and card not in view["hand"]:
        return _undone(_NOT_HELD)
    if kind == "lead":
        return _face_up(view, card)
    return _undone(_NO_DOUBT if act == "doubt" and view["phase"] == "act" else _NOT_NOW)


def _face_up(view: Mapping[str, Any], card: str) -> Repair:
    """A card that is held, put on the table face up where it cannot be led."""
    if view["phase"] == "take":
        return _undone(_NOT_NOW)
    if card == _HANYU and "skip" in view["legal"]:
        return Repair(("skip",), _SKIP)
    if not view["rules"]["leads"][KIND_NAMES.index(card)]:
        return _undone(_NO_LEAD)
    return Repair(("collect", f"lead {card}"), _COLLECT, within="deal")


def _undone(words: tuple[str, str]) -> Repair:
    return Repair((), words)
