/**
 * Checks answers about a blockchain's state against a root that you trust.
 *
 * The verifiers are in a module for each scheme, for example `prooflight/avl`.
 *
 * @packageDocumentation
 */

export type { Bytes } from "./bytes.js";
export { fromHex, toHex } from "./bytes.js";
export type { Refusal, RefusalDetails } from "./error.js";
export { VerifyError } from "./error.js";
export type { Code, Reason, Scheme } from "./registry.js";
export { REASONS } from "./registry.js";
export type { WasmInput } from "./wasm/compile.js";
export { init, initSync } from "./wasm/hash.js";
