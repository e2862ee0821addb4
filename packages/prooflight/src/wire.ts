/**
 * The byte strings between TypeScript and wasm, in borsh. The Rust side is `bindings/wasm/src/wire.rs`.
 * Callers of these classes have checked the values.
 */

import { type Bytes, hexInto, hexLength } from "./bytes.js";
import { describe, refuse } from "./error.js";

/** Writes a request. A number that does not fit is `invalid_argument`: it would be written as another one. */
export class Writer {
  #bytes: Bytes;
  #view: DataView;
  #length = 0;

  constructor(capacity = 256) {
    this.#bytes = new Uint8Array(capacity);
    this.#view = new DataView(this.#bytes.buffer);
  }

  /** The written bytes, not copied. */
  finish(): Bytes {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Discards the written bytes. */
  clear(): void {
    this.#length = 0;
  }

  u8(value: number): void {
    checkInteger(value, 8);
    const at = this.#reserve(1);
    this.#bytes[at] = value;
  }

  bool(value: boolean): void {
    this.u8(value ? 1 : 0);
  }

  u16(value: number): void {
    checkInteger(value, 16);
    const at = this.#reserve(2);
    this.#view.setUint16(at, value, true);
  }

  u32(value: number): void {
    checkInteger(value, 32);
    const at = this.#reserve(4);
    this.#view.setUint32(at, value, true);
  }

  u64(value: bigint): void {
    if (BigInt.asUintN(64, value) !== value) throw tooLarge("0 to 2^64 - 1", value);
    const at = this.#reserve(8);
    this.#view.setBigUint64(at, value, true);
  }

  i64(value: bigint): void {
    if (BigInt.asIntN(64, value) !== value) throw tooLarge("-2^63 to 2^63 - 1", value);
    const at = this.#reserve(8);
    this.#view.setBigInt64(at, value, true);
  }

  optionalU64(value: bigint | undefined): void {
    this.bool(value !== undefined);
    if (value !== undefined) this.u64(value);
  }

  optionalU32(value: number | undefined): void {
    this.bool(value !== undefined);
    if (value !== undefined) this.u32(value);
  }

  /** Bytes of a fixed length, without a prefix. */
  array(value: Uint8Array): void {
    const at = this.#reserve(value.length);
    this.#bytes.set(value, at);
  }

  bytes(value: Uint8Array): void {
    this.u32(value.length);
    const at = this.#reserve(value.length);
    this.#bytes.set(value, at);
  }

  /** The bytes of 0x-hex, without a length prefix. Returns their number. Throws like `fromHex`. */
  hex(hex: string): number {
    const length = hexLength(hex);
    const at = this.#reserve(length);
    hexInto(this.#bytes.subarray(at, at + length), hex);
    return length;
  }

  sequence<T>(items: readonly T[], write: (item: T) => void): void {
    const { length } = items;
    this.u32(length);
    // By index, since iteration skips the holes of an array.
    for (let index = 0; index < length; index++) write(items[index] as T);
  }

  /** Appends `count` bytes; returns their offset. May replace the buffer and the view. */
  #reserve(count: number): number {
    const at = this.#length;
    this.#length += count;
    if (this.#length > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(this.#length, 2 * this.#bytes.length));
      grown.set(this.#bytes.subarray(0, at));
      this.#bytes = grown;
      this.#view = new DataView(grown.buffer);
    }
    return at;
  }
}

function checkInteger(value: number, bits: 8 | 16 | 32): void {
  if (Number.isInteger(value) && value >= 0 && value < 2 ** bits) return;
  throw tooLarge(`0 to 2^${bits} - 1`, value);
}

const tooLarge = (range: string, found: unknown) =>
  refuse("invalid_argument", `an integer of ${range}`, describe(found));

/** Reads a response. The byte strings that it returns are copies. */
export class Reader {
  readonly #bytes: Bytes;
  readonly #view: DataView;
  #offset = 0;

  constructor(bytes: Bytes) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  u8(): number {
    return this.#view.getUint8(this.#advance(1));
  }

  u32(): number {
    return this.#view.getUint32(this.#advance(4), true);
  }

  u64(): bigint {
    return this.#view.getBigUint64(this.#advance(8), true);
  }

  optionalU64(): bigint | undefined {
    return this.u8() === 0 ? undefined : this.u64();
  }

  /** An unsigned integer, big-endian, of a length that is a multiple of 8 bytes. */
  uint(length: number): bigint {
    const at = this.#advance(length);
    let integer = 0n;
    for (let i = 0; i < length; i += 8)
      integer = (integer << 64n) | this.#view.getBigUint64(at + i);
    return integer;
  }

  array(length: number): Bytes {
    const at = this.#advance(length);
    return this.#bytes.slice(at, at + length);
  }

  bytes(): Bytes {
    return this.array(this.u32());
  }

  optionalBytes(): Bytes | null {
    return this.u8() === 0 ? null : this.bytes();
  }

  sequence<T>(read: () => T): T[] {
    return Array.from({ length: this.u32() }, read);
  }

  #advance(count: number): number {
    const at = this.#offset;
    this.#offset += count;
    return at;
  }
}
