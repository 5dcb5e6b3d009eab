/** Where things are, seen from the compiled tests, and what several of them read. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Judged, type Layouts, lines, type Position } from "./vectors.js";

/** The package's folder. */
export const PACKAGE = fileURLToPath(new URL("..", import.meta.url));
/** The repository's. */
export const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
export const VECTORS = `${PACKAGE}build/vectors`;

function read(name: string): string {
  return readFileSync(`${VECTORS}/${name}`, "utf-8");
}

export const layouts = JSON.parse(read("layouts.json")) as Layouts;
export const positions = lines<Position>(read("views.jsonl"));
export const judged = lines<Judged>(read("malformed.jsonl"));
/** Folders of bots, such as `game/name`. */
export const botNames = [...new Set(positions.flatMap((one) => Object.keys(one.bots)))];

export function botFolder(name: string): string {
  return `${VECTORS}/bots/${name}`;
}
