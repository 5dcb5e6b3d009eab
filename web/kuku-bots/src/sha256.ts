/**
 * SHA-256 (FIPS 180-4). The browser's own is missing on pages that come by plain HTTP from another
 * machine, such as one in a school's network.
 */

/** The first bits of the fractional parts of `root` of the first primes, as FIPS 180-4 says. */
function fractions(count: number, root: (n: number) => number): Uint32Array {
  const words = new Uint32Array(count);
  let found = 0;
  for (let n = 2; found < count; n++) {
    let prime = true;
    for (let k = 2; k * k <= n; k++) prime &&= n % k !== 0;
    if (prime) words[found++] = (root(n) % 1) * 2 ** 32;
  }
  return words;
}

const START = fractions(8, Math.sqrt);
const ROUND = fractions(64, Math.cbrt);

function turn(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

/** The message, a 1 bit, zeros, and its length in bits: whole blocks of 64 bytes. */
function padded(bytes: Uint8Array): DataView {
  const blocks = Math.ceil((bytes.length + 9) / 64);
  const message = new Uint8Array(blocks * 64);
  message.set(bytes);
  message[bytes.length] = 0x80;
  const view = new DataView(message.buffer);
  view.setBigUint64(message.length - 8, BigInt(bytes.length) * 8n);
  return view;
}

/** The digest in hexadecimal, 64 digits. */
export function sha256(bytes: Uint8Array): string {
  const message = padded(bytes);
  const state = new Uint32Array(START);
  const words = new Uint32Array(64);
  for (let at = 0; at < message.byteLength; at += 64) {
    schedule(words, message, at);
    compress(state, words);
  }
  return Array.from(state, (word) => word.toString(16).padStart(8, "0")).join("");
}

function schedule(words: Uint32Array, message: DataView, at: number): void {
  const w = (k: number) => words[k] as number;
  for (let k = 0; k < 16; k++) words[k] = message.getUint32(at + 4 * k);
  for (let k = 16; k < 64; k++) {
    const low = turn(w(k - 15), 7) ^ turn(w(k - 15), 18) ^ (w(k - 15) >>> 3);
    const high = turn(w(k - 2), 17) ^ turn(w(k - 2), 19) ^ (w(k - 2) >>> 10);
    words[k] = w(k - 16) + low + w(k - 7) + high;
  }
}

function compress(state: Uint32Array, words: Uint32Array): void {
  let [a, b, c, d, e, f, g, h] = state as unknown as number[] as Eight;
  for (let k = 0; k < 64; k++) {
    const choice = (e & f) ^ (~e & g);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const high = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
    const low = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
    const one = (h + high + choice + (ROUND[k] as number) + (words[k] as number)) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + low + majority) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, k) => {
    state[k] = (state[k] as number) + word;
  });
}

type Eight = [number, number, number, number, number, number, number, number];
