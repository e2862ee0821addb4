/**
 * LVMT: verifies the newest values of keys, or their absence, against the two roots of a header, and openings
 * of the underlying vector commitments.
 *
 * Its WebAssembly is a separate file, which only its `init` loads.
 *
 * @module prooflight/lvmt
 */

export type { Hex } from "./bytes.js";
export type { Limits } from "./limits.js";
export type { LvmtConfig } from "./scheme-params.js";
export { lvmtConfig } from "./scheme-params.js";
export type { AmtOpening, AmtOpeningsInput } from "./lvmt/openings.js";
export { verifyAmtOpenings } from "./lvmt/openings.js";
export type { LvmtAbsent, LvmtPresent, LvmtProofInput } from "./lvmt/proof.js";
export { verifyLvmtProof } from "./lvmt/proof.js";
export type { Setup } from "./lvmt/setup.js";
export type { Absent, Present } from "./state.js";
export { init, initSync } from "./wasm/lvmt.js";
