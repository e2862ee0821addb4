/**
 * Layered Merkle Patricia tries: the newest values of keys, with the layer that has them.
 *
 * @module prooflight/lmpt
 */

export type { Layer, Absent, Present } from "./state.js";
export type { Limits } from "./limits.js";
export type { LmptConfig } from "./scheme-params.js";
export { lmptConfig } from "./scheme-params.js";
export type { LmptAbsent, LmptPresent, LmptProofInput } from "./lmpt/proof.js";
export { verifyLmptProof } from "./lmpt/proof.js";
export { init, initSync } from "./wasm/hash.js";
