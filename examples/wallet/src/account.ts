// How accounts are kept in the chain's state: the key is `account/NAME`, the value a decimal amount.

import type { Absent, Present } from "prooflight";

const PREFIX = "account/";

/** The longest name whose key every chain takes, in bytes of UTF-8. */
export const MAX_NAME = 200;

/** The key of an account. */
export const keyOf = (name: string): Uint8Array => new TextEncoder().encode(PREFIX + name);

/** The account that a key is of, or the key itself where it is of none. */
export function nameOf(key: Uint8Array): string {
  const text = textOf(key);
  if (text === undefined) return `key of ${key.length} bytes`;
  return text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text;
}

/** The text that bytes are in UTF-8, if they are one. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** What a key has. */
export type Result = Absent | (Omit<Present, "value"> & { value: Uint8Array });

/** The balance in hundredths; undefined where there is no account, or its value is no amount. */
export const balanceOf = (answer: Result): bigint | undefined =>
  answer.kind === "absent" ? undefined : parseAmount(textOf(answer.value) ?? "");

/** Hundredths of a decimal amount with at most two digits after the point; undefined if it is none. */
export function parseAmount(text: string): bigint | undefined {
  const [, whole, cents = ""] = /^([0-9]{1,15})(?:\.([0-9]{1,2}))?$/.exec(text) ?? [];
  return whole === undefined ? undefined : BigInt(whole + cents.padEnd(2, "0"));
}

/** The amount as the state has it: `1250.00`. */
export function writeAmount(hundredths: bigint): string {
  const digits = hundredths.toString().padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** The amount for people: `1,250.00`. */
export function showAmount(hundredths: bigint): string {
  const [whole = "", cents = ""] = writeAmount(hundredths < 0n ? -hundredths : hundredths).split(
    ".",
  );
  return `${hundredths < 0n ? "−" : ""}${BigInt(whole).toLocaleString("en")}.${cents}`;
}
