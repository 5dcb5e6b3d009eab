"""Liar's Cry in words and JSON: views, events, texts of actions, and the table as text.

A view is built by whitelist: public things of every seat, and private ones of the seat itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kuku_env.games.liars_cry import state as r
from kuku_env.games.liars_cry.cards import KIND_NAMES, NUM_KINDS
from kuku_env.games.liars_cry.layout import COLLECT, GAME_ID, LAYOUT, PLAY, TALLIES
from kuku_env.games.liars_cry.legal import legal_actions
from kuku_env.games.liars_cry.stream import view_of_stream as view_of_stream

Event = dict[str, Any]


def _cards(counts: Sequence[int]) -> list[str]:
    """Cards by their counts, in the order of kinds."""
    return [KIND_NAMES[k] for k in range(NUM_KINDS) for _ in range(int(counts[k]))]


def _counts(counts: Sequence[int]) -> dict[str, int]:
    return {KIND_NAMES[k]: int(counts[k]) for k in range(NUM_KINDS) if counts[k]}


def _kind(card: Any) -> int:
    """A card of a record as a kind. Raises ValueError for anything else."""
    if not isinstance(card, str) or card not in KIND_NAMES:
        raise ValueError(f"a card is one of {list(KIND_NAMES)}, given {card!r}")
    return KIND_NAMES.index(card)


# ---------------------------------------------------------------- actions


def action_text(action: int, seat: int, num_players: int) -> str:
    """The text of an action id; it is the same for every seat."""
    return LAYOUT.action_texts[action]


def action_id(text: str, seat: int, num_players: int) -> int:
    """The action id of a text. Raises ValueError for a text that names no action."""
    if isinstance(text, str) and text in LAYOUT.action_texts:
        return LAYOUT.action_texts.index(text)
    raise ValueError(f"no action is called {text!r}")


# ---------------------------------------------------------------- view


def view(s: Any, seat: int, rules: Mapping[str, Any]) -> dict[str, Any]:
    """Everything ``seat`` knows, as plain JSON; ``rules`` are the table's options."""
    n = int(s.num_players)
    deciding = s.phase < r.OVER
    turn = int(s.turn)
    took = [[int(cell) for cell in row] for row in s.took[: s.took_count]]
    mine = [t for t in took if t[r.BY] == seat and t[r.FROM] != seat]
    return {
        "format": 1,
        "game": GAME_ID,
        "rules": dict(rules),
        "seat": seat,
        "phase": r.PHASES[s.phase],
        "to_act": turn if deciding else None,
        "dealer": int(s.dealer) if s.dealer != r.NOBODY else None,
        "deal": int(s.deal_number),
        "deals_left": int(s.deals - s.deal_number),
        "hand": _cards(s.hands[seat]),
        "lead": KIND_NAMES[s.table_kind[0]] if s.table_size else None,
        "table_size": int(s.table_size),
        "table": [_table_card(s, p, seat) for p in range(s.table_size)],
        "last_face_down": int(s.table_seat[s.last_down]) if s.last_down != r.NOBODY else None,
        "seats": [_seat(s, k, seat, took) for k in range(n)],
        "took": _tally([t[r.KIND] for t in mine]),
        "legal": _legal(s) if deciding and turn == seat else [],
    }


def _tally(kinds: Sequence[int]) -> dict[str, int]:
    return {KIND_NAMES[k]: kinds.count(k) for k in range(NUM_KINDS) if k in kinds}


def _table_card(s: Any, position: int, seat: int | None) -> dict[str, Any]:
    """L7: the kind of a face-down card is known to its player, and to who looks at it now."""
    owner, up = int(s.table_seat[position]), bool(s.table_up[position])
    looking = s.phase == r.TAKING and s.turn == seat
    known = up or owner == seat or looking or seat is None
    card = KIND_NAMES[s.table_kind[position]] if known else None
    return {"seat": owner, "face_up": up, "card": card}


def _seat(s: Any, seat: int, me: int, took: Sequence[Sequence[int]]) -> dict[str, Any]:
    mine = [t[r.KIND] for t in took if t[r.BY] == seat and t[r.FROM] == me and seat != me]
    return {
        "hand": int(s.hand_sizes[seat]),
        "face_down": int(s.down[seat]),
        "out": bool(s.out[seat]),
        "taken": _counts(s.taken[seat]),
        "points": int(s.taken_points[seat]),
        "score": int(s.scores[seat]),
        "behind": int(s.scores[seat] - s.lowest),
        "took_mine": _tally(mine),
        "record": {name: int(s.tallies[seat, k]) for k, name in enumerate(TALLIES)},
    }


def _legal(s: Any) -> list[str]:
    mask = np.zeros(LAYOUT.num_actions, np.int8)
    legal_actions(s, mask)
    return [LAYOUT.action_texts[action] for action in np.flatnonzero(mask)]


# ---------------------------------------------------------------- events


def happenings(s: Any, rows: Sequence[Sequence[int]]) -> list[Event]:
    """The events told by log rows that led to record ``s``, complete, in order.

    The cards of a table that was taken are still written in the record.
    """
    events: list[Event] = []
    dealer = r.NOBODY
    hands: list[list[str]] = []
    for row in rows:
        kind, a, b, c, d = row[:5]
        if kind == r.DEAL:
            dealer, hands = a, []
        elif kind == r.DEALT:
            hands.append(_cards(_unpacked(row)))
            deal = {"type": "deal", "dealer": dealer, "seat": a, "cards": hands[-1]}
            events.append({**deal, "private": [a]})
        elif kind == r.ACT:
            events.append(_act(a, b))
        elif kind == r.LOOKED:
            cards = [KIND_NAMES[s.table_kind[p]] for p in _face_down(s)]
            events.append({"type": "look", "seat": a, "cards": cards, "private": [a]})
        elif kind == r.TOOK:
            events[-1] |= {"cards": [KIND_NAMES[c]], "private": sorted({a, b})}
        elif kind == r.SHOWN:
            show = {"type": "show", "seat": a, "position": b, "card": KIND_NAMES[c]}
            events.append({**show, "truth": bool(d)})
        elif kind == r.TAKEN:
            cards = [KIND_NAMES[s.table_kind[p]] for p in range(b) if p != c - 1]
            events.append({"type": "taken", "seat": a, "cards": cards})
        elif kind == r.OUT:
            events.append({"type": "out", "seat": a})
        elif kind == r.HELD:
            hands = [*hands, _cards(_unpacked(row))] if a else [_cards(_unpacked(row))]
        elif kind == r.DEAL_END:
            points = s.deal_points[: s.num_players] if b else [_cost(s, hand) for hand in hands]
            told = {"reason": r.REASONS[a], "hands": hands, "points": [int(p) for p in points]}
            events.append({"type": "deal_end", **told})
        else:
            events.append(_end(s))
    return events


def _act(seat: int, action: int) -> Event:
    event = {"type": "act", "seat": seat, "action": LAYOUT.action_texts[action]}
    if PLAY <= action < COLLECT:
        event |= {"cards": [KIND_NAMES[action - PLAY]], "private": [seat]}
    return event


def _unpacked(row: Sequence[int]) -> list[int]:
    """The counts of a hand that ``note_hand`` wrote."""
    return [row[2 + k // 2] >> (4 * (k % 2)) & 15 for k in range(NUM_KINDS)]


def _face_down(s: Any) -> list[int]:
    return [p for p in range(s.table_size) if not s.table_up[p]]


def _cost(s: Any, hand: Sequence[str]) -> int:
    return sum(int(s.points[KIND_NAMES.index(card)]) for card in hand)


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
        if event.get("action", "").startswith("play "):
            told["action"] = "play"
    return told


def outcomes(s: Any, event: Mapping[str, Any]) -> list[int]:
    """The outcomes an event gives to the chance phase that ``s`` is in; none if it tells of none.

    Raises ValueError for cards that are none, KeyError for a missing key.
    """
    if event["type"] != "deal":
        return []
    dealer = [event["dealer"]] if s.chance == r.DRAW_DEALER else []
    return dealer + [_kind(card) for card in event["cards"]]


# ---------------------------------------------------------------- text


def render(s: Any, seat: int | None = None) -> str:
    """The table as text: what ``seat`` may see, or, with None, everything."""
    n = int(s.num_players)
    lines = [f"deal {s.deal_number} of {s.deals}, phase {r.PHASES[s.phase]}"]
    for k in range(n):
        mark = ">" if s.phase < r.OVER and s.turn == k else " "
        cards = _cards(s.hands[k]) if seat in (None, k) else ["?"] * int(s.hand_sizes[k])
        words = [f"score {s.scores[k]:3}", f"taken {s.taken_points[k]:3}"]
        words += ["deals"] * int(s.dealer == k) + ["out"] * int(s.out[k])
        words += [f"place {s.place[k]}"] * int(s.place[k] > 0)
        lines.append(f"{mark} seat {k}  {'  '.join(words)}  hand {' '.join(cards) or '-'}")
    for p in range(s.table_size):
        card = _table_card(s, p, seat)
        shown = card["card"] or "?"
        shown = shown if card["face_up"] else f"({shown})"
        lines.append(f"table {p:2}  seat {card['seat']}  {shown}")
    return "\n".join(lines)
