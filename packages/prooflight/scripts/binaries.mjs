// The wasm binaries: which of the cargo features of `bindings/wasm` each has, and how large it may be.

import { readSchemes } from "../../../scripts/lib/schemes.mjs";

/** A scheme's feature is its name. */
const schemesOf = (binary) =>
  readSchemes()
    .filter((scheme) => scheme.binary === binary)
    .map(({ name }) => name);

/**
 * `chain` accepts headers, `light` verifies what they show. The budget is in bytes after brotli; each binary has the texts
 * of all reasons, those of `beacon` and `ethereum` too.
 */
export const BINARIES = [
  { name: "hash", features: ["chain", "light", ...schemesOf("hash")], budget: 122 * 1024 },
  { name: "lvmt", features: ["light", ...schemesOf("lvmt")], budget: 150 * 1024 },
];
