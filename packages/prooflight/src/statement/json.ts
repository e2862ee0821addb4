/** The JSON of statements: bytes are 0x-hex, signed 64-bit integers decimal strings. */

import { type Arguments, invalid, readHex } from "../arguments.js";
import { type Bytes, parseQuantity } from "../bytes.js";
import { describe, refuse } from "../error.js";
import type { Scheme } from "../schemes.js";

/** A JSON value. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** The members that are not undefined. */
export function there(members: Readonly<Record<string, unknown>>): Record<string, Json> {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Record<string, Json>;
}

/** Parses JSON; throws `invalid_argument` with what was expected if it is invalid. */
export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw refuse("invalid_argument", `${what} in JSON`, String(cause), { cause });
  }
}

/** The bytes of a member; throws `invalid_argument` if it is not 0x-hex. */
export function hexMember<Name extends string>(
  scheme: Scheme | undefined,
  given: Arguments<Name>,
  name: Name,
): Bytes {
  return readHex(scheme, given.unchecked(name), name);
}

/** The bytes of an optional member; throws `invalid_argument` if it is present and not 0x-hex. */
export function optionalHex<Name extends string>(
  scheme: Scheme | undefined,
  given: Arguments<Name>,
  name: Name,
): Bytes | undefined {
  return given.unchecked(name) === undefined ? undefined : hexMember(scheme, given, name);
}

/** The bytes of each item of an array; throws `invalid_argument` if one is not 0x-hex. */
export function hexItems(
  scheme: Scheme | undefined,
  items: readonly unknown[],
  name: string,
): Bytes[] {
  return Array.from(items, (item, index) => readHex(scheme, item, `${name}[${index}]`));
}

/** A 64-bit quantity; throws `invalid_argument` if it is not one. */
export function quantity(scheme: Scheme | undefined, given: unknown, name: string): bigint {
  const number = parseQuantity(given);
  if (number !== undefined) return number;
  throw invalid(scheme, name, "a 64-bit quantity", describe(given));
}

/** A signed 64-bit integer; throws `invalid_argument` if it is not one in canonical decimal. */
export function decimalMember<Name extends string>(
  scheme: Scheme | undefined,
  given: Arguments<Name>,
  name: Name,
): bigint {
  const text = given.unchecked(name);
  if (typeof text !== "string" || !/^(0|-?[1-9][0-9]{0,18})$/.test(text)) {
    throw invalid(scheme, name, "a signed 64-bit integer in decimal, as a string", describe(text));
  }
  return BigInt(text);
}

/** A kind of statement that can be verified from JSON, as in `test-vectors/spec/vectors.md`. */
export interface Kind {
  /** Its scheme, or `chain`. */
  scheme: Scheme | "chain";
  /** The parts of a verified input that are trusted rather than proven, defaults included. */
  trusted: (input: Readonly<Record<string, unknown>>) => Record<string, Json>;
  /** The parts of a verified input that say what the answer is about, and are not trusted. */
  question: (input: Readonly<Record<string, unknown>>) => Record<string, Json>;
  /** The members that the verifying party must supply; the maker of a saved statement must not decide them. */
  asked: readonly Asked[];
  /** Whether the input names its scheme, since the kind serves several. */
  saysScheme?: true;
  /** The member of an input that may carry its verifying key. */
  ownKey?: "setup" | "verifyingKey";
  /** The subject of each item of the answer's `results`, for a verified input. */
  subjects: (input: unknown) => string[];
  /** Loads the binary that the kind needs. */
  init: () => Promise<void>;
  /** Verifies an input; returns the members that `expected` of a vector may have. */
  verify: (input: unknown) => Record<string, Json>;
}

/** Options that only the verifying party can set. */
export type Asked = "checkpoint" | "now" | "allowInsecureSetup" | "verifyingKey";
