// The keys of the measured chains, and operations on them.

import { randomBytes } from "node:crypto";

const hex = (bytes) => `0x${Buffer.from(bytes).toString("hex")}`;

/** The raw key with a number. */
export const key = (number) => hex(`key/${number}`);

const ONCE = "once/";

/** A key that is written once, with a name of its own. */
export const once = (name) => hex(`${ONCE}${name}`);

/** The name of such a key, or undefined if it is no such key. */
export function nameOf(key) {
  const text = Buffer.from(key.slice(2), "hex").toString();
  return text.startsWith(ONCE) ? text.slice(ONCE.length) : undefined;
}

/** A value of 32 bytes. */
const value = () => hex(randomBytes(32));

/** An operation that sets a key to a new value. */
export const set = (key) => ({ op: "Set", key, value: value() });

/** Lines for `prooflight-node import`, of the keys from one number up to another. */
export function lines(from, to) {
  const line = (number) => `${JSON.stringify({ key: key(number), value: value() })}\n`;
  return Array.from({ length: to - from }, (_, at) => line(from + at)).join("");
}

/** Updates of random keys of so many. */
export function updates(count, keys) {
  // Twice the same key would be one operation.
  const numbers = new Set();
  while (numbers.size < Math.min(count, keys)) numbers.add(Math.floor(Math.random() * keys));
  return [...numbers].map((number) => set(key(number)));
}

/** The keys of a question with a number: so many random ones, the same in every run. */
export function asked(question, count, keys) {
  // A generator of Lehmer's: its period is longer than any run.
  let state = (48_271 * (question + 1)) % 2_147_483_647;
  return Array.from({ length: count }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return key(state % keys);
  });
}
