/** Recursive length prefix encoding. Source: Ethereum Yellow Paper, appendix B. */

import type { Bytes } from "../bytes.js";
import { refuse } from "../error.js";

/** Bytes, an integer, which is encoded without leading zeros, or a list. */
export type Item = Uint8Array | bigint | readonly Item[];

/** Encodes an item. Its lists are nested as deep as the caller made them. */
export function encode(item: Item): Bytes {
  const bytes = new Uint8Array(lengthOf(item));
  write(bytes, 0, item);
  return bytes;
}

/** Encodes a list after a byte for its type, as in EIP-2718; without it for type 0. */
export function encodeTyped(type: number, item: Item): Bytes {
  if (type === 0) return encode(item);
  const bytes = new Uint8Array(1 + lengthOf(item));
  bytes[0] = type;
  write(bytes, 1, item);
  return bytes;
}

/** A decoded item: bytes, or a list. */
export type Decoded = Bytes | Decoded[];

/** Decodes one item, whose form the binary has verified. */
export function decode(bytes: Uint8Array): Decoded {
  const [item] = decodeAll(bytes);
  if (item === undefined) throw refuse("bug", "an item of RLP", "none");
  return item;
}

function decodeAll(bytes: Uint8Array): Decoded[] {
  const items: Decoded[] = [];
  for (let at = 0; at < bytes.length;) {
    const first = bytes[at] ?? 0;
    const isList = first >= 0xc0;
    const short = first - (isList ? 0xc0 : 0x80);
    let start = at + (short < 0 ? 0 : 1);
    let length = short < 0 ? 1 : short;
    if (short > 55) {
      start += short - 55;
      length = bytes.subarray(at + 1, start).reduce((sum, byte) => 256 * sum + byte, 0);
    }
    at = start + length;
    const payload = bytes.slice(start, at);
    items.push(isList ? decodeAll(payload) : payload);
  }
  return items;
}

/** The length of a list's encoding whose items take `payload` bytes. */
export const lengthOfList = (payload: number): number => payload + prefixOf(payload);

/** The number of bytes of an item's encoding. */
export function lengthOf(item: Item): number {
  const length = payloadOf(item);
  return isOwnEncoding(item) ? 1 : length + prefixOf(length);
}

function payloadOf(item: Item): number {
  if (typeof item === "bigint") return digitsOf(item).length / 2;
  if (item instanceof Uint8Array) return item.length;
  return item.reduce((sum: number, inner) => sum + lengthOf(inner), 0);
}

/** A single byte below 0x80 is its own encoding. */
function isOwnEncoding(item: Item): boolean {
  if (typeof item === "bigint") return item > 0n && item < 0x80n;
  return item instanceof Uint8Array && item.length === 1 && (item[0] ?? 0) < 0x80;
}

const prefixOf = (length: number) => (length < 56 ? 1 : 1 + bytesOf(length));

/** The number of bytes of a length. */
const bytesOf = (length: number) => Math.ceil((32 - Math.clz32(length)) / 8);

/** An even number of hexadecimal digits; none for 0. */
function digitsOf(integer: bigint): string {
  if (integer === 0n) return "";
  const digits = integer.toString(16);
  return digits.length % 2 === 0 ? digits : `0${digits}`;
}

/** Writes an item at an offset; returns the offset after it. */
function write(bytes: Bytes, offset: number, item: Item): number {
  let at = offset;
  if (!isOwnEncoding(item)) {
    const isList = typeof item !== "bigint" && !(item instanceof Uint8Array);
    const length = payloadOf(item);
    const base = isList ? 0xc0 : 0x80;
    if (length < 56) bytes[at++] = base + length;
    else {
      const count = bytesOf(length);
      bytes[at++] = base + 55 + count;
      for (let shift = count - 1; shift >= 0; shift--) bytes[at++] = length >>> (8 * shift);
    }
  }
  if (typeof item === "bigint") {
    const digits = digitsOf(item);
    for (let i = 0; i < digits.length; i += 2) bytes[at++] = parseInt(digits.slice(i, i + 2), 16);
    return at;
  }
  if (item instanceof Uint8Array) {
    bytes.set(item, at);
    return at + item.length;
  }
  for (const inner of item) at = write(bytes, at, inner);
  return at;
}
