/** The review of a game: the rulebook's example. */

import assert from "node:assert/strict";
import test from "node:test";
import { reviewOf } from "../dist/review.js";
import type { GameEvent } from "../dist/transport.js";

const ROUND: GameEvent[] = [
  { type: "game" },
  { type: "lives", seat: 0, cards: [3, 8] },
  { type: "round", start: 0 },
  { type: "draw", seat: 0, cards: [4, 6] },
  { type: "act", seat: 0, action: "claim 24" },
  { type: "act", seat: 1, action: "accept" },
  { type: "look", seat: 1, cards: [4, 6] },
  { type: "act", seat: 1, action: "discard low", cards: [4] },
  { type: "draw", seat: 1, cards: [6] },
  { type: "act", seat: 1, action: "claim 36" },
  { type: "act", seat: 2, action: "accept" },
  { type: "look", seat: 2, cards: [6, 6] },
  { type: "act", seat: 2, action: "discard both", cards: [6, 6] },
  { type: "draw", seat: 2, cards: [2] },
  { type: "reshuffle", cards: 3 },
  { type: "draw", seat: 2, cards: [9] },
  { type: "act", seat: 2, action: "claim 45" },
  { type: "reveal", cards: [2, 5] },
  { type: "act", seat: 0, action: "doubt" },
  { type: "show", cards: [2, 9], claim: 45, truth: false, loser: 2 },
  { type: "round", start: 2 },
  { type: "draw", seat: 2, cards: [1, "L"] },
  { type: "act", seat: 2, action: "claim 1" },
];

test("each claim stands beside what was held, each round with its end", () => {
  assert.deepEqual(reviewOf(ROUND), [
    {
      claims: [
        { seat: 0, held: [4, 6], number: 24, true: true },
        { seat: 1, held: [6, 6], number: 36, true: true },
        { seat: 2, held: [2, 9], number: 45, true: false },
      ],
      end: ROUND.slice(18, 20),
    },
    { claims: [{ seat: 2, held: ["L", 1], number: 1, true: false }], end: [] },
  ]);
});
