/** Whole games on the page, in headless Chromium, against a table in Python. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import test from "node:test";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { launch, skip } from "../../kuku-bots/build/chromium.js";
import { serve } from "../../kuku-bots/build/serve.js";
import { openTable, type Table } from "./table.js";

const PAGE = fileURLToPath(new URL("../dist/", import.meta.url));
const BOTS = fileURLToPath(new URL("../../../kuku_env/bots/shipped/kuku-doubt/", import.meta.url));
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core"), "utf-8");

interface Options {
  seat?: number;
  seed?: number;
  locale?: string;
  width?: number;
  colorScheme?: "light" | "dark";
}

/** The page at a table; what the browser complains of is an error. */
async function atTable(options: Options, use: (page: Page, table: Table) => Promise<void>) {
  const { seat = 0, seed = 1, locale = "en-GB", width = 1000, colorScheme = "light" } = options;
  const table = openTable(seat, seed);
  const server = await serve({ "/": PAGE, "/bots/": BOTS }, {}, table.answer);
  const browser = await launch();
  try {
    const page = await browser.newPage({ locale, colorScheme, viewport: { width, height: 740 } });
    page.setDefaultTimeout(15_000);
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (line) => {
      if (["error", "warning"].includes(line.type())) complaints.push(line.text());
    });
    await page.goto(`${server.url}/index.html`);
    await settled(page); // it has asked what there is to choose
    await use(page, table);
    assert.deepEqual(complaints, []);
  } finally {
    await browser.close();
    server.close();
    table.close();
  }
}

async function begin(page: Page, players: number): Promise<void> {
  await page.selectOption("#players", String(players));
  await page.click("#new");
  await settled(page);
}

/** What was asked for is there: until then the page says to wait. */
async function settled(page: Page): Promise<void> {
  await page.waitForFunction("document.querySelector('#message').textContent === ''");
}

/** Nothing that axe-core finds wrong, and nothing wider than the screen. */
async function usable(page: Page): Promise<void> {
  await page.evaluate(AXE);
  const found = (await page.evaluate("axe.run()")) as { violations: { id: string }[] };
  const wrong = found.violations.map((one) => JSON.stringify(one).slice(0, 600));
  assert.deepEqual(wrong, []);
  const wide = await page.evaluate(
    "[document.documentElement.scrollWidth, document.documentElement.clientWidth]",
  );
  const [content, screen] = wide as [number, number];
  assert.ok(content <= screen, `${content} px on a screen of ${screen}`);
}

/** Choose an answer by clicking, the `n`-th way round; false where the game is over. */
async function choose(page: Page, table: Table, n: number): Promise<boolean> {
  const { view } = table.last();
  if (view.phase === "over") return false;
  const sees = view.legal.filter((text) => text.startsWith("see "));
  const action = view.legal[(n * 7) % view.legal.length] as string;
  if (sees.includes(action)) {
    await page.click('[data-action="see"]');
    await usable(page);
  }
  const asked = table.told.length;
  await page.locator(`[data-action="${action}"]`).first().click();
  await settled(page);
  assert.equal(table.told.length, asked + 1);
  assert.equal(table.told.at(-1)?.asked.action, action);
  return true;
}

for (const [locale, width, players, colorScheme, seed] of [
  ["en-GB", 1000, 3, "light", 1],
  ["ja-JP", 360, 2, "light", 2],
  ["ja-JP", 1000, 6, "dark", 3],
  ["en-GB", 360, 4, "dark", 4],
] as const) {
  const name = `${locale}, ${width} px, ${players} players, ${colorScheme}`;
  test(`a whole game: ${name}`, { skip }, async (t) => {
    await atTable({ locale, width, colorScheme, seed, seat: seed }, async (page, table) => {
      await usable(page);
      await begin(page, players);
      assert.equal(await page.getAttribute("html", "lang"), locale.slice(0, 2));
      let turns = 0;
      do await usable(page);
      while (await choose(page, table, turns++));
      const { record } = table.last();
      const claims = record.filter((event) => event.action?.startsWith("claim ")).length;
      assert.equal(await page.locator("#review tr:has(td)").count(), claims);
      t.diagnostic(`${turns - 1} decisions of the player, ${claims} claims in the review`);
    });
  });
}

test("by keyboard: a claim is typed, a pair is found with the arrow keys", { skip }, async (t) => {
  await atTable({ seat: 0, seed: 5 }, async (page, table) => {
    let seen = false;
    let typed = false;
    for (let game = 0; game < 6 && !(seen && typed); game++) {
      await begin(page, 2);
      const { view } = table.last();
      const asked = table.told.length;
      if (view.phase === "claim") {
        await page.focus("#number");
        await page.keyboard.type("11");
        await page.keyboard.press("Enter");
        assert.match((await page.textContent("#message")) ?? "", /11 cannot be claimed/);
        await page.keyboard.press("ControlOrMeta+a");
        await page.keyboard.type("８１"); // as Japanese keyboards write it
        await page.keyboard.press("Enter");
        await settled(page);
        assert.equal(table.told.at(-1)?.asked.action, "claim 81");
        typed = true;
      } else {
        assert.equal(view.phase, "respond");
        assert.equal(await page.evaluate("document.activeElement.id"), "asked");
        await page.focus('[data-action="see"]');
        await page.keyboard.press("Enter");
        const first = await page.evaluate("document.activeElement.className");
        assert.equal(first, "fits");
        await page.keyboard.press("ArrowDown");
        await page.keyboard.press("ArrowUp");
        assert.equal(await page.evaluate("document.activeElement.className"), "fits");
        await page.keyboard.press("Enter");
        await settled(page);
        assert.equal(table.told.length, asked + 1);
        assert.match(String(table.told.at(-1)?.asked.action), /^see \d \d$/);
        seen = true;
      }
      t.diagnostic(`game ${game}: ${String(table.told.at(-1)?.asked.action)}`);
      table.nextSeed();
    }
    assert.ok(seen && typed);
  });
});

test("a double click acts once", { skip }, async () => {
  await atTable({ seat: 0, seed: 8 }, async (page, table) => {
    await begin(page, 3);
    const asked = table.told.length;
    await page.locator("#question button").first().dblclick();
    await settled(page);
    assert.equal(table.told.length, asked + 1);
  });
});

test("hints come from a bot in the page, and the language can change", { skip }, async () => {
  await atTable({ seat: 1, seed: 6 }, async (page) => {
    await begin(page, 3);
    await page.click('[data-action="hint"]');
    await page.waitForFunction(
      "/^The bot would: .+%/.test(document.querySelector('#message').textContent)",
    );
    const lines = await page.locator("#log p").count();
    await page.click("#language");
    assert.equal(await page.textContent("h1"), "九九ダウト");
    assert.equal(await page.locator("#log p").count(), lines);
    assert.equal(await page.evaluate("document.activeElement.id"), "language");
    await usable(page);
  });
});

test("a refused act is told, and the game goes on", { skip }, async () => {
  await atTable({ seat: 0, seed: 7 }, async (page, table) => {
    await begin(page, 3);
    const { decision, view } = table.last();
    const elsewhere = { decision, action: view.legal[0] };
    await table.answer("/play/act", JSON.stringify(elsewhere)); // as from another window
    await page.locator("#question button").first().click();
    await page.waitForFunction(
      "document.querySelector('#message').textContent.includes('has been made')",
    );
    assert.equal(table.told.at(-1)?.asked.op, "now"); // the page shows where the game is
    await page.waitForFunction("document.querySelector('#question button:enabled, #review')");
    await begin(page, 2);
  });
});
