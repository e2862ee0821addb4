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
 * Loads the WebAssembly of LVMT, a file of its own; its functions work once this has resolved.
 *
 * Takes and throws what `init` of the other modules does.
 */
export function init(input?: WasmInput): Promise<void> {
  return lvmt.init(input);
}

/** The same as {@link init} from a compiled module or its bytes, at once. */
export function initSync(module: WebAssembly.Module | BufferSource): void {
  lvmt.initSync(module);
}
