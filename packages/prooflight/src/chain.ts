/**
 * Chains of the reference node, without a client: verifies heads, older headers, answers about the
 * state, and whole blocks. The caller passes everything that these functions trust.
 *
 * @module prooflight/chain
 */

export type { AnswerInput, VerifiedAnswer } from "./chain/answer.js";
export { verifyAnswer } from "./chain/answer.js";
export type { Hex, Quantity } from "./bytes.js";
export type { ChainConfig, ChainLimits, Checkpoint, SchemeConfig } from "./chain/checkpoint.js";
export { parseCheckpoint } from "./chain/checkpoint.js";
export type { Header } from "./chain/header.js";
export { decodeHeader } from "./chain/header.js";
export type { BlockInput } from "./chain/block.js";
export { verifyBlock } from "./chain/block.js";
export type { StateScheme } from "./chain/schemes.js";
export type { AmbEntry, AmbPage } from "./amb/page.js";
export type { SetupTrust, StateCountInput, StateInput, StateRangeInput } from "./chain/state.js";
export { verifyState, verifyStateCount, verifyStateRange } from "./chain/state.js";
export type { AncestorInput, AncestorsInput, Freshness, HeadInput } from "./chain/sync.js";
export { verifyAncestor, verifyAncestors, verifyHead } from "./chain/sync.js";
export type { StateOperation, Absent, Present } from "./state.js";
export { init, initSync } from "./wasm/hash.js";
