import { describe, refuse } from "./error.js";

/** Bytes in a buffer of their own, which nothing else refers to. */
export type Bytes = Uint8Array<ArrayBuffer>;

/**
 * The bytes of a 0x-hex string, in upper or lower case.
 *
 * Throws `invalid_input` if it is not one: without `0x`, of odd length, or with other characters.
 */
export function fromHex(hex: string): Bytes {
  if (typeof hex !== "string") throw invalid(describe(hex));
  if (!hex.startsWith("0x")) throw invalid("a string that does not start with 0x");
  if (hex.length % 2 !== 0) throw invalid(`${hex.length - 2} digits`);
  const bytes = new Uint8Array(hex.length / 2 - 1);
  for (let i = 0; i < bytes.length; i++) {
    const high = digit(hex.charCodeAt(2 * i + 2));
    const low = digit(hex.charCodeAt(2 * i + 3));
    if (high < 0 || low < 0) {
      throw invalid(`${JSON.stringify(hex.slice(2 * i + 2, 2 * i + 4))} at position ${2 * i + 2}`);
    }
    bytes[i] = 16 * high + low;
  }
  return bytes;
}

/** The bytes as a 0x-hex string in lower case. Throws `invalid_input` if they are not a `Uint8Array`. */
export function toHex(bytes: Uint8Array): string {
  if (!isBytes(bytes)) throw refuse("invalid_argument", "a Uint8Array", describe(bytes));
  let hex = "0x";
  for (const byte of bytes) hex += PAIRS[byte] ?? "";
  return hex;
}

/** Whether this is a `Uint8Array`, of this realm or another one. */
export function isBytes(value: unknown): value is Uint8Array {
  return typedArrayName.get.call(value) === "Uint8Array";
}

/** `%TypedArray%.prototype[Symbol.toStringTag]`: looks at what an object is, not at what it says. */
const typedArrayName = Object.getOwnPropertyDescriptor(
  Object.getPrototypeOf(Uint8Array.prototype),
  Symbol.toStringTag,
) as { get: (this: unknown) => string | undefined };

const PAIRS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** The value of a hexadecimal digit given as its character code, or -1. */
function digit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x61 + 10 : -1;
}

function invalid(found: string) {
  return refuse("invalid_argument", "0x and pairs of hexadecimal digits", found);
}
