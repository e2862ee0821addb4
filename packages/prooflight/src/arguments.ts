/** The arguments of callers: each is read once and checked. */

import { BYTES, type Bytes, fromHex as decode, viewOf } from "./bytes.js";
import { describe, refuse, VerifyError } from "./error.js";
import { nearest } from "./nearest.js";
import { MAX_PROOF_BYTES } from "./registry.js";
import type { Scheme } from "./schemes.js";

/** The most items of an array. No argument needs more. */
const MAX_ITEMS = 2 ** 24;

/**
 * The members of a caller's object. Each is read once, and checked by the method that returns it.
 *
 * Only own members count, so that a polluted prototype cannot switch off a check. An unknown member
 * is refused: otherwise a misspelt option, and the check that it asks for, would be silently ignored.
 */
export class Arguments<Name extends string> {
  protected readonly scheme: Scheme | undefined;
  /** What comes before a member's name in errors. */
  protected readonly path: string;
  readonly #members = new Map<string, unknown>();

  /**
   * `path` is the object's path in the argument; it is empty for the argument itself. `read` has the members that the
   * caller of this constructor has read already.
   */
  constructor(
    scheme: Scheme | undefined,
    given: unknown,
    known: readonly Name[],
    path = "",
    read?: Readonly<Partial<Record<Name, unknown>>>,
  ) {
    const name = path || "the argument";
    const expected = `an object of ${known.join(", ")}`;
    if (!isObject(given)) throw invalid(scheme, name, expected, describe(given));
    const unknown = unknownMember(given, known);
    if (unknown !== undefined) throw invalid(scheme, name, expected, unknown);
    this.scheme = scheme;
    this.path = path && `${path}.`;
    for (const member of known) {
      const isRead = read !== undefined && Object.hasOwn(read, member);
      this.#members.set(member, isRead ? read[member] : own(given, member));
    }
  }

  /** A member, unchecked. */
  unchecked(name: Name): unknown {
    return this.#members.get(name);
  }

  bytes(name: Name): Uint8Array {
    const value = this.#members.get(name);
    return viewOf(value) ?? this.#refuse(name, BYTES, value);
  }

  optionalBytes(name: Name): Uint8Array | undefined {
    return this.#members.get(name) === undefined ? undefined : this.bytes(name);
  }

  /**
   * The bytes of a proof; throws `proof_too_large` if there are more than `limit`.
   *
   * The verifier has the same check. This one comes before the copy into wasm's memory, which never shrinks.
   */
  proof(name: Name, limit = MAX_PROOF_BYTES): Uint8Array {
    const proof = this.bytes(name);
    if (proof.length <= limit) return proof;
    const scheme = this.scheme;
    throw refuse("proof_too_large", `at most ${limit} bytes`, `${proof.length} bytes`, { scheme });
  }

  /** The byte strings of an array. */
  bytesList(name: Name): Uint8Array[] {
    return this.list(name).map((item, index) => {
      const path = `${this.path}${name}[${index}]`;
      return viewOf(item) ?? raise(invalid(this.scheme, path, BYTES, describe(item)));
    });
  }

  /** Exactly `length` bytes. */
  array(name: Name, length: number): Uint8Array {
    const bytes = this.bytes(name);
    if (bytes.length === length) return bytes;
    throw invalid(this.scheme, this.path + name, `${length} bytes`, `${bytes.length} bytes`);
  }

  /** The items of an array, each read once. Holes become undefined. */
  list(name: Name): readonly unknown[] {
    return itemsOf(this.scheme, this.#members.get(name), this.path + name);
  }

  u32(name: Name): number {
    return this.optionalU32(name) ?? this.#refuse(name, "an integer", undefined);
  }

  u64(name: Name): bigint {
    return this.optionalU64(name) ?? this.#refuse(name, "a bigint", undefined);
  }

  optionalU64(name: Name): bigint | undefined {
    const value = this.#members.get(name);
    if (value === undefined) return undefined;
    const fits = typeof value === "bigint" && value >= 0n && value < 1n << 64n;
    return fits ? value : this.#refuse(name, "a bigint of 0 to 2^64 - 1", value);
  }

  optionalU32(name: Name): number | undefined {
    const value = this.#members.get(name);
    if (value === undefined) return undefined;
    const fits =
      typeof value === "number" && Number.isInteger(value) && value >= 0 && value < 2 ** 32;
    return fits ? value : this.#refuse(name, "an integer of 0 to 2^32 - 1", value);
  }

  boolean(name: Name): boolean {
    return this.optionalBoolean(name) ?? this.#refuse(name, "a boolean", undefined);
  }

  optionalBoolean(name: Name): boolean | undefined {
    const value = this.#members.get(name);
    if (value === undefined || typeof value === "boolean") return value;
    return this.#refuse(name, "a boolean", value);
  }

  /** One of `choices`, or undefined. */
  optionalChoice<Choice extends string>(
    name: Name,
    choices: readonly Choice[],
  ): Choice | undefined {
    const value = this.#members.get(name);
    if (value === undefined) return undefined;
    const choice = choices.find((choice) => choice === value);
    return choice ?? this.#refuse(name, choices.join(" or "), value);
  }

  /** The members of an object within this object. An undefined one counts as empty. */
  optionalObject<Inner extends string>(name: Name, known: readonly Inner[]): Arguments<Inner> {
    const value = this.#members.get(name);
    return new Arguments(this.scheme, value === undefined ? {} : value, known, this.path + name);
  }

  #refuse(name: Name, expected: string, value: unknown): never {
    throw invalid(this.scheme, this.path + name, expected, describe(value));
  }
}

/** The items of an array, each read once; holes become undefined. Throws `invalid_argument` for anything else. */
export function itemsOf(
  scheme: Scheme | undefined,
  given: unknown,
  path: string,
): readonly unknown[] {
  if (!Array.isArray(given)) throw invalid(scheme, path, "an array", describe(given));
  const { length } = given;
  if (Number.isInteger(length) && length >= 0 && length <= MAX_ITEMS) {
    return Array.from({ length }, (_, index): unknown => given[index]);
  }
  throw invalid(scheme, path, `an array of at most ${MAX_ITEMS} items`, `${length} items`);
}

/** The first unknown member of an object, with the known member that may be meant. */
export function unknownMember(given: object, known: readonly string[]): string | undefined {
  const unknown = Object.keys(given).find((member) => !known.includes(member));
  if (unknown === undefined) return undefined;
  // A name that is not an identifier may come from a file and be chosen to mislead a reader.
  const name = /^[\w$]{1,40}$/.test(unknown) ? unknown : describe(unknown);
  const meant = nearest(unknown, known);
  return meant === undefined ? `member ${name}` : `member ${name}; did you mean ${meant}?`;
}

/** Whether a value is an object with members; a Map, a Date or a Promise has its content elsewhere. */
function isObject(value: unknown): value is object {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return describe(value) === "a value of type Object";
}

/** An own member of an object. */
export function own(object: object, member: string): unknown {
  return Object.hasOwn(object, member) ? (object as Record<string, unknown>)[member] : undefined;
}

function raise(error: Error): never {
  throw error;
}

/** The refusal of an argument of the wrong type or out of range. */
export function invalid(
  scheme: Scheme | undefined,
  name: string,
  expected: string,
  found: string,
): VerifyError {
  return refuse("invalid_argument", `${name} to be ${expected}`, found, { scheme });
}

/** A whole number of milliseconds, or undefined; throws `invalid_argument` for anything else. */
export function milliseconds(value: unknown, name: string): number | undefined {
  if (value === undefined) return undefined;
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw invalid(undefined, name, "a whole number of milliseconds", describe(value));
}

/** An `AbortSignal`, of this realm or another one, or undefined; throws `invalid_argument`. */
export function abortSignal(value: unknown): AbortSignal | undefined {
  if (value === undefined || Object.prototype.toString.call(value) === "[object AbortSignal]") {
    return value as AbortSignal | undefined;
  }
  throw invalid(undefined, "signal", "an AbortSignal", describe(value));
}

/** A function, or undefined; throws `invalid_argument` for anything else. */
export function optionalFunction(value: unknown, name: string): unknown {
  if (value === undefined || typeof value === "function") return value;
  throw invalid(undefined, name, "a function", describe(value));
}

/**
 * Calls a function of the application.
 *
 * An error that it throws is reported like that of an event listener. It does not interrupt the client.
 */
export function notify<T>(callback: ((value: T) => void) | undefined, value: T): void {
  try {
    callback?.(value);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/**
 * Decodes a 0x-hex string, in upper or lower case.
 *
 * Throws `invalid_input` / `invalid_argument` if it does not start with `0x`, has an odd length, or other characters.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/conventions.md#5-json-encoding | The specification, conventions 5}
 *
 * @example
 * ```ts
 * import { fromHex } from "prooflight";
 *
 * const key = fromHex("0x626f62");
 * console.log(new TextDecoder().decode(key)); // bob
 * ```
 */
export function fromHex(hex: string): Bytes {
  return readHex(undefined, hex, "hex");
}

/** Decodes a 0x-hex string; throws `invalid_argument`, which names `path`, for anything else. */
export function readHex(scheme: Scheme | undefined, given: unknown, path: string): Bytes {
  try {
    return decode(given as string);
  } catch (error) {
    if (!(error instanceof VerifyError)) throw error;
    throw invalid(scheme, path, error.details.expected, error.details.found);
  }
}

/** Decodes a hash or key, 32 bytes in 0x-hex; throws like {@link readHex}. */
export function readHash(given: unknown, path: string): Bytes {
  const bytes = readHex(undefined, given, path);
  if (bytes.length === 32) return bytes;
  throw invalid(undefined, path, "32 bytes", `${bytes.length} bytes`);
}

/** The type of a `T` imported as a JSON module, whose strings have the type `string`. Each `T` is assignable to it. */
export type FromJson<T> = T extends string
  ? string
  : T extends object
    ? { readonly [Member in keyof T]: FromJson<T[Member]> }
    : T;
