import type { Scheme } from "../registry.js";
import * as answer from "./answer.js";
import * as avl from "./avl.js";
import * as chain from "./chain.js";
import type { Json } from "./json.js";
import * as lvmt from "./lvmt.js";
import * as mpt from "./mpt.js";
import * as smt from "./smt.js";

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

/** Every kind of statement that this build knows; a new scheme adds its own. */
export const KINDS: ReadonlyMap<string, Kind> = new Map(
  Object.entries({
    AvlBatch: avl.AvlBatch,
    ErgoAdProofs: avl.ErgoAdProofs,
    HeaderSync: chain.HeaderSync,
    HeaderInclusion: chain.HeaderInclusion,
    HeadersInclusion: chain.HeadersInclusion,
    StateAnswer: answer.StateAnswer,
    BlockTransition: answer.BlockTransition,
    AmtOpening: lvmt.AmtOpening,
    LvmtProof: lvmt.LvmtProof,
    MptProof: mpt.MptProof,
    EthGetProof: mpt.EthGetProof,
    EthHeader: mpt.EthHeader,
    SmtProof: smt.SmtProof,
    SmtHistory: smt.SmtHistory,
    SmtDiff: smt.SmtDiff,
  }),
);
