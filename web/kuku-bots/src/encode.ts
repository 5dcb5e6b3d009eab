/**
 * View -> observation and action mask, by nothing but a layout: the same bytes as kuku-env's
 * `kuku_env/core/encoder.py`, function by function. (JSON's `6.0` is the integer 6 here, which Python
 * refuses.)
 */

import { checkedList, isObject, placeAmong, shown, wholeNumber } from "./checks.js";
import { ViewError } from "./errors.js";
import { cellsOf, type Field, type How, type Layout } from "./layout.js";

/** The observation that a view makes, layout.size cells. Throws ViewError for a malformed view. */
export function encodeView(layout: Layout, view: unknown): Int8Array {
  const [me, players] = observer(layout, view);
  const out = new Int8Array(layout.size);
  for (const field of layout.fields) {
    const [width, rows] = rowsOf(field, view, me);
    rows.forEach(([path, found], row) => {
      if (found === null && field.source.endsWith("?")) return;
      const seat = field.how === "seat";
      const value = seat ? (wholeNumber(path, found, players - 1) - me + players) % players : found;
      const cells = HOW[field.how](path, value, field.values, width);
      const at = field.offset + width * row;
      cells.forEach((cell, k) => {
        out[at + k] = Math.min(cell, field.high);
      });
    });
  }
  return out;
}

/** The action mask that a view's `legal` makes, layout.num_actions cells. Throws ViewError. */
export function legalMask(layout: Layout, view: unknown): Int8Array {
  const ids = new Map(actionTexts(layout, view).map((text, action) => [text, action]));
  const mask = new Int8Array(layout.num_actions);
  checkedList(...walk(view, "legal")).forEach((text, k) => {
    const action = typeof text === "string" && !text.includes("{") ? ids.get(text) : undefined;
    if (action === undefined) {
      throw new ViewError(`legal[${k}]`, `given ${shown(text)}, no action of this table`);
    }
    mask[action] = 1;
  });
  return mask;
}

/**
 * The text of every action id for the seat whose view it is; seats in texts are absolute. A text
 * that still holds a `{` names a seat that this table has not.
 */
export function actionTexts(layout: Layout, view: unknown): string[] {
  const [me, players] = observer(layout, view);
  const named = (text: string) =>
    text.replace(/\{(\d+)\}/g, (hole, k) =>
      Number(k) < players ? String((me + Number(k)) % players) : hole,
    );
  return layout.actions.flatMap((block) => block.texts.map(named));
}

/** The seat whose view it is, and the number of players. */
function observer(layout: Layout, view: unknown): [number, number] {
  placeAmong(...walk(view, "format"), [1]);
  placeAmong(...walk(view, "game"), [layout.game]);
  const players = wholeNumber(...walk(view, "rules.num_players"));
  const [path, given] = walk(view, "seats");
  const seats = checkedList(path, given);
  if (seats.length !== players || !seats.length) {
    throw new ViewError(path, `given ${seats.length}, where rules.num_players is ${players}`);
  }
  return [wholeNumber(...walk(view, "seat"), players - 1), players];
}

// ---------------------------------------------------------------- from a source to its values

type Found = [path: string, value: unknown];

/** The cells of one row of a field, and the rows: each a path and the value found there. */
function rowsOf(field: Field, view: unknown, me: number): [number, Found[]] {
  const optional = field.source.endsWith("?");
  const source = optional ? field.source.slice(0, -1) : field.source;
  const width = cellsOf(field);
  const [head = "", rest] = source.split("[", 2);
  if (rest === undefined) return [width, [walk(view, source, "", optional)]];
  const [selector = "", tail = ""] = rest.split("]", 2);
  const [path, given] = walk(view, head);
  const entries = checkedList(path, given);
  const rows = field.shape[0] as number;
  const order = chosen(selector, path, entries.length, rows, me);
  const found = order.map((k) => walk(entries[k], tail, `${path}[${k}]`, optional));
  return [selector === "-1" ? width : Math.floor(width / rows), found];
}

/** The places of the entries that a selector chooses, in its order. */
function chosen(selector: string, path: string, count: number, rows: number, me: number): number[] {
  const all = Array.from({ length: count }, (_, k) => k);
  if (selector === "-1") return all.slice(-1);
  if (selector === "newest") return all.slice(-rows).reverse();
  if (selector === "oldest") return all.slice(0, rows);
  if (count > rows) {
    throw new ViewError(path, `given ${count} entries, at most ${rows} are allowed`);
  }
  return all.map((k) => (me + k) % count);
}

/**
 * Follow `a.b` from a value found at `path`: the path reached, and what is there.
 *
 * A missing key is null where that is allowed.
 */
function walk(from: unknown, keys: string, at = "", optional = false): Found {
  let value = from;
  let path = at;
  for (const key of keys.split(".").filter((part) => part !== "")) {
    if (!isObject(value)) {
      throw new ViewError(path || "view", `given ${shown(value)}, an object is needed`);
    }
    path = path ? `${path}.${key}` : key;
    const there = Object.hasOwn(value, key) && value[key] !== undefined;
    if (!there && !optional) throw new ViewError(path, "is missing");
    value = there ? value[key] : null;
  }
  return [path, value];
}

// ---------------------------------------------------------------- from a value to cells

type Values = readonly unknown[];
type Cells = (path: string, value: unknown, values: Values, width: number) => number[];

function zeros(width: number): number[] {
  return new Array<number>(width).fill(0);
}

function places(path: string, value: unknown, values: Values, most?: number): number[] {
  const entries = checkedList(path, value, most);
  return entries.map((entry, k) => placeAmong(`${path}[${k}]`, entry, values));
}

const cell: Cells = (path, value, _, width) => {
  const at = wholeNumber(path, value);
  return zeros(width).map((_, k) => Number(k === at));
};

const scalar: Cells = (path, value, values) => {
  if (values.length) placeAmong(path, value, values);
  return [wholeNumber(path, value)];
};

const flag: Cells = (path, value) => [placeAmong(path, value, [false, true])];

const vector: Cells = (path, value, _, width) => {
  const entries = checkedList(path, value);
  if (entries.length !== width) {
    throw new ViewError(path, `given ${entries.length} entries, ${width} are needed`);
  }
  return entries.map((entry, k) => wholeNumber(`${path}[${k}]`, entry));
};

const oneHot: Cells = (path, value, values, width) =>
  cell(path, placeAmong(path, value, values), values, width);

const count: Cells = (path, value, values, width) => {
  const cells = zeros(width);
  if (isObject(value)) {
    const names = values.map(String);
    for (const [name, given] of Object.entries(value)) {
      const number = wholeNumber(`${path}.${name}`, given);
      cells[placeAmong(path, name, names)] = number;
    }
  } else {
    for (const place of places(path, value, values)) cells[place] = (cells[place] as number) + 1;
  }
  return cells;
};

const index: Cells = (path, value, values, width) => {
  const found = places(path, value, values, width).map((place) => 1 + place);
  return [...found, ...zeros(width - found.length)];
};

const eachOneHot: Cells = (path, value, values, width) => {
  const cells = zeros(width);
  places(path, value, values, Math.floor(width / values.length)).forEach((place, k) => {
    cells[k * values.length + place] = 1;
  });
  return cells;
};

const product: Cells = (path, value, values, width) => {
  const entries = checkedList(path, value);
  const whole = entries.length === 2 && entries.every(Number.isInteger);
  const found = whole ? (entries[0] as number) * (entries[1] as number) : undefined;
  return zeros(width).map((_, k) => Number(k < values.length && values[k] === found));
};

const HOW: Record<How, Cells> = {
  scalar,
  flag,
  cell,
  seat: cell,
  one_hot: oneHot,
  count,
  index,
  each_one_hot: eachOneHot,
  vector,
  product,
};
