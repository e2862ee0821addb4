/**
 * Layered Merkle Patricia tries: the newest values of keys, with the layer that has them.
 *
 * @module prooflight/lmpt
 */

export type { Layer } from "./layer.js";
export type { Limits } from "./limits.js";
export type { LmptConfig } from "./lmpt/config.js";
export { lmptConfig } from "./lmpt/config.js";
export type { LmptAbsent, LmptPresent, LmptProofInput } from "./lmpt/proof.js";
export { verifyLmptProof } from "./lmpt/proof.js";
export type { Absent, Present } from "./result.js";
export { init, initSync } from "./wasm/hash.js";
