/** Drawing an action: the same seed and the same situation give the same action. */

/** 32 bits in which every bit of `word` has a say (the finalizer of MurmurHash3). */
function mixed(word: number): number {
  let x = word ^ (word >>> 16);
  x = Math.imul(x, 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}

/**
 * A number in [0, 1) from a seed and what is observed, so that one seed for a whole game does not
 * draw alike in every decision. `undefined` draws at random.
 */
export function roll(seed: number | undefined, observation: Int8Array): number {
  if (seed === undefined) return Math.random();
  if (!Number.isSafeInteger(seed) || seed < 0) {
    throw new RangeError(`seed must be an integer of at least 0, given ${seed}`);
  }
  let hash = mixed(seed >>> 0) ^ mixed(Math.floor(seed / 2 ** 32) + 0x9e3779b9);
  for (const cell of observation) hash = Math.imul(hash ^ (cell & 0xff), 0x01000193); // FNV-1a
  return mixed(hash) / 2 ** 32;
}

/**
 * Weights of a choice at a temperature: 1 leaves the probabilities as they are, less prefers the
 * likely ones, 0 leaves the best alone.
 */
export function tempered(probabilities: readonly number[], temperature: number): number[] {
  if (!Number.isFinite(temperature) || temperature < 0) {
    throw new RangeError(`temperature must be a number of at least 0, given ${temperature}`);
  }
  const most = Math.max(...probabilities);
  if (temperature === 0) {
    const best = probabilities.indexOf(most);
    return probabilities.map((_, k) => Number(k === best));
  }
  // Against the largest, so that nothing overflows and something is left.
  return probabilities.map((p) => (p > 0 ? (p / most) ** (1 / temperature) : 0));
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
