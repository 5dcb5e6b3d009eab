/** Chromium as the system has it; nothing is downloaded. */

import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

/** The program, from CHROMIUM or the path; undefined where there is none. */
export function findChromium(): string | undefined {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find(existsSync);
}

/** Why the tests in a browser are skipped; false where they are not. */
export const skip =
  findChromium() === undefined &&
  "no Chromium found: install one (Debian: apt-get install chromium) or set CHROMIUM";

export function launch(): Promise<Browser> {
  const executablePath = findChromium() as string;
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
}
