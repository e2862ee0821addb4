// The wasm binaries: which of the cargo features of `bindings/wasm` each has, and how large it may be.

import { readSchemes } from "../../../scripts/lib/schemes.mjs";

/** A scheme's feature is its name. */
const schemesOf = (binary) =>
  readSchemes()
    .filter((scheme) => scheme.binary === binary)
    .map(({ name }) => name);

/** `chain` is the light client. The budget is in bytes after brotli. */
export const BINARIES = [
  { name: "hash", features: ["chain", ...schemesOf("hash")], budget: 120 * 1024 },
  { name: "lvmt", features: schemesOf("lvmt"), budget: 150 * 1024 },
];
