/** Checks of what a caller sends; each throws a ViewError that names the path. */

import { ViewError } from "./errors.js";

/** A JSON value as a message tells it, cut short. */
export function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "string") {
    return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  }
  return typeof value === "object" && value !== null ? "an object" : String(value);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value, if it is an integer from 0 to `high`. */
export function wholeNumber(path: string, value: unknown, high = Number.POSITIVE_INFINITY): number {
  if (Number.isInteger(value) && (value as number) >= 0 && (value as number) <= high) {
    return value as number;
  }
  const allowed = high === Number.POSITIVE_INFINITY ? "of at least 0" : `from 0 to ${high}`;
  throw new ViewError(path, `given ${shown(value)}, an integer ${allowed} is needed`);
}

/** The place of a value among those allowed. */
export function placeAmong(path: string, value: unknown, allowed: readonly unknown[]): number {
  const place = allowed.indexOf(value);
  if (place >= 0) return place;
  throw new ViewError(path, `given ${shown(value)}, allowed: ${allowed.map(shown).join(", ")}`);
}

/** The value, if it is a list of no more than `most` entries. */
export function checkedList(path: string, value: unknown, most?: number): unknown[] {
  if (Array.isArray(value) && (most === undefined || value.length <= most)) return value;
  const allowed = most === undefined ? "a list" : `a list of at most ${most}`;
  throw new ViewError(path, `given ${shown(value)}, ${allowed} is needed`);
}
