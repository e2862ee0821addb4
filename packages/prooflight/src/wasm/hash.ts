import { Binary } from "./binary.js";
import type { WasmInput } from "./compile.js";
import * as glue from "./prooflight_hash_bg.js";

/** The functions of the binary. */
export type HashGlue = typeof glue;

/** The binary of the hash-based schemes. */
export const hash = new Binary(
  "prooflight-hash.wasm",
  "prooflight_hash_bg.js",
  glue,
  () => new URL("./prooflight-hash.wasm", import.meta.url),
  "prooflight/inline, or prooflight/inline/provider for a provider",
);

/**
 * Loads the WebAssembly of the hash-based schemes. Their functions can be called once the promise has resolved.
 *
 * Without input, the package finds its own file. A second call has no effect, or retries if the first one failed.
 * Throws `unavailable` / `wasm_unavailable` if the file cannot be loaded, `unsupported` / `simd_missing` if the engine
 * is too old, `invalid_input` for an input of another type.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/docs/guide/runtimes.md | Which runtime, which import}
 *
 * @example
 * ```ts
 * import { init, verifySmtProof } from "prooflight/smt";
 *
 * await init(); // once, before the first call
 * const answers = verifySmtProof({ root, height: 90n, keys, proof });
 * ```
 */
export function init(input?: WasmInput): Promise<void> {
  return hash.init(input);
}

/**
 * Loads the WebAssembly like {@link init}, but synchronously, from a compiled module or its bytes.
 *
 * This is for workers, and for runtimes that provide modules. On a page's main thread, some browsers refuse to compile
 * large binaries synchronously.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/docs/guide/runtimes.md | Which runtime, which import}
 *
 * @example
 * ```ts
 * import { readFileSync } from "node:fs";
 * import { initSync } from "prooflight/smt";
 *
 * const file = import.meta.resolve("prooflight/prooflight-hash.wasm");
 * initSync(readFileSync(new URL(file)));
 * ```
 */
export function initSync(module: WebAssembly.Module | BufferSource): void {
  hash.initSync(module);
}
