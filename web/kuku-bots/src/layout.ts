/**
 * The layout in a bot's `bot.json`: how a view becomes an observation, and the action table.
 *
 * What `source` and `how` may say is written in kuku-env's `kuku_env/core/layout.py`.
 */

import { isObject } from "./checks.js";
import { BotError } from "./errors.js";
import { sha256 } from "./sha256.js";

export type Scalar = string | number | boolean | null;

export interface Field {
  name: string;
  /** First cell. */
  offset: number;
  shape: number[];
  /** Largest value of a cell; what is larger saturates there. */
  high: number;
  source: string;
  how: How;
  values: Scalar[];
}

export interface ActionBlock {
  name: string;
  /** First action id. */
  offset: number;
  texts: string[];
}

export interface Layout {
  game: string;
  /** `game:version:hash`, the hash being that of all fields and action blocks. */
  id: string;
  /** Cells of an observation. */
  size: number;
  num_actions: number;
  fields: Field[];
  actions: ActionBlock[];
}

export const HOWS = [
  "scalar",
  "flag",
  "cell",
  "seat",
  "one_hot",
  "count",
  "index",
  "each_one_hot",
  "vector",
  "product",
] as const;
export type How = (typeof HOWS)[number];

const SOURCE = /^\w+(\.\w+)*(\[(relative|newest|oldest|-1)\](\.\w+)*)?\??$/;

export function cellsOf(field: Field): number {
  return field.shape.reduce((product, length) => product * length, 1);
}

/** The layout, if this is one that can be encoded here. Throws BotError. */
export function checkedLayout(given: unknown): Layout {
  if (!isObject(given) || typeof given.game !== "string" || typeof given.id !== "string") {
    throw new BotError("bot.json is damaged: the layout must have a game and an id");
  }
  const fields = listOf(given.fields, "fields").map(checkedField);
  const actions = listOf(given.actions, "actions").map(checkedBlock);
  const layout = { ...given, fields, actions } as unknown as Layout;
  const cells = contiguous(fields.map((field) => [field.name, field.offset, cellsOf(field)]));
  const ids = contiguous(actions.map((block) => [block.name, block.offset, block.texts.length]));
  if (cells !== layout.size || ids !== layout.num_actions) {
    const said = `${layout.size} cells and ${layout.num_actions} actions`;
    throw new BotError(`bot.json is damaged: layout of ${said} declares ${cells} and ${ids}`);
  }
  const hash = declarationHash(layout);
  if (layout.id !== `${layout.id.split(":", 2).join(":")}:${hash}`) {
    throw new BotError(`bot.json is damaged: layout ${layout.id} declares what hashes to ${hash}`);
  }
  return layout;
}

function listOf(given: unknown, name: string): Record<string, unknown>[] {
  if (Array.isArray(given) && given.every(isObject)) return given;
  throw new BotError(`bot.json is damaged: the layout's ${name} must be a list of objects`);
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 1;
}

function checkedField(given: Record<string, unknown>): Field {
  const field = given as unknown as Field;
  const damaged = (what: string) =>
    new BotError(`bot.json is damaged: ${what} of layout field ${String(field.name)}`);
  if (!HOWS.includes(field.how) || !SOURCE.test(String(field.source))) {
    const unknown = `encodes ${String(field.source)} by ${String(field.how)}`;
    throw new BotError(`layout field ${String(field.name)} ${unknown}, which is unknown here`);
  }
  if (!Array.isArray(field.shape) || !field.shape.length || !field.shape.every(isCount)) {
    throw damaged("shape");
  }
  if (!isCount(field.high) || field.high > 127) throw damaged("high");
  if (!Array.isArray(field.values)) throw damaged("values");
  if (!fits(field)) throw damaged("shape or values");
  return field;
}

/** Whether each of the values has its cell, where `how` gives it one. */
function fits(field: Field): boolean {
  const selector = SOURCE.exec(field.source)?.[3];
  const perRow = selector !== undefined && selector !== "-1";
  const width = cellsOf(field) / (perRow ? (field.shape[0] ?? 1) : 1);
  const count = field.values.length;
  if (field.how === "scalar" || field.how === "flag") return width === 1;
  if (field.how === "count") return count > 0 && count <= width;
  if (field.how === "each_one_hot") return count > 0 && width % count === 0;
  return true;
}

function checkedBlock(given: Record<string, unknown>): ActionBlock {
  const block = given as unknown as ActionBlock;
  const texts: unknown = block.texts;
  if (Array.isArray(texts) && texts.every((text) => typeof text === "string")) return block;
  throw new BotError(`bot.json is damaged: texts of action block ${String(block.name)}`);
}

/** The size of parts that follow one another without a gap. */
function contiguous(parts: [string, number, number][]): number {
  let end = 0;
  for (const [name, offset, size] of parts) {
    if (offset !== end) {
      throw new BotError(`bot.json is damaged: ${name} starts at ${offset}, where ${end} is due`);
    }
    end += size;
  }
  return end;
}

/** What the layout id ends with: a hash of the declaration in Python's canonical JSON. */
export function declarationHash(layout: Layout): string {
  const declaration = {
    actions: layout.actions.map(({ name, offset, texts }) => ({ name, offset, texts })),
    fields: layout.fields.map(({ high, how, name, offset, shape, source, values }) => {
      return { high, how, name, offset, shape, source, values };
    }),
  };
  return sha256(new TextEncoder().encode(canonical(declaration))).slice(0, 12);
}

/** JSON as Python's `json.dumps` writes it; keys must be given in order. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(", ")}]`;
  if (isObject(value)) {
    const members = Object.entries(value).map(([key, one]) => `"${key}": ${canonical(one)}`);
    return `{${members.join(", ")}}`;
  }
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value).replace(/[\u007f-\uffff]/g, escaped);
}
