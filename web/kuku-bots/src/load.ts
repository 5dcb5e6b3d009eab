/** A bot from the web. */

import { Bot } from "./bot.js";
import type { Expected } from "./card.js";
import { BotError } from "./errors.js";

/**
 * The bot in a folder at a URL, which may be relative to the page.
 *
 * Throws BotError where it is missing, damaged, or of another game or layout than expected.
 */
export async function loadBot(folder: string | URL, expected: Expected = {}): Promise<Bot> {
  const home = String(folder).replace(/\/$/, "");
  const [card, graph] = await Promise.all([
    read(`${home}/bot.json`).then((answer) => answer.text()),
    read(`${home}/policy.onnx`).then((answer) => answer.arrayBuffer()),
  ]);
  return Bot.open(card, new Uint8Array(graph), expected);
}

async function read(url: string): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(url);
  } catch (error) {
    throw new BotError(`cannot read ${url}: ${(error as Error).message}`);
  }
  if (answer.ok) return answer;
  throw new BotError(`cannot read ${url}: HTTP status ${answer.status}`);
}
