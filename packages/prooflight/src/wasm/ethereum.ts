import { Binary } from "./binary.js";
import type { WasmInput } from "./compile.js";
import * as glue from "./prooflight_ethereum_bg.js";

/** The functions of the binary. */
export type EthereumGlue = typeof glue;

/** The binary that follows Ethereum's heads and verifies answers against them. */
export const ethereum = new Binary(
  "prooflight-ethereum.wasm",
  "prooflight_ethereum_bg.js",
  glue,
  () => new URL("./prooflight-ethereum.wasm", import.meta.url),
  "prooflight/inline/ethereum, or prooflight/inline/provider for a provider",
);

/**
 * Loads the WebAssembly of Ethereum's light client, which is a separate file. `EthereumClient.connect` does this by
 * itself.
 *
 * Arguments and errors are those of `init` of the other modules.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/docs/guide/runtimes.md | Which runtime, which import}
 */
export function init(input?: WasmInput): Promise<void> {
  return ethereum.init(input);
}

/**
 * Like {@link init}, but synchronous, from a compiled module or its bytes.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/docs/guide/runtimes.md | Which runtime, which import}
 */
export function initSync(module: WebAssembly.Module | BufferSource): void {
  ethereum.initSync(module);
}
