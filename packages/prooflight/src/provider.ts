/**
 * A provider for Ethereum (EIP-1193) that verifies its answers.
 *
 * @module prooflight/provider
 */

export type { Hex } from "./bytes.js";
export type { BlobParams } from "./ethereum/chains.js";
export type { ExecutionFork } from "./ethereum/execution/rules.js";
export type { PinnedHeads, Pins } from "./ethereum/pinned.js";
export type { NetworkProviderOptions } from "./provider/ethereum/options.js";
export type { HttpOptions } from "./provider/http.js";
export { httpProvider } from "./provider/http.js";
export { ForwardedError, ProviderError, refusalIn } from "./provider/error.js";
export type { Eip1193Events, Eip1193Provider, RequestArguments } from "./provider/request.js";
export { FORWARDABLE } from "./provider/forwardable.js";
export type { Mode, ProviderOptions } from "./provider/options.js";
export type { VerifyingProvider } from "./provider/provider.js";
export { createProvider } from "./provider/provider.js";
export type { BlockName, Trust, TrustedBlock, TrustedHeader } from "./provider/trust.js";
