// The wasm binaries: the cargo features of `bindings/wasm` and the size budget of each.

import { readSchemes } from "../../../scripts/lib/schemes.mjs";

/** The feature of a scheme has the scheme's name. */
const schemesOf = (binary) =>
  readSchemes()
    .filter((scheme) => scheme.binary === binary)
    .map(({ name }) => name);

/**
 * `chain` accepts headers, `light` verifies answers against them; `beacon` accepts Ethereum's heads, `ethereum` and `mpt`
 * verify answers against them. The budget is in bytes after brotli.
 */
export const BINARIES = [
  { name: "hash", features: ["chain", "light", ...schemesOf("hash")], budget: 138 * 1024 },
  { name: "lvmt", features: ["light", ...schemesOf("lvmt")], budget: 130 * 1024 },
  // For size: two curves at full speed take 155 KiB, and a head needs only one pairing.
  { name: "ethereum", features: ["beacon", "ethereum", "mpt"], optLevel: "s", budget: 116 * 1024 },
];
