/** The Python table (table.py) behind the paths that the page posts to. */

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
export const PYTHON = process.env.KUKU_PYTHON ?? `${ROOT}.venv/bin/python`;

/** What the tests read of an update. */
export interface Told {
  decision: number;
  view: { phase: string; legal: string[] };
  record: { action?: string }[];
}

export interface Table {
  answer(path: string, body: string): Promise<string>;
  /** What the page asked, and what it was told, in order. */
  told: { asked: Record<string, unknown>; update: Told }[];
  /** The last thing that it was told. */
  last(): Told;
  /** Deal the next game from another seed. */
  nextSeed(): void;
  close(): void;
}

/** A table where the player sits at `seat`; requests are answered one after the other. */
export function openTable(seat: number, firstSeed: number): Table {
  const table = spawn(PYTHON, [`${ROOT}web/play/test/table.py`], {
    cwd: ROOT,
    env: { ...process.env, PYTHONPATH: ROOT },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const replies = createInterface({ input: table.stdout })[Symbol.asyncIterator]();
  const told: Table["told"] = [];
  let seed = firstSeed;
  let turn: Promise<unknown> = Promise.resolve();
  const ask = async (path: string, body: string) => {
    const asked = { op: path.split("/").at(-1), seat, seed, ...JSON.parse(body) };
    table.stdin.write(`${JSON.stringify(asked)}\n`);
    const reply = await replies.next();
    if (reply.done) throw new Error("the table is gone");
    told.push({ asked, update: JSON.parse(reply.value) });
    return reply.value;
  };
  return {
    answer(path, body) {
      const mine = turn.then(() => ask(path, body));
      turn = mine.catch(() => undefined);
      return mine;
    },
    told,
    last: () => told.at(-1)?.update as Told,
    nextSeed: () => void seed++,
    close: () => void table.kill(),
  };
}
