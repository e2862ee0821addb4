import type { Scheme } from "../schemes.js";
import type { Json } from "./json.js";

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
