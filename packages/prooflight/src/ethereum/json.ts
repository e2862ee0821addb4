/** Reads the JSON of execution and beacon servers, which may have any form. */

import { type Bytes, fromHex, type Hex } from "../bytes.js";
import { describe, refuse, VerifyError } from "../error.js";

/** The cause of a refusal if a server says, without proof, that it has nothing with a hash. */
export class NullAnswer extends Error {
  readonly hash: Hex;

  constructor(hash: Hex) {
    super(`the server answered null for ${hash}`);
    this.hash = hash;
  }
}

/** A value in a server's reply; `path` names it in errors, which are `malformed` / `invalid_answer`. */
export class JsonValue {
  readonly value: unknown;
  readonly path: string;

  constructor(value: unknown, path: string) {
    this.value = value;
    this.path = path;
  }

  /** A member of an object; `undefined` if it is missing or null. */
  optional(name: string): JsonValue | undefined {
    const { value } = this;
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      this.#refuse("an object");
    }
    const member = (value as Record<string, unknown>)[name];
    return member === undefined || member === null
      ? undefined
      : new JsonValue(member, `${this.path}.${name}`);
  }

  /** A required member of an object; its reader throws if it is missing. */
  member(name: string): JsonValue {
    return this.optional(name) ?? new JsonValue(undefined, `${this.path}.${name}`);
  }

  /** The items of an array. */
  list(): JsonValue[] {
    const { value, path } = this;
    if (!Array.isArray(value)) return this.#refuse("an array");
    return value.map((item: unknown, index) => new JsonValue(item, `${path}[${index}]`));
  }

  /** Bytes in 0x-hex; `length` of them if it is given. */
  bytes(length?: number): Bytes {
    let bytes: Bytes;
    try {
      bytes = fromHex(this.value as string);
    } catch (error) {
      if (!(error instanceof VerifyError)) throw error;
      throw wrong(this.path, error.details.expected, error.details.found);
    }
    if (length === undefined || bytes.length === length) return bytes;
    throw wrong(this.path, `${length} bytes`, `${bytes.length} bytes`);
  }

  /** The items of a member; none if it is null or missing, as some servers write an empty array. */
  items(name: string): JsonValue[] {
    return this.optional(name)?.list() ?? [];
  }

  /** An unsigned integer in 0x-hex, below `2^bits`, with or without leading zeros; `0x` is 0. */
  quantity(bits = 64): bigint {
    const { value } = this;
    if (typeof value === "string" && /^0x0*[0-9a-fA-F]{0,64}$/.test(value)) {
      const integer = value === "0x" ? 0n : BigInt(value);
      if (integer < 1n << BigInt(bits)) return integer;
    }
    return this.#refuse(`an integer of ${bits} bits in 0x-hex`);
  }

  /** An unsigned integer in decimal digits, below `2^bits`. */
  decimal(bits = 64): bigint {
    const { value } = this;
    if (typeof value === "string" && /^[0-9]{1,78}$/.test(value)) {
      const integer = BigInt(value);
      if (integer < 1n << BigInt(bits)) return integer;
    }
    return this.#refuse(`an integer of ${bits} bits in decimal digits`);
  }

  /** Throws for a value of another form. */
  #refuse(expected: string): never {
    throw wrong(this.path, expected, describe(this.value));
  }
}

/** A number in 0x-hex. */
export const quantity = (number: bigint): Hex => `0x${number.toString(16)}`;

/** The refusal of a reply that does not have the expected form. */
export const wrong = (path: string, expected: string, found: string): VerifyError =>
  refuse("invalid_answer", `${path} to be ${expected}`, found);
