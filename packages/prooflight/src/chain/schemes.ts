/** The binary that verifies the answers of each scheme. */

import { invalid } from "../arguments.js";
import { describe, refuse } from "../error.js";
import { SCHEMES, STATE_SCHEMES, type StateScheme } from "../schemes.js";
import { hash, init as initHash } from "../wasm/hash.js";
import { init as initLvmt, lvmt } from "../wasm/lvmt.js";

export { STATE_SCHEMES, type StateScheme } from "../schemes.js";

/** Loads the binary of a scheme, if it is not loaded. */
export function initScheme(scheme: StateScheme): Promise<void> {
  return inLvmt(scheme) ? initLvmt() : initHash();
}

/** Passes a request of `bindings/wasm/src/state/message.rs` to a scheme's binary; returns the response. */
export function callState(
  scheme: StateScheme,
  request: Uint8Array,
  proof: Uint8Array,
): Uint8Array<ArrayBuffer> {
  return inLvmt(scheme)
    ? lvmt.call(scheme, (wasm) => wasm.verifyState(request, proof))
    : hash.call(scheme, (wasm) => wasm.verifyState(request, proof));
}

const inLvmt = (scheme: StateScheme) => SCHEMES[scheme].binary === "lvmt";

/** Returns the scheme of this name; `unknown_statement` if this package does not verify its answers. */
export function readScheme(scheme: unknown): StateScheme {
  if (typeof scheme !== "string") {
    throw invalid(undefined, "scheme", "the name of a scheme", describe(scheme));
  }
  const known = STATE_SCHEMES.find((name) => name === scheme);
  if (known) return known;
  throw refuse("unknown_statement", `a scheme of ${STATE_SCHEMES.join(", ")}`, describe(scheme));
}
