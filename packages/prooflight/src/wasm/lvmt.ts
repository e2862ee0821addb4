import { Binary } from "./binary.js";
import type { WasmInput } from "./compile.js";
import * as glue from "./prooflight_lvmt_bg.js";

/** The functions of the binary. */
export type LvmtGlue = typeof glue;

/** The binary of the schemes that need pairings. */
export const lvmt = new Binary(
  "prooflight-lvmt.wasm",
  "prooflight_lvmt_bg.js",
  glue,
  () => new URL("./prooflight-lvmt.wasm", import.meta.url),
);

/**
 * Loads the WebAssembly of LVMT, which is a separate file. Its functions can be called once the promise has resolved.
 *
 * Arguments and errors are those of `init` of the other modules.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/docs/guide/runtimes.md | Which runtime, which import}
 *
 * @example
 * ```ts
 * import { init } from "prooflight/lvmt";
 *
 * await init(new URL("/assets/prooflight-lvmt.wasm", location.href)); // a copy on your own server
 * ```
 */
export function init(input?: WasmInput): Promise<void> {
  return lvmt.init(input);
}

/**
 * Loads the WebAssembly of LVMT like {@link init}, but synchronously, from a compiled module or its bytes.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/docs/guide/runtimes.md | Which runtime, which import}
 *
 * @example
 * ```ts
 * import { initSync } from "prooflight/lvmt";
 *
 * self.onmessage = ({ data }: MessageEvent<{ wasm: WebAssembly.Module }>) => {
 *   initSync(data.wasm); // in a worker: the page has compiled the module
 * };
 * ```
 */
export function initSync(module: WebAssembly.Module | BufferSource): void {
  lvmt.initSync(module);
}
