import { refuse } from "../error.js";

/** The features that the binaries use. The README lists the same releases. */
const REQUIRED =
  "WebAssembly with simd128 and reference types (Chrome 96, Edge 96, Firefox 93, Safari 16.4, Node 20.19 or newer)";

/** The refusal for engines without WebAssembly, with the most common ones as examples. */
const NONE =
  "no WebAssembly: React Native's engine Hermes has none, and Apple's Lockdown Mode turns it off";

/**
 * The smallest module that uses both: `(func (param externref) (result v128) i32.const 0 i8x16.splat)`.
 */
const PROBE = Uint8Array.of(
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
  ...[0x01, 0x06, 0x01, 0x60, 0x01, 0x6f, 0x01, 0x7b],
  ...[0x03, 0x02, 0x01, 0x00],
  ...[0x0a, 0x08, 0x01, 0x06, 0x00, 0x41, 0x00, 0xfd, 0x0f, 0x0b],
);

/** Throws `unsupported` if this engine cannot run the binaries. */
export function requireFeatures(): void {
  // The types say that WebAssembly is always there; engines in lockdown modes lack it.
  const engine = (globalThis as { WebAssembly?: typeof WebAssembly }).WebAssembly;
  if (!engine) throw refuse("simd_missing", REQUIRED, NONE);
  if (!engine.validate(PROBE)) throw refuse("simd_missing", REQUIRED, "an older WebAssembly");
}
