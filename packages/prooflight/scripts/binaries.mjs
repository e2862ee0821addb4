// The wasm binaries: the cargo features of `bindings/wasm` and the size budget of each.

import { readSchemes } from "../../../scripts/lib/schemes.mjs";

/** The feature of a scheme has the scheme's name. */
const schemesOf = (binary) =>
  readSchemes()
    .filter((scheme) => scheme.binary === binary)
    .map(({ name }) => name);

/**
 * `chain` accepts headers, `light` verifies answers against them; `beacon` accepts Ethereum's heads, `ethereum` and `mpt`
 * verify answers against them; `evm` executes calls. The budget is in bytes after brotli.
 *
 * `fast` has the crates that are compiled for speed in a binary for size; `optimization` has wasm-opt's options instead of that of
 * `bindings/wasm/Cargo.toml`.
 */
export const BINARIES = [
  { name: "hash", features: ["chain", "light", ...schemesOf("hash")], budget: 138 * 1024 },
  { name: "lvmt", features: ["light", ...schemesOf("lvmt")], budget: 130 * 1024 },
  // For size: two curves at full speed take 155 KiB, and a head needs only one pairing.
  { name: "ethereum", features: ["beacon", "ethereum", "mpt"], optLevel: "s", budget: 116 * 1024 },
  // For size, of which precompiles take most; hashes take most of the time.
  {
    name: "evm",
    features: ["evm"],
    optLevel: "z",
    fast: ["keccak", "sha3"],
    // What is inlined into its only caller compresses worse.
    optimization: ["-Oz", "--converge", "--one-caller-inline-max-function-size", "0"],
    budget: 210 * 1024,
  },
];
