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
 * Loads the WebAssembly of Ethereum's light client, which is a separate file.
 *
 * `EthereumClient.connect` loads it too: call `init` only to load it earlier, or from another place. Arguments and
 * errors are those of `init` of the other modules.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/docs/guide/runtimes.md | Which runtime, which import}
 *
 * @example
 * ```ts
 * import { init } from "prooflight/ethereum";
 *
 * document.querySelector("#connect")?.addEventListener("pointerenter", () => {
 *   void init(); // loads the file before the user connects
 * });
 * ```
 */
export function init(input?: WasmInput): Promise<void> {
  return ethereum.init(input);
}

/**
 * Loads the WebAssembly like {@link init}, but synchronously, from a compiled module or its bytes.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/docs/guide/runtimes.md | Which runtime, which import}
 *
 * @example
 * ```ts
 * import { readFileSync } from "node:fs";
 * import { initSync } from "prooflight/ethereum";
 *
 * const file = import.meta.resolve("prooflight/prooflight-ethereum.wasm");
 * initSync(readFileSync(new URL(file)));
 * ```
 */
export function initSync(module: WebAssembly.Module | BufferSource): void {
  ethereum.initSync(module);
}
