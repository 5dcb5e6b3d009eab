/**
 * Drawing an action as kuku-env's bot protocol does (`kuku_env/protocol/answers.py`): the same seed
 * in the same situation gives the same action, here and there.
 */

import { sha256 } from "./sha256.js";

const MAX_TEMPERATURE = 100;

/** What `act` may be told; throws RangeError for what is no seed or no temperature. */
export function checkDraw(seed: number | undefined, temperature: number): void {
  if (seed !== undefined && !(Number.isSafeInteger(seed) && seed >= 0)) {
    throw new RangeError(`seed must be an integer from 0 to 2^53 - 1, given ${seed}`);
  }
  if (!(temperature >= 0 && temperature <= MAX_TEMPERATURE)) {
    const allowed = `a number from 0 to ${MAX_TEMPERATURE}`;
    throw new RangeError(`temperature must be ${allowed}, given ${temperature}`);
  }
}

/**
 * A number in [0, 1), settled by the seed and what is observed, so that one seed for a whole game
 * does not draw alike in every decision. Without a seed it is chance.
 */
export function roll(
  seed: number | undefined,
  layout: string,
  observation: Int8Array,
  mask: Int8Array,
): number {
  if (seed === undefined) return Math.random();
  const head = new TextEncoder().encode(`${layout} ${seed} `);
  const bytes = new Uint8Array(head.length + observation.length + mask.length);
  bytes.set(head);
  bytes.set(observation, head.length);
  bytes.set(mask, head.length + observation.length);
  return Number.parseInt(sha256(bytes).slice(0, 13), 16) / 2 ** 52;
}

/**
 * Probabilities of a choice at a temperature: 1 leaves them as they are, less prefers the likely
 * ones, 0 leaves the best alone. They sum to 1 before and after.
 */
export function tempered(probabilities: readonly number[], temperature: number): number[] {
  if (temperature === 1) return [...probabilities];
  const most = Math.max(...probabilities);
  const best = probabilities.indexOf(most);
  if (temperature === 0) return probabilities.map((_, k) => Number(k === best));
  // Against the largest, so that something is left however small the temperature.
  return scaled(probabilities.map((p) => (p > 0 ? Math.exp(Math.log(p / most) / temperature) : 0)));
}

/** The weights, summing to 1. */
export function scaled(weights: readonly number[]): number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

/** The place that `at` in [0, 1) falls on, places being as wide as their weights. */
export function choose(weights: readonly number[], at: number): number {
  let passed = 0;
  const edges = weights.map((weight) => {
    passed += weight;
    return passed;
  });
  return edges.findIndex((edge) => edge > at * passed);
}
