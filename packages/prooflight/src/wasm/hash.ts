import { Binary } from "./binary.js";
import type { WasmInput } from "./compile.js";
import * as glue from "./prooflight_hash_bg.js";

/** The functions of the binary. */
export type HashGlue = typeof glue;

/** The binary of the schemes that need nothing but hashes. */
export const hash = new Binary(
  "prooflight-hash.wasm",
  "prooflight_hash_bg.js",
  glue,
  () => new URL("./prooflight-hash.wasm", import.meta.url),
);

/**
 * Loads the WebAssembly of the hash-based schemes; their functions work once this has resolved.
 *
 * Without input it finds its own file. Calling it again does nothing, unless it failed: then it
 * tries again. Throws `unavailable` if the file cannot be loaded, `unsupported` if the engine is
 * too old, `invalid_input` if the input is of no such type.
 */
export function init(input?: WasmInput): Promise<void> {
  return hash.init(input);
}

/**
 * The same as {@link init} from a compiled module or its bytes, at once.
 *
 * For runtimes that hand out modules, and for workers. On a page's main thread some browsers
 * compile only small binaries without waiting.
 */
export function initSync(module: WebAssembly.Module | BufferSource): void {
  hash.initSync(module);
}
