/** `bot.json`: what an exported bot is, beside its `policy.onnx`. */

import { isObject } from "./checks.js";
import { BotError } from "./errors.js";
import { checkedLayout, type Layout } from "./layout.js";

export interface BotCard {
  format: 1;
  name: string;
  game: string;
  layout: Layout;
  /** Accepted values of each option; an option that is not named may have any. */
  rules: Record<string, unknown[]>;
  /** Of policy.onnx, hexadecimal. */
  sha256: string;
  outputs?: string[];
  /** By output that guesses what is hidden, the action block: legal actions of it ask for that. */
  beliefs?: Record<string, string>;
  level?: string;
  origin?: Record<string, unknown>;
  strength?: Record<string, unknown>;
}

/** What the bot must be, where the caller knows it. */
export interface Expected {
  /** The game's id, such as `namespace/Name-v0`. */
  game?: string;
  /** The id of the layout by which views of the table are understood. */
  layout?: string;
}

/** The card in the text of a `bot.json`. Throws BotError where it is damaged or not as expected. */
export function readCard(text: string, expected: Expected = {}): BotCard {
  const given = parsed(text);
  const strings = ["name", "game", "sha256"].every((key) => typeof given[key] === "string");
  if (!strings || typeof given.format !== "number" || !isObject(given.rules)) {
    throw new BotError("bot.json is damaged: format, name, game, rules and sha256 must be there");
  }
  if (given.format !== 1) {
    throw new BotError(`${given.name} has bot format ${given.format}; this reads format 1`);
  }
  if (!Object.values(given.rules).every(Array.isArray)) {
    throw new BotError("bot.json is damaged: every entry of rules must be a list");
  }
  if (given.beliefs !== undefined && !isObject(given.beliefs)) {
    throw new BotError("bot.json is damaged: beliefs must be an object");
  }
  const card = { ...given, layout: checkedLayout(given.layout) } as unknown as BotCard;
  if (card.layout.game !== card.game) {
    throw new BotError(`bot.json is damaged: a layout of ${card.layout.game} for ${card.game}`);
  }
  if (expected.game !== undefined && card.game !== expected.game) {
    throw new BotError(`${card.name} plays ${card.game}, not ${expected.game}`);
  }
  if (expected.layout !== undefined && card.layout.id !== expected.layout) {
    const made = `${card.name} was made for layout ${card.layout.id}`;
    throw new BotError(`${made}; the table has ${expected.layout}`);
  }
  return card;
}

function parsed(text: string): Record<string, unknown> {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (error) {
    throw new BotError(`bot.json is damaged: ${(error as Error).message}`);
  }
  if (!isObject(given)) throw new BotError("bot.json is damaged: it must be an object");
  return given;
}
