/** What Python makes of views (web/vectors.py), and whether JavaScript makes the same of them. */

import { type Answer, type Bot, encodeView, type Layout, legalMask, ViewError } from "kuku-bots";

export interface Position {
  view: { game: string; legal: string[] };
  observation: string;
  action_mask: string;
  seed: number;
  temperature: number;
  bots: Record<string, Partial<Expected> & { refused?: string }>;
}

type Expected = Omit<Answer, "actionId"> & { action_id: number };

export interface Judged {
  game: string;
  view: unknown;
  observation?: string;
  observation_error?: string;
  action_mask?: string;
  action_mask_error?: string;
}

export type Layouts = Record<string, Layout>;

/** What was compared, and the largest difference of two probabilities. */
export interface Outcome {
  views: number;
  answers: number;
  refusals: number;
  difference: number;
  /** The first few that were not the same. */
  wrong: string[];
}

export function lines<T>(text: string): T[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as T);
}

function base64(cells: Int8Array): string {
  return btoa(String.fromCharCode(...new Uint8Array(cells.buffer)));
}

/** Hold observations, masks and answers of bots against Python's. */
export async function comparePositions(
  positions: Position[],
  layouts: Layouts,
  bots: Record<string, Bot>,
): Promise<Outcome> {
  const outcome: Outcome = { views: 0, answers: 0, refusals: 0, difference: 0, wrong: [] };
  const wrong = (what: string) => outcome.wrong.length < 5 && outcome.wrong.push(what);
  for (const [k, one] of positions.entries()) {
    const layout = layouts[one.view.game] as Layout;
    if (base64(encodeView(layout, one.view)) !== one.observation) wrong(`view ${k}: observation`);
    if (base64(legalMask(layout, one.view)) !== one.action_mask) wrong(`view ${k}: action_mask`);
    outcome.views++;
    for (const [name, { refused, ...expected }] of Object.entries(one.bots)) {
      const bot = bots[name] as Bot;
      const { seed, temperature } = one;
      const said = await bot.act(one.view, { seed, temperature }).catch((error) => error);
      if (refused !== undefined) {
        outcome.refusals++;
        if (said.field !== refused) wrong(`view ${k}: ${name} refuses ${refused}, not ${said}`);
        continue;
      }
      outcome.answers++;
      if (said.action !== expected.action || said.actionId !== expected.action_id) {
        wrong(`view ${k}: ${name} does ${expected.action}, not ${said.action}: ${said}`);
      }
      const difference = furthest(expected as Expected, said);
      if (!(difference < 1e-5)) wrong(`view ${k}: ${name} is off by ${difference}: ${said}`);
      outcome.difference = Math.max(outcome.difference, difference);
    }
  }
  return outcome;
}

/** The largest difference of two numbers of two answers; NaN where one lacks what the other has. */
function furthest(expected: Expected, said: Answer): number {
  const tables = [
    [expected.probabilities, said.probabilities],
    [expected.values, said.values],
    [{ win: expected.win }, { win: said.win }],
    [{ lie: expected.lie }, { lie: said.lie }],
    pairTables(expected.pairs, said.pairs),
  ] as const;
  const differences = tables.map(([one, other]) => tableDifference(one, other));
  return differences.includes(Number.NaN) ? Number.NaN : Math.max(...differences);
}

/** Pairs left out have a chance of 0; what is next to 0 may be left out in one of the two. */
function pairTables(one: Answer["pairs"], other: Answer["pairs"]): [Table, Table] {
  if (!one || !other) return [one && {}, other && {}];
  const names = [...one, ...other].map(([a, b]) => [`${a} ${b}`, 0]);
  const table = (pairs: typeof one) =>
    Object.fromEntries([...names, ...pairs.map(([a, b, chance]) => [`${a} ${b}`, chance])]);
  return [table(one), table(other)];
}

type Table = Record<string, number | null> | null;

function tableDifference(one: Table, other: Table): number {
  if (one === null || other === null) return one === other ? 0 : Number.NaN;
  const [mine, yours] = [Object.keys(one), Object.keys(other)];
  if (mine.length !== yours.length) return Number.NaN;
  return Math.max(0, ...mine.map((key) => apart(one[key], other[key])));
}

function apart(one: number | null | undefined, other: number | null | undefined): number {
  if (one === null && other === null) return 0;
  return Math.abs((one ?? Number.NaN) - (other ?? Number.NaN));
}

/** Hold what is made of malformed views against Python: the same bytes, or the same path. */
export function compareJudged(judged: Judged[], layouts: Layouts): string[] {
  return judged.flatMap((one, k) => {
    const layout = layouts[one.game] as Layout;
    return [
      ...verdict(`${k} observation`, one.observation, one.observation_error, () =>
        encodeView(layout, one.view),
      ),
      ...verdict(`${k} action_mask`, one.action_mask, one.action_mask_error, () =>
        legalMask(layout, one.view),
      ),
    ];
  });
}

function verdict(
  name: string,
  bytes: string | undefined,
  path: string | undefined,
  encode: () => Int8Array,
): string[] {
  let said: string | undefined;
  let field: string | undefined;
  try {
    said = base64(encode());
  } catch (error) {
    if (!(error instanceof ViewError)) return [`${name}: ${error}`];
    field = error.field;
  }
  if (said === bytes && field === path) return [];
  return [`${name}: expected ${path ?? "bytes"}, got ${field ?? "bytes"}`];
}
