// A bot of one's own in the bot protocol: it plays whole games in the arena.
//
//     kuku evaluate "stdio:node examples/player.mjs" scripted-easy --players 2 4
//
// It never thinks twice: of what is legal it takes what comes first, or else any by the seed.

import { createInterface } from "node:readline";

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  let reply = { id: request.id ?? null };
  if (request.op === "hello") {
    reply = { ...reply, protocol: 1, software: "player.mjs", games: [], bots: [] };
  } else if (request.op === "act") {
    const legal = request.view.legal;
    const dice = (request.seed ?? 0) % 1000;
    reply.action = dice < 500 ? legal[0] : legal[dice % legal.length];
  } else if (request.op === "quit") {
    break;
  } else {
    reply.error = { code: "unknown_op", message: "hello, act and quit are known" };
  }
  console.log(JSON.stringify(reply));
}
