/**
 * Historical proofs: values of keys at any block, every change of a key in a range of blocks, every key
 * that changed between two blocks, and averages over time.
 *
 * @module prooflight/smt
 */

export type { HistoryLimits, Limits } from "./limits.js";
export type { Absent, Present } from "./state.js";
export type { DiffInput, KeyChange } from "./smt/diff.js";
export { verifySmtDiff } from "./smt/diff.js";
export type { BlockRoot, Change, HistoryInput, HistoryProof, KeyHistory } from "./smt/history.js";
export { smtHistoryBlocks, verifySmtHistory } from "./smt/history.js";
export type { SmtProofInput } from "./smt/proof.js";
export { verifySmtProof } from "./smt/proof.js";
export type { Average, BlockTime, Gap, TwapInput } from "./smt/twap.js";
export { smtTwap } from "./smt/twap.js";
export { init, initSync } from "./wasm/hash.js";
