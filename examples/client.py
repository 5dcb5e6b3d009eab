"""Ten games of Kuku Doubt at tables of four, which a server holds. We sit at seat 0, and ask for
advice on behalf of seat 1; bots of the server play the others. Prints the games' records.

    python examples/client.py kuku serve --stdio
"""

import json
import subprocess
import sys

server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def ask(**request):
    print(json.dumps(request), file=server.stdin, flush=True)
    return json.loads(server.stdout.readline())


for seed in range(10):
    game = ask(op="new", game="kuku-doubt", seats=[None, None, "easy", "normal"], seed=seed)
    while "record" not in game:
        action = game["view"]["legal"][0]  # at seat 0 we believe everything
        if game["view"]["seat"] == 1:
            action = ask(op="act", level="strong", events=game["events"])["action"]
        game = ask(op="play", table=game["table"], decision=game["decision"], action=action)
    for event in game["record"]:
        print(json.dumps(event))
server.stdin.close()
