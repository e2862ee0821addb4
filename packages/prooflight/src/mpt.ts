/**
 * Ethereum: verifies the answers of any node to `eth_getProof`, proofs of single tries, and headers.
 *
 * @module prooflight/mpt
 */

export type { Hex } from "./bytes.js";
export type { AbsentAccount, PresentAccount } from "./mpt/account.js";
export { verifyEthGetProof, verifyEthGetProofs } from "./mpt/account.js";
export type { BytesLike, WordLike } from "./mpt/bytes.js";
export type { EthHeader, EthHeaderInput, MptProofInput } from "./mpt/proof.js";
export { verifyEthHeader, verifyMptProof } from "./mpt/proof.js";
export type { Limits } from "./limits.js";
export type { EthGetProofInput, EthGetProofsInput, EthQuestion } from "./mpt/packed.js";
export type { Absent, Present } from "./state.js";
export { init, initSync } from "./wasm/hash.js";
