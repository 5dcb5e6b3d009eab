/** What everybody held, from the complete record of a finished game. */

import { productOf, RANKS } from "./chart.js";
import type { Card, GameEvent } from "./transport.js";

/** A claim with the pair that was passed on with it. */
export interface Claimed {
  seat: number;
  held: Card[];
  number: number;
  true: boolean;
}

/** A round: its claims, and the answer to the last of them with what was then shown. */
export interface Round {
  claims: Claimed[];
  end: GameEvent[];
}

/** What was claimed and held in each round, and how it ended. */
export function reviewOf(record: readonly GameEvent[]): Round[] {
  const rounds: Round[] = [];
  let held: Card[] = [];
  for (const event of record) {
    const cards = Array.isArray(event.cards) ? event.cards : [];
    if (event.type === "round") {
      rounds.push({ claims: [], end: [] });
      held = [];
    } else if (event.type === "look") {
      held = [...cards];
    } else if (event.type === "draw") {
      held = [...held, ...cards];
    } else if (event.action?.startsWith("discard ")) {
      held = without(held, cards);
    } else if (event.action?.startsWith("claim ")) {
      const number = Number(event.action.slice(6));
      const pair = [...held].sort((a, b) => RANKS.indexOf(a) - RANKS.indexOf(b));
      const claim = { seat: event.seat ?? 0, held: pair, number, true: productOf(held) === number };
      rounds.at(-1)?.claims.push(claim);
    } else if (event.type === "show" || /^(doubt|see )/.test(event.action ?? "")) {
      rounds.at(-1)?.end.push(event);
    }
  }
  return rounds;
}

function without(held: Card[], thrown: Card[]): Card[] {
  const left = [...held];
  for (const card of thrown) left.splice(left.indexOf(card), 1);
  return left;
}
