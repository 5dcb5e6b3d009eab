"""A bot of one's own in the bot protocol: it plays whole games in the arena.

    kuku evaluate "stdio:python examples/player.py" scripted-easy --players 2 4

It never thinks twice: of what is legal it takes what comes first, or else any by the seed.
"""

import json
import random
import sys

for line in sys.stdin:
    request = json.loads(line)
    reply = {"id": request.get("id")}
    if request["op"] == "hello":
        reply |= {"protocol": 1, "software": "player.py", "games": [], "bots": []}
    elif request["op"] == "act":
        legal, dice = request["view"]["legal"], random.Random(request.get("seed"))
        reply["action"] = legal[0] if dice.random() < 0.5 else dice.choice(legal)
    elif request["op"] == "quit":
        break
    else:
        reply["error"] = {"code": "unknown_op", "message": "hello, act and quit are known"}
    print(json.dumps(reply), flush=True)
