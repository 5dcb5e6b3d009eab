/** Puts the page together in dist/: any static server can serve that folder. */

import { cpSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const home = join(here, "dist");
const packageFolder = (name) => dirname(fileURLToPath(import.meta.resolve(name)));

for (const name of ["index.html", "style.css"]) cpSync(join(here, name), join(home, name));
cpSync(packageFolder("kuku-bots"), join(home, "kuku-bots"), { recursive: true });
const runtime = packageFolder("onnxruntime-web/wasm");
mkdirSync(join(home, "onnxruntime-web"), { recursive: true });
for (const name of [
  "ort.wasm.min.mjs",
  "ort-wasm-simd-threaded.mjs",
  "ort-wasm-simd-threaded.wasm",
]) {
  cpSync(join(runtime, name), join(home, "onnxruntime-web", name));
}
