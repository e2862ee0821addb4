/** Bytes and integers, as Ethereum's callers and servers write them. */

import { invalid } from "../arguments.js";
import { BYTES, fromHex, type Hex, viewOf } from "../bytes.js";
import { describe, VerifyError } from "../error.js";

/** Bytes, or their 0x-hex. */
export type BytesLike = Uint8Array | Hex;

/** An integer of 256 bits: a bigint, 0x and hexadecimal digits, or 32 bytes, big-endian. */
export type WordLike = bigint | Hex | Uint8Array;

/** The caller's bytes; throws `invalid_argument` if they are not bytes, or not `length` of them. */
export function bytesLike(given: unknown, name: string, length?: number): Uint8Array {
  const bytes = typeof given === "string" ? hexOf(given, name) : viewOf(given);
  if (!bytes) throw invalid("mpt", name, `0x-hex or ${BYTES}`, describe(given));
  if (length === undefined || bytes.length === length) return bytes;
  throw invalid("mpt", name, `${length} bytes`, `${bytes.length} bytes`);
}

/** The caller's integer as 32 bytes; throws `invalid_argument` if it is not an integer of 256 bits. */
export function wordLike(given: unknown, name: string): Uint8Array {
  if (typeof given === "bigint" && given >= 0n && given < 1n << 256n) {
    return hexOf(`0x${given.toString(16).padStart(64, "0")}`, name);
  }
  if (typeof given === "string") {
    const word = wordOf(given);
    if (word) return hexOf(word, name);
  }
  const bytes = viewOf(given);
  if (bytes?.length === 32) return bytes;
  const expected = "an integer of 0 to 2^256 - 1, as a bigint, in 0x-hex, or 32 bytes";
  throw invalid("mpt", name, expected, describe(given));
}

/** The 64 digits of an integer in 0x-hex, with or without leading zeros; undefined if it is not one. */
export function wordOf(text: unknown): Hex | undefined {
  if (typeof text !== "string" || !/^0x[0-9a-f]{1,64}$/i.test(text)) return undefined;
  return text.startsWith("0x") ? `0x${text.slice(2).padStart(64, "0")}` : undefined;
}

function hexOf(text: string, name: string): Uint8Array {
  try {
    return fromHex(text);
  } catch (error) {
    if (!(error instanceof VerifyError)) throw error;
    throw invalid("mpt", name, error.details.expected, error.details.found);
  }
}
