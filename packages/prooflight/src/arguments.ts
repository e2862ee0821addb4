import { isBytes } from "./bytes.js";
import { describe, refuse, type VerifyError } from "./error.js";
import { MAX_PROOF_BYTES, type Scheme } from "./registry.js";

/**
 * The members of an object that a caller passed, each checked when it is read.
 *
 * A member that the function does not know is refused: a misspelt optional one would otherwise be
 * left out in silence, and with it the check that it asks for.
 */
export class Arguments<Name extends string> {
  readonly #scheme: Scheme;
  readonly #path: string;
  readonly #members: Readonly<Record<string, unknown>>;

  /** `path` is where the object stands in the whole argument; the argument itself has none. */
  constructor(scheme: Scheme, given: unknown, known: readonly Name[], path = "") {
    const name = path || "the argument";
    if (typeof given !== "object" || given === null) {
      throw invalid(scheme, name, "an object", describe(given));
    }
    const stranger = Object.keys(given).find((member) => !known.includes(member as Name));
    if (stranger !== undefined) {
      throw invalid(scheme, name, `an object of ${known.join(", ")}`, `member ${stranger}`);
    }
    this.#scheme = scheme;
    this.#path = path && `${path}.`;
    this.#members = given as Record<string, unknown>;
  }

  /** A member as it is, not checked. */
  unchecked(name: Name): unknown {
    return this.#members[name];
  }

  bytes(name: Name): Uint8Array {
    const value = this.#members[name];
    return isBytes(value) ? value : this.#refuse(name, "a Uint8Array", value);
  }

  /**
   * The bytes of a proof, `proof_too_large` if there are more than `limit`.
   *
   * The verifier checks it too; but wasm's memory never shrinks, so they are not even copied there.
   */
  proof(name: Name, limit = MAX_PROOF_BYTES): Uint8Array {
    const proof = this.bytes(name);
    if (proof.length <= limit) return proof;
    const scheme = this.#scheme;
    throw refuse("proof_too_large", `at most ${limit} bytes`, `${proof.length} bytes`, { scheme });
  }

  list(name: Name): readonly unknown[] {
    const value: unknown = this.#members[name];
    return Array.isArray(value) ? value : this.#refuse(name, "an array", value);
  }

  u32(name: Name): number {
    return this.optionalU32(name) ?? this.#refuse(name, "an integer", undefined);
  }

  optionalU32(name: Name): number | undefined {
    const value = this.#members[name];
    if (value === undefined) return undefined;
    const fits =
      typeof value === "number" && Number.isInteger(value) && value >= 0 && value < 2 ** 32;
    return fits ? value : this.#refuse(name, "an integer of 0 to 2^32 - 1", value);
  }

  optionalBoolean(name: Name): boolean | undefined {
    const value = this.#members[name];
    if (value === undefined || typeof value === "boolean") return value;
    return this.#refuse(name, "a boolean", value);
  }

  /** One of some strings, or undefined. */
  optionalChoice<Choice extends string>(
    name: Name,
    choices: readonly Choice[],
  ): Choice | undefined {
    const value = this.#members[name];
    if (value === undefined) return undefined;
    const choice = choices.find((choice) => choice === value);
    return choice ?? this.#refuse(name, choices.join(" or "), value);
  }

  /** An object inside this one; one without members if it is undefined. */
  optionalObject<Inner extends string>(name: Name, known: readonly Inner[]): Arguments<Inner> {
    const value = this.#members[name];
    return new Arguments(this.#scheme, value === undefined ? {} : value, known, this.#path + name);
  }

  #refuse(name: Name, expected: string, value: unknown): never {
    throw invalid(this.#scheme, this.#path + name, expected, describe(value));
  }
}

/** The refusal of an argument that has the wrong type or is out of range. */
export function invalid(
  scheme: Scheme,
  name: string,
  expected: string,
  found: string,
): VerifyError {
  return refuse("invalid_argument", `${name} to be ${expected}`, found, { scheme });
}
