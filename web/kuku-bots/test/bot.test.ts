/** Bots from files: what they refuse, and how they choose. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { ActionError, type Answer, Bot, BotError, loadBot, RulesError, ViewError } from "kuku-bots";
import { loadBotFolder } from "kuku-bots/node";
import { declarationHash } from "../dist/layout.js";
import { botFolder, botNames, positions } from "./files.js";
import { serve } from "./serve.js";

const PLAIN = botNames.find((name) => name.endsWith("/selfplay")) as string;
const PROBE = PLAIN.replace(/selfplay$/, "probe");
const plain = await loadBotFolder(botFolder(PLAIN));
const probe = await loadBotFolder(botFolder(PROBE));

type View = Record<string, unknown> & { rules: Record<string, unknown>; legal: string[] };

/** Views in which a bot has many actions to choose from. */
const open = positions.filter((one) => {
  const answers = one.bots[PLAIN];
  return answers?.probabilities && Object.keys(answers.probabilities).length > 10;
});
const view = open.find((one) => one.view.legal.includes("doubt"))?.view as unknown as View;

test("the same seed gives the same answer, other seeds other actions", async () => {
  const actions = new Set<string>();
  for (let seed = 0; seed < 50; seed++) {
    const answer = await probe.act(view, { seed });
    assert.deepEqual(await probe.act(view, { seed }), answer);
    assert.ok(view.legal.includes(answer.action));
    actions.add(answer.action);
  }
  assert.ok(actions.size > 2);
  const drawn = await Promise.all(Array.from({ length: 30 }, () => probe.act(view)));
  assert.ok(new Set(drawn.map((answer) => answer.action)).size > 1);
});

test("actions are drawn as often as their probabilities say", async () => {
  const counts: Record<string, number> = {};
  const seeds = 2000;
  let probabilities: Answer["probabilities"] = {};
  for (let seed = 0; seed < seeds; seed++) {
    const answer = await plain.act(view, { seed });
    counts[answer.action] = (counts[answer.action] ?? 0) + 1;
    probabilities = answer.probabilities;
  }
  for (const [text, p] of Object.entries(probabilities)) {
    const error = Math.sqrt((p * (1 - p)) / seeds);
    assert.ok(Math.abs((counts[text] ?? 0) / seeds - p) < 4.5 * error + 1e-3, text);
  }
});

test("temperature 0 takes the best action, and more is more random", async () => {
  const favourite = ({ probabilities }: Answer) =>
    Object.entries(probabilities).sort(([, a], [, b]) => b - a)[0]?.[0];
  for (const one of open.slice(0, 20)) {
    const answer = await probe.act(one.view, { temperature: 0 });
    assert.equal(answer.action, favourite(await probe.act(one.view)));
    assert.equal(answer.probabilities[answer.action], 1);
    assert.deepEqual(answer, await probe.act(one.view, { temperature: 0, seed: 3 }));
  }
  const kinds = async (temperature: number) => {
    const drawn = Array.from({ length: 200 }, (_, seed) => probe.act(view, { seed, temperature }));
    return new Set((await Promise.all(drawn)).map((answer) => answer.action)).size;
  };
  assert.ok((await kinds(0.05)) < (await kinds(1)));
  assert.ok((await kinds(1)) < (await kinds(100)));
  const coldest = await probe.act(view, { seed: 0, temperature: 1e-300 });
  assert.equal(coldest.action, (await probe.act(view, { temperature: 0 })).action);
});

test("a wrong seed or temperature is refused", async () => {
  for (const seed of [-1, 0.5, Number.NaN, 2 ** 60]) {
    await assert.rejects(plain.act(view, { seed }), RangeError);
  }
  for (const temperature of [-1, 101, Number.NaN, Number.POSITIVE_INFINITY]) {
    await assert.rejects(plain.act(view, { temperature }), RangeError);
  }
});

test("a bot says what it has, and null where it has not", async () => {
  assert.deepEqual([...plain.outputs], ["probabilities"]);
  const { win, lie, pairs, values } = await plain.act(view);
  assert.deepEqual([win, lie, pairs, values], [null, null, null, null]);
  const answer = await probe.act(view);
  assert.ok(answer.win !== null && answer.lie !== null && answer.pairs && answer.values);
  const chances = answer.pairs.map(([, , chance]) => chance);
  assert.deepEqual(
    chances,
    [...chances].sort((a, b) => b - a),
  );
  assert.ok(chances.length <= 10 && chances.every((chance) => chance >= 0.005));
  assert.deepEqual(Object.keys(answer.values), view.legal);
});

test("calls that overlap answer each for itself", async () => {
  const some = open.slice(0, 40).map((one) => one.view);
  const together = await Promise.all(
    some.flatMap((one) => [plain.act(one, { seed: 1 }), probe.act(one, { seed: 1 })]),
  );
  for (const [k, one] of some.entries()) {
    assert.deepEqual(together[2 * k], await plain.act(one, { seed: 1 }));
    assert.deepEqual(together[2 * k + 1], await probe.act(one, { seed: 1 }));
  }
});

test("without a claim to answer there is no lie and no pair", async () => {
  const claiming = open.find((one) => one.view.legal.every((text) => text.startsWith("claim ")));
  const { win, lie, pairs } = await probe.act(claiming?.view);
  assert.ok(win !== null && lie === null && pairs === null);
});

test("where there is nothing to decide there is no answer", async () => {
  await assert.rejects(plain.act({ ...view, legal: [] }), (error: ActionError) => {
    assert.match(error.message, /^seat \d has no decision to make here$/);
    return error instanceof ActionError && error.code === "illegal_action";
  });
});

test("tables that the bot is not meant for are refused, named", async () => {
  const rules = { ...view.rules, reward: "placement" };
  await assert.rejects(plain.act({ ...view, rules }), (error: RulesError) => {
    assert.equal(error.code, "wrong_rules");
    assert.equal(error.field, "rules.reward");
    assert.match(error.message, /plays with reward in \["winner"\], not "placement"/);
    return error instanceof RulesError;
  });
  plain.accepts({ ...view.rules, first_player: 1 });
  assert.throws(() => plain.accepts({ ...view.rules, copies: [1, 2] }), RulesError);
  const { reward: _, ...less } = view.rules;
  assert.throws(() => plain.accepts(less), new ViewError("rules.reward", "is missing"));
  assert.throws(() => plain.accepts(null), ViewError);
});

test("a malformed view is an error with its path, and the bot plays on", async () => {
  const field = (path: string) => (error: ViewError) =>
    error instanceof ViewError && error.code === "bad_view" && error.field === path;
  await assert.rejects(plain.act({ ...view, seat: 99 }), field("seat"));
  await assert.rejects(
    plain.act({ ...view, to_act: (Number(view.seat) + 1) % 2 }),
    field("to_act"),
  );
  await assert.rejects(plain.act({ ...view, legal: ["fly"] }), field("legal[0]"));
  await assert.rejects(plain.act(undefined), field("view"));
  await plain.act(view);
});

/** A copy of a bot, changed, in a folder of its own. */
async function changed(change: Change): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "kuku-bots-"));
  test.after(() => rm(folder, { recursive: true }));
  await cp(botFolder(PLAIN), folder, { recursive: true });
  const card = JSON.parse(await readFile(join(folder, "bot.json"), "utf-8"));
  const graph = await readFile(join(folder, "policy.onnx"));
  const text = change(card, graph);
  await writeFile(join(folder, "bot.json"), typeof text === "string" ? text : JSON.stringify(card));
  await writeFile(join(folder, "policy.onnx"), graph);
  return folder;
}

/** Another text for `bot.json`, or changes in place. */
// biome-ignore lint/suspicious/noExplicitAny: cards are damaged in ways that no type has
type Change = (card: any, graph: Buffer) => unknown;

/** A change of one of the layout's fields. */
function field(change: Record<string, unknown>): Change {
  return ({ layout }) => void Object.assign(layout.fields[9], change);
}

const CHANGES: [string, Change, RegExp][] = [
  ["no JSON", () => "{", /bot.json is damaged/],
  ["no object", () => "[]", /must be an object/],
  ["another format", (card) => void Object.assign(card, { format: 2 }), /bot format 2; this reads/],
  ["no rules", (card) => delete card.rules, /damaged: format, name, game, rules/],
  ["odd rules", (card) => void Object.assign(card, { rules: { a: 1 } }), /every entry of rules/],
  ["no layout", (card) => delete card.layout, /the layout must have/],
  ["another game", (card) => void Object.assign(card, { game: "x/Y-v0" }), /layout of .* for x/],
  ["another id", ({ layout }) => void Object.assign(layout, { id: "a:1:0" }), /what hashes to/],
  ["a field changed", field({ high: 3 }), /declares what hashes to/],
  ["an unknown how", field({ how: "magic" }), /unknown here/],
  ["an unknown source", field({ source: "a[odd]" }), /unknown here/],
  ["a gap", field({ offset: 7 }), /starts at 7/],
  ["a field too few", ({ layout }) => layout.fields.pop(), /declares/],
  ["no shape", field({ shape: [] }), /shape/],
  ["values without cells", ({ layout }) => layout.fields[9].values.push(0), /shape or values/],
  ["no texts", ({ layout }) => void Object.assign(layout.actions[0], { texts: 5 }), /texts of/],
  ["a damaged graph", (_, graph) => void graph.fill(0, 100, 200), /damaged: its SHA-256/],
];

for (const [name, change, words] of CHANGES) {
  test(`a damaged bot is refused: ${name}`, async () => {
    const folder = await changed(change);
    await assert.rejects(loadBotFolder(folder), (error: BotError) => {
      assert.match(error.message, words);
      return error instanceof BotError && error.code === "bad_bot";
    });
  });
}

test("what is no graph is refused", async () => {
  const card = JSON.parse(await readFile(join(botFolder(PLAIN), "bot.json"), "utf-8"));
  const noGraph = new TextEncoder().encode("no graph at all");
  card.sha256 = createHash("sha256").update(noGraph).digest("hex");
  await assert.rejects(Bot.open(JSON.stringify(card), noGraph), /cannot be loaded/);
});

test("a graph for another layout is refused", async () => {
  const other = JSON.parse(await readFile(join(botFolder(PROBE), "bot.json"), "utf-8"));
  const { layout } = other;
  layout.actions.push({ name: "more", offset: layout.num_actions, texts: ["more"] });
  layout.num_actions += 1;
  layout.id = layout.id.replace(/[^:]*$/, declarationHash(layout));
  const graph = await readFile(join(botFolder(PROBE), "policy.onnx"));
  await assert.rejects(Bot.open(JSON.stringify(other), graph), /does not fit the layout/);
});

test("missing files are told", async () => {
  await assert.rejects(loadBotFolder("/nowhere"), /cannot read .*nowhere.*bot.json/);
});

test("a bot of another game or layout than expected is refused, both named", async () => {
  const folder = botFolder(PLAIN);
  await loadBotFolder(folder, { game: plain.card.game, layout: plain.layout.id });
  await assert.rejects(loadBotFolder(folder, { game: "x/Y-v0" }), /plays .*, not x\/Y-v0/);
  const wanted = loadBotFolder(folder, { layout: "x/Y-v0:1:0" });
  await assert.rejects(wanted, /was made for layout .*; the table has x\/Y-v0:1:0/);
});

test("bots load from a URL", async () => {
  const server = await serve({ "/": botFolder("") });
  try {
    const bot = await loadBot(`${server.url}/${PLAIN}/`);
    assert.deepEqual(await bot.act(view, { seed: 4 }), await plain.act(view, { seed: 4 }));
    await bot.release();
    await assert.rejects(loadBot(`${server.url}/nobody`), /HTTP status 404/);
  } finally {
    server.close();
  }
  const gone = createServer().listen(0);
  const { port } = gone.address() as { port: number };
  gone.close();
  await assert.rejects(loadBot(new URL(`http://localhost:${port}/x`)), /cannot read/);
});
