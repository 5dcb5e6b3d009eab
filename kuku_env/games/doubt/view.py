"""Doubt in words and JSON: views, events, texts of actions, and the table as text.

A view is built by whitelist: public things of every seat, and private ones of the seat itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kuku_env.games.doubt import state as r
from kuku_env.games.doubt.cards import CARD_NAMES, RANK_NAMES
from kuku_env.games.doubt.encode import shown_phase
from kuku_env.games.doubt.layout import GAME_ID, LAYOUT, TALLIES
from kuku_env.games.doubt.legal import legal_actions
from kuku_env.games.doubt.stream import view_of_stream as view_of_stream

Event = dict[str, Any]


def _counts(counts: Sequence[int]) -> dict[str, int]:
    """Cards of a heap, or of claims, by name."""
    return {CARD_NAMES[k]: int(count) for k, count in enumerate(counts) if count}


def _listed(counts: Sequence[int]) -> list[str]:
    """Cards of a heap one by one, lowest first."""
    return [CARD_NAMES[k] for k, count in enumerate(counts) for _ in range(count)]


def _kind(card: Any) -> int:
    """A card of a record as its kind. Raises ValueError for anything else."""
    if not isinstance(card, str) or card not in CARD_NAMES:
        raise ValueError(f"a card is one of {list(CARD_NAMES)}, given {card!r}")
    return CARD_NAMES.index(card)


# ---------------------------------------------------------------- actions


def action_text(action: int, seat: int, num_players: int) -> str:
    """The text of an action id; here it is the same for every seat."""
    return LAYOUT.action_texts[action]


def action_id(text: str, seat: int, num_players: int) -> int:
    """The action id of a text. Raises ValueError for a text that names no action."""
    if not isinstance(text, str) or text not in LAYOUT.action_texts:
        raise ValueError(f"no action is called {text!r}")
    return LAYOUT.action_texts.index(text)


# ---------------------------------------------------------------- view


def view(s: Any, seat: int, rules: Mapping[str, Any]) -> dict[str, Any]:
    """Everything ``seat`` knows, as plain JSON; ``rules`` are the table's options."""
    phase = shown_phase(s)
    asked = phase <= r.RESPOND
    mine = s.turn == seat and s.phase <= r.RESPOND
    playing = s.phase == r.PLAYING
    return {
        "format": 1,
        "game": GAME_ID,
        "rules": dict(rules),
        "seat": seat,
        "phase": r.PHASES[phase],
        "to_act": int(s.turn) if playing or mine else None,
        "player": int(s.player) if asked else None,
        "number": RANK_NAMES[s.number] if asked else None,
        "put": int(s.put_size),
        "deck": _counts(s.copies),
        "hand": _counts(s.hands[seat]),
        "added": _counts(s.play) if playing and mine else {},
        "pile": int(s.pile_size),
        "pile_start": int(s.pile_start),
        "pile_mine": _counts(s.mine[seat]),
        "pile_shown": _counts(s.shown),
        "aside": int(s.aside_size),
        "seats": [_seat(s, seat, k) for k in range(int(s.num_players))],
        "legal": _legal(s) if mine else [],
    }


def _seat(s: Any, observer: int, seat: int) -> dict[str, Any]:
    return {
        "in_play": bool(s.out[seat] == 0),
        "cards": int(s.hand_size[seat]),
        "known": _counts(s.known[observer, seat]),
        "claims": _counts(s.claims[seat]),
        "took": _counts(s.took[seat]),
        "record": {name: int(s.tallies[seat, k]) for k, name in enumerate(TALLIES)},
    }


def _legal(s: Any) -> list[str]:
    mask = np.zeros(LAYOUT.num_actions, np.int8)
    legal_actions(s, mask)
    return [LAYOUT.action_texts[action] for action in np.flatnonzero(mask)]


# ---------------------------------------------------------------- events


def happenings(s: Any, rows: Sequence[Sequence[int]]) -> list[Event]:
    """The events told by log rows that led to record ``s``, complete, in order."""
    events: list[Event] = []
    kinds: list[int] = []
    for kind, seat, a, b, *counts in rows:
        event = _event(s, kind, seat, a, b, counts)
        # Cards that come one after the other, by chance that was given, are one event.
        gathered = kind in _GATHERED and kinds[-1:] == [kind]
        if gathered and events[-1].get("seat") == event.get("seat"):
            cards = events[-1]["cards"] + event["cards"]
            events[-1]["cards"] = sorted(cards, key=CARD_NAMES.index)
        else:
            events.append(event)
            kinds.append(kind)
    return events


_GATHERED = (r.DEALT, r.GAVE, r.NEW_PILE)


def _event(s: Any, kind: int, seat: int, a: int, b: int, counts: Sequence[int]) -> Event:
    cards = _listed(counts)
    if kind == r.START:
        return {"type": "start", "seat": seat}
    if kind == r.DEALT:
        return {"type": "deal", "seat": seat, "cards": cards, "private": [seat]}
    if kind == r.TURN:
        return {"type": "turn", "seat": seat, "number": RANK_NAMES[a]}
    if kind == r.ACT:
        return _act(seat, LAYOUT.action_texts[a], cards)
    if kind == r.ASKED:
        return {"type": "ask", "seat": seat, "private": [seat]}
    if kind == r.SHOWN:
        number, truth = RANK_NAMES[a], bool(b)
        return {"type": "show", "cards": cards, "number": number, "truth": truth, "loser": seat}
    if kind == r.TOOK:
        return {"type": "take", "seat": seat, "cards": cards, "private": [seat]}
    if kind == r.GAVE:
        parties = sorted((seat, a))
        return {"type": "exchange", "seat": seat, "from": a, "cards": cards, "private": parties}
    if kind == r.SET_ASIDE:
        return {"type": "set_aside", "seat": seat, "cards": cards, "private": [seat]}
    if kind == r.NEW_PILE:
        return {"type": "new_pile", "cards": cards, "private": []}
    if kind == r.OUT:
        return {"type": "out", "seat": seat}
    return _end(s)


def _act(seat: int, text: str, cards: list[str]) -> Event:
    """A doubt is public; cards added and refusals are not; of cards put down the number is."""
    event: Event = {"type": "act", "seat": seat, "action": text}
    if text == "put down":
        event["cards"] = cards
    if text != "doubt":
        event["private"] = [seat]
    return event


def _end(s: Any) -> Event:
    n = int(s.num_players)
    return {
        "type": "end",
        "rewards": [float(value) for value in s.returns[:n]],
        "places": [int(place) for place in s.place[:n]],
        "truncated": bool(s.truncated),
    }


def seat_event(event: Mapping[str, Any], seat: int) -> Event | None:
    """An event as ``seat`` may read it: private cards become their number.

    None: nothing of it may be known, not even that it happened (D1, D2).
    """
    told = {key: value for key, value in event.items() if key not in ("private", "seed")}
    if "private" in event and seat not in event["private"]:
        if "cards" not in event:
            return None
        told["cards"] = len(event["cards"])
    return told


_CHANCE_OF_SEATS = {"start": r.DRAW_FIRST, "ask": r.ASK_NEXT}
_CHANCE_OF_CARDS = {
    "deal": r.DEAL_CARD,
    "show": r.SHOW_ONE,
    "exchange": r.GIVE_CARD,
    "new_pile": r.NEW_PILE_CARD,
}


def outcomes(s: Any, event: Mapping[str, Any]) -> list[int]:
    """The outcomes an event gives to the chance phase that ``s`` is in; none if it tells of none.

    Raises ValueError for cards that are none, KeyError for a missing key.
    """
    if _CHANCE_OF_SEATS.get(event["type"]) == s.chance:
        return [event["seat"]]
    if _CHANCE_OF_CARDS.get(event["type"]) == s.chance:
        return [_kind(card) for card in event["cards"]]
    return []


# ---------------------------------------------------------------- text


def render(s: Any, seat: int | None = None) -> str:
    """The table as text: what ``seat`` may see, or, with None, everything."""
    told = [_render_seat(s, seat, k) for k in range(int(s.num_players))]
    pile = f"pile   {s.pile_size} cards"
    if seat is None and s.pile_size:
        pile += f": {_words(s.pile)}"
    elif seat is not None and any(s.mine[seat]):
        pile += f", of them mine: {_words(s.mine[seat])}"
    if any(s.shown):
        pile += f", shown: {_words(s.shown)}"
    told.append(f"{pile}, {s.aside_size} set aside")
    phase = shown_phase(s)
    if phase <= r.RESPOND:
        line = f"called {RANK_NAMES[s.number]} by seat {s.player}"
        if s.put_size:
            line += f", {s.put_size} put down"
        if any(s.play) and (seat is None or (seat == s.player and s.phase == r.PLAYING)):
            line += f": {_words(s.play)}"
        told.append(line)
    told.append(f"phase  {r.PHASES[phase]}")
    return "\n".join(told)


def _render_seat(s: Any, seat: int | None, k: int) -> str:
    asked = s.phase == r.PLAYING or (s.phase == r.RESPOND and seat in (None, k))
    mark = ">" if asked and s.turn == k else " "
    hand = f"  {_words(s.hands[k])}" if seat in (None, k) else ""
    gone = "  out" if s.out[k] else ""
    place = f"  place {s.place[k]}" if s.place[k] else ""
    return f"{mark} seat {k}  {s.hand_size[k]:3} cards{hand}{gone}{place}"


def _words(counts: Sequence[int]) -> str:
    return " ".join(_listed(counts)) or "-"
