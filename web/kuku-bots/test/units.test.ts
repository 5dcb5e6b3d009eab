/** The parts that bots stand on. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import test from "node:test";
import { encodeView } from "kuku-bots";
import { choose, roll, tempered } from "../dist/chance.js";
import { declarationHash } from "../dist/layout.js";
import { sha256 } from "../dist/sha256.js";
import { layouts, PACKAGE } from "./files.js";

test("SHA-256 is what Node's is, at every length around a block", () => {
  for (const length of [...Array(200).keys(), 1000, 100_003]) {
    const bytes = Uint8Array.from({ length }, (_, k) => (k * k * 31 + length) & 0xff);
    assert.equal(sha256(bytes), createHash("sha256").update(bytes).digest("hex"));
  }
});

test("layout ids are recomputed from the declaration", () => {
  for (const layout of Object.values(layouts)) {
    assert.ok(layout.id.endsWith(`:${declarationHash(layout)}`), layout.id);
  }
});

test("rolls are spread evenly over seeds, and differ between situations", () => {
  const tenths = new Array<number>(10).fill(0);
  const [cells, mask] = [new Int8Array(20), Int8Array.of(1, 0)];
  for (let seed = 0; seed < 10_000; seed++) {
    const at = roll(seed, "layout", cells, mask);
    assert.ok(at >= 0 && at < 1);
    tenths[Math.floor(at * 10)] = (tenths[Math.floor(at * 10)] as number) + 1;
  }
  for (const count of tenths) assert.ok(Math.abs(count - 1000) < 150, String(tenths));
  const others = [1, -1, 100].map((cell) => roll(7, "layout", Int8Array.of(cell), mask));
  others.push(roll(8, "layout", Int8Array.of(1), mask), roll(7, "other", Int8Array.of(1), mask));
  assert.equal(new Set(others).size, 5);
});

test("temperatures", () => {
  assert.deepEqual(tempered([0, 0.25, 0.75], 0), [0, 0, 1]);
  assert.deepEqual(tempered([0, 0.25, 0.75], 1), [0, 0.25, 0.75]);
  assert.deepEqual(tempered([0, 0.25, 0.75], 1e-300), [0, 0, 1]);
  const [, low, high] = tempered([0, 0.2, 0.8], 0.5);
  assert.ok(
    Math.abs((low as number) - 1 / 17) < 1e-12 && Math.abs((high as number) - 16 / 17) < 1e-12,
  );
});

test("a place is chosen by its width, never one without any", () => {
  const weights = [0, 1, 0, 3, 0];
  assert.deepEqual(
    [0, 0.24, 0.26, 0.999999].map((at) => choose(weights, at)),
    [1, 1, 3, 3],
  );
  assert.equal(choose([0, 0], 0.5), -1);
});

test("a list may be encoded from its start, as far as there are rows", () => {
  const field = { name: "first", offset: 0, shape: [2], high: 9, how: "scalar" as const };
  const fields = [{ ...field, source: "list[oldest].n", values: [] }];
  const layout = { game: "g", id: "", size: 2, num_actions: 0, fields, actions: [] };
  const view = { format: 1, game: "g", rules: { num_players: 1 }, seats: [{}], seat: 0 };
  const encoded = (list: number[]) =>
    Array.from(encodeView(layout, { ...view, list: list.map((n) => ({ n })) }));
  assert.deepEqual(encoded([3, 1, 2]), [3, 1]);
  assert.deepEqual(encoded([4]), [4, 0]);
});

test("the runtime names no game", () => {
  const names = Object.keys(layouts).flatMap((id) => {
    const words = /\/(.*)-v\d+$/.exec(id)?.[1]?.match(/[A-Z][a-z]*/g) ?? [];
    return words.length ? [new RegExp(`\\b${words.join("[-_ ]?")}`, "i")] : [];
  });
  assert.equal(names.length, Object.keys(layouts).length);
  for (const file of readdirSync(`${PACKAGE}src`)) {
    const text = readFileSync(`${PACKAGE}src/${file}`, "utf-8");
    for (const name of names) assert.doesNotMatch(text, name, file);
  }
});
