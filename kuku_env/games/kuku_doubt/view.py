"""Kuku Doubt in words and JSON: views, events, texts of actions, and the table as text.

A view is built by whitelist: public things of every seat, and private ones of the seat itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kuku_env.games.kuku_doubt import state as r
from kuku_env.games.kuku_doubt.cards import CARD_NAMES, CLAIMS, NUM_RANKS
from kuku_env.games.kuku_doubt.layout import (
    GAME_ID,
    HISTORY,
    LAYOUT,
    START,
    TALLIES,
)
from kuku_env.games.kuku_doubt.legal import legal_actions
from kuku_env.games.kuku_doubt.stream import view_of_stream as view_of_stream

Event = dict[str, Any]


def _cards(ranks: Sequence[int]) -> list[int | str]:
    return [CARD_NAMES[rank] for rank in ranks if rank != r.NO_CARD]


def _pair(ranks: Sequence[int]) -> list[int | str] | None:
    return _cards(ranks) or None


def _counts(counts: Sequence[int]) -> dict[str, int]:
    return {str(CARD_NAMES[k]): int(counts[k]) for k in range(NUM_RANKS) if counts[k]}


def _rank(card: Any) -> int:
    """A card of a record as a rank. Raises ValueError for anything else."""
    if isinstance(card, bool) or card not in CARD_NAMES:
        raise ValueError(f"a card is one of {list(CARD_NAMES)}, given {card!r}")
    return CARD_NAMES.index(card)


# ---------------------------------------------------------------- actions


def action_text(action: int, seat: int, num_players: int) -> str:
    """The text of an action id taken by ``seat``; seats in texts are absolute."""
    if action >= START:
        return f"start {(seat + action - START) % num_players}"
    return LAYOUT.action_texts[action]


def action_id(text: str, seat: int, num_players: int) -> int:
    """The action id of a text. Raises ValueError for a text that names no action."""
    start = re.fullmatch(r"start ([0-5])", text) if isinstance(text, str) else None
    if start is not None:
        if int(start[1]) < num_players:
            return START + (int(start[1]) - seat) % num_players
    elif text in LAYOUT.action_texts[:START]:
        return LAYOUT.action_texts.index(text)
    raise ValueError(f"no action is called {text!r} with {num_players} players")


# ---------------------------------------------------------------- view


def view(s: Any, seat: int, rules: Mapping[str, Any]) -> dict[str, Any]:
    """Everything ``seat`` knows, as plain JSON; ``rules`` are the table's options."""
    n = int(s.num_players)
    deciding = s.phase < r.OVER
    turn = int(s.turn)
    mine = turn == seat and s.phase in (r.DISCARDING, r.CLAIMING, r.CHANCE)
    claims = [_claim(s, k, seat) for k in range(max(0, s.claims_made - HISTORY), s.claims_made)]
    passed = [claim["passed"] for claim in claims if "passed" in claim]
    return {
        "format": 1,
        "game": GAME_ID,
        "rules": dict(rules),
        "seat": seat,
        "phase": r.PHASES[s.phase],
        "to_act": turn if deciding else None,
        "hand": _pair(s.pair) if mine else None,
        "saw": _pair(s.saw) if mine else None,
        "discarded_cards": _pair(s.thrown) if mine else None,
        "passed": passed[-1] if passed else None,
        "lives": _cards(s.life[seat]),
        "seats": [_seat(s, k) for k in range(n)],
        "sudden_death": bool(s.living == 2 and not s.duel_lives and s.phase != r.OVER),
        "accepts_left": int(s.max_accepts - s.accepts) if s.max_accepts >= 0 else None,
        "claims_made": int(s.claims_made),
        "claims": claims,
        "my_discards": _counts(s.my_discards[seat]),
        "seen_before_reshuffle": _counts(s.seen_before[seat]),
        "table": _counts(s.table),
        "pile": int(s.pile_size),
        "discards": int(s.box_size),
        "legal": _legal(s) if deciding and turn == seat else [],
    }


def _claim(s: Any, k: int, seat: int) -> dict[str, Any]:
    c = [int(cell) for cell in s.claims[k % HISTORY]]
    claim: dict[str, Any] = {
        "seat": c[r.BY],
        "number": CLAIMS[c[r.NUMBER]],
        "discarded": c[r.DISCARDED],
    }
    if c[r.BY] == seat:
        for name, at in (("saw", r.SAW), ("discarded_cards", r.THROWN), ("passed", r.PASSED)):
            claim[name] = _pair([cell - 1 for cell in c[at : at + 2]])
    return claim


def _seat(s: Any, seat: int) -> dict[str, Any]:
    return {
        "lives": int(s.lives[seat]),
        "face_up": [
            CARD_NAMES[c] for c, up in zip(s.life[seat], s.face_up[seat], strict=True) if up
        ],
        "record": {name: int(s.tallies[seat, k]) for k, name in enumerate(TALLIES)},
    }


def _legal(s: Any) -> list[str]:
    mask = np.zeros(LAYOUT.num_actions, np.int8)
    legal_actions(s, mask)
    return [action_text(int(a), int(s.turn), int(s.num_players)) for a in np.flatnonzero(mask)]


# ---------------------------------------------------------------- events


def happenings(s: Any, rows: Sequence[Sequence[int]]) -> list[Event]:
    """The events told by log rows that led to record ``s``, complete, in order."""
    events: list[Event] = []
    if s.life_cards == 0 and s.decisions == 0:  # nobody was dealt any
        seats = range(int(s.num_players))
        events += [{"type": "lives", "seat": k, "cards": [], "private": [k]} for k in seats]
    for kind, a, b, c, d in rows:
        last = events[-1] if events else {}
        if kind == r.LIFE:
            _add_card(events, "lives", b, a)
        elif kind == r.ROUND:
            events.append({"type": "round", "start": a})
        elif kind == r.ACT:
            text = action_text(b, a, int(s.num_players))
            events.append({"type": "act", "seat": a, "action": text})
        elif kind == r.LOOK:
            events.append({"type": "look", "seat": a, "cards": _cards((b, c)), "private": [a]})
        elif kind == r.THREW:
            last |= {"cards": _cards((c, d)), "private": [a]}
        elif kind == r.DREW:
            _add_card(events, "draw", b, a)
        elif kind == r.REVEALED:
            _add_card(events, "reveal", a)
        elif kind == r.SHOWN:
            events.append(
                {
                    "type": "show",
                    "cards": _cards((a, b)),
                    "claim": CLAIMS[c],
                    "truth": a * b == CLAIMS[c],
                    "loser": d,
                }
            )
        elif kind == r.FLIPPED:
            events.append({"type": "flip", "seat": a, "card": CARD_NAMES[b]})
        elif kind == r.RESHUFFLED:
            events.append({"type": "reshuffle", "cards": a})
        elif kind == r.RECYCLED:
            events.append({"type": "table_recycled", "cards": a})
        elif kind == r.OUT:
            events.append({"type": "out", "seat": a})
        else:
            events.append(_end(s))
    return events


def _add_card(events: list[Event], kind: str, rank: int, seat: int | None = None) -> None:
    """Cards that come one after the other are one event."""
    last = events[-1] if events else {}
    if last.get("type") == kind and last.get("seat") == seat:
        last["cards"].append(CARD_NAMES[rank])
        return
    event: Event = {"type": kind}
    if seat is not None:
        event["seat"] = seat
    event["cards"] = [CARD_NAMES[rank]]
    if seat is not None:
        event["private"] = [seat]
    events.append(event)


def _end(s: Any) -> Event:
    n = int(s.num_players)
    return {
        "type": "end",
        "rewards": [float(value) for value in s.returns[:n]],
        "places": [int(place) for place in s.place[:n]],
        "truncated": bool(s.truncated),
    }


def seat_event(event: Mapping[str, Any], seat: int) -> Event:
    """An event as ``seat`` may read it: private cards become their number."""
    told = {key: value for key, value in event.items() if key not in ("private", "seed")}
    if "private" in event and seat not in event["private"]:
        told["cards"] = len(event["cards"])
        if event.get("action") in ("discard low", "discard high"):
            told["action"] = "discard one"
    return told


_CHANCE_EVENTS = {
    "lives": r.DEAL_LIFE,
    "round": r.DRAW_FIRST,
    "draw": r.DRAW_CARD,
    "reveal": r.REVEAL_CARD,
}


def outcomes(s: Any, event: Mapping[str, Any]) -> list[int]:
    """The outcomes an event gives to the chance phase that ``s`` is in; none if it tells of none.

    Raises ValueError for cards that are none, KeyError for a missing key.
    """
    if _CHANCE_EVENTS.get(event["type"]) != s.chance:
        return []
    if event["type"] == "round":
        return [event["start"]]
    return [_rank(card) for card in event["cards"]]


# ---------------------------------------------------------------- text


def render(s: Any, seat: int | None = None) -> str:
    """The table as text: what ``seat`` may see, or, with None, everything."""
    n = int(s.num_players)
    lines = []
    for k in range(n):
        face_down = [
            str(CARD_NAMES[c]) if seat in (None, k) else "?"
            for c, up in zip(s.life[k], s.face_up[k], strict=True)
            if c != r.NO_CARD and not up
        ]
        shown = [f"[{card}]" for card in _seat(s, k)["face_up"]]
        mark = ">" if s.phase < r.OVER and s.turn == k else " "
        place = f"  place {s.place[k]}" if s.place[k] else ""
        lines.append(f"{mark} seat {k}  lives {s.lives[k]}  {' '.join(face_down + shown)}{place}")
    held = seat is None or (s.turn == seat and s.phase in (r.DISCARDING, r.CLAIMING))
    if any(rank != r.NO_CARD for rank in s.pair):  # which of the two is left is hidden
        cards = " ".join(map(str, _cards(s.pair))) if held else "? ?"
        lines.append(f"pair   {cards}")
    for k in range(max(0, s.claims_made - HISTORY), s.claims_made):
        claim = _claim(s, k, -1)
        lines.append(
            f"claim  {claim['number']:2}  by seat {claim['seat']}, {claim['discarded']} discarded"
        )
    table = " ".join(f"{card}x{count}" for card, count in _counts(s.table).items())
    lines.append(f"table  {table or '-'}")
    lines.append(f"pile   {s.pile_size} cards, box {s.box_size}, phase {r.PHASES[s.phase]}")
    return "\n".join(lines)
