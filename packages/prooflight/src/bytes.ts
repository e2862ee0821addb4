import { describe, refuse } from "./error.js";

/** Bytes that share their buffer with nothing else. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** Bytes in hexadecimal digits, with `0x`. */
export type Hex = `0x${string}`;

/** Decodes a 0x-hex string like `fromHex` of `prooflight`, but its errors do not name the argument. */
export function fromHex(hex: string): Bytes {
  const bytes = new Uint8Array(hexLength(hex));
  hexInto(bytes, hex);
  return bytes;
}

/** The number of bytes of a 0x-hex string. Throws like {@link fromHex}, but does not check the digits. */
export function hexLength(hex: string): number {
  if (typeof hex !== "string") throw invalid(describe(hex));
  if (!hex.startsWith("0x")) throw invalid("a string that does not start with 0x");
  if (hex.length % 2 !== 0) throw invalid(`${hex.length - 2} digits`);
  return hex.length / 2 - 1;
}

/**
 * Decodes a 0x-hex string into `bytes`, which must have the string's {@link hexLength}. Throws like {@link fromHex}.
 */
export function hexInto(bytes: Uint8Array, hex: string): void {
  for (let i = 0; i < bytes.length; i++) {
    const high = digit(hex.charCodeAt(2 * i + 2));
    const low = digit(hex.charCodeAt(2 * i + 3));
    if (high < 0 || low < 0) {
      throw invalid(`${JSON.stringify(hex.slice(2 * i + 2, 2 * i + 4))} at position ${2 * i + 2}`);
    }
    bytes[i] = 16 * high + low;
  }
}

/**
 * Encodes bytes as a 0x-hex string in lower case. Throws `invalid_input` if they are not a `Uint8Array`.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/conventions.md#5-json-encoding | The specification, conventions 5}
 *
 * @example
 * ```ts
 * import { toHex } from "prooflight";
 *
 * const key = new TextEncoder().encode("bob");
 * console.log(toHex(key)); // 0x626f62
 * ```
 */
export function toHex(bytes: Uint8Array): string {
  const view = viewOf(bytes);
  if (!view) throw refuse("invalid_argument", `bytes to be ${BYTES}`, describe(bytes));
  if (view.length <= PART_BYTES) return `0x${digitsOf(view)}`;
  const parts = ["0x"];
  for (let at = 0; at < view.length; at += PART_BYTES) {
    parts.push(digitsOf(view.subarray(at, at + PART_BYTES)));
  }
  return parts.join("");
}

/** The bytes of a part: engines keep each addition to a string, in forty bytes, until the string is read. */
const PART_BYTES = 4096;

function digitsOf(bytes: Uint8Array): string {
  let digits = "";
  for (const byte of bytes) digits += PAIRS[byte] ?? "";
  return digits;
}

/** The argument of {@link viewOf}, for messages. */
export const BYTES = "a Uint8Array that is not detached";

/**
 * A view of a `Uint8Array` of any realm, whose length never changes.
 *
 * Returns undefined for any other value, and for an array that lost its bytes because its buffer was detached or
 * shrunk. Only the internal slots of the array are read. An overridden length or prototype could otherwise mislead the
 * verifiers.
 */
export function viewOf(value: unknown): Uint8Array | undefined {
  if (name.get.call(value) !== "Uint8Array") return undefined;
  try {
    const memory = buffer.get.call(value);
    const [offset, length] = [byteOffset.get.call(value), byteLength.get.call(value)];
    const view = new Uint8Array(memory, offset, length);
    return length === 0 && isShrunk(value, memory, offset) ? undefined : view;
  } catch {
    return undefined; // Detached.
  }
}

/**
 * Whether an empty view may have lost its bytes when its buffer was shrunk.
 *
 * A view that tracks its buffer's length is empty if the buffer was shrunk to where the view begins. A view that begins
 * there and was always empty looks the same, so it counts as shrunk.
 */
function isShrunk(view: unknown, memory: ArrayBufferLike, offset: number): boolean {
  try {
    keys.value.call(view); // Throws for a view beyond the end.
  } catch {
    return true;
  }
  return isResizable(memory) && offset === memoryLength.get.call(memory);
}

/** Whether a buffer can shrink; a SharedArrayBuffer can only grow. */
function isResizable(memory: ArrayBufferLike): boolean {
  try {
    return resizable?.get.call(memory) ?? false;
  } catch {
    return false; // A SharedArrayBuffer.
  }
}

/** The property descriptors that typed arrays inherit. */
const inherited = Object.getOwnPropertyDescriptors(
  Object.getPrototypeOf(Uint8Array.prototype) as Uint8Array,
);
const name = inherited[Symbol.toStringTag] as Getter<string | undefined>;
const buffer = inherited.buffer as Getter<ArrayBuffer>;
const byteOffset = inherited.byteOffset as Getter<number>;
const byteLength = inherited.byteLength as Getter<number>;
const keys = inherited.keys as { value: (this: unknown) => unknown };

/** The property descriptors of buffers. Engines without resizable buffers lack `resizable`. */
const ofBuffers = Object.getOwnPropertyDescriptors(ArrayBuffer.prototype) as PropertyDescriptorMap;
const memoryLength = ofBuffers["byteLength"] as Getter<number>;
const resizable = ofBuffers["resizable"] as Getter<boolean> | undefined;

interface Getter<T> {
  get: (this: unknown) => T;
}

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

/** 64-bit quantities in JSON: `0x` and hexadecimal digits without leading zeros. */
export type Quantity = `0x${string}`;

/** Parses a quantity; undefined if it is not one, or has more than 64 bits. */
export function parseQuantity(text: unknown): bigint | undefined {
  if (typeof text !== "string" || !/^0x(0|[1-9a-f][0-9a-f]{0,15})$/i.test(text)) return undefined;
  // The digits may be in upper case, the prefix may not.
  return text.startsWith("0x") ? BigInt(text) : undefined;
}

/** Formats a 64-bit number as a quantity. */
export function toQuantity(number: bigint): Quantity {
  return `0x${number.toString(16)}`;
}

/** A copy of plain data, for an application that may write to it. jsdom and Hermes have no `structuredClone`. */
export function copy<T>(data: T): T;
export function copy(data: unknown): unknown {
  if (typeof data !== "object" || data === null) return data;
  if (Array.isArray(data)) return data.map((item: unknown) => copy(item));
  const bytes = viewOf(data);
  if (bytes) return bytes.slice();
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, copy(value)]));
}
