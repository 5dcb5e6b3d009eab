// Ten games of Kuku Doubt between two bots. The cards are dealt and the rules kept here; the bots
// are a process that is sent what their seat has seen, as JSON lines. Prints the games' records.
//
//     node examples/client.mjs kuku serve --stdio

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const [program, ...words] = process.argv.slice(2);
const bots = spawn(program, words, { stdio: ["pipe", "pipe", "inherit"] });
const replies = createInterface({ input: bots.stdout })[Symbol.asyncIterator]();

async function ask(request) {
  bots.stdin.write(JSON.stringify(request) + "\n");
  return JSON.parse((await replies.next()).value);
}

// An event as a seat may read it: of hidden cards only the number.
function seen({ private: seats, seed, ...event }, seat) {
  if (!seats || seats.includes(seat)) return event;
  const action = event.type === "act" && event.cards.length === 1 ? { action: "discard one" } : {};
  return { ...event, cards: event.cards.length, ...action };
}

async function play(seat) {
  const events = [head];
  const pile = deck.map((rank) => [Math.random(), rank]).sort((a, b) => a[0] - b[0]);
  let [hand, thrown, claim, answer] = [[], []];

  function deal(type, count, owner) {
    const cards = pile.splice(0, count).map(([, rank]) => rank);
    const whose = owner === undefined ? [{}, {}] : [{ seat: owner }, { private: [owner] }];
    if (count) events.push({ type, ...whose[0], cards, ...whose[1] });
    return cards;
  }

  async function decide() {
    const stream = events.map((event) => seen(event, seat));
    const { action } = await ask({ op: "act", level: "normal", events: stream });
    events.push({ type: "act", seat, action });
    return action;
  }

  for (const owner of [0, 1]) deal("lives", 2, owner);
  events.push({ type: "round", start: seat });
  for (;;) {
    hand = [...hand, ...deal("draw", thrown.length || 2, seat)];
    claim = Number((await decide()).slice("claim ".length));
    deal("reveal", thrown.length === 2 ? 2 : 0);
    seat = 1 - seat;
    hand.sort((a, b) => ranks.indexOf(a) - ranks.indexOf(b));
    answer = await decide();
    if (answer !== "accept") break;
    events.push({ type: "look", seat, cards: hand, private: [seat] });
    const which = (await decide()).split(" ")[1];
    thrown = { low: hand.slice(0, 1), high: hand.slice(1), both: hand }[which];
    hand = { low: hand.slice(1), high: hand.slice(0, 1), both: [] }[which];
    Object.assign(events.at(-1), { cards: thrown, private: [seat] });
  }
  const truth = !hand.includes("L") && hand[0] * hand[1] === claim;
  const right = answer === "doubt" ? !truth : answer === `see ${hand[0]} ${hand[1]}`;
  const loser = right ? 1 - seat : seat;
  events.push({ type: "show", cards: hand, claim, truth, loser }, { type: "out", seat: loser });
  const [rewards, places] = loser ? [[1, -1], [1, 2]] : [[-1, 1], [2, 1]];
  return [...events, { type: "end", rewards, places, truncated: false }];
}

const game = (await ask({ op: "hello" })).games.find((game) => game.name === "kuku-doubt");
const rules = { ...game.rules, num_players: 2, max_accepts: 3 }; // the pile lasts for so many
const head = { type: "game", format: 1, game: game.game, rules, seed: null };
const ranks = ["L", 1, 2, 3, 4, 5, 6, 7, 8, 9];
const deck = ranks.flatMap((rank, k) => Array(rules.copies[k]).fill(rank));
for (let number = 0; number < 10; number++)
  for (const event of await play(number % 2)) console.log(JSON.stringify(event));
bots.stdin.write('{"op":"quit"}\n');
