"""Ten games of Kuku Doubt between two bots. The cards are dealt and the rules kept here; the bots
are a process that is sent what their seat has seen, as JSON lines. Prints the games' records.

    python examples/client.py kuku serve --stdio
"""

import json
import random
import subprocess
import sys

bots = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def ask(**request):
    print(json.dumps(request), file=bots.stdin, flush=True)
    return json.loads(bots.stdout.readline())


def seen(event, seat):
    """An event as a seat may read it: of hidden cards only the number."""
    told = {key: value for key, value in event.items() if key not in ("private", "seed")}
    if seat not in event.get("private", [seat]):
        told["cards"] = len(event["cards"])
        if event["type"] == "act" and told["cards"] == 1:
            told["action"] = "discard one"
    return told


def play(seat):
    events, hand, thrown = [HEAD], [], []
    pile = random.sample(DECK, len(DECK))

    def deal(kind, count, **event):
        cards = [pile.pop() for _ in range(count)]
        if cards:
            events.append({"type": kind, **event, "cards": cards})
        return cards

    def decide():
        reply = ask(op="act", level="normal", events=[seen(event, seat) for event in events])
        events.append({"type": "act", "seat": seat, "action": reply["action"]})
        return reply["action"]

    for owner in (0, 1):
        deal("lives", 2, seat=owner, private=[owner])
    events.append({"type": "round", "start": seat})
    while True:
        hand += deal("draw", len(thrown) or 2, seat=seat, private=[seat])
        claim = int(decide().removeprefix("claim "))
        deal("reveal", 2 if len(thrown) == 2 else 0)
        seat, hand = 1 - seat, sorted(hand, key=RANKS.index)
        answer = decide()
        if answer != "accept":
            break
        events.append({"type": "look", "seat": seat, "cards": hand, "private": [seat]})
        thrown = {"low": hand[:1], "high": hand[1:], "both": hand}[decide().split()[1]]
        events[-1].update(cards=thrown, private=[seat])
        hand = [] if len(thrown) == 2 else [hand[1] if thrown == hand[:1] else hand[0]]
    true = "L" not in hand and hand[0] * hand[1] == claim
    right = not true if answer == "doubt" else answer == f"see {hand[0]} {hand[1]}"
    loser = 1 - seat if right else seat
    events.append({"type": "show", "cards": hand, "claim": claim, "truth": true, "loser": loser})
    events.append({"type": "out", "seat": loser})
    end = (
        {"rewards": [1, -1], "places": [1, 2]} if loser else {"rewards": [-1, 1], "places": [2, 1]}
    )
    return [*events, {"type": "end", **end, "truncated": False}]


game = next(game for game in ask(op="hello")["games"] if game["name"] == "kuku-doubt")
RULES = {**game["rules"], "num_players": 2, "max_accepts": 3}  # the pile lasts for so many
HEAD = {"type": "game", "format": 1, "game": game["game"], "rules": RULES, "seed": None}
RANKS = ["L", 1, 2, 3, 4, 5, 6, 7, 8, 9]
DECK = [rank for k, rank in enumerate(RANKS) for _ in range(RULES["copies"][k])]
for number in range(10):
    for event in play(number % 2):
        print(json.dumps(event))
print('{"op":"quit"}', file=bots.stdin, flush=True)
sys.exit(bots.wait())
