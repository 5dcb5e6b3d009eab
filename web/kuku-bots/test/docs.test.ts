/** The Node program of docs/javascript.md runs as it stands; the package holds what it must. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import test from "node:test";
import { botFolder, botNames, PACKAGE, positions, ROOT } from "./files.js";

test("the program of docs/javascript.md", () => {
  const docs = readFileSync(`${ROOT}docs/javascript.md`, "utf-8");
  const program = /<!-- runs: node -->\s+```js\n(.*?)^```$/ms.exec(docs)?.[1];
  assert.ok(program);
  const name = botNames.find((one) => one.endsWith("/selfplay")) as string;
  const view = positions.find((one) => one.bots[name]?.probabilities)?.view;
  const folder = `${PACKAGE}build/docs-${process.pid}`; // inside, so that the package is found
  mkdirSync(`${folder}/bots`, { recursive: true });
  symlinkSync(botFolder(name), `${folder}/bots/selfplay`);
  writeFileSync(`${folder}/view.json`, JSON.stringify(view));
  writeFileSync(`${folder}/program.mjs`, program);
  const said = execFileSync(process.execPath, ["program.mjs"], { cwd: folder, encoding: "utf-8" });
  assert.match(said, /^\S.* \d+\n\{/);
  assert.match(said, /seat given 9, an integer from 0 to \d is needed/);
});

test("the package holds its built files alone", () => {
  const said = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: PACKAGE,
    encoding: "utf-8",
  });
  const [packed] = Object.values(JSON.parse(said)) as { files: { path: string }[] }[];
  const paths = packed?.files.map((file) => file.path) ?? [];
  assert.ok(paths.includes("dist/index.js") && paths.includes("dist/node.d.ts"));
  const others = paths.filter((path) => !path.startsWith("dist/"));
  assert.deepEqual(others.sort(), ["README.md", "package.json"]);
});
