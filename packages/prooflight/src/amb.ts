/**
 * Ordered keys with all their versions under one root: values at any block, histories, all keys of a range, their
 * number, and the root after the next block.
 *
 * @module prooflight/amb
 */

export type { AmbEntry, AmbPage, AmbReplica } from "./amb/page.js";
export type { AmbResults } from "./amb/proof.js";
export { verifyAmbProof } from "./amb/proof.js";
export type {
  AmbCountInput,
  AmbGetInput,
  AmbHistInput,
  AmbPart,
  AmbProofInput,
  AmbRangeInput,
  AmbTransferInput,
  AmbTrusted,
  AmbUpdateInput,
} from "./amb/question.js";
export type { AmbLimits, HistoryLimits, Limits } from "./limits.js";
export type { StateOperation, Absent, Present } from "./state.js";
export type { Change, KeyHistory } from "./smt/history.js";
export { init, initSync } from "./wasm/hash.js";
