// Ten games of Kuku Doubt at tables of four, which a server holds. We sit at seat 0, and ask for
// advice on behalf of seat 1; bots of the server play the others. Prints the games' records.
//
//     node examples/client.mjs kuku serve --stdio

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const [program, ...words] = process.argv.slice(2);
const server = spawn(program, words, { stdio: ["pipe", "pipe", "inherit"] });
const replies = createInterface({ input: server.stdout })[Symbol.asyncIterator]();

async function ask(request) {
  server.stdin.write(JSON.stringify(request) + "\n");
  return JSON.parse((await replies.next()).value);
}

const seats = [null, null, "easy", "normal"];
for (let seed = 0; seed < 10; seed++) {
  let game = await ask({ op: "new", game: "kuku-doubt", seats, seed });
  while (!game.record) {
    const { table, decision, view, events } = game;
    const advice = { op: "act", level: "strong", events };
    const action = view.seat === 1 ? (await ask(advice)).action : view.legal[0];
    game = await ask({ op: "play", table, decision, action });
  }
  for (const event of game.record) console.log(JSON.stringify(event));
}
server.stdin.end();
