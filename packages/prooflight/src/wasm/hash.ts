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
 * Loads the WebAssembly of the hash-based schemes. Their functions can be called once this has resolved.
 *
 * Without input, it finds its own file. Calling it again has no effect, or retries after a failure. Throws
 * `unavailable` / `wasm_unavailable` if the file cannot be loaded, `unsupported` / `simd_missing` if the engine is too
 * old, `invalid_input` for an input of another type.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/docs/guide/runtimes.md | Which runtime, which import}
 */
export function init(input?: WasmInput): Promise<void> {
  return hash.init(input);
}

/**
 * Like {@link init}, but synchronous, from a compiled module or its bytes.
 *
 * For runtimes that provide modules, and for workers. On a page's main thread, some browsers refuse to compile
 * large binaries synchronously.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/docs/guide/runtimes.md | Which runtime, which import}
 */
export function initSync(module: WebAssembly.Module | BufferSource): void {
  hash.initSync(module);
}
