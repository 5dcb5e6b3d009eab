/** In headless Chromium, from a plain static server: the same as in Node. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import type { Page } from "playwright-core";
import { launch, skip } from "./chromium.js";
import { botFolder, botNames, PACKAGE, positions, ROOT, VECTORS } from "./files.js";
import { serve } from "./serve.js";
import type { Outcome } from "./vectors.js";

const COMMON = {
  "/kuku-bots/": `${PACKAGE}dist`,
  "/onnxruntime-web/": `${ROOT}web/node_modules/onnxruntime-web/dist`,
};

/** The first view in which a bot is asked. */
const ASKED = positions.find((one) => Object.keys(one.bots).length);

const VECTOR_PAGE = `<!doctype html><title>vectors</title>
<script type="importmap">
  { "imports": {
    "kuku-bots": "/kuku-bots/index.js",
    "onnxruntime-web/wasm": "/onnxruntime-web/ort.wasm.min.mjs"
  } }
</script>
<script type="module">
  import { loadBot } from "kuku-bots";
  import { compareJudged, comparePositions, lines } from "/test/vectors.js";

  async function compare() {
    const read = async (name) => (await fetch("/vectors/" + name)).text();
    const layouts = JSON.parse(await read("layouts.json"));
    const bots = {};
    for (const name of ${JSON.stringify(botNames)}) bots[name] = await loadBot("/vectors/bots/" + name);
    const outcome = await comparePositions(lines(await read("views.jsonl")), layouts, bots);
    const judged = compareJudged(lines(await read("malformed.jsonl")), layouts);
    const view = ${JSON.stringify(ASKED?.view)};
    const bot = bots[${JSON.stringify(Object.keys(ASKED?.bots ?? {}).at(-1))}];
    const start = performance.now();
    for (let seed = 0; seed < 500; seed++) await bot.act(view, { seed });
    return { outcome, judged, milliseconds: (performance.now() - start) / 500 };
  }
  window.compared = compare();
</script>`;

/** Run with a page of Chromium; what the page complains of is an error. */
async function inPage<T>(use: (page: Page) => Promise<T>): Promise<T> {
  const browser = await launch();
  try {
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (line) => {
      if (["error", "warning"].includes(line.type())) complaints.push(line.text());
    });
    const result = await use(page);
    assert.deepEqual(complaints, []);
    return result;
  } finally {
    await browser.close();
  }
}

interface Compared {
  outcome: Outcome;
  judged: string[];
  milliseconds: number;
}

test("observations, answers and errors are Python's", { skip }, async (t) => {
  const folders = { ...COMMON, "/test/": `${PACKAGE}build`, "/vectors/": VECTORS };
  const server = await serve(folders, { "/": VECTOR_PAGE });
  try {
    const compared = await inPage(async (page) => {
      await page.goto(server.url);
      await page.waitForFunction("window.compared");
      return (await page.evaluate("window.compared")) as Compared;
    });
    t.diagnostic(JSON.stringify(compared));
    assert.deepEqual(compared.outcome.wrong, []);
    assert.equal(compared.outcome.views, positions.length);
    assert.deepEqual(compared.judged, []);
  } finally {
    server.close();
  }
});

test("the page of docs/javascript.md runs as it stands", { skip }, async () => {
  const docs = readFileSync(`${ROOT}docs/javascript.md`, "utf-8");
  const html = /<!-- runs: browser -->\s+```html\n(.*?)^```$/ms.exec(docs)?.[1];
  assert.ok(html);
  const name = botNames.find((one) => one.endsWith("/selfplay")) as string;
  const view = positions.find((one) => one.bots[name]?.probabilities)?.view;
  const served = { ...COMMON, "/bots/selfplay/": botFolder(name) };
  const server = await serve(served, { "/": html, "/view.json": JSON.stringify(view) });
  try {
    const said = await inPage(async (page) => {
      await page.goto(server.url);
      await page.waitForFunction("document.querySelector('output').textContent");
      return page.textContent("output");
    });
    assert.ok((view as unknown as { legal: string[] }).legal.includes(said ?? ""));
  } finally {
    server.close();
  }
});
