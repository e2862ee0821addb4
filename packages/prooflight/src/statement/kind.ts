import type { Scheme } from "../schemes.js";
import type { Json } from "./json.js";

/** A kind of statement that can be verified from JSON, as in `test-vectors/spec/vectors.md`. */
export interface Kind {
  /** The scheme it is about, or `chain`. */
  scheme: Scheme | "chain";
  /** What of an input that was verified is trusted and not proven, defaults included. */
  trusted: (input: Readonly<Record<string, unknown>>) => Record<string, Json>;
  /** What of an input that was verified says what the answer is about, and is not among what is trusted. */
  question: (input: Readonly<Record<string, unknown>>) => Record<string, Json>;
  /** What whoever verifies must know, and whoever made a saved statement must not decide. */
  asked: readonly Asked[];
  /** Whether the input itself says the scheme: the kind is one of several. */
  saysScheme?: true;
  /** The member in which an input may bring its verifying key. */
  ownKey?: "setup";
  /** What each item of the answer's `results` is about; of an input that was verified. */
  subjects: (input: unknown) => string[];
  /** Loads the binary that it needs. */
  init: () => Promise<void>;
  /**
   * Verifies; gives the members that `expected` of a vector may have.
   *
   * `verifyingKey` is that of a setup which is not built in, for kinds whose input has none.
   */
  verify: (input: unknown, verifyingKey?: Uint8Array) => Record<string, Json>;
}

/** What only whoever verifies can say. */
export type Asked = "checkpoint" | "now" | "allowInsecureSetup" | "verifyingKey";
