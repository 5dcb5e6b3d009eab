/** In Node: the same bytes, the same answers and the same complaints as Python. */

import assert from "node:assert/strict";
import test from "node:test";
import type { Bot } from "kuku-bots";
import { loadBotFolder } from "kuku-bots/node";
import { botFolder, botNames, judged, layouts, positions } from "./files.js";
import { compareJudged, comparePositions } from "./vectors.js";

test("observations, masks and answers are Python's", async (t) => {
  const bots: Record<string, Bot> = {};
  for (const name of botNames) bots[name] = await loadBotFolder(botFolder(name));
  const outcome = await comparePositions(positions, layouts, bots);
  t.diagnostic(JSON.stringify(outcome));
  assert.deepEqual(outcome.wrong, []);
  assert.ok(outcome.views >= 2000 && outcome.answers >= 2000 && outcome.refusals >= 100);
  await Promise.all(Object.values(bots).map((bot) => bot.release()));
});

test("malformed views are the same errors at the same paths", (t) => {
  const wrong = compareJudged(judged, layouts);
  assert.deepEqual(wrong, []);
  const paths = judged.flatMap((one) => [one.observation_error, one.action_mask_error]);
  const refused = paths.filter((path) => path !== undefined);
  t.diagnostic(
    `${judged.length} views, ${refused.length} errors at ${new Set(refused).size} paths`,
  );
  assert.ok(new Set(refused).size > 50);
});
