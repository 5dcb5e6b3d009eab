"""Irregular acts of people at a table, and the legal acts that each stands for.

The rulebook repairs a wrong act so that as much of it as possible becomes a right one. Here an act
is a text: that of an action (``doubt``, ``play C3``, ...), or ``face up KIND`` for a card that was
put on the table face up. An environment's ``step`` with an illegal action stays an error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kuku_env.games.liars_cry import state as r
from kuku_env.games.liars_cry.cards import HANYU, KIND_NAMES
from kuku_env.games.liars_cry.layout import LAYOUT, LEAD, SKIP
from kuku_env.games.liars_cry.legal import is_legal

FACE_UP = "face up "


@dataclass(frozen=True)
class Repair:
    """The legal acts, in their order, that an act of ``seat`` stands for; none: it is undone.

    Between ``collect`` and the act after it, which card to take is asked as always. ``due`` says
    when that act may follow, and whether it follows at all.
    """

    seat: int
    acts: tuple[str, ...]
    deal: int

    def due(self, record: Any, done: int) -> str | None:
        """The act to be carried out after ``done`` of them; None: none now, or none any more.

        While the collector is asked which card to take there is none. Where the collection ended
        the deal there is none any more: the card stays in the hand that it never left.
        """
        if done >= len(self.acts) or self.over(record):
            return None
        act = self.acts[done]
        asked = record.phase < r.OVER and record.turn == self.seat
        return act if asked and is_legal(record, LAYOUT.action_texts.index(act)) else None

    def over(self, record: Any) -> bool:
        """The deal in which it was done has ended: nothing is left to carry out."""
        return bool(record.phase >= r.OVER or record.deal_number != self.deal)


def repair(record: Any, seat: int, act: str) -> Repair:
    """What an act of a seat stands for. A legal act stands for itself.

    Raises ValueError for a text that is no act.
    """
    return Repair(seat, _stands_for(record, seat, act), int(record.deal_number))


def _stands_for(record: Any, seat: int, act: str) -> tuple[str, ...]:
    if not isinstance(act, str) or act not in (*LAYOUT.action_texts, *_FACE_UP_ACTS):
        raise ValueError(f"no act is called {act!r}")
    if record.phase >= r.OVER or record.turn != seat:
        return ()  # out of turn
    if act in LAYOUT.action_texts:  # a doubt of a Hanyu is one of the last face-down card
        return (act,) if is_legal(record, LAYOUT.action_texts.index(act)) else ()
    kind = _FACE_UP_ACTS.index(act)
    if record.hands[seat, kind] == 0:
        return ()
    if kind == HANYU and is_legal(record, SKIP):
        return (LAYOUT.action_texts[SKIP],)
    if record.leads[kind] == 0:
        return ()  # a Key Person, or a Hanyu where no table card lies
    lead = LAYOUT.action_texts[LEAD + kind]
    if record.phase == r.LEADING:
        return (lead,)
    return ("collect", lead) if record.phase == r.ACTING else ()


_FACE_UP_ACTS = tuple(f"{FACE_UP}{kind}" for kind in KIND_NAMES)
