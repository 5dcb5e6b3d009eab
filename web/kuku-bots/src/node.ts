/** A bot from files, in Node. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Bot } from "./bot.js";
import type { Expected } from "./card.js";
import { BotError } from "./errors.js";

/**
 * The bot in a folder.
 *
 * Throws BotError where it is missing, damaged, or of another game or layout than expected.
 */
export async function loadBotFolder(folder: string, expected: Expected = {}): Promise<Bot> {
  const card = (await read(join(folder, "bot.json"))).toString("utf-8");
  return Bot.open(card, await read(join(folder, "policy.onnx")), expected);
}

async function read(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw new BotError(`cannot read ${path}: ${(error as Error).message}`);
  }
}
