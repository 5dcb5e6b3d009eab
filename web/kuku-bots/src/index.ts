/** Plays exported kuku-env bots: see docs/javascript.md of kuku-env. */

export { type ActOptions, type Answer, Bot } from "./bot.js";
export type { BotCard, Expected } from "./card.js";
export { encodeView, legalMask } from "./encode.js";
export { ActionError, BotError, RulesError, ViewError } from "./errors.js";
export type { ActionBlock, Field, Layout } from "./layout.js";
export { loadBot } from "./load.js";
export type { Card } from "./pairs.js";
