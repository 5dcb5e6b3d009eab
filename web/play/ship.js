/**
 * Copies the built page into the Python package, without the runtime for bots in the page (14 MB):
 * there the server gives hints.
 */

import { cpSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const dist = fileURLToPath(new URL("dist/", import.meta.url));
const home = fileURLToPath(new URL("../../kuku_env/web/page/kuku-doubt/", import.meta.url));

rmSync(home, { recursive: true, force: true });
mkdirSync(home, { recursive: true });
for (const name of readdirSync(dist)) {
  if (/\.(html|css|js)$/.test(name)) cpSync(join(dist, name), join(home, name));
}
