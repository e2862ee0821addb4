/**
 * AVL+ dictionaries as in scorex and Ergo: verifies batches of operations and block proofs,
 * and proves batches on a dictionary in memory.
 *
 * @module prooflight/avl
 */

export type { Operation } from "./avl/operation.js";
export type { Limits, Mode, Pinned } from "./avl/params.js";
export type { ProvedBatch } from "./avl/prover.js";
export { AvlProver } from "./avl/prover.js";
export type { AbsentBetween, VerifiedBatch } from "./avl/result.js";
export type { BatchInput, ErgoAdProofsInput, LookupInput } from "./avl/verify.js";
export { verifyBatch, verifyErgoAdProofs, verifyLookup } from "./avl/verify.js";
export type { Absent, Present } from "./state.js";
export { init, initSync } from "./wasm/hash.js";
