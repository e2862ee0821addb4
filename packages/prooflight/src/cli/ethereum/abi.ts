/** The ABI of contracts: its types, and the encoding of values. */

import type { Hex } from "../../bytes.js";
import { fromHex, toHex } from "../../bytes.js";
import { describe, refuse } from "../../error.js";
import { Utf8Decoder, Utf8Encoder } from "../../platform.js";

/** A type of values. */
export type AbiType =
  | { kind: "uint" | "int"; bits: number }
  | { kind: "address" | "bool" | "string" }
  /** Of any length if it is undefined. */
  | { kind: "bytes"; length: number | undefined }
  | { kind: "array"; item: AbiType; length: number | undefined }
  | { kind: "tuple"; members: readonly AbiParameter[] };

/** A type with a name, which is empty if there is none. */
export interface AbiParameter {
  type: AbiType;
  name: string;
}

/** A value: integers are bigints, addresses and bytes 0x-hex, arrays and tuples lists. */
export type AbiValue = bigint | boolean | string | readonly AbiValue[];

/**
 * The encoding of values, one for each parameter.
 *
 * Throws `invalid_argument` for a value that is not of its type, and names it by its position: `argument 2[0]`.
 */
export function encode(parameters: readonly AbiParameter[], values: readonly AbiValue[]): Hex {
  checkCount("arguments of the signature", parameters.length, values.length);
  return `0x${encodeList(membersOf(parameters, values, (index) => `argument ${index + 1}`))}`;
}

/**
 * The values that bytes are the encoding of, one for each parameter.
 *
 * Throws `invalid_argument` if the types do not fit the bytes: an integer is out of range, an offset leads out of the
 * bytes, bytes are left over, or there is more to read than the limit.
 */
export function decode(parameters: readonly AbiParameter[], data: Hex): AbiValue[] {
  return new Decoder(fromHex(data)).all(parameters.map(typeOf));
}

/** The name of a type in a signature. */
export function typeName(type: AbiType): string {
  switch (type.kind) {
    case "uint":
    case "int":
      return `${type.kind}${type.bits}`;
    case "bytes":
      return `bytes${type.length ?? ""}`;
    case "array":
      return `${typeName(type.item)}[${type.length ?? ""}]`;
    case "tuple":
      return `(${type.members.map(({ type }) => typeName(type)).join(",")})`;
    case "address":
    case "bool":
    case "string":
      return type.kind;
  }
}

type IntegerType = Extract<AbiType, { bits: number }>;

const typeOf = ({ type }: { type: AbiType }): AbiType => type;

/** Whether the encoding has a length of its own, so that an offset leads to it. */
function isDynamic(type: AbiType): boolean {
  if (type.kind === "array") return type.length === undefined || isDynamic(type.item);
  if (type.kind === "tuple") return type.members.map(typeOf).some(isDynamic);
  return type.kind === "string" || (type.kind === "bytes" && type.length === undefined);
}

/** The bytes that a value takes where it stands in a list: those of an offset if it is dynamic. */
function headBytes(type: AbiType): number {
  if (isDynamic(type)) return WORD;
  if (type.kind === "array") return (type.length ?? 0) * headBytes(type.item);
  return type.kind === "tuple" ? headsBytes(type.members.map(typeOf)) : WORD;
}

const headsBytes = (types: readonly AbiType[]) =>
  types.reduce((sum, type) => sum + headBytes(type), 0);

const WORD = 32;

/** A value to encode, and where it stands. */
interface Member {
  type: AbiType;
  value: AbiValue;
  path: string;
}

const membersOf = (
  parameters: readonly AbiParameter[],
  values: readonly AbiValue[],
  pathOf: (index: number) => string,
): Member[] =>
  parameters.map(({ type }, index) => ({ type, value: values[index] ?? "", path: pathOf(index) }));

/** The digits of a list: values, or offsets to those that follow. */
function encodeList(members: readonly Member[]): string {
  const heads: string[] = [];
  const tails: string[] = [];
  let end = headsBytes(members.map(typeOf));
  for (const member of members) {
    const encoded = encodeValue(member);
    if (!isDynamic(member.type)) {
      heads.push(encoded);
      continue;
    }
    heads.push(word(BigInt(end)));
    tails.push(encoded);
    end += encoded.length / 2;
  }
  return [...heads, ...tails].join("");
}

function encodeValue({ type, value, path }: Member): string {
  switch (type.kind) {
    case "uint":
    case "int":
      return encodeInteger(type, value, path);
    case "address":
      return hexDigits(type, value, path, 20).padStart(2 * WORD, "0");
    case "bool":
      if (typeof value === "boolean") return word(value ? 1n : 0n);
      throw wrongValue(path, "true or false", value);
    case "string":
      if (typeof value !== "string") throw wrongValue(path, "a string", value);
      return encodeBytes(toHex(new Utf8Encoder().encode(value)).slice(2));
    case "bytes": {
      const digits = hexDigits(type, value, path, type.length);
      return type.length === undefined ? encodeBytes(digits) : padded(digits);
    }
    case "array": {
      const { item, length } = type;
      const items = listOf(type, value, path, length);
      const members = items.map((value, index) => ({
        ...{ type: item, value },
        path: `${path}[${index}]`,
      }));
      const count = length === undefined ? word(BigInt(items.length)) : "";
      return count + encodeList(members);
    }
    case "tuple": {
      const values = listOf(type, value, path, type.members.length);
      return encodeList(membersOf(type.members, values, (index) => `${path}[${index}]`));
    }
  }
}

function encodeInteger(type: IntegerType, value: AbiValue, path: string): string {
  const [least, most] = rangeOf(type);
  if (typeof value === "bigint" && value >= least && value <= most) {
    return word(BigInt.asUintN(256, value));
  }
  const range =
    type.kind === "int"
      ? `-2^${type.bits - 1} to 2^${type.bits - 1} - 1`
      : `0 to 2^${type.bits} - 1`;
  throw wrongValue(path, `${typeName(type)}, an integer of ${range}`, value);
}

/** The least and the greatest integer of a type. */
function rangeOf({ kind, bits }: IntegerType): [bigint, bigint] {
  if (kind === "uint") return [0n, (1n << BigInt(bits)) - 1n];
  const half = 1n << BigInt(bits - 1);
  return [-half, half - 1n];
}

/** The digits of bytes in 0x-hex, of which there are `length` if it is given. */
function hexDigits(
  type: AbiType,
  value: AbiValue,
  path: string,
  length: number | undefined,
): string {
  const isHex = typeof value === "string" && /^0x([0-9a-f]{2})*$/i.test(value);
  if (isHex && (length === undefined || value.length === 2 + 2 * length)) {
    return value.slice(2).toLowerCase();
  }
  const count = length === undefined ? "bytes" : `${length} byte${length === 1 ? "" : "s"}`;
  throw wrongValue(path, `${typeName(type)}, ${count} in 0x-hex`, value);
}

/** Bytes behind their number. */
const encodeBytes = (digits: string): string => word(BigInt(digits.length / 2)) + padded(digits);

const padded = (digits: string): string =>
  digits.padEnd(Math.ceil(digits.length / (2 * WORD)) * 2 * WORD, "0");

const word = (value: bigint): string => value.toString(16).padStart(2 * WORD, "0");

/** The items of a list, of which there are `count` if it is given. */
function listOf(
  type: AbiType,
  value: AbiValue,
  path: string,
  count: number | undefined,
): readonly AbiValue[] {
  if (!Array.isArray(value)) throw wrongValue(path, `a list for ${typeName(type)}`, value);
  const items = value as readonly AbiValue[];
  if (count !== undefined) checkCount(`items of ${path}`, count, items.length);
  return items;
}

function checkCount(what: string, expected: number, found: number): void {
  if (expected !== found) throw refuse("invalid_argument", `${expected} ${what}`, `${found}`);
}

const wrongValue = (path: string, expected: string, value: AbiValue) =>
  refuse("invalid_argument", `${path} to be ${expected}`, describe(value));

/** The most bytes to read. Offsets may lead to the same bytes again and again, so that little data could take long. */
const MAX_READ_BYTES = 8 * 1024 * 1024;

/** Reads values from bytes. */
class Decoder {
  readonly #bytes: Uint8Array;
  #read = 0;
  /** The end of all that was read. */
  #end = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** The values of a list that takes all bytes. */
  all(types: readonly AbiType[]): AbiValue[] {
    const values = this.#list(types, 0);
    const more = this.#bytes.length - this.#end;
    if (more > 0) throw misfit(`${more} of ${this.#bytes.length} bytes left over`);
    return values;
  }

  #list(types: readonly AbiType[], base: number): AbiValue[] {
    let head = base;
    return types.map((type) => {
      const at = isDynamic(type) ? base + this.#size(head, "an offset") : head;
      head += headBytes(type);
      return this.#value(type, at);
    });
  }

  #value(type: AbiType, at: number): AbiValue {
    switch (type.kind) {
      case "uint":
      case "int":
        return this.#integer(type, at);
      case "address":
        return toHex(this.#fixed(type, at, WORD - 20, WORD));
      case "bool": {
        const value = this.#number(at);
        if (value > 1n) throw misfit(`${value} at byte ${at} for bool`);
        return value === 1n;
      }
      case "string":
        return this.#text(at);
      case "bytes":
        if (type.length === undefined) return toHex(this.#content(at));
        return toHex(this.#fixed(type, at, 0, type.length));
      case "array": {
        const count = type.length ?? this.#size(at, "a length");
        const base = type.length === undefined ? at + WORD : at;
        const bytes = count * headBytes(type.item);
        if (bytes > this.#bytes.length - base) {
          throw misfit(
            `${count} items of ${typeName(type.item)} at byte ${base} of ${this.#bytes.length}`,
          );
        }
        return this.#list(new Array<AbiType>(count).fill(type.item), base);
      }
      case "tuple":
        return this.#list(type.members.map(typeOf), at);
    }
  }

  #integer(type: IntegerType, at: number): bigint {
    const raw = this.#number(at);
    const value = type.kind === "int" ? BigInt.asIntN(256, raw) : raw;
    const [least, most] = rangeOf(type);
    if (value >= least && value <= most) return value;
    throw misfit(`${value} at byte ${at} for ${typeName(type)}`);
  }

  /** A part of a word whose other bytes are zeros. */
  #fixed(type: AbiType, at: number, from: number, to: number): Uint8Array {
    const word = this.#take(at, WORD);
    if (word.every((byte, index) => byte === 0 || (index >= from && index < to))) {
      return word.subarray(from, to);
    }
    throw misfit(`${toHex(word)} at byte ${at} for ${typeName(type)}`);
  }

  #text(at: number): string {
    const content = this.#content(at);
    try {
      return new Utf8Decoder().decode(content);
    } catch {
      throw misfit(`a string at byte ${at} that is not UTF-8`);
    }
  }

  /** Bytes behind their number. What fills up their last word is not looked at, and may be missing. */
  #content(at: number): Uint8Array {
    const length = this.#size(at, "a length");
    const content = this.#take(at + WORD, length);
    const filled = at + WORD + Math.ceil(length / WORD) * WORD;
    this.#end = Math.max(this.#end, Math.min(filled, this.#bytes.length));
    return content;
  }

  /** A number of bytes or items, or an offset: no more than there are bytes. */
  #size(at: number, what: string): number {
    const size = this.#number(at);
    if (size <= BigInt(this.#bytes.length)) return Number(size);
    throw misfit(`${what} of ${size} at byte ${at} of ${this.#bytes.length}`);
  }

  #number(at: number): bigint {
    return BigInt(toHex(this.#take(at, WORD)));
  }

  #take(at: number, length: number): Uint8Array {
    const end = at + length;
    if (end > this.#bytes.length) {
      throw misfit(`only ${this.#bytes.length} bytes, of which ${end} are needed`);
    }
    this.#read += length;
    if (this.#read > MAX_READ_BYTES) throw misfit(`more than ${MAX_READ_BYTES} bytes to read`);
    this.#end = Math.max(this.#end, end);
    return this.#bytes.subarray(at, end);
  }
}

const misfit = (found: string) =>
  refuse("invalid_argument", "return types that fit what the contract returned", found);
