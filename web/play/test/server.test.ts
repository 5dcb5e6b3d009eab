/** The page as the Python package brings it, played on the server that comes with it. */

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { launch, skip } from "../../kuku-bots/build/chromium.js";
import { type Server, startServer } from "./server.js";

const DIST = fileURLToPath(new URL("../dist/", import.meta.url));
const SHIPPED = fileURLToPath(new URL("../../../kuku_env/web/page/kuku-doubt/", import.meta.url));
const PICTURES = process.env.KUKU_PICTURES; // a folder, where new ones are wanted

test("the package has this page", () => {
  const built = readdirSync(DIST).filter((name) => /\.(html|css|js)$/.test(name));
  assert.deepEqual(readdirSync(SHIPPED).sort(), built.sort(), "make page brings it up to date");
  for (const name of built) {
    const shipped = readFileSync(join(SHIPPED, name), "utf-8");
    assert.equal(shipped, readFileSync(join(DIST, name), "utf-8"), `${name}: make page`);
  }
});

/** A page in a browser, on a server; what the browser complains of, but for `expected`, is an error. */
async function onServer(
  more: string[],
  width: number,
  use: (page: Page, restart: () => Promise<void>) => Promise<void>,
  expected: RegExp[] = [],
) {
  const folder = mkdtempSync(join(tmpdir(), "kuku-games-"));
  let server: Server = await startServer(folder, 0, more);
  const browser = await launch();
  try {
    const page = await browser.newPage({
      viewport: { width, height: width > 1000 ? 920 : 844 },
      locale: "en-GB",
    });
    page.setDefaultTimeout(20_000);
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (line) => {
      if (["error", "warning"].includes(line.type())) complaints.push(line.text());
    });
    await page.goto(server.url);
    await settled(page);
    await use(page, async () => {
      await server.kill();
      server = await startServer(folder, server.port, more);
    });
    const wrong = complaints.filter((line) => !expected.some((known) => known.test(line)));
    assert.deepEqual(wrong, []);
  } finally {
    await browser.close();
    await server.kill();
    rmSync(folder, { recursive: true });
  }
}

async function settled(page: Page): Promise<void> {
  await page.locator("#message:empty").waitFor({ state: "attached" });
}

async function begin(page: Page, players: number, bots: string): Promise<void> {
  await page.selectOption("#players", String(players));
  await page.selectOption("#bots", bots);
  await page.click("#new");
  await settled(page);
}

/** Click an answer; accepting and the truth first, so that the game is long. False: it is over. */
async function click(page: Page): Promise<boolean> {
  for (const wanted of ['[data-action="accept"]', ".truth", "#question [data-action]"]) {
    const button = page.locator(wanted).first();
    if (await button.count()) {
      await button.click();
      await settled(page);
      return true;
    }
  }
  return false;
}

/** A picture, if one is wanted, where a claim is to be answered. True: it was such a moment. */
async function picture(page: Page, name: string, chart: boolean): Promise<boolean> {
  if (!PICTURES || !(await page.locator('[data-action="accept"]').count())) return !PICTURES;
  if (chart) await page.click('[data-action="see"]');
  await page.evaluate("scrollTo(0, 0)");
  await page.screenshot({ path: join(PICTURES, name) });
  if (chart) await page.click('[data-action="cancel"]');
  return true;
}

for (const [width, name, seed] of [
  [390, "phone", "8"],
  [1280, "desktop", "8"],
] as const) {
  test(`four players, a whole game by clicking: ${width} px`, { skip }, async (t) => {
    await onServer(["--seed", seed], width, async (page, restart) => {
      await begin(page, 4, "normal");
      let clicks = 0;
      let pictured = false;
      do {
        if (clicks > 2 && !pictured) {
          pictured = await picture(page, `play-${name}.png`, width > 1000);
        }
        if (clicks === 1) {
          const log = await page.textContent("#log");
          await page.reload();
          await settled(page);
          assert.equal(await page.textContent("#log"), log);
          await restart(); // killed in the midst of the game
        }
      } while ((await click(page)) && ++clicks);
      assert.match((await page.textContent("#asked")) ?? "", /won|lost/);
      const rows = await page.locator("#review tr:has(td)").count();
      assert.ok(rows > 0);
      const lives = (await page.textContent("#lives")) ?? "";
      assert.match(lives, /You: \w+ · \w+; Bot 1: .+; Bot 2: .+; Bot 3: \w+ · \w+/);
      t.diagnostic(`${clicks} clicks, ${rows} claims in the review`);
      await page.reload(); // the review, too, is there after a reload
      await page.waitForSelector("#review");
      await begin(page, 2, "easy"); // another game
      assert.equal(await page.locator("#review").count(), 0);
    });
  });
}

test("the server gives hints", { skip }, async () => {
  await onServer(["--seed", "1"], 800, async (page) => {
    await begin(page, 3, "strong");
    await page.click('[data-action="hint"]');
    await page.locator("#message", { hasText: /(Best|prefers): / }).waitFor();
    assert.ok(await click(page));
  });
});

test("bots in the page play a whole game at a table of four", { skip }, async (t) => {
  const more = ["--seed", "1", "--bots-run", "browser", "--page", DIST];
  await onServer(more, 800, async (page) => {
    const files: string[] = [];
    page.on("request", (request) => files.push(new URL(request.url()).pathname));
    await begin(page, 4, "strong");
    let clicks = 0;
    while (await click(page)) clicks++;
    assert.ok(await page.locator("#review").count());
    assert.ok(files.includes("/bots/strong/policy.onnx"));
    t.diagnostic(`${clicks} clicks`);
  });
});

test("a game that the server does not have is no dead end", { skip }, async () => {
  const use = async (page: Page) => {
    await page.evaluate("location.hash = 'A'.repeat(22)");
    await page.reload();
    await page.waitForSelector("#rules");
    await page.locator("#message", { hasText: "there is no game" }).waitFor();
    await begin(page, 2, "easy");
  };
  await onServer([], 800, use, [/404/]);
});
