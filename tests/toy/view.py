from toy.layout import FACES, GAME_ID, LAYOUT
from toy.rules import CHANCE, OVER, UNKNOWN, is_legal

PHASES = ("say", "answer", "over", "chance")


def view(s, seat, rules):
    asked = s.phase < OVER and s.turn == seat
    return {
        "format": 1,
        "game": GAME_ID,
        "rules": rules,
        "seat": seat,
        "phase": PHASES[s.phase],
        "to_act": int(s.turn) if s.phase < OVER else None,
        "coin": FACES[s.coin] if seat == 0 and s.coin != UNKNOWN else None,
        "said": FACES[s.said] if s.said != UNKNOWN else None,
        "seats": [{"answer": answer(s, k)} for k in range(s.num_players)],
        "legal": [LAYOUT.action_texts[a] for a in range(4) if asked and is_legal(s, a)],
    }


def answer(s, seat):
    """What a seat has answered; None: nothing yet."""
    if seat == 0 or s.phase == CHANCE or (s.phase < OVER and seat >= s.turn):
        return None
    return ("believe", "doubt")[s.doubts[seat]]


def happenings(s, rows):
    n, events = int(s.num_players), []
    for kind, a, b in rows:
        if kind == CHANCE:
            events.append({"type": "toss", "cards": [FACES[a]], "private": [0]})
        elif kind == OVER:
            rewards, places = s.returns[:n].tolist(), s.place[:n].tolist()
            end = {"type": "end", "rewards": rewards, "places": places, "truncated": False}
            events.append(end)
        else:
            events.append({"type": "act", "seat": a, "action": LAYOUT.action_texts[b]})
    return events


def seat_event(event, seat):
    told = {key: value for key, value in event.items() if key not in ("private", "seed")}
    return {**told, "cards": 1} if seat not in event.get("private", [seat]) else told


def view_of_stream(events):
    """The stream ends where its seat is asked, and seats are asked in order."""
    rules = events[0]["rules"]
    acts = [event["action"] for event in events if event["type"] == "act"]
    answers = acts[1:] + [None] * rules["num_players"]
    toss = events[1]["cards"]
    return {
        "format": 1,
        "game": GAME_ID,
        "rules": rules,
        "seat": len(acts),
        "phase": "answer" if acts else "say",
        "to_act": len(acts),
        "coin": toss[0] if isinstance(toss, list) else None,
        "said": acts[0].removeprefix("say ") if acts else None,
        "seats": [{"answer": None}, *({"answer": a} for a in answers[: rules["num_players"] - 1])],
        "legal": ["believe", "doubt"] if acts else ["say heads", "say tails"],
    }


def outcomes(s, event):
    return [FACES.index(event["cards"][0])] if event["type"] == "toss" else []


def action_text(action, seat, num_players):
    return LAYOUT.action_texts[action]


def action_id(text, seat, num_players):
    if text not in LAYOUT.action_texts:
        raise ValueError(f"no action is called {text!r}")
    return LAYOUT.action_texts.index(text)


def render(s, seat):
    return f"seat {s.turn} is to act"
