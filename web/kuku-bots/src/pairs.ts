/** Pairs of cards, for games in which one may be named. */

import type { ActionBlock, Layout } from "./layout.js";

/** A card as views have it. */
export type Card = string | number;

const SHOWN = 10;
const LEAST = 0.005; // pairs that are less likely are not listed

/** The block whose actions each name two cards (`see 3 6`), if the game has one. */
function pairBlock(layout: Layout): ActionBlock | undefined {
  return layout.actions.find((block) => block.texts.every((text) => /^\w+ \w+ \w+$/.test(text)));
}

/** The likeliest pairs with their chances; null where the game names none, or others. */
export function likelyPairs(layout: Layout, chances: Float32Array): [Card, Card, number][] | null {
  const texts = pairBlock(layout)?.texts;
  if (texts?.length !== chances.length) return null;
  const card = (word = "") => (/^\d+$/.test(word) ? Number(word) : word);
  return texts
    .map((text, k): [Card, Card, number] => {
      const [, low, high] = text.split(" ");
      return [card(low), card(high), chances[k] as number];
    })
    .sort((one, other) => other[2] - one[2])
    .slice(0, SHOWN)
    .filter(([, , chance]) => chance >= LEAST);
}
