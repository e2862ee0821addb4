// The encoding of accounts in the chain's state: the key is `account/NAME`, the value an amount in cents, an
// unsigned integer of 8 bytes, big-endian.

import type { Absent, Present } from "prooflight";

const PREFIX = "account/";

/** The longest name whose key every chain accepts, in bytes of UTF-8. */
export const MAX_NAME = 200;

/** The key of an account. */
export const keyOf = (name: string): Uint8Array => new TextEncoder().encode(PREFIX + name);

/** The bounds of all accounts' keys: the first that may be one, and the first after all of them. */
export const ACCOUNTS = { from: keyOf(""), to: new TextEncoder().encode("account0") };

/** The name of a key's account, or the key itself if it does not belong to an account. */
export function nameOf(key: Uint8Array): string {
  const text = textOf(key);
  if (text === undefined) return `key of ${key.length} bytes`;
  return text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text;
}

/** Decodes UTF-8; undefined if it is malformed. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The state of a key. */
export type Result = Absent | (Omit<Present, "value"> & { value: Uint8Array });

/** The balance in cents; undefined if there is no account, or its value is not an amount. */
export const balanceOf = (answer: Result): bigint | undefined =>
  answer.kind === "absent" ? undefined : readAmount(answer.value);

/** The largest amount that a value can hold. */
export const MAX_AMOUNT = 2n ** 64n - 1n;

/** The cents in a value; undefined if it is not an amount. */
export function readAmount(value: Uint8Array): bigint | undefined {
  if (value.length !== 8) return undefined;
  return new DataView(value.buffer, value.byteOffset, 8).getBigUint64(0);
}

/** The value with these cents, at most `MAX_AMOUNT`. */
export function writeAmount(cents: bigint): Uint8Array {
  const value = new Uint8Array(8);
  new DataView(value.buffer).setBigUint64(0, cents);
  return value;
}

/** Parses a typed amount, with at most two digits after the point, as cents; undefined if it is not an amount. */
export function parseAmount(text: string): bigint | undefined {
  const [, whole, cents = ""] = /^([0-9]{1,15})(?:\.([0-9]{1,2}))?$/.exec(text) ?? [];
  return whole === undefined ? undefined : BigInt(whole + cents.padEnd(2, "0"));
}

/** Formats cents: `1,250.00`. */
export function showAmount(cents: bigint): string {
  const digits = (cents < 0n ? -cents : cents).toString().padStart(3, "0");
  const whole = BigInt(digits.slice(0, -2)).toLocaleString("en");
  return `${cents < 0n ? "−" : ""}${whole}.${digits.slice(-2)}`;
}
