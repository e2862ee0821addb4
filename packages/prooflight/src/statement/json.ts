/** The JSON of statements: bytes are 0x-hex, signed 64-bit integers decimal strings. */

import { Arguments, invalid, readHex } from "../arguments.js";
import { type Bytes, parseQuantity } from "../bytes.js";
import { describe, refuse } from "../error.js";
import type { Scheme } from "../schemes.js";
import { init } from "../wasm/hash.js";

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

/** The members of an object in JSON: bytes are read from 0x-hex, and integers from quantities. */
export class JsonMembers<Name extends string> extends Arguments<Name> {
  hex(name: Name): Bytes {
    return readHex(this.scheme, this.unchecked(name), this.path + name);
  }

  optionalHex(name: Name): Bytes | undefined {
    return this.unchecked(name) === undefined ? undefined : this.hex(name);
  }

  /** The bytes of each item of an array. */
  hexList(name: Name): Bytes[] {
    return this.list(name).map((item, index) =>
      readHex(this.scheme, item, `${this.path}${name}[${index}]`),
    );
  }

  /** The hashes of an array, 32 bytes each. */
  hashes(name: Name): Bytes[] {
    const hashes = this.hexList(name);
    const wrong = hashes.findIndex(({ length }) => length !== 32);
    if (wrong < 0) return hashes;
    const found = `${hashes[wrong]?.length} bytes`;
    throw invalid(this.scheme, `${this.path}${name}[${wrong}]`, "32 bytes", found);
  }

  /** A 64-bit integer. */
  quantity(name: Name): bigint {
    const given = this.unchecked(name);
    const number = parseQuantity(given);
    if (number !== undefined) return number;
    throw invalid(this.scheme, this.path + name, "a 64-bit quantity", describe(given));
  }

  optionalQuantity(name: Name): bigint | undefined {
    return this.unchecked(name) === undefined ? undefined : this.quantity(name);
  }

  /** A signed 64-bit integer in canonical decimal. */
  decimal(name: Name): bigint {
    const text = this.unchecked(name);
    if (typeof text === "string" && /^(0|-?[1-9][0-9]{0,18})$/.test(text)) return BigInt(text);
    const expected = "a signed 64-bit integer in decimal, as a string";
    throw invalid(this.scheme, this.path + name, expected, describe(text));
  }

  /** The objects of an array, each with these members at most. */
  objects<Inner extends string>(name: Name, known: readonly Inner[]): JsonMembers<Inner>[] {
    return this.list(name).map(
      (item, index) => new JsonMembers(this.scheme, item, known, `${this.path}${name}[${index}]`),
    );
  }
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

/** What makes a kind: the names of its input's members, and how they are verified. */
interface KindDefinition<Name extends string> extends Partial<
  Pick<Kind, "asked" | "saysScheme" | "ownKey" | "subjects" | "init">
> {
  scheme: Kind["scheme"];
  trusted: readonly Name[] | Kind["trusted"];
  question: readonly Name[] | Kind["question"];
  /** The other members. */
  evidence: readonly Name[];
  verify: (given: JsonMembers<Name>) => Record<string, Json>;
}

/**
 * A kind that reads its input's members.
 *
 * Errors about members name its scheme, unless the kind is the chain's or serves several schemes.
 */
// So that bundlers leave out the kinds that a page does not use.
/* @__NO_SIDE_EFFECTS__ */
export function kind<const Name extends string>(definition: KindDefinition<Name>): Kind {
  const { scheme, trusted, question, evidence } = definition;
  const listed = [trusted, question].flatMap((names) => (typeof names === "function" ? [] : names));
  const members = [...new Set([...listed, ...evidence])];
  const errorScheme = scheme === "chain" || definition.saysScheme ? undefined : scheme;
  return {
    asked: [],
    subjects: () => [],
    init,
    ...definition,
    trusted: membersIn(trusted),
    question: membersIn(question),
    verify: (input) => definition.verify(new JsonMembers(errorScheme, input, members)),
  };
}

/** Picks the named members of an input, without those that are undefined. */
export const membersIn = (names: readonly string[] | Kind["trusted"]): Kind["trusted"] =>
  typeof names === "function"
    ? names
    : (input) => there(Object.fromEntries(names.map((name) => [name, input[name]])));

/** The keys of an input, whose results come in their order. */
export const keysOf: Kind["subjects"] = (input) => (input as { keys?: string[] }).keys ?? [];
