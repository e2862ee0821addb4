// The wasm binaries: which of the cargo features of `bindings/wasm` each has, and how large it may be.

/** A scheme's feature is its name; `chain` is the light client. The budget is in bytes after brotli. */
export const BINARIES = [
  { name: "hash", features: ["avl", "chain", "mpt", "smt"], budget: 120 * 1024 },
  { name: "lvmt", features: ["lvmt"], budget: 150 * 1024 },
];
